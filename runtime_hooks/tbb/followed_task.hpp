// SPDX-License-Identifier: Apache-2.0
// HOT: TBB's tasks for what follows tasks (task_hook.h), beside a recording or without one. Whoever comes back from
// libtbb says which task goes on: a call may return on another thread than it was made on.
#pragma once

#include <atomic>
#include <cstdint>

#include "abi.hpp"
#include "foretask/task_hook.h"

namespace foretask::tbb {

class LoopPart;

inline constinit std::atomic<bool> follows{false};
// One load and one branch, where nothing is followed. Acquire: what is followed was said before.
[[nodiscard]] inline bool is_followed() noexcept { return follows.load(std::memory_order_acquire); }

// Once, on the thread that comes to TBB first, before others do. Up to `threads` run tasks.
void begin_following(std::uint32_t threads) noexcept;
// The program ends.
void end_following() noexcept;

// As record_creation(). `is_root`: the first task of a parallel algorithm, which no part of a loop around it gives.
void follow_creation(Task& task, bool is_root = false) noexcept;

// A task's begin and end, around `run`, which calls the task's own function.
Task* follow_execute(Task* task, ExecutionData* data, TaskFunction run);
Task* follow_cancel(Task* task, ExecutionData* data, TaskFunction run);

// The running task's call that may come back on another thread, from the constructor to the destructor, which an
// exception may call. Where tasks are followed.
class FollowedCall {
 public:
  // kWaits: other tasks may run on the thread meanwhile. kRuns: the task's own code may as well.
  enum class Kind { kWaits, kRuns };
  explicit FollowedCall(Kind kind);
  ~FollowedCall();
  FollowedCall(const FollowedCall&) = delete;
  FollowedCall& operator=(const FollowedCall&) = delete;

 private:
  Kind kind_;
  foretask_hook_task* task_;
  LoopPart* part_;
};

// Such a call, where tasks may be followed or not.
template <typename Call>
void call_followed(FollowedCall::Kind kind, Call&& call) {
  if (!is_followed()) [[likely]]
    return call();
  const FollowedCall followed(kind);
  call();
}

}  // namespace foretask::tbb
