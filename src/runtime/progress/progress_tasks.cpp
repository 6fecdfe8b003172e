// SPDX-License-Identifier: Apache-2.0
#include "runtime/progress/progress_tasks.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <utility>

#include "base/clock.hpp"
#include "base/region_name.hpp"
#include "base/thread_end.hpp"
#include "foretask/progress_hook.h"
#include "runtime/progress/progress_counters.hpp"
#include "runtime/progress/progress_kernels.hpp"
#include "runtime/recording/activity.hpp"

namespace {

using foretask::base::KernelKind;
using foretask::base::Ticks;
using foretask::runtime::KernelCounters;
using foretask::runtime::progress_place;
using foretask::runtime::ProgressCounters;

// Beside what a hook sees of it.
struct Task : foretask_progress_task {
  Task* inner;               // a region's: the share that is open
  std::uint64_t iterations;  // a share's: those that it runs now
  bool is_share;
};

// Tasks are often created by one thread and ended by another: more than so many of them are given back to the system.
constexpr std::uint32_t kMostFree = 256;
// A thread's initial task that is not the program's first one, and what is no task.
constexpr std::uint32_t kNotCounted = ~std::uint32_t{0};

struct ProgressThread {
  ProgressCounters* counters = nullptr;
  Task* running = nullptr;
  Ticks since = 0;  // when it was switched on, or its wait ended
  Task* free = nullptr;
  std::uint32_t free_count = 0;
  bool is_refused = false;  // no counters could be had
  foretask_kernel* next_kernel = nullptr;
};

// Initial-exec: one load instead of a call; takes 56 bytes of the space that glibc keeps for libraries loaded late.
constinit thread_local ProgressThread thread __attribute__((tls_model("initial-exec")));

constinit foretask::base::ThreadEnd thread_end;
std::atomic<bool> has_hook{false};
std::atomic<std::uint32_t> workers{0};
std::atomic<std::uint64_t> start_ticks{0};

Task* own(foretask_progress_task* task) noexcept { return static_cast<Task*>(task); }

void end_thread(void* /*set*/) {
  while (Task* const task = thread.free) {
    thread.free = own(task->outer);
    std::free(task);
  }
  if (thread.counters) foretask::runtime::give_back_progress_counters(thread.counters);
  thread = {};
}

// When this library is loaded.
__attribute__((constructor)) void open_thread_end() { thread_end.open(end_thread); }

ProgressCounters* open_counters_slow() noexcept {
  if (thread.is_refused) return nullptr;
  thread.counters = foretask::runtime::take_progress_counters();
  if (thread.counters && !thread_end.set(&thread)) {
    foretask::runtime::give_back_progress_counters(thread.counters);
    thread.counters = nullptr;
  }
  thread.is_refused = !thread.counters;
  return thread.counters;
}

ProgressCounters* own_counters() noexcept {
  if (thread.counters) [[likely]]
    return thread.counters;
  return open_counters_slow();
}

KernelCounters& counters_of(const foretask_progress_task* task) noexcept {
  return thread.counters->kernels[task->kernel];
}

bool is_counted(const foretask_progress_task* task) noexcept {
  return task && task->kernel != kNotCounted && thread.counters;
}

// What ran is not on any more.
void stop_running(Ticks now) noexcept {
  const Task* const task = thread.running;
  if (!is_counted(task) || task->waits != 0) return;
  counters_of(task).ticks.add(now - thread.since);
  thread.counters->running.store(0, std::memory_order_relaxed);
}

// A region's task is in its share of a loop, where it has one.
void run(foretask_progress_task* next, Ticks now) noexcept {
  Task* task = own(next);
  if (task && task->inner) task = task->inner;
  thread.running = task;
  thread.since = now;
  if (!is_counted(task) || task->waits != 0) return;
  if (task->is_begun == 0) {
    task->is_begun = 1;
    counters_of(task).started.add(1);
  }
  thread.counters->since.store(now, std::memory_order_relaxed);
  thread.counters->running.store(task->kernel + 1, std::memory_order_relaxed);
}

Task* take_task() noexcept {
  static_cast<void>(own_counters());
  Task* task = thread.free;
  if (task) [[likely]] {
    thread.free = own(task->outer);
    --thread.free_count;
  } else {
    task = static_cast<Task*>(std::malloc(sizeof(Task)));
    if (!task) return nullptr;
  }
  task->adapter = 0;
  task->waits = 0;
  task->is_begun = 0;
  task->outer = nullptr;
  task->inner = nullptr;
  task->iterations = 0;
  task->is_share = false;
  return task;
}

void give_back(foretask_progress_task* given) noexcept {
  Task* const task = own(given);
  // Without counters its end is not seen, and the memory would be lost.
  if (thread.free_count >= kMostFree || !thread.counters) return std::free(task);
  task->outer = thread.free;
  thread.free = task;
  ++thread.free_count;
}

// What it was given is done, or was cancelled.
void close_share(Task* region) noexcept {
  Task* const share = std::exchange(region->inner, nullptr);
  if (!share) return;
  if (thread.running == share) thread.running = nullptr;
  if (is_counted(share)) counters_of(share).finished.add(share->iterations);
  give_back(share);
}

void note_workers(std::uint32_t count) noexcept {
  std::uint32_t most = workers.load(std::memory_order_relaxed);
  while (count > most && !workers.compare_exchange_weak(most, count)) {
  }
}

bool is_first_thread() noexcept { return syscall(SYS_gettid) == getpid(); }

}  // namespace

