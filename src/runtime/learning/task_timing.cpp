// SPDX-License-Identifier: Apache-2.0
#include "runtime/learning/task_timing.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "base/clock.hpp"
#include "base/region_name.hpp"
#include "base/thread_end.hpp"
#include "foretask/learn_hook.h"
#include "runtime/kernels/kernel_registry.hpp"
#include "runtime/learning/code_kernels.hpp"
#include "runtime/learning/learning.hpp"
#include "runtime/recording/activity.hpp"

// One task of the runtime's, from its creation to its end; a thread's own part in a region; its share of a loop there.
struct foretask_learn_task {
  foretask_kernel* kernel;
  std::uint64_t ticks;         // of its own code so far
  std::uint64_t given;         // a bit a parameter that is known
  std::uint32_t waits;         // waits that it is in
  foretask_learn_task* outer;  // a region's: what the thread ran before; while it is free: the next free one
  foretask_learn_task* inner;  // a region's: the share that is open
  bool is_region;
  double parameters[FORETASK_MAX_PARAMETERS];
};

namespace {

using foretask::base::KernelKind;
using foretask::base::Ticks;
using foretask::runtime::first_bits;
using foretask::runtime::kernel_parameter_count;

// Tasks are often created by one thread and ended by another: more than so many of them are given back to the system.
constexpr std::uint32_t kMostFree = 256;

struct TaskThread {
  foretask_learn_task* running = nullptr;
  Ticks since = 0;  // when it was switched on, or its wait ended
  foretask_learn_task* free = nullptr;
  bool frees_at_end = false;
  std::uint32_t free_count = 0;
  foretask_kernel* next_kernel = nullptr;
  std::uint64_t next_given = 0;
  std::array<double, FORETASK_MAX_PARAMETERS> next_parameters{};
};

constinit thread_local TaskThread thread __attribute__((tls_model("initial-exec")));

constinit foretask::base::ThreadEnd thread_end;

void free_tasks(void* /*set*/) {
  while (foretask_learn_task* const task = thread.free) {
    thread.free = task->outer;
    std::free(task);
  }
  thread.free_count = 0;
  thread.frees_at_end = false;
}

// When this library is loaded.
__attribute__((constructor)) void open_thread_end() { thread_end.open(free_tasks); }

bool free_at_end_slow() noexcept {
  thread.frees_at_end = thread_end.set(&thread);
  return thread.frees_at_end;
}

foretask_learn_task* take_task() noexcept {
  foretask_learn_task* task = thread.free;
  if (task) {
    thread.free = task->outer;
    --thread.free_count;
  } else {
    task = static_cast<foretask_learn_task*>(std::malloc(sizeof(foretask_learn_task)));
    if (!task) return nullptr;
  }
  task->ticks = 0;
  task->given = 0;
  task->waits = 0;
  task->outer = nullptr;
  task->inner = nullptr;
  task->is_region = false;
  return task;
}

void give_back(foretask_learn_task* task) noexcept {
  if (thread.free_count >= kMostFree || (!thread.frees_at_end && !free_at_end_slow())) {
    std::free(task);
    return;
  }
  task->outer = thread.free;
  thread.free = task;
  ++thread.free_count;
}

void stop_running(Ticks now) noexcept {
  if (thread.running && thread.running->waits == 0) thread.running->ticks += now - thread.since;
}

// A region's task is in its share of a loop, where it has one.
void run(foretask_learn_task* task, Ticks now) noexcept {
  thread.running = task && task->inner ? task->inner : task;
  thread.since = now;
}

void note_division(const foretask_learn_task* task) noexcept {
  if (task && task->kernel && !task->kernel->is_divided.load(std::memory_order_relaxed))
    task->kernel->is_divided.store(true, std::memory_order_relaxed);
}

void learn(const foretask_learn_task* task) noexcept {
  foretask_kernel* const kernel = task->kernel;
  if (!kernel) return;
  if (task->given == first_bits(kernel_parameter_count(kernel))) {
    static_cast<void>(foretask_learn(kernel, task->parameters, kernel_parameter_count(kernel),
                                     foretask::runtime::Learning::instance().scale().ns(task->ticks)));
  } else {
    foretask::runtime::Learning::instance().count_rejected();
  }
}

// Its end was not seen, as where the loop was cancelled.
void forget_share(foretask_learn_task* region) noexcept {
  foretask_learn_task* const share = std::exchange(region->inner, nullptr);
  if (!share) return;
  if (thread.running == share) thread.running = nullptr;
  give_back(share);
}

}  // namespace

