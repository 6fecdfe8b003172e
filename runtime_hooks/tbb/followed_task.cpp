// SPDX-License-Identifier: Apache-2.0
#include "followed_task.hpp"

#include <utility>

#include "foretask/openmp.h"
#include "loop_part.hpp"
#include "recorded_thread.hpp"
#include "running_task.hpp"
#include "task_kernel.hpp"

namespace foretask::tbb {
namespace {

constinit Following following{};  // set before `follows`

struct FollowedThread {
  FollowedFrame running;
  LoopPart* part = nullptr;  // of the running task's
  foretask_progress_task* initial = nullptr;
};
constinit thread_local FollowedThread this_thread __attribute__((tls_model("initial-exec")));

// Of the thread that the call is on: the compiler keeps no address over a call that may have changed it.
__attribute__((noinline)) FollowedThread& own_thread() noexcept {
  asm volatile("");
  return this_thread;
}

// The thread leaves what it runs for the frame's task.
void run(const FollowedFrame& frame, LoopPart* part) noexcept {
  FollowedThread& thread = own_thread();
  if (following.learns) foretask_learn_task_switch(thread.running.learned, frame.learned);
  if (following.watches) foretask_progress_task_switch(frame.watched);
  thread.running = frame;
  thread.part = part;
}

FollowedFrame take_frame(Task& task) noexcept {
  return {reinterpret_cast<foretask_learn_task*>(std::exchange(task.reserved[kLearned], 0)),
          reinterpret_cast<foretask_progress_task*>(std::exchange(task.reserved[kWatched], 0))};
}

bool is_none(const FollowedFrame& frame) noexcept { return !frame.learned && !frame.watched; }

class Followed {
 public:
  Followed(const FollowedFrame& frame, LoopPart* part) : frame_(frame) { run(frame, part); }
  // What goes on here is not known before it comes back from libtbb.
  ~Followed() {
    FollowedThread& thread = own_thread();
    if (following.learns) foretask_learn_task_end(frame_.learned, nullptr);
    if (following.watches) foretask_progress_task_end(frame_.watched, nullptr);
    thread.running = {};
    thread.part = nullptr;
  }
  Followed(const Followed&) = delete;
  Followed& operator=(const Followed&) = delete;

 private:
  FollowedFrame frame_;
};

Task* follow_part(const FollowedFrame& frame, Task* task, ExecutionData* data, TaskFunction execute) {
  LoopPart part(*task);
  const Followed followed(frame, &part);
  Task* const next = execute(task, data);
  static_cast<void>(foretask_openmp_set(0, part.iterations()));
  return next;
}

Task* follow_body(const FollowedFrame& frame, Task* task, ExecutionData* data, TaskFunction execute) {
  const Followed followed(frame, nullptr);
  return execute(task, data);
}

}  // namespace

void begin_following(const Following& what, std::uint32_t threads) noexcept {
  following = what;
  if (what.watches) {
    this_thread.initial = foretask_progress_region_enter(nullptr, threads);
    this_thread.running.watched = this_thread.initial;
  }
  follows.store(what.learns || what.watches);
}

void end_following() noexcept {
  if (!follows.exchange(false)) return;
  foretask_progress_region_leave(std::exchange(own_thread().initial, nullptr));
}

void follow_creation(Task& task, bool is_root) noexcept {
  // libtbb hands it on to another thread.
  if (is_shadowed(task) && (task.reserved[kLearned] | task.reserved[kWatched]) != 0) return;
  Shadow* const shadow = shadow_of(task);
  if (!shadow) return;
  FollowedThread& thread = own_thread();
  // With a recording beside it, that has said what the task's kernel is, and counts its iterations.
  TaskKernel kernel{shadow->code()};
  if (mode() != Mode::kRecords) {
    if (thread.part && !is_root) thread.part->give(task);
    kernel = kernel_of_new_task(task, *shadow);
    task.reserved[kMarks] = kernel.marks();
  }
  if (following.learns)
    task.reserved[kLearned] = reinterpret_cast<std::uint64_t>(foretask_learn_task_create(kernel.code));
  if (following.watches)
    task.reserved[kWatched] = reinterpret_cast<std::uint64_t>(foretask_progress_task_create(kernel.code));
  task.vtable = shadow->table();
}

Task* follow_execute(Task* task, ExecutionData* data, TaskFunction execute) {
  const FollowedFrame frame = take_frame(*task);
  if (is_none(frame)) return execute(task, data);
  const bool counts = (task->reserved[kMarks] & kCountsIterations) != 0 && mode() != Mode::kRecords;
  Task* const next = counts ? follow_part(frame, task, data, execute) : follow_body(frame, task, data, execute);
  if (next) follow_creation(*next);
  return next;
}

Task* follow_cancel(Task* task, ExecutionData* data, TaskFunction cancel) {
  const FollowedFrame frame = take_frame(*task);
  foretask_learn_task_discard(frame.learned, nullptr);
  if (following.watches) foretask_progress_task_discard(frame.watched, nullptr);
  Task* const next = cancel(task, data);
  if (next) follow_creation(*next);
  return next;
}

FollowedCall::FollowedCall(Kind kind) : kind_(kind), frame_(own_thread().running), part_(own_thread().part) {
  if (kind_ == Kind::kRuns) return;
  foretask_learn_task_wait_begin();
  foretask_progress_wait_begin();
  run({}, nullptr);
}

FollowedCall::~FollowedCall() {
  if (!is_followed()) return;
  run(frame_, part_);
  if (kind_ == Kind::kRuns) return;
  foretask_learn_task_wait_end();
  foretask_progress_wait_end();
}

}  // namespace foretask::tbb
