// SPDX-License-Identifier: Apache-2.0
#include "detached_tasks.hpp"

#include <mutex>
#include <new>

#include "libgomp.hpp"

namespace foretask::gomp {
namespace {

std::mutex mutex;                 // of all that follows, and of the members
DetachedTask* waiting = nullptr;  // whose events are not fulfilled

}  // namespace

DetachedTask* DetachedTask::make() { return new (std::nothrow) DetachedTask; }

void DetachedTask::name_event(void* event) {
  const std::lock_guard lock(mutex);
  if (was_named_) return;
  was_named_ = true;
  event_ = event;
  next_ = waiting;
  waiting = this;
  ++holders_;
}

void DetachedTask::drop() {
  if (--holders_ == 0) delete this;
}

void DetachedTask::give_up() {
  const std::lock_guard lock(mutex);
  drop();
}

void DetachedTask::end_body(const ompt_data_t* resumed) {
  const std::lock_guard lock(mutex);
  is_over_ = true;
  tell(callbacks.task_schedule, &data_, is_fulfilled_ ? ompt_task_complete : ompt_task_detach,
       const_cast<ompt_data_t*>(resumed));
  drop();
}

void DetachedTask::fulfil(const void* event) {
  const std::lock_guard lock(mutex);
  for (DetachedTask** at = &waiting; *at != nullptr; at = &(*at)->next_) {
    DetachedTask* const task = *at;
    if (task->event_ != event) continue;
    *at = task->next_;
    task->is_fulfilled_ = true;
    if (task->is_over_) tell(callbacks.task_schedule, &task->data_, ompt_task_late_fulfill, nullptr);
    task->drop();
    return;
  }
}

}  // namespace foretask::gomp

FORETASK_ENTRY void omp_fulfill_event(void* event) {
  // Before libgomp knows: its waiting threads may go on at once, and their events are to come later.
  foretask::gomp::DetachedTask::fulfil(event);
  FORETASK_REAL(omp_fulfill_event)(event);
}
