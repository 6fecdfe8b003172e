// SPDX-License-Identifier: Apache-2.0
// The kernels whose progress is followed: each has a place in every thread's counters. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/progress/progress_counters.hpp"

namespace foretask::runtime {

// The key is code that creates tasks, opens regions (the threads' own part in them) or begins loops, or a
// foretask_kernel.
// Takes a lock; microseconds for a new one.
[[nodiscard]] std::uint32_t progress_place_slow(const void* key, base::KernelKind kind) noexcept;

// HOT: the same, some ns where this thread has met it lately.
[[nodiscard]] inline std::uint32_t progress_place(ProgressCounters& own, const void* key,
                                                  base::KernelKind kind) noexcept {
  CachedPlace& cached = own.cache[(reinterpret_cast<std::uintptr_t>(key) >> 2) % own.cache.size()];
  if (cached.key != key || cached.kind != kind) [[unlikely]]
    cached = {key, kind, progress_place_slow(key, kind)};
  return cached.place;
}

// Their names by place, from place 0 on, as earlier runs know them (model::ProgramKernelRow).
[[nodiscard]] std::vector<std::string> progress_kernel_names();

// Around fork().
void lock_progress_kernels();
void unlock_progress_kernels();

}  // namespace foretask::runtime