namespace foretask::runtime {

void progress_next_task(foretask_kernel* kernel) noexcept { thread.next_kernel = kernel; }

foretask_kernel* counted_next_task() noexcept { return thread.next_kernel; }

void progress_scope_begin(const foretask_kernel* kernel) noexcept {
  if (has_hook.load(std::memory_order_relaxed)) return;
  const bool is_new = !thread.counters;
  ProgressCounters* const counters = own_counters();
  if (!counters) return;
  if (is_new) workers.fetch_add(1, std::memory_order_relaxed);
  counters->kernels[progress_place(*counters, kernel, KernelKind::kNamed)].started.add(1);
}

void progress_scope_end(const foretask_kernel* kernel, std::uint64_t own_ticks) noexcept {
  ProgressCounters* const counters = thread.counters;
  if (!counters || has_hook.load(std::memory_order_relaxed)) return;
  KernelCounters& of_kernel = counters->kernels[progress_place(*counters, kernel, KernelKind::kNamed)];
  of_kernel.finished.add(1);
  of_kernel.ticks.add(own_ticks);
}

bool progress_has_hook() noexcept { return has_hook.load(std::memory_order_relaxed); }
std::uint32_t progress_workers() noexcept { return workers.load(std::memory_order_relaxed); }
void set_progress_start(std::uint64_t ticks) noexcept { start_ticks.store(ticks); }
void close_progress_threads() noexcept { thread_end.close(); }

}  // namespace foretask::runtime

extern "C" {

int foretask_progress_hook_is_on(void) {
  // foretask_hook_start has decided; to decide here would warn a second time of what is wrong.
  if ((foretask::runtime::activity.load() & foretask::runtime::kProgress) == 0) return 0;
  has_hook.store(true);
  return 1;
}

foretask_progress_task* foretask_progress_task_create(const void* code) {
  Task* const task = take_task();
  if (!task) return nullptr;
  if (!code || !thread.counters) {
    task->kernel = kNotCounted;
  } else if (thread.next_kernel) [[unlikely]] {
    task->kernel = progress_place(*thread.counters, thread.next_kernel, KernelKind::kNamed);
    thread.next_kernel = nullptr;
  } else {
    task->kernel = progress_place(*thread.counters, code, KernelKind::kTasks);
  }
  return task;
}

foretask_progress_task* foretask_progress_region_enter(const void* code, uint32_t team_size) {
  Ticks now = foretask::base::ticks_now();
  Task* const task = take_task();
  if (!task) return nullptr;
  stop_running(now);
  note_workers(team_size);
  if (code && thread.counters) {
    task->kernel = progress_place(*thread.counters, code, KernelKind::kRegion);
  } else if (is_first_thread()) {
    task->kernel = foretask::runtime::kSerialPart;
    // Once: the runtime begins it late.
    if (const std::uint64_t start = start_ticks.exchange(0); start != 0) now = start;
  } else {
    task->kernel = kNotCounted;
  }
  task->outer = thread.running;
  run(task, now);
  return task;
}

void foretask_progress_region_leave(foretask_progress_task* given) {
  Task* const task = own(given);
  if (!task) return;
  const Ticks now = foretask::base::ticks_now();
  const bool is_running = thread.running == task || (task->inner && thread.running == task->inner);
  if (is_running) stop_running(now);
  close_share(task);
  if (is_running) run(task->outer, now);
  if (is_counted(task)) counters_of(task).finished.add(1);
  give_back(task);
}

void foretask_progress_share_begin(foretask_progress_task* given, const void* code, int is_sections) {
  Task* const region = own(given);
  // A loop outside of regions is the serial part's.
  if (!is_counted(region) || region->kernel == foretask::runtime::kSerialPart) return;
  stop_running(foretask::base::ticks_now());
  close_share(region);
  ProgressCounters* const counters = own_counters();
  if (Task* const share = code && counters ? take_task() : nullptr) {
    share->kernel = progress_place(*counters, code, is_sections ? KernelKind::kSections : KernelKind::kLoop);
    share->is_begun = 1;
    share->is_share = true;
    region->inner = share;
  }
  run(region, foretask::base::ticks_now());
}

void foretask_progress_iterations(uint64_t count) {
  Task* const share = thread.running;
  if (!is_counted(share) || !share->is_share) return;
  counters_of(share).finished.add(share->iterations);
  counters_of(share).started.add(count);
  share->iterations = count;
}

void foretask_progress_share_end(foretask_progress_task* given) {
  Task* const region = own(given);
  if (!region || !region->inner) return;
  const Ticks now = foretask::base::ticks_now();
  stop_running(now);
  close_share(region);
  run(region, now);
}

void foretask_progress_task_switch(foretask_progress_task* to) {
  const Ticks now = foretask::base::ticks_now();
  stop_running(now);
  run(to, now);
}

void foretask_progress_task_end(foretask_progress_task* task, foretask_progress_task* to) {
  const Ticks now = foretask::base::ticks_now();
  stop_running(now);
  if (task) {
    if (is_counted(task)) counters_of(task).finished.add(1);
    give_back(task);
  }
  run(to, now);
}

void foretask_progress_task_discard(foretask_progress_task* task, foretask_progress_task* to) {
  const Ticks now = foretask::base::ticks_now();
  if (thread.running == task) {
    stop_running(now);
    run(to, now);
  }
  if (!task) return;
  if (is_counted(task) && task->is_begun != 0) counters_of(task).finished.add(1);
  give_back(task);
}

void foretask_progress_wait_begin(void) {
  Task* const task = thread.running;
  if (!task) return;
  if (task->waits == 0) stop_running(foretask::base::ticks_now());
  ++task->waits;
}

void foretask_progress_wait_end(void) {
  Task* const task = thread.running;
  if (!task || task->waits == 0) return;
  if (--task->waits == 0) run(task, foretask::base::ticks_now());
}

}  // extern "C"
