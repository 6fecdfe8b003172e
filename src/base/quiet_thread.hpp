// SPDX-License-Identifier: Apache-2.0
// A thread of foretask's own in somebody's program.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace foretask::base {

// With all signals blocked: the program's signals are its own threads'. `name`: up to 15 bytes, as the system shows it.
// False where no thread can be had.
[[nodiscard]] inline bool start_quiet_thread(pthread_t& thread, void* (*run)(void*), void* argument, const char* name) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const bool is_running = pthread_create(&thread, nullptr, run, argument) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (is_running) pthread_setname_np(thread, name);
  return is_running;
}

}  // namespace foretask::base
