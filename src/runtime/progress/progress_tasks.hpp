// SPDX-License-Identifier: Apache-2.0
// HOT: how the tasks of this process are counted (foretask/progress_hook.h), and what annotations add to it.
#pragma once

#include <cstdint>

#include "foretask/foretask.h"

namespace foretask::runtime {

// The next task that the calling thread creates is one of `kernel`.
void progress_next_task(foretask_kernel* kernel) noexcept;
// That kernel; null: it was not named.
[[nodiscard]] foretask_kernel* counted_next_task() noexcept;

// A scope that has begun, and one that is over. Nothing where a runtime's hook counts its tasks.
void progress_scope_begin(const foretask_kernel* kernel) noexcept;
void progress_scope_end(const foretask_kernel* kernel, std::uint64_t own_ticks) noexcept;

// Counted by a hook; else by scopes.
[[nodiscard]] bool progress_has_hook() noexcept;

// The largest team; where there are scopes alone, the threads that had one. 0: none yet.
[[nodiscard]] std::uint32_t progress_workers() noexcept;

// From when on the first thread's serial part is counted.
void set_progress_start(std::uint64_t ticks) noexcept;

// The library is being unloaded: threads' ends no longer call into it.
void close_progress_threads() noexcept;

}  // namespace foretask::runtime
