// SPDX-License-Identifier: Apache-2.0
#include "detached_tasks.hpp"

#include <mutex>
#include <new>

#include "libgomp.hpp"

FORETASK_ENTRY void omp_fulfill_event(void* event);

namespace foretask::gomp {
namespace {

std::mutex mutex;                 // of all that follows, and of the members
DetachedTask* waiting = nullptr;  // whose events are not fulfilled

}  // namespace

DetachedTask* DetachedTask::make() { return new (std::nothrow) DetachedTask; }

// Off the list; null where it is not in it.
DetachedTask* DetachedTask::take_waiting(const void* event) {
  for (DetachedTask** at = &waiting; *at != nullptr; at = &(*at)->next_) {
    DetachedTask* const task = *at;
    if (task->event_ != event) continue;
    *at = task->next_;
    return task;
  }
  return nullptr;
}

void DetachedTask::name(void* event) {
  if (was_named_) return;
  was_named_ = true;
  // Nobody has fulfilled the event of a discarded task, whose address this one has now.
  if (has_cancellation)
    if (DetachedTask* const gone = take_waiting(event)) gone->drop();
  event_ = event;
  next_ = waiting;
  waiting = this;
  ++holders_;
}

void DetachedTask::name_event(void* event) {
  const std::lock_guard lock(mutex);
  name(event);
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
  tell<ompt_callback_task_schedule>(&data_, is_fulfilled_ ? ompt_task_complete : ompt_task_detach,
                                    const_cast<ompt_data_t*>(resumed));
  drop();
}

bool DetachedTask::fulfil(const void* event) {
  const std::lock_guard lock(mutex);
  DetachedTask* const task = take_waiting(event);
  if (task == nullptr) return true;
  const bool is_discarded = task->is_discarded_;
  task->is_fulfilled_ = true;
  if (task->is_over_) tell<ompt_callback_task_schedule>(&task->data_, ompt_task_late_fulfill, nullptr);
  task->drop();
  return !is_discarded;
}

void DetachedTask::discard(void* event) {
  bool was_fulfilled = false;
  {
    const std::lock_guard lock(mutex);
    name(event);
    is_discarded_ = true;
    was_fulfilled = is_fulfilled_;
    drop();
  }
  if (!was_fulfilled) FORETASK_NEXT(omp_fulfill_event)(event);
}

}  // namespace foretask::gomp

// libgomp is told after the listeners: its waiting threads may go on at once, and their events are to come later.
FORETASK_ENTRY void omp_fulfill_event(void* event) {
  if (foretask::gomp::DetachedTask::fulfil(event)) FORETASK_NEXT(omp_fulfill_event)(event);
}
// Fortran's, which passes the event by its value as well.
FORETASK_ENTRY void omp_fulfill_event_(void* event) {
  if (foretask::gomp::DetachedTask::fulfil(event)) FORETASK_NEXT(omp_fulfill_event_)(event);
}
