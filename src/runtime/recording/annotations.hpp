// SPDX-License-Identifier: Apache-2.0
// What a recording takes down of kernels, of samples of them, and of the tasks that the program names. Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/file.hpp"
#include "base/tick_scale.hpp"
#include "foretask/foretask.h"

namespace foretask::runtime {

// A kernel that the program has defined, once each. Kept when nothing is recorded yet: the program may define its
// kernels before its runtime starts. Takes a lock; writes a line when recording.
void record_kernel_definition(std::uint32_t id, std::string_view name, std::span<const std::string> parameters);

// HOT from here on, and nothing while this process is not recorded. A thread that has no stream yet opens one.

// A scope that has ended, or a time that the program measured itself.
void record_kernel_sample(std::uint32_t kernel, std::span<const double> parameters, double duration_ns) noexcept;

// A scope begins, or has ended, on a thread that no runtime runs: it is a task. `code` began it, with the first ones of
// its parameters; its end has all, of which so many were known then. False where it is not recorded.
[[nodiscard]] bool record_own_task(std::uint32_t kernel, std::span<const double> parameters, const void* code) noexcept;
void record_end_of_own_task(std::span<const double> parameters, std::size_t known) noexcept;

// The calling thread's next_task is written behind its next creation.
void record_next_task() noexcept;
// Whether it is still to be.
[[nodiscard]] bool is_next_task_recorded() noexcept;

// What the calling thread has decided of subtrees of a kernel (FORETASK_EVENT_GRANULARITY).
struct GranularityFacts {
  std::uint32_t kernel = 0;
  std::uint32_t tasks = 0;
  std::uint32_t calls = 0;
  std::uint32_t decisions = 0;
  std::uint32_t decisions_ns = 0;
  std::uint32_t threshold_ns = 0;
};
void record_granularity(const GranularityFacts& facts) noexcept;

// Of the task that the calling thread runs.
void record_task_parameter(std::uint32_t index, double value) noexcept;

// While this process is recorded.
inline constinit std::atomic<base::TickScale> recording_scale{base::TickScale()};

// For the recording itself. From here on definitions go into `folder`, those that there are already first.
void begin_kernel_file(const std::string& folder, const base::FileIdentity& folder_is);
// What is defined later is kept, and written nowhere. In a forked child, or when the recording has ended.
void end_kernel_file() noexcept;
// Held over a fork.
void lock_kernel_file() noexcept;
void unlock_kernel_file() noexcept;

}  // namespace foretask::runtime
