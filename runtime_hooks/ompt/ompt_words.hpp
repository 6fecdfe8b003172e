// SPDX-License-Identifier: Apache-2.0
// What OMPT's words mean to all listeners, those among them that are newer than the oldest header.
#pragma once

#include <omp-tools.h>

namespace foretask::ompt {

inline constexpr int kTaskwaitFlag = 0x00000010;  // ompt_task_taskwait: a taskwait with dependences, not a task
inline constexpr int kTaskwaitComplete = 8;       // ompt_taskwait_complete, since OpenMP 5.1

// Of no version of OMPT: the task is a taskloop's. For who plays the runtime's side, and knows.
inline constexpr int kTaskloopFlag = 0x00000100;

// The same: a taskwait with dependences that nobody waits in (nowait). Once they are told, ompt_task_late_fulfill says
// that these are all.
inline constexpr int kEmptyFlag = 0x00000200;

// ompt_work_loop_static and what follows, of OpenMP 5.2: loops by their schedules.
inline constexpr ompt_work_t kFirstLoopBySchedule = static_cast<ompt_work_t>(10);

// A loop's or sections' share is a thread's own. A single's is not, nor what a distribute construct gives a team.
inline bool is_loop(ompt_work_t kind) {
  return kind == ompt_work_loop || kind == ompt_work_sections || kind >= kFirstLoopBySchedule;
}

// ompt_callback_masked, in older headers ompt_callback_master.
inline constexpr ompt_callbacks_t kMaskedCallback = static_cast<ompt_callbacks_t>(21);

// A failed test for a lock does not wait, and an atomic is too short to be worth an event.
inline bool is_waited_for(ompt_mutex_t kind) {
  return kind != ompt_mutex_test_lock && kind != ompt_mutex_test_nest_lock && kind != ompt_mutex_atomic;
}

}  // namespace foretask::ompt
