// SPDX-License-Identifier: Apache-2.0
// HOT: what each thread counts of the tasks that it runs, on cache lines of its own. Written by that thread alone with
// plain stores, read by the thread that follows the progress.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/region_name.hpp"
#include "foretask/foretask.h"

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

// The calling thread's; null without memory. Kept for another thread when this one ends: nothing counted is lost.
inline constinit thread_local ProgressCounters* thread_counters __attribute__((tls_model("initial-exec"))) = nullptr;
[[nodiscard, gnu::cold]] ProgressCounters* open_progress_counters_slow() noexcept;
[[nodiscard]] inline ProgressCounters* own_progress_counters() noexcept {
  if (thread_counters) [[likely]]
    return thread_counters;
  return open_progress_counters_slow();
}

// The kernels whose progress is followed: each has a place in every thread's counters. The key is code that creates
// tasks, opens regions (the threads' own part in them) or begins loops, or a foretask_kernel. Takes a lock;
// microseconds for a new one.
[[nodiscard]] std::uint32_t progress_place_slow(const void* key, base::KernelKind kind) noexcept;

// The same, some ns where this thread has met it lately.
[[nodiscard]] inline std::uint32_t progress_place(ProgressCounters& own, const void* key,
                                                  base::KernelKind kind) noexcept {
  CachedPlace& cached = own.cache[(reinterpret_cast<std::uintptr_t>(key) >> 2) % own.cache.size()];
  if (cached.key != key || cached.kind != kind) [[unlikely]]
    cached = {key, kind, progress_place_slow(key, kind)};
  return cached.place;
}

// A scope that has begun, and one that is over. Nothing where a runtime's hook counts its tasks.
void count_scope_begin(const foretask_kernel* kernel) noexcept;
void count_scope_end(const foretask_kernel* kernel, std::uint64_t own_ticks) noexcept;

// Whether a hook counts tasks; else scopes are counted.
inline constinit std::atomic<bool> are_tasks_counted{false};
// The largest team; where there are scopes alone, the threads that had one. 0: none yet.
inline constinit std::atomic<std::uint32_t> counted_workers{0};
// From when on the first thread's serial part is counted; taken once.
inline constinit std::atomic<std::uint64_t> serial_start{0};

// Kernels' names by place, from place 0 on, as earlier runs know them (model::ProgramKernelRow). Takes a lock.
[[nodiscard]] std::vector<std::string> progress_kernel_names();

// All there are. Takes a lock.
[[nodiscard]] std::vector<ProgressCounters*> all_progress_counters();

// The library is being unloaded: threads' ends no longer call into it.
void close_progress_threads() noexcept;

// Around fork().
void lock_progress_kernels();
void unlock_progress_kernels();
void lock_progress_counters();
void unlock_progress_counters();

}  // namespace foretask::runtime
