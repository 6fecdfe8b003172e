// SPDX-License-Identifier: Apache-2.0
#include "runtime/process_fork.hpp"

#include <pthread.h>

#include <mutex>

#include "base/held_signals.hpp"
#include "base/messages.hpp"
#include "base/own_process.hpp"
#include "runtime/learning/code_kernels.hpp"
#include "runtime/learning/code_version.hpp"
#include "runtime/learning/learning.hpp"
#include "runtime/progress/progress.hpp"

namespace foretask::runtime {
namespace {

// One fork at a time; what follows is of the one under way.
std::mutex fork_mutex;
sigset_t signals_before;  // they are held back: a handler that forks would wait for this fork for ever

// False in a process that was copied without the C library's knowledge: its locks are as they happened to be.
constinit thread_local bool is_ours __attribute__((tls_model("initial-exec"))) = false;

void before_fork() {
  is_ours = base::is_own_process();
  if (!is_ours) return;
  const sigset_t before = base::hold_signals();
  fork_mutex.lock();
  signals_before = before;
  lock_code_kernels();  // held while a kernel is defined, which takes the others
  Learning::instance().before_fork();
  lock_code_versions();
  lock_decision();
  Progress::instance().before_fork();
  lock_recording();
}

void end_fork() {
  const sigset_t before = signals_before;
  fork_mutex.unlock();
  base::release_signals(before);
}

void after_fork_in_parent() {
  if (!is_ours) return;
  unlock_recording();
  Progress::instance().after_fork_in_parent();
  unlock_decision();
  unlock_code_versions();
  Learning::instance().after_fork_in_parent();
  unlock_code_kernels();
  end_fork();
}

void after_fork_in_child() {
  if (!is_ours) return;
  base::adopt_process();
  base::forget_messages();
  abandon_recording();
  Progress::instance().after_fork_in_child();
  unlock_decision();
  unlock_code_versions();
  Learning::instance().after_fork_in_child();
  unlock_code_kernels();
  end_fork();
}

// When this library is loaded, which is before its runtime starts: the child then leaves the recording before the
// runtime's own handler runs, and that may call the hook (libomp 19 begins its thread anew).
__attribute__((constructor)) void watch_forks() {
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

}  // namespace

}  // namespace foretask::runtime
