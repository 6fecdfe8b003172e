// SPDX-License-Identifier: Apache-2.0
#include "base/memory_bandwidth.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <new>
#include <system_error>
#include <thread>

#include "base/available_memory.hpp"

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

}  // namespace

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
