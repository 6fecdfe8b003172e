// SPDX-License-Identifier: Apache-2.0
#include "base/held_signals.hpp"

#include <initializer_list>

namespace foretask::base {

sigset_t hold_signals() noexcept {
  sigset_t before;
  sigset_t held;
  sigfillset(&held);
  // What a fault raises in the code that holds them would else end the process without its handler. SIGBUS: a stream's
  // file was cut short (runtime/recording/bus_guard.hpp).
  for (const int fault : {SIGBUS, SIGSEGV, SIGILL, SIGFPE}) sigdelset(&held, fault);
  ::pthread_sigmask(SIG_BLOCK, &held, &before);
  return before;
}

void release_signals(const sigset_t& before) noexcept { ::pthread_sigmask(SIG_SETMASK, &before, nullptr); }

}  // namespace foretask::base
