// SPDX-License-Identifier: Apache-2.0
// HOT: a task's body between its begin and its end, and the callback of a creation.
#pragma once

#include <omp-tools.h>

#include "libgomp.hpp"
#include "listener.hpp"
#include "thread.hpp"

namespace foretask::gomp {

// The frame by which libomp says that a task is undeferred because of its if clause.
inline ompt_frame_t* frame_of_if_clause() {
  static ompt_frame_t frame{{0}, {0}, 0, ompt_frame_application | ompt_frame_framepointer};
  return &frame;
}

// A task's words, from the arguments of its call. In a final task it is final itself.
inline int creation_flags(const Thread& thread, bool if_clause, unsigned flags) {
  int result = ompt_task_explicit;
  if (!if_clause || thread.current->made != Made::kDeferred) result |= static_cast<int>(ompt_task_undeferred);
  if ((flags & kUntied) != 0) result |= ompt_task_untied;
  if ((flags & kFinal) != 0 || thread.current->made == Made::kInFinal) result |= ompt_task_final;
  return result;
}

// How the tasks of a task are made that was created with those words.
inline Made made_by(const Thread& thread, int words) {
  return (words & ompt_task_final) != 0 ? Made::kInFinal : thread.current->made;
}

inline void tell_creation(const Thread& thread, ompt_data_t& created, int flags, bool has_dependences,
                          const void* code) {
  // One within a final task is undeferred as well, and says so.
  const bool is_by_if_clause = (flags & ompt_task_undeferred) != 0 && thread.current->made != Made::kInFinal;
  ompt_frame_t* const frame = is_by_if_clause ? frame_of_if_clause() : nullptr;
  tell<ompt_callback_task_create>(thread.current->data, frame, &created, flags, has_dependences ? 1 : 0, code);
}

// Of `task`, which was created last: the array in which GCC's programs name its dependences.
void tell_dependences(ompt_data_t& task, void** depend);

// `task` will never begin.
inline void tell_discarded(const Thread& thread, const ompt_data_t& task) {
  tell<ompt_callback_task_schedule>(const_cast<ompt_data_t*>(&task), ompt_task_cancel, thread.current->data);
}

inline void begin_task(Thread& thread, RunningTask& task) {
  if (__builtin_expect(records_alone, 1)) {
    foretask_record_task_switch(ompt::thread_stream, ompt::name_of(task.data));
  } else {
    tell<ompt_callback_task_schedule>(thread.current->data, ompt_task_switch, task.data);
  }
  thread.current = &task;
}

// `below`: the task that it was begun in.
inline void end_task(Thread& thread, RunningTask& task, RunningTask* below) {
  thread.current = below;
  if (__builtin_expect(records_alone, 1)) {
    foretask_record_task_end(ompt::thread_stream, ompt::name_of(below->data));
  } else {
    tell<ompt_callback_task_schedule>(task.data, ompt_task_complete, below->data);
  }
}

inline void run_task(Thread& thread, RunningTask& task, Body body, void* data) {
  RunningTask* const below = thread.current;
  begin_task(thread, task);
  body(data);
  end_task(thread, task, below);
}

}  // namespace foretask::gomp
