// SPDX-License-Identifier: Apache-2.0
// HOT: what each thread counts of the tasks that it runs, on cache lines of its own. Written by that thread alone with
// plain stores, read by the thread that follows the progress.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/region_name.hpp"

namespace foretask::runtime {

// Places of kernels; those that find none are kOtherKernels.
inline constexpr std::size_t kMostProgressKernels = 128;
inline constexpr std::uint32_t kOtherKernels = 0;
inline constexpr std::uint32_t kSerialPart = 1;

class OwnCounter {
 public:
  void add(std::uint64_t more) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

// Of tasks; of loops in iterations.
struct KernelCounters {
  OwnCounter started;
  OwnCounter finished;
  OwnCounter ticks;
};

// A kernel that this thread has met lately.
struct CachedPlace {
  const void* key = nullptr;
  base::KernelKind kind = base::KernelKind::kTasks;
  std::uint32_t place = kOtherKernels;
};

struct alignas(64) ProgressCounters {
  // What runs, as its place + 1, and since when; 0: nothing. Seen torn by a reader it is off by one task for a moment.
  std::atomic<std::uint32_t> running{0};
  std::atomic<std::uint64_t> since{0};
  std::array<KernelCounters, kMostProgressKernels> kernels{};
  std::array<CachedPlace, 64> cache{};  // the thread's alone
};

// Of the calling thread; null without memory. Kept for another thread when this one ends: nothing counted is lost.
[[nodiscard]] ProgressCounters* take_progress_counters() noexcept;
void give_back_progress_counters(ProgressCounters* counters) noexcept;

// All there are. Takes a lock.
[[nodiscard]] std::vector<ProgressCounters*> all_progress_counters();

// Around fork().
void lock_progress_counters();
void unlock_progress_counters();

}  // namespace foretask::runtime
