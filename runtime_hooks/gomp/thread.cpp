// SPDX-License-Identifier: Apache-2.0
#include "thread.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>

#include "foretask/hook.h"
#include "libgomp.hpp"
#include "open_loops.hpp"
#include "tool.hpp"

namespace foretask::gomp {

constinit std::array<ompt_callback_t, kEvents> callbacks{};
bool records_alone = false;
constinit __attribute__((tls_model("initial-exec"))) thread_local Thread this_thread{};

namespace {

std::mutex start_mutex;
std::atomic<Thread::State> tool{Thread::State::kUnknown};
pthread_key_t end_of_thread;
pid_t own_process = 0;

ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback) {
  if (static_cast<std::size_t>(event) >= kEvents) return ompt_set_never;
  callbacks[event] = callback;
  return ompt_set_always;
}

ompt_interface_fn_t lookup(const char* name) {
  return std::strcmp(name, "ompt_set_callback") == 0 ? reinterpret_cast<ompt_interface_fn_t>(set_callback) : nullptr;
}

void end_thread(void* ended) {
  auto& thread = *static_cast<Thread*>(ended);
  leave_last_region(thread);
  if (thread.is_initial)
    tell<ompt_callback_implicit_task>(ompt_scope_end, nullptr, &thread.initial.own, 0U, 0U, ompt_task_initial);
  tell<ompt_callback_thread_end>(nullptr);
  thread = {};
}

Thread::State start() {
  if (!ompt::is_wanted() || find_function("GOMP_parallel") == nullptr || is_llvm_here()) return Thread::State::kOff;
  const std::uint64_t entered = foretask_ticks();
  if (pthread_key_create(&end_of_thread, end_thread) != 0) return Thread::State::kOff;
  own_process = ::getpid();
  find_settings();
  const ompt::Started started = ompt::start_tool(lookup, libgomp_version(), entered);
  records_alone = started == ompt::Started::kRecorderAlone;
  return started == ompt::Started::kNothing ? Thread::State::kOff : Thread::State::kOn;
}

Thread::State start_once() {
  if (const Thread::State known = tool.load(std::memory_order_acquire); known != Thread::State::kUnknown) return known;
  const std::lock_guard lock(start_mutex);
  if (tool.load(std::memory_order_relaxed) == Thread::State::kUnknown) tool.store(start(), std::memory_order_release);
  return tool.load(std::memory_order_relaxed);
}

// The program's, which libgomp would have left alone.
class KeptErrno {
 public:
  KeptErrno() : value_(errno) {}
  ~KeptErrno() { errno = value_; }
  KeptErrno(const KeptErrno&) = delete;
  KeptErrno& operator=(const KeptErrno&) = delete;

 private:
  int value_;
};

// libgomp's threads do not end with the program, and nothing says that the program ends.
__attribute__((destructor)) void end_of_program() {
  if (tool.load(std::memory_order_acquire) != Thread::State::kOn) return;
  for (const char* const other : {"foretask_tbb_end", "foretask_starpu_end"})
    if (const auto end = kit::find_anywhere<void (*)()>(other)) end();
  Thread& thread = this_thread;
  // Within a task exit() leaves it unfinished, and all that it is in.
  if (thread.is_initial && thread.current == &thread.initial) {
    thread.is_initial = false;
    // A recording needs no more than it has, and a forked child has no threads.
    if (!records_alone && own_process == ::getpid()) leave_last_team(thread);
    tell<ompt_callback_implicit_task>(ompt_scope_end, nullptr, &thread.initial.own, 0U, 0U, ompt_task_initial);
  }
  foretask_hook_stop();
}

}  // namespace

void leave_last_region(Thread& thread) {
  if (!thread.is_at_region_end) return;
  thread.is_at_region_end = false;
  thread.current = &thread.member;
  end_wait(thread, ompt_sync_region_barrier_implicit);
  tell<ompt_callback_implicit_task>(ompt_scope_end, nullptr, thread.member.data, 0U, 0U, ompt_task_implicit);
}

Thread* enter_slow(bool is_worker) {
  Thread& thread = this_thread;
  if (thread.state == Thread::State::kOff) return nullptr;
  const KeptErrno kept;
  if (thread.state == Thread::State::kUnknown) thread.state = start_once();
  if (thread.state == Thread::State::kOff) return nullptr;
  thread.current = is_worker ? &thread.member : &thread.initial;
  thread.initial.data = &thread.initial.own;
  thread.member.data = &thread.member.own;
  thread.initial.made = Made::kOutside;
  thread.is_initial = !is_worker;
  pthread_setspecific(end_of_thread, &thread);
  tell<ompt_callback_thread_begin>(is_worker ? ompt_thread_worker : ompt_thread_initial, nullptr);
  if (!is_worker)
    tell<ompt_callback_implicit_task>(ompt_scope_begin, nullptr, &thread.initial.own, 1U, 0U, ompt_task_initial);
  return &thread;
}

}  // namespace foretask::gomp

// The chunks of loops are seen here.
bool foretask::ompt::sees_loop_calls() { return true; }

// For a recorder that is about to start for another reason: an annotation.
FORETASK_ENTRY void foretask_gomp_start() { static_cast<void>(foretask::gomp::enter()); }