namespace foretask::runtime {

foretask_status learn_next_task(foretask_kernel* kernel, const double* parameters, std::size_t count) noexcept {
  thread.next_kernel = kernel;
  thread.next_given = first_bits(count);
  for (std::size_t i = 0; i < count; ++i) thread.next_parameters[i] = parameters[i];
  return FORETASK_OK;
}

NextKernel learned_next_task() noexcept { return {thread.next_kernel, thread.next_given != 0}; }

foretask_status learn_task_parameter(std::size_t index, double value) noexcept {
  foretask_learn_task* const task = thread.running;
  if (!task || !task->kernel) return FORETASK_NO_KERNEL;
  if (index >= kernel_parameter_count(task->kernel)) return FORETASK_WRONG_COUNT;
  task->parameters[index] = value;
  task->given |= std::uint64_t{1} << index;
  return FORETASK_OK;
}

void close_task_threads() noexcept { thread_end.close(); }

}  // namespace foretask::runtime

extern "C" {

foretask_learn_task* foretask_learn_task_create(const void* code) {
  if ((foretask::runtime::activity_now() & foretask::runtime::kLearning) == 0) return nullptr;
  foretask_learn_task* const task = take_task();
  if (!task) return nullptr;
  note_division(thread.running);
  if (thread.next_kernel) {
    task->kernel = thread.next_kernel;
    task->given = thread.next_given;
    for (std::size_t i = 0; i < FORETASK_MAX_PARAMETERS; ++i) task->parameters[i] = thread.next_parameters[i];
    thread.next_kernel = nullptr;
  } else {
    task->kernel = foretask::runtime::kernel_of_code(code, KernelKind::kTasks);
  }
  return task;
}

foretask_learn_task* foretask_learn_region_enter(const void* code, uint32_t team_size) {
  if ((foretask::runtime::activity_now() & foretask::runtime::kLearning) == 0) return nullptr;
  stop_running(foretask::base::ticks_now());
  foretask_learn_task* const task = take_task();
  if (task) {
    task->kernel = code ? foretask::runtime::kernel_of_code(code, KernelKind::kRegion) : nullptr;
    task->parameters[0] = team_size;
    task->given = 1;
    task->outer = thread.running;
    task->is_region = true;
  }
  run(task ? task : thread.running, foretask::base::ticks_now());
  return task;
}

void foretask_learn_region_leave(foretask_learn_task* task) {
  // An explicit task in which the program ends is left as a region is.
  if (!task || !task->is_region) return;
  const Ticks now = foretask::base::ticks_now();
  const bool is_running = thread.running == task || (task->inner && thread.running == task->inner);
  if (is_running) stop_running(now);
  forget_share(task);
  if (task->kernel && !task->kernel->is_divided.load(std::memory_order_relaxed)) learn(task);
  foretask_learn_task* const outer = task->outer;
  give_back(task);
  if (is_running) run(outer, foretask::base::ticks_now());
}

void foretask_learn_share_begin(foretask_learn_task* region, const void* code, int is_sections) {
  if (!region) return;
  stop_running(foretask::base::ticks_now());
  forget_share(region);
  note_division(region);
  if (foretask_learn_task* const share = code ? take_task() : nullptr) {
    share->kernel = foretask::runtime::kernel_of_code(code, is_sections ? KernelKind::kSections : KernelKind::kLoop);
    region->inner = share;
  }
  run(region, foretask::base::ticks_now());
}

void foretask_learn_share_end(foretask_learn_task* region, uint64_t iterations) {
  foretask_learn_task* const share = region ? region->inner : nullptr;
  if (!share) return;
  stop_running(foretask::base::ticks_now());
  region->inner = nullptr;
  if (iterations != 0) {
    share->parameters[0] = static_cast<double>(iterations);
    share->given = 1;
    learn(share);
  }
  give_back(share);
  run(region, foretask::base::ticks_now());
}

void foretask_learn_task_switch(foretask_learn_task* /*from*/, foretask_learn_task* to) {
  const Ticks now = foretask::base::ticks_now();
  stop_running(now);
  run(to, now);
}

void foretask_learn_task_end(foretask_learn_task* from, foretask_learn_task* to) {
  const Ticks now = foretask::base::ticks_now();
  stop_running(now);
  if (from) {
    learn(from);
    give_back(from);
  }
  // What the learner's queue cost is nobody's time.
  run(to, foretask::base::ticks_now());
}

void foretask_learn_task_discard(foretask_learn_task* task, foretask_learn_task* to) {
  if (thread.running == task) run(to, foretask::base::ticks_now());
  if (task) give_back(task);
}

void foretask_learn_task_wait_begin(void) {
  if (!thread.running) return;
  if (thread.running->waits == 0) stop_running(foretask::base::ticks_now());
  ++thread.running->waits;
}

void foretask_learn_task_wait_end(void) {
  if (!thread.running || thread.running->waits == 0) return;
  if (--thread.running->waits == 0) thread.since = foretask::base::ticks_now();
}

}  // extern "C"
