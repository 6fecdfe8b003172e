// SPDX-License-Identifier: Apache-2.0
#include "base/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>

#include "base/cores.hpp"
#include "base/file.hpp"
#include "base/number_text.hpp"

namespace foretask::base {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kWindow{25};
constexpr std::size_t kPiece = 1 << 16;  // words between two looks at the time

// Adds to each word, so that each is read and written; the bytes read until `stop`.
double sweep(std::uint64_t* words, std::size_t count, const std::atomic<int>& go, std::atomic<int>& ready,
             const std::atomic<bool>& stop) {
  std::fill(words, words + count, 1);  // the pages are there, near the thread
  ready.fetch_add(1);
  while (go.load(std::memory_order_acquire) == 0) std::this_thread::yield();
  double bytes = 0;
  for (std::size_t at = 0; !stop.load(std::memory_order_relaxed);) {
    const std::size_t end = std::min(at + kPiece, count);
    for (std::size_t i = at; i < end; ++i) words[i] += i;
    bytes += static_cast<double>((end - at) * sizeof(std::uint64_t));
    at = end == count ? 0 : end;
  }
  return bytes;
}

// 0 where it cannot be measured.
double bandwidth_of(unsigned threads, std::size_t count) {
  std::atomic<int> go{0}, ready{0};
  std::atomic<bool> stop{false};
  std::vector<double> bytes(threads);
  std::vector<std::unique_ptr<std::uint64_t[]>> arrays;
  for (unsigned i = 0; i < threads; ++i) {
    arrays.emplace_back(new (std::nothrow) std::uint64_t[count]);
    if (!arrays.back()) return 0;
  }
  std::vector<std::thread> all;
  bool is_complete = true;
  for (unsigned i = 0; i < threads; ++i) try {
      all.emplace_back([&, i] { bytes[i] = sweep(arrays[i].get(), count, go, ready, stop); });
    } catch (const std::system_error&) {
      is_complete = false;
      break;
    }
  while (is_complete && ready.load() != static_cast<int>(threads)) std::this_thread::yield();
  const Clock::time_point begin = Clock::now();
  go.store(1, std::memory_order_release);
  if (is_complete) std::this_thread::sleep_for(kWindow);
  stop.store(true);
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  for (std::thread& thread : all) thread.join();
  if (!is_complete) return 0;
  double sum = 0;
  for (const double one : bytes) sum += one;
  return sum / seconds;
}

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
  std::uint64_t least = kUnlimited;
  for (const std::string& folder : control_groups("memory")) {
    const auto limit = read_file(folder + "/memory.max", kMostText);
    const auto used = read_file(folder + "/memory.current", kMostText);
    if (limit && used) {
      if (const auto bytes = number_in(*limit)) least = std::min(least, left(*bytes, number_in(*used).value_or(0)));
    }
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

std::vector<double> memory_bandwidth(unsigned most, std::size_t bytes) {
  std::vector<double> all;
  const std::size_t count = std::max<std::size_t>(bytes / sizeof(std::uint64_t), kPiece);
  for (unsigned threads = 1; threads <= most; threads = threads < most ? std::min(2 * threads, most) : most + 1) {
    // Half of what there is at most: others need some as well.
    if (static_cast<double>(threads) * static_cast<double>(bytes) > 0.5 * static_cast<double>(available_memory_bytes()))
      break;
    constexpr int kTries = 3;  // the best: what disturbs only slows down
    double best = 0;
    for (int i = 0; i < kTries; ++i) best = std::max(best, bandwidth_of(threads, count));
    if (!(best > 0)) break;
    const double before = all.empty() ? best : all.back();
    for (const std::size_t known = all.size(); all.size() < threads;)
      all.push_back(before + (best - before) * static_cast<double>(all.size() + 1 - known) /
                                 static_cast<double>(threads - known));
  }
  return all;
}

}  // namespace foretask::base
