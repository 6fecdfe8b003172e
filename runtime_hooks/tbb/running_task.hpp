// SPDX-License-Identifier: Apache-2.0
// HOT: what libtbb calls in place of a task's execute and cancel, and in place of what an arena is to run.
#pragma once

#include "recorder.hpp"
#include "shadow_table.hpp"

namespace foretask::tbb {

// The functions of every shadow.
Task* run_execute(Task* task, ExecutionData* data);
Task* run_cancel(Task* task, ExecutionData* data);

[[nodiscard]] inline bool is_shadowed(const Task& task) noexcept {
  return task.vtable[kExecuteSlot] == reinterpret_cast<void*>(run_execute);
}

// The shadow of a new task's class; null where there is no room for more classes.
[[nodiscard]] inline Shadow* shadow_of(const Task& task) noexcept {
  return is_shadowed(task) ? &Shadow::of(task) : shadow_of(task.vtable, run_execute, run_cancel);
}

// What task_arena::execute calls, which libtbb runs at once, or as a task of its own where the arena is full: then
// another thread may run it, while the caller waits.
class ArenaCall final : public Delegate {
 public:
  // `thread`: the caller's, which comes to the call here.
  ArenaCall(RecordedThread& thread, Delegate& called);
  ~ArenaCall() override;
  ArenaCall(const ArenaCall&) = delete;
  ArenaCall& operator=(const ArenaCall&) = delete;

  bool operator()() const override;

 private:
  void begin_wait(foretask_stream* stream);
  void end_wait(foretask_stream* stream) const;

  Delegate& called_;
  Frame* frame_;             // the caller's
  std::uint64_t cause_ = 0;  // an empty task, that comes after the caller's code before the call
  mutable std::uint64_t wait_ = 0;
  mutable std::uint64_t task_ = 0;  // where it ran as a task
};

}  // namespace foretask::tbb
