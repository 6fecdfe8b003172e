// SPDX-License-Identifier: Apache-2.0
#include "api/process_fork.hpp"

#include <pthread.h>

#include <atomic>
#include <mutex>

#include "api/code_kernels.hpp"
#include "api/code_version.hpp"
#include "api/learning.hpp"
#include "api/progress/progress.hpp"
#include "base/held_signals.hpp"
#include "base/messages.hpp"
#include "base/own_process.hpp"

namespace foretask::api {
namespace {

std::atomic<bool> has_learning{false};
std::atomic<bool> has_progress{false};

// One fork at a time; what follows is of the one under way.
std::mutex fork_mutex;
sigset_t signals_before;  // they are held back: a handler that forks would wait for this fork for ever
bool locked_learning = false;
bool locked_progress = false;

void before_fork() {
  const sigset_t before = base::hold_signals();
  fork_mutex.lock();
  signals_before = before;
  locked_learning = has_learning.load();
  locked_progress = has_progress.load();
  if (locked_learning) {
    lock_code_kernels();  // held while a kernel is defined, which takes the others
    Learning::instance().before_fork();
    lock_code_versions();
    lock_decision();
  }
  if (locked_progress) Progress::instance().before_fork();
  lock_recording();
}

void end_fork() {
  const sigset_t before = signals_before;
  fork_mutex.unlock();
  base::release_signals(before);
}

void unlock_learning() {
  unlock_decision();
  unlock_code_versions();
}

void after_fork_in_parent() {
  unlock_recording();
  if (locked_progress) Progress::instance().after_fork_in_parent();
  if (locked_learning) {
    unlock_learning();
    Learning::instance().after_fork_in_parent();
    unlock_code_kernels();
  }
  end_fork();
}

void after_fork_in_child() {
  base::adopt_process();
  base::forget_messages();
  abandon_recording();
  if (locked_progress) Progress::instance().after_fork_in_child();
  if (locked_learning) {
    unlock_learning();
    Learning::instance().after_fork_in_child();
    unlock_code_kernels();
  }
  end_fork();
}

// When this library is loaded, which is before its runtime starts: the child then leaves the recording before the
// runtime's own handler runs, and that may call the adapter (libomp 19 begins its thread anew).
__attribute__((constructor)) void watch_forks() {
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

}  // namespace

void watch_forks_of_learning() noexcept { has_learning.store(true); }
void watch_forks_of_progress() noexcept { has_progress.store(true); }

}  // namespace foretask::api
