// SPDX-License-Identifier: Apache-2.0
// A thread of foretask's own in somebody's program.
#pragma once

#include <pthread.h>

namespace foretask::base {

// It inherits nothing of the thread that starts it:
// - all signals are held back: the program's signals are its own threads';
// - the standard floating-point environment, whatever traps the program asked for;
// - the usual scheduling, where the caller has a real-time priority;
// - the processors of the process, where the caller is bound to some;
// - a stack of 1 MiB, whatever limit the program has set.
// `run` returns when are_alone() (own_threads.hpp) says so: else the process would not end.
// `name`: a literal of up to 15 bytes, as the system shows it. False where no thread can be had. Not within
// run_aside().
[[nodiscard]] bool start_quiet_thread(pthread_t& thread, void* (*run)(void*), void* argument, const char* name);

}  // namespace foretask::base
