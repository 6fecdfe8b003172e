// SPDX-License-Identifier: Apache-2.0
#include "base/quiet_thread.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cfenv>
#include <cstddef>
#include <memory>
#include <new>

#include "base/own_threads.hpp"
#include "base/run_aside.hpp"

namespace foretask::base {
namespace {

constexpr std::size_t kStackBytes = 1 << 20;

struct Start {
  void* (*run)(void*);
  void* argument;
  const char* name;
};

// The processors of the process's first thread when the library is loaded. The thread that loads it may be bound, and
// so may all of them be later on.
cpu_set_t processors;
bool processors_known = false;

__attribute__((constructor)) void find_processors() {
  processors_known = ::sched_getaffinity(::getpid(), sizeof processors, &processors) == 0;
}

void* begin(void* argument) {
  const OwnThread own;
  std::fesetenv(FE_DFL_ENV);
  const std::unique_ptr<Start> start(static_cast<Start*>(argument));
  ::prctl(PR_SET_NAME, start->name);  // of another thread the C library would open a file
  return start->run(start->argument);
}

// The user's wish to run below others (SCHED_BATCH, SCHED_IDLE) holds for these threads as well.
bool is_real_time(int policy) { return policy == SCHED_FIFO || policy == SCHED_RR || policy == SCHED_DEADLINE; }

int create(pthread_t& thread, Start* start, bool as_usual) {
  pthread_attr_t attributes;
  if (const int error = ::pthread_attr_init(&attributes)) return error;
  ::pthread_attr_setstacksize(&attributes, kStackBytes);
  if (as_usual) {
    if (is_real_time(::sched_getscheduler(0) & ~SCHED_RESET_ON_FORK)) {
      const sched_param usual{};
      ::pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
      ::pthread_attr_setschedpolicy(&attributes, SCHED_OTHER);
      ::pthread_attr_setschedparam(&attributes, &usual);
    }
    if (processors_known) ::pthread_attr_setaffinity_np(&attributes, sizeof processors, &processors);
  }
  const int error = ::pthread_create(&thread, &attributes, begin, start);
  ::pthread_attr_destroy(&attributes);
  return error;
}

}  // namespace

bool start_quiet_thread(pthread_t& thread, void* (*run)(void*), void* argument, const char* name) {
  std::unique_ptr<Start> start(new (std::nothrow) Start{run, argument, name});
  if (!start) return false;
  bool is_running = false;
  // Aside: the C library takes some KiB of stack for its first thread.
  const auto create_thread = [&] {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    // A processor may have gone since, or the system may not let go of a priority.
    is_running = create(thread, start.get(), true) == 0 || create(thread, start.get(), false) == 0;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  };
  if (!run_aside(create_thread, Descriptors::kProgram) || !is_running) return false;
  static_cast<void>(start.release());
  return true;
}

}  // namespace foretask::base
