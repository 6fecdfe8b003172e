// SPDX-License-Identifier: Apache-2.0
// HOT: the lives of tasks in this process (foretask/task_hook.h), and their sinks: samples for the learner, counts for
// the progress.
#include "foretask/task_hook.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/region_name.hpp"
#include "base/run_aside.hpp"
#include "base/thread_end.hpp"
#include "foretask/openmp.h"
#include "runtime/following/task_lives.hpp"
#include "runtime/kernels/kernel_registry.hpp"
#include "runtime/learning/code_kernels.hpp"
#include "runtime/learning/hand_over.hpp"
#include "runtime/learning/learning.hpp"
#include "runtime/progress/progress_counters.hpp"
#include "runtime/recording/activity.hpp"
#include "runtime/recording/annotations.hpp"
#include "runtime/recording/next_task.hpp"
#include "runtime/recording/recorded_thread.hpp"
#include "runtime/recording/task_counters.hpp"

namespace {

using foretask::base::KernelKind;
using foretask::base::Ticks;
using foretask::runtime::counted_workers;
using foretask::runtime::first_bits;
using foretask::runtime::kernel_of_code;
using foretask::runtime::kernel_parameter_count;
using foretask::runtime::KernelCounters;
using foretask::runtime::Learning;
using foretask::runtime::next_task;
using foretask::runtime::own_progress_counters;
using foretask::runtime::progress_place;
using foretask::runtime::ProgressCounters;
using foretask::runtime::thread_counters;

// A place of no kernel: what is no task, and a thread's initial task that is not the program's first one.
constexpr std::uint32_t kNotCounted = ~std::uint32_t{0};

// A runtime's task from its creation to its end, a thread's own part in a region, its share of a loop there.
struct Task : foretask_hook_task, foretask::runtime::LivingTask<Task> {
  foretask_kernel* kernel;   // whose sample it is to be; null: it is not learned
  std::uint32_t place;       // of its kernel in each thread's counters
  std::uint64_t given;       // a bit a parameter that is known
  std::uint64_t iterations;  // a share's: those that it runs now
  bool is_counted;           // the next one is known
  std::uint64_t counts[FORETASK_MAX_COUNTERS];
  Task* next_free;
  bool is_initial;
  bool is_share;
  bool is_over;  // given back: a runtime that ends it twice is not followed in that
  double parameters[FORETASK_MAX_PARAMETERS];
};

// Tasks are often created by one thread and ended by another: more than so many of them are given back to the system.
constexpr std::uint32_t kMostFree = 256;

// The recording's, the learner's and the progress's ticks.
struct Clock {
  static Ticks now() noexcept { return foretask::base::ticks_now(); }
};

struct Sinks {
  static void on(const Task& task, Ticks now, bool is_first) noexcept;
  static void off(Task& task, Ticks ran) noexcept;
  static bool end(const Task& task) noexcept;
  static void share_end(Task& share) noexcept;
};

struct FollowedThread {
  foretask::runtime::TaskLives<Task, Clock, Sinks> lives;
  Task* free = nullptr;
  std::uint32_t free_count = 0;
  bool is_end_seen = false;
};

// Initial-exec: one load instead of a call; takes 32 bytes of the space that glibc keeps for libraries loaded late.
constinit thread_local FollowedThread thread __attribute__((tls_model("initial-exec")));

constinit foretask::base::ThreadEnd thread_end;

Task* own(foretask_hook_task* given) noexcept {
  Task* const task = static_cast<Task*>(given);
  return task && task->is_over ? nullptr : task;
}

void end_thread(void* /*set*/) {
  while (Task* const task = thread.free) {
    thread.free = task->next_free;
    std::free(task);
  }
  thread = {};
}

// When this library is loaded.
__attribute__((constructor)) void open_thread_end() { thread_end.open(end_thread); }
// When it is unloaded: threads' ends no longer call into it.
__attribute__((destructor)) void close_thread_end() { thread_end.close(); }

[[gnu::noinline, gnu::cold]] bool see_end_slow() noexcept {
  thread.is_end_seen = thread_end.set(&thread);
  return thread.is_end_seen;
}

// Whether the thread's end gives back what it has.
bool is_end_seen() noexcept { return thread.is_end_seen || see_end_slow(); }

Task* take_task() noexcept {
  Task* task = thread.free;
  if (task) [[likely]] {
    thread.free = task->next_free;
    --thread.free_count;
  } else {
    task = static_cast<Task*>(std::malloc(sizeof(Task)));
    if (!task) return nullptr;
  }
  static_cast<foretask::runtime::LivingTask<Task>&>(*task) = {};
  task->name = 0;
  task->kernel = nullptr;
  task->place = kNotCounted;
  task->given = 0;
  task->iterations = 0;
  task->is_initial = task->is_share = task->is_counted = task->is_over = false;
  return task;
}

void give_back(Task* task) noexcept {
  task->is_over = true;
  if (thread.free_count >= kMostFree || !is_end_seen()) return std::free(task);
  task->next_free = thread.free;
  thread.free = task;
  ++thread.free_count;
}

// The counts have the task under `key`, where there are any.
[[gnu::always_inline]] inline void be_counted(Task& task, std::uint32_t what, const void* key,
                                              KernelKind kind) noexcept {
  if ((what & foretask::runtime::kProgress) == 0) return;
  if (ProgressCounters* const counters = own_progress_counters()) task.place = progress_place(*counters, key, kind);
}

// To the sinks that are on: the kernel that is named by its code.
[[gnu::always_inline]] inline void be_of_code(Task& task, std::uint32_t what, const void* code,
                                              KernelKind kind) noexcept {
  if ((what & foretask::runtime::kLearning) != 0 && code != FORETASK_HOOK_NO_CODE)
    task.kernel = kernel_of_code(code, kind);
  be_counted(task, what, code, kind);
}

void be_of_kernel(Task& task, std::uint32_t what, foretask_kernel* kernel, const double* parameters,
                  std::size_t count) noexcept {
  if ((what & foretask::runtime::kLearning) != 0) {
    task.kernel = kernel;
    task.given = first_bits(count);
    std::copy_n(parameters, count, task.parameters);
  }
  be_counted(task, what, kernel, KernelKind::kNamed);
}

KernelCounters* counters_of(const Task* task) noexcept {
  if (task->place == kNotCounted) return nullptr;
  ProgressCounters* const counters = own_progress_counters();
  return counters ? &counters->kernels[task->place] : nullptr;
}

void note_division(const Task* task) noexcept {
  if (task && task->kernel && !task->kernel->is_divided.load(std::memory_order_relaxed))
    task->kernel->is_divided.store(true, std::memory_order_relaxed);
}

// The task's time is a sample of the kernel, with these values of all its parameters. Not into a recording, which has
// the task itself.
[[gnu::always_inline]] inline void add_sample(const Task& task, foretask_kernel* kernel,
                                              const double* values) noexcept {
  const std::uint32_t what = foretask::runtime::activity_now() & foretask::runtime::kLearning;
  static_cast<void>(foretask::runtime::hand_over(what, kernel, values, kernel_parameter_count(kernel),
                                                 Learning::instance().scale().ns(task.ticks)));
}

[[gnu::noinline]] void learn(const Task& task) noexcept {
  if (!task.kernel) return;
  if (task.given == first_bits(kernel_parameter_count(task.kernel))) {
    add_sample(task, task.kernel, task.parameters);
  } else {
    Learning::instance().count_rejected();
  }
}

// Counters of what the recording has just left, which is the task.
[[gnu::noinline, gnu::cold]] void take_counts(Task& task) noexcept {
  const foretask_stream* const stream = foretask::runtime::recorded_thread();
  if (!stream || !stream->counters) return;
  if (!task.is_counted) std::fill_n(task.counts, FORETASK_MAX_COUNTERS, 0);
  if (static_cast<foretask::runtime::TaskCounters*>(stream->counters)->take(task.counts)) task.is_counted = true;
}

// The kernel whose parameters are the task's and what was counted of it. Where it cannot be had, `kernel` itself, from
// then on.
foretask_kernel* counted_kernel_slow(foretask_kernel& kernel, const std::vector<std::string>& names) noexcept {
  foretask_kernel* found = nullptr;
  foretask::base::try_aside([&] {
    std::vector<const char*> parameters;
    for (const std::string& name : kernel.learned.shape().parameters) parameters.push_back(name.c_str());
    std::string name = kernel.name + " with ";
    for (const std::string& counter : names) {
      parameters.push_back(counter.c_str());
      name += (&counter == names.data() ? "" : ",") + counter;
    }
    foretask_kernel_options options{};
    options.size = sizeof options;
    options.name = name.c_str();
    options.parameters = parameters.data();
    options.parameter_count = parameters.size();
    const std::string version = foretask::runtime::version_of(kernel);
    options.code_version = version.c_str();
    found = foretask_kernel_define_with(&options, nullptr);
  });
  if (!found) found = &kernel;
  kernel.counted.store(found, std::memory_order_release);
  return found;
}

[[gnu::noinline]] void learn_counted(const Task& task) noexcept {
  const std::vector<std::string>* const names = foretask::runtime::task_counter_names.load(std::memory_order_acquire);
  const std::size_t own = kernel_parameter_count(task.kernel);
  if (!names || own + names->size() > FORETASK_MAX_PARAMETERS || task.given != first_bits(own)) return;
  foretask_kernel* kernel = task.kernel->counted.load(std::memory_order_acquire);
  if (!kernel) kernel = counted_kernel_slow(*task.kernel, *names);
  if (kernel == task.kernel) return;
  std::array<double, FORETASK_MAX_PARAMETERS> values{};
  std::copy_n(task.parameters, own, values.begin());
  for (std::size_t i = 0; i < names->size(); ++i) values[own + i] = static_cast<double>(task.counts[i]);
  add_sample(task, kernel, values.data());
}

[[gnu::always_inline]] inline void Sinks::on(const Task& task, Ticks now, bool is_first) noexcept {
  KernelCounters* const counters = counters_of(&task);
  if (!counters) return;
  if (is_first) counters->started.add(1);
  thread_counters->since.store(now, std::memory_order_relaxed);
  thread_counters->running.store(task.place + 1, std::memory_order_relaxed);
}

[[gnu::always_inline]] inline void Sinks::off(Task& task, Ticks ran) noexcept {
  if (foretask::runtime::task_counter_names.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
    take_counts(task);
  KernelCounters* const counters = counters_of(&task);
  if (!counters) return;
  counters->ticks.add(ran);
  thread_counters->running.store(0, std::memory_order_relaxed);
}

[[gnu::always_inline]] inline bool Sinks::end(const Task& task) noexcept {
  if (KernelCounters* const counters = counters_of(&task)) counters->finished.add(1);
  const bool is_learned = task.kernel && !(task.is_region && task.kernel->is_divided.load(std::memory_order_relaxed));
  if (is_learned) learn(task);
  if (is_learned && task.is_counted) [[unlikely]]
    learn_counted(task);
  return is_learned;
}

void Sinks::share_end(Task& share) noexcept {
  if (share.given != 0) learn(share);  // else its end was not seen
  if (KernelCounters* const counters = counters_of(&share)) counters->finished.add(share.iterations);
  give_back(&share);
}

void note_workers(std::uint32_t count) noexcept {
  std::uint32_t most = counted_workers.load(std::memory_order_relaxed);
  while (count > most && !counted_workers.compare_exchange_weak(most, count)) {
  }
}

bool is_first_thread() noexcept { return syscall(SYS_gettid) == getpid(); }

// Of the running task; the index is below FORETASK_MAX_PARAMETERS.
foretask_status set_task_parameter(std::size_t index, double value) noexcept {
  Task* const task = thread.lives.running();
  if (!task || !task->kernel) return FORETASK_NO_KERNEL;
  if (index >= kernel_parameter_count(task->kernel)) return FORETASK_WRONG_COUNT;
  task->parameters[index] = value;
  task->given |= std::uint64_t{1} << index;
  return FORETASK_OK;
}

}  // namespace

extern "C" {

int foretask_hook_follows_tasks(void) {
  // foretask_hook_start has decided; to decide here would warn a second time of what is wrong.
  const std::uint32_t what = foretask::runtime::activity.load();
  if ((what & foretask::runtime::kProgress) != 0) foretask::runtime::are_tasks_counted.store(true);
  return (what & foretask::runtime::kFollows) != 0 ? 1 : 0;
}

foretask_hook_task* foretask_hook_task_create(const void* code) {
  Task* const task = take_task();
  if (!task || !code) return task;
  const std::uint32_t what = foretask::runtime::activity_now();
  note_division(thread.lives.running());
  if (next_task.is_for_followers) [[unlikely]] {
    next_task.is_for_followers = false;
    be_of_kernel(*task, what, next_task.kernel, next_task.parameters.data(), next_task.count);
  } else {
    be_of_code(*task, what, code, KernelKind::kTasks);
  }
  return task;
}

foretask_hook_task* foretask_hook_task_create_of(foretask_kernel* kernel, const double* parameters, size_t count) {
  Task* const task = take_task();
  if (!task || !kernel || count > kernel_parameter_count(kernel)) return task;
  note_division(thread.lives.running());
  be_of_kernel(*task, foretask::runtime::activity_now(), kernel, parameters, count);
  return task;
}

foretask_hook_task* foretask_hook_region_enter(const void* code, uint32_t team_size) {
  Task* const task = take_task();
  if (!task) return nullptr;
  thread.lives.stop_for_region();
  const std::uint32_t what = foretask::runtime::activity_now();
  note_workers(team_size);
  Ticks start = 0;
  if (code) {
    be_of_code(*task, what, code, KernelKind::kRegion);
    task->parameters[0] = team_size;
    task->given = 1;
  } else if ((what & foretask::runtime::kProgress) != 0 && own_progress_counters() && is_first_thread()) {
    task->place = foretask::runtime::kSerialPart;
    // Once: the runtime begins it late.
    start = foretask::runtime::serial_start.exchange(0);
  }
  task->is_initial = !code;
  thread.lives.enter(task, start != 0 ? start : Clock::now());
  return task;
}

void foretask_hook_region_leave(foretask_hook_task* given) {
  Task* const task = own(given);
  // An explicit task in which the program ends is left as a region is.
  if (!task || !task->is_region) return;
  thread.lives.leave(task);
  give_back(task);
}

void foretask_hook_share_begin(foretask_hook_task* given, const void* code, int is_sections) {
  Task* const region = own(given);
  // A loop outside of regions is the serial part's.
  if (!region || region->is_initial) return;
  note_division(region);
  thread.lives.begin_share(region, [&]() -> Task* {
    Task* const share = code ? take_task() : nullptr;
    if (!share) return nullptr;
    be_of_code(*share, foretask::runtime::activity_now(), code,
               is_sections ? KernelKind::kSections : KernelKind::kLoop);
    share->is_share = true;
    return share;
  });
}

void foretask_hook_share_iterations(uint64_t count) {
  Task* const share = thread.lives.running();
  if (!share || !share->is_share) return;
  if (KernelCounters* const counters = counters_of(share)) {
    counters->finished.add(share->iterations);
    counters->started.add(count);
  }
  share->iterations = count;
}

void foretask_hook_share_end(foretask_hook_task* given, uint64_t iterations) {
  Task* const region = own(given);
  Task* const share = region ? region->inner : nullptr;
  if (!share) return;
  share->parameters[0] = static_cast<double>(iterations);
  share->given = iterations != 0 ? 1 : 0;
  thread.lives.end_share(region);
}

foretask_status foretask_openmp_set(size_t index, double value) {
  const std::uint32_t activity = foretask::runtime::annotation_activity();
  if (activity == 0) return FORETASK_OFF;
  if (index >= FORETASK_MAX_PARAMETERS) return FORETASK_WRONG_COUNT;
  if ((activity & foretask::runtime::kRecording) != 0)
    foretask::runtime::record_task_parameter(static_cast<std::uint32_t>(index), value);
  return (activity & foretask::runtime::kLearning) != 0 ? set_task_parameter(index, value) : FORETASK_OK;
}

void foretask_hook_set_parameter(size_t index, double value) { static_cast<void>(set_task_parameter(index, value)); }

void foretask_hook_task_switch(foretask_hook_task* to) { thread.lives.change(own(to)); }

void foretask_hook_task_end(foretask_hook_task* given, foretask_hook_task* to) {
  Task* const task = own(given);
  thread.lives.end(task, own(to));
  if (task) give_back(task);
}

void foretask_hook_task_detach(foretask_hook_task* given, foretask_hook_task* to) {
  Task* const task = own(given);
  thread.lives.end(task, own(to));
  if (!task) return;
  task->kernel = nullptr;
  task->place = kNotCounted;
}

void foretask_hook_task_discard(foretask_hook_task* given, foretask_hook_task* to) {
  Task* const task = own(given);
  thread.lives.discard(task, own(to));
  if (!task) return;
  if (KernelCounters* const counters = task->is_begun ? counters_of(task) : nullptr) counters->finished.add(1);
  give_back(task);
}

void foretask_hook_wait_begin(void) { thread.lives.begin_wait(); }
void foretask_hook_wait_end(void) { thread.lives.end_wait(); }

}  // extern "C"
