// SPDX-License-Identifier: Apache-2.0
#include "base/own_threads.hpp"

#include <dirent.h>
#include <unistd.h>

#include <memory>

#include "base/run_aside.hpp"
#include "base/thread_end.hpp"

namespace foretask::base {
namespace {

constinit std::atomic<bool> first_has_ended{false};
constinit ThreadEnd first_end;

// When the library is loaded. A thread's keys are called by pthread_exit(), and not by exit() or a return from main().
__attribute__((constructor)) void watch_first_thread() {
  if (::gettid() != ::getpid()) return;
  first_end.open([](void*) { first_has_ended.store(true, std::memory_order_relaxed); });
  static_cast<void>(first_end.set(&first_has_ended));
}

__attribute__((destructor)) void close_key() { first_end.close(); }

// The first one stays in the list until the process is gone.
bool are_others_there() noexcept {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc/self/task"), &::closedir);
  if (!folder) return false;
  int threads = 0;
  while (const dirent* const entry = ::readdir(folder.get()))
    if (entry->d_name[0] != '.') ++threads;
  return threads > 1 + OwnThread::count();
}

}  // namespace

bool are_alone() noexcept {
  if (!first_has_ended.load(std::memory_order_relaxed)) return false;
  bool others = false;
  return !run_aside([&] { others = are_others_there(); }) || !others;
}

}  // namespace foretask::base
