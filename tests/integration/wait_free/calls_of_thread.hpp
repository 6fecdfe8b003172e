// SPDX-License-Identifier: Apache-2.0
// What a thread does that a wait-free function does not: allocations and locks, counted for each thread by this
// program's own malloc and pthread_mutex_lock, which stand before libc's for every library in the process; and system
// calls, each of which a seccomp filter on one thread turns into a signal.
#pragma once

#include <functional>

namespace wait_free {

struct Calls {
  long allocations = 0;  // malloc and its kind, free included
  long locks = 0;        // of mutexes, read-write locks and spin locks
  long system_calls = 0;
  int first_system_call = -1;  // its number
};

enum class Outcome { kDone, kNoFilter };  // kNoFilter: the system has no seccomp, or does not let us

// Runs prepare() on a thread of its own, then measured() under the filter, and tells what measured() called. The thread
// ends without giving back what it has: its filter stays on.
Outcome count_calls(const std::function<void()>& prepare, const std::function<void()>& measured, Calls& calls);

}  // namespace wait_free
