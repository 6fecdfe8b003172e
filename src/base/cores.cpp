// SPDX-License-Identifier: Apache-2.0
#include "base/cores.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>

#include "base/file.hpp"
#include "base/fingerprint.hpp"
#include "base/number_text.hpp"

namespace foretask::base {
namespace {

constexpr std::size_t kMostText = 1 << 20;

std::optional<double> take_number(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \n"), text.size()));
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return static_cast<double>(number);
}

std::optional<double> number_in(const std::string& path) {
  const auto text = read_file(path, kMostText);
  if (!text) return std::nullopt;
  std::string_view rest(*text);
  return take_number(rest);
}

bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty())
    if (take_part(list, ',') == word) return true;
  return false;
}

// "QUOTA PERIOD" of version 2, or a file each of version 1; 0: no limit.
double quota_of(const std::string& folder) {
  double quota = 0;
  double period = 0;
  if (const auto both = read_file(folder + "/cpu.max", kMostText)) {
    std::string_view text(*both);
    quota = take_number(text).value_or(0);  // "max": none
    period = take_number(text).value_or(0);
  } else {
    quota = number_in(folder + "/cpu.cfs_quota_us").value_or(0);  // -1: none
    period = number_in(folder + "/cpu.cfs_period_us").value_or(0);
  }
  return quota > 0 && period > 0 ? quota / period : 0;
}

// "throttled_usec N" of version 2, or "throttled_time N", in ns, of version 1.
std::int64_t throttled_of(const std::string& folder) {
  const auto text = read_file(folder + "/cpu.stat", kMostText);
  if (!text) return 0;
  for (std::string_view rest(*text); !rest.empty();) {
    std::string_view line = take_part(rest, '\n');
    const std::string_view name = take_part(line, ' ');
    const auto number = static_cast<std::int64_t>(take_number(line).value_or(0));
    if (name == "throttled_usec") return 1000 * number;
    if (name == "throttled_time") return number;
  }
  return 0;
}

}  // namespace

std::vector<std::string> control_groups(std::string_view controller, const std::string& root) {
  std::vector<std::string> folders;
  const auto groups = read_file(root + "/proc/self/cgroup", kMostText);
  if (!groups) return folders;
  // "NUMBER:CONTROLLERS:PATH" each; of version 2 without controllers.
  for (std::string_view text(*groups); !text.empty();) {
    const std::string_view line = take_part(text, '\n');
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && !has_word(controllers, controller)) continue;
    const std::string mount = root + "/sys/fs/cgroup" + (controllers.empty() ? "" : "/" + std::string(controller));
    // In a container the path may be one of the host's, of which nothing is seen but what is mounted here.
    for (std::string path(line.substr(second + 1)); path.size() > 1; path.resize(path.rfind('/')))
      folders.push_back(mount + path);
    folders.push_back(mount);
  }
  return folders;
}

double core_quota(const std::string& root) {
  double least = 0;
  for (const std::string& folder : control_groups("cpu", root))
    if (const double quota = quota_of(folder); quota > 0 && (least == 0 || quota < least)) least = quota;
  return least;
}

std::int64_t throttled_ns(const std::string& root) {
  std::int64_t most = 0;
  for (const std::string& folder : control_groups("cpu", root)) most = std::max(most, throttled_of(folder));
  return most;
}

std::uint32_t threads_beyond_processors(const std::vector<cpu_set_t>& affinities, std::uint32_t processors) {
  struct Mask {
    cpu_set_t set;
    std::uint32_t threads;
  };
  std::vector<Mask> masks;
  for (const cpu_set_t& set : affinities) {
    const auto known = std::ranges::find_if(masks, [&](const Mask& mask) { return CPU_EQUAL(&mask.set, &set) != 0; });
    if (known != masks.end())
      ++known->threads;
    else
      masks.push_back({set, 1});
  }
  // Hall's theorem, for the sets that are masks.
  std::uint32_t most = 0;
  for (const Mask& mask : masks) {
    std::uint32_t within = 0;
    for (const Mask& other : masks) {
      cpu_set_t both;
      CPU_AND(&both, &mask.set, &other.set);
      if (CPU_EQUAL(&both, &other.set) != 0) within += other.threads;
    }
    const auto own = static_cast<std::uint32_t>(CPU_COUNT(&mask.set));
    if (within > own) most = std::max(most, within - own);
  }
  // However they are bound, so many have none.
  const std::size_t without = affinities.size() - std::min<std::size_t>(affinities.size(), processors);
  return most > without ? most - static_cast<std::uint32_t>(without) : 0;
}

unsigned allowed_cores() {
  cpu_set_t set;
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<unsigned>(CPU_COUNT(&set)) : 0;
}

std::string processor_key() {
  constexpr std::array kTelling{"vendor_id", "cpu family",  "model", "CPU implementer",
                                "CPU part",  "CPU variant", "cpu"};
  std::string key = std::to_string(::sysconf(_SC_NPROCESSORS_CONF));
  // The first processor alone: the file is long where there are many, and the system asks each of them.
  std::array<char, 1024> text;
  const FileDescriptor file(::open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC));
  const ssize_t bytes = ::read(file.get(), text.data(), text.size());
  for (std::string_view rest(text.data(), static_cast<std::size_t>(std::max<ssize_t>(bytes, 0))); !rest.empty();) {
    const std::string_view line = take_part(rest, '\n');
    std::string_view name = line.substr(0, line.find(':'));
    name = name.substr(0, name.find_last_not_of(" \t") + 1);
    if (name.substr(0, 5) == "model" || std::find(kTelling.begin(), kTelling.end(), name) != kTelling.end())
      key.append("|").append(line);
  }
  return fingerprint(key);
}

}  // namespace foretask::base
