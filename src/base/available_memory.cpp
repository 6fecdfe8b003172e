// SPDX-License-Identifier: Apache-2.0
#include "base/available_memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.hpp"
#include "base/number_text.hpp"

namespace foretask::base {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t kMostText = 1 << 20;

std::optional<std::uint64_t> number_in(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_of("0123456789"), text.size());
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data() + begin, text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  return number;
}

// The number behind `key` on a line of its own, in bytes: files of /proc count in kB.
std::uint64_t kilobytes_of(std::string_view text, std::string_view key) {
  const std::size_t place = text.find(key);
  if (place == std::string_view::npos) return 0;
  return number_in(text.substr(place + key.size(), 40)).value_or(0) * 1024;
}

std::uint64_t system_bytes() {
  const auto text = read_file("/proc/meminfo", kMostText);
  if (!text) return kUnlimited;
  return kilobytes_of(*text, "MemAvailable:") + kilobytes_of(*text, "SwapFree:");
}

std::uint64_t left(std::uint64_t limit, std::uint64_t used) { return limit > used ? limit - used : 0; }

// Of this process's group and those around it the tightest.
std::uint64_t control_group_bytes() {
  const auto groups = read_file("/proc/self/cgroup", kMostText);
  if (!groups) return kUnlimited;
  const std::size_t place = groups->find("0::/");
  if (place == std::string::npos) return kUnlimited;
  std::string path = groups->substr(place + 3, groups->find('\n', place) - place - 3);
  std::uint64_t least = kUnlimited;
  while (!path.empty()) {
    const std::string folder = "/sys/fs/cgroup" + path;
    const auto limit = read_file(folder + "/memory.max", kMostText);
    const auto used = read_file(folder + "/memory.current", kMostText);
    if (limit && used) {
      if (const auto bytes = number_in(*limit)) least = std::min(least, left(*bytes, number_in(*used).value_or(0)));
    }
    path.resize(path.rfind('/'));
  }
  return least;
}

std::uint64_t limit_bytes(int resource, std::string_view used_key) {
  rlimit limit{};
  if (getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return kUnlimited;
  const auto status = read_file("/proc/self/status", kMostText);
  return left(limit.rlim_cur, status ? kilobytes_of(*status, used_key) : 0);
}

}  // namespace

std::uint64_t available_memory_bytes() {
  return std::min(
      {system_bytes(), control_group_bytes(), limit_bytes(RLIMIT_AS, "VmSize:"), limit_bytes(RLIMIT_DATA, "VmData:")});
}

std::string gigabytes(double bytes) { return text_of("%.1f GB", bytes / 1e9); }

}  // namespace foretask::base
