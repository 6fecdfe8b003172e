// SPDX-License-Identifier: Apache-2.0
#include "followed_task.hpp"

#include <utility>

#include "loop_part.hpp"
#include "recorded_thread.hpp"
#include "running_task.hpp"

namespace foretask::tbb {
namespace {

struct FollowedThread {
  foretask_hook_task* running = nullptr;
  LoopPart* part = nullptr;  // of the running task's
  foretask_hook_task* initial = nullptr;
};
constinit thread_local FollowedThread this_thread __attribute__((tls_model("initial-exec")));

// Of the thread that the call is on: the compiler keeps no address over a call that may have changed it.
__attribute__((noinline)) FollowedThread& own_thread() noexcept {
  asm volatile("");
  return this_thread;
}

// The thread leaves what it runs for the task; null: for what is no task.
void run(foretask_hook_task* task, LoopPart* part) noexcept {
  FollowedThread& thread = own_thread();
  foretask_hook_task_switch(task);
  thread.running = task;
  thread.part = part;
}

foretask_hook_task* take_followed(Task& task) noexcept {
  return reinterpret_cast<foretask_hook_task*>(std::exchange(task.reserved[kFollowed], 0));
}

class Followed {
 public:
  Followed(foretask_hook_task* task, LoopPart* part) : task_(task) { run(task, part); }
  // What goes on here is not known before it comes back from libtbb.
  ~Followed() {
    FollowedThread& thread = own_thread();
    foretask_hook_task_end(task_, nullptr);
    thread.running = nullptr;
    thread.part = nullptr;
  }
  Followed(const Followed&) = delete;
  Followed& operator=(const Followed&) = delete;

 private:
  foretask_hook_task* task_;
};

Task* follow_part(foretask_hook_task* followed, Task* task, ExecutionData* data, TaskFunction execute) {
  LoopPart part(*task);
  const Followed running(followed, &part);
  Task* const next = execute(task, data);
  foretask_hook_set_parameter(0, part.iterations());
  return next;
}

Task* follow_body(foretask_hook_task* followed, Task* task, ExecutionData* data, TaskFunction execute) {
  const Followed running(followed, nullptr);
  return execute(task, data);
}

}  // namespace

void begin_following(std::uint32_t threads) noexcept {
  this_thread.initial = foretask_hook_region_enter(nullptr, threads);
  this_thread.running = this_thread.initial;
  follows.store(true);
}

void end_following() noexcept {
  if (!follows.exchange(false)) return;
  foretask_hook_region_leave(std::exchange(own_thread().initial, nullptr));
}

void follow_creation(Task& task, bool is_root) noexcept {
  // libtbb hands it on to another thread.
  if (is_shadowed(task) && task.reserved[kFollowed] != 0) return;
  Shadow* const shadow = shadow_of(task);
  if (!shadow) return;
  FollowedThread& thread = own_thread();
  // A recording beside it counts the iterations.
  const bool is_recorded = mode() == Mode::kRecords;
  if (thread.part && !is_root && !is_recorded) thread.part->give(task);
  const TaskKernel kernel = kernel_of_new_task(task, *shadow);
  if (!is_recorded) task.reserved[kMarks] = kernel.marks();
  task.reserved[kFollowed] = reinterpret_cast<std::uint64_t>(foretask_hook_task_create(kernel.code));
  task.vtable = shadow->table();
}

Task* follow_execute(Task* task, ExecutionData* data, TaskFunction execute) {
  foretask_hook_task* const followed = take_followed(*task);
  if (!followed) return execute(task, data);
  const bool counts = (task->reserved[kMarks] & kCountsIterations) != 0 && mode() != Mode::kRecords;
  Task* const next = counts ? follow_part(followed, task, data, execute) : follow_body(followed, task, data, execute);
  if (next) follow_creation(*next);
  return next;
}

Task* follow_cancel(Task* task, ExecutionData* data, TaskFunction cancel) {
  foretask_hook_task_discard(take_followed(*task), nullptr);
  Task* const next = cancel(task, data);
  if (next) follow_creation(*next);
  return next;
}

FollowedCall::FollowedCall(Kind kind) : kind_(kind), task_(own_thread().running), part_(own_thread().part) {
  if (kind_ == Kind::kRuns) return;
  foretask_hook_wait_begin();
  run(nullptr, nullptr);
}

FollowedCall::~FollowedCall() {
  if (!is_followed()) return;
  run(task_, part_);
  if (kind_ == Kind::kRuns) return;
  foretask_hook_wait_end();
}

}  // namespace foretask::tbb
