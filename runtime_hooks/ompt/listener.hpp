// SPDX-License-Identifier: Apache-2.0
// HOT: the tool interface's callbacks (OMPT, OpenMP 5.0 chapter 4): the lives of tasks, told to a recording (hook.h)
// and to what follows them (task_hook.h). Each runs on the thread it speaks of, appends at most a few events and
// returns.
#pragma once

#include <omp-tools.h>

#include <cstdint>

#include "foretask/hook.h"

namespace foretask::ompt {

// The calling thread's; null where nothing is recorded. Initial-exec: one load instead of a call, in a library that
// libomp loads with dlopen; it takes 8 bytes of the space that glibc keeps for such libraries.
extern constinit __attribute__((tls_model("initial-exec"))) thread_local foretask_stream* thread_stream;

// Registers the callbacks. Once a process, before any of them.
void listen(ompt_function_lookup_t lookup, bool records, bool follows);

// The name that a task or a region got at its creation, where nothing but a recording listens; 0 if the runtime says
// nothing of it.
inline std::uint64_t name_of(const ompt_data_t* data) { return data ? data->value : 0; }

// What the callbacks do most often. A hook that is in the program's calls itself may do it without the callback, where
// nobody but the recorder listens.
inline void record_task_create(ompt_data_t& created, const void* code) {
  created.value = foretask_record_task_create(thread_stream, code, 0);
}
inline void record_task_switch(const ompt_data_t& next) {
  foretask_counters_switch(thread_stream, next.value);
  foretask_record_task_switch(thread_stream, next.value);
}
inline void record_task_end(const ompt_data_t* resumed) {
  foretask_counters_end(thread_stream, 0, name_of(resumed));
  foretask_record_0_(thread_stream, FORETASK_EVENT_TASK_END);
}
inline void record_wait_begin() {
  foretask_counters_pause(thread_stream);
  foretask_record_0_(thread_stream, FORETASK_EVENT_WAIT_BEGIN);
}
inline void record_wait_end(const ompt_data_t* task) {
  foretask_counters_resume(thread_stream, name_of(task));
  foretask_record_0_(thread_stream, FORETASK_EVENT_WAIT_END);
}

}  // namespace foretask::ompt
