// SPDX-License-Identifier: Apache-2.0
// HOT: the C ABI of tune_hook.h. docs/tune.md says why.
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/environment.hpp"
#include "base/file.hpp"
#include "base/fingerprint.hpp"
#include "base/messages.hpp"
#include "base/own_process.hpp"
#include "base/run_aside.hpp"
#include "base/run_mean.hpp"
#include "base/store_home.hpp"
#include "foretask/tune_hook.h"
#include "model/store/tuned_program.hpp"
#include "runtime/granularity/subtree_rules.hpp"
#include "runtime/granularity/tuned_regions.hpp"
#include "runtime/granularity/tuning_trial.hpp"
#include "runtime/learning/code_kernels.hpp"

extern "C" {

__attribute__((weak)) int omp_get_max_task_priority();
__attribute__((weak)) void __kmp_invoke_microtask();

constinit __thread foretask_tuned_task* foretask_tuned_running = nullptr;
constinit int foretask_tuned_leaves_alone = 0;

}  // extern "C"

namespace foretask::runtime {

// What is known of a kernel's tasks. Any thread, without a lock: of two that count at once one may be lost.
struct TunedCode : foretask_tuned_code {
  TunedCode() noexcept : foretask_tuned_code{} {}

  std::atomic<std::uint32_t> seen{0};
  std::atomic<std::uint64_t> own{0};  // what one takes without its parts: a RunMean
  std::atomic<bool> stays_deferred{false};
  std::atomic<std::uint64_t> identity{0};  // the same in every run of this code
};

namespace {

// So many tasks of a kernel are looked at before any is run at once.
constexpr std::uint32_t kFirstTasks = 16;
// Whether a task blocks is looked at in the first ones, and in one of so many later.
constexpr std::uint32_t kWatchedTasks = 64;
constexpr std::uint32_t kWatchedEach = 16;
constexpr std::uint32_t kTimedEach = 4;
// The trial is looked at once in so many tasks that are made.
constexpr std::uint64_t kTasksALook = 64;
// Where tasks with dependences are so short that their order does not matter, so many times as many are passed over.
constexpr std::uint32_t kPassedOver = 64;
constexpr Ticks kLeastOrdered = 20'000;

constinit TuningTrial trial{&foretask_tuned_leaves_alone};

bool is_dry = false;  // decisions are made and counted, and change nothing

constinit thread_local foretask_tuned_task root_task __attribute__((tls_model("initial-exec"))) = {};

TunedCode* code_of(foretask_kernel* kernel) noexcept {
  return kernel ? kernel->tuned.load(std::memory_order_acquire) : nullptr;
}

SubtreeNode& node_of(const foretask_tuned_task& task) noexcept { return static_cast<SubtreeNode&>(*task.subtree.node); }

// How often the calling thread has left a core by itself. Some 0.3 us.
long own_switches() noexcept {
  struct rusage usage {};
  return ::getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nvcsw : 0;
}

void stay_deferred(TunedCode& code) noexcept {
  code.stays_deferred.store(true, std::memory_order_relaxed);
  __atomic_store_n(&code.may_call, 0, __ATOMIC_RELAXED);
}

// Null: there is no memory.
std::atomic<LearnedOrder*> order_table{nullptr};
std::atomic<std::uint32_t> passed_over{0};  // tasks, from now on
std::atomic<std::uint64_t> tasks_ordered{0};

// Whether the launcher has turned priorities on, and for GCC's runtime.
bool has_priorities() noexcept {
  static const bool has = omp_get_max_task_priority && !__kmp_invoke_microtask &&
                          omp_get_max_task_priority() == FORETASK_TUNED_PRIORITIES;
  return has;
}

// All tasks of `batch`, which is locked, have ended, if there are any.
void learn_order(TaskBatch& batch) noexcept {
  if (batch.is_empty()) return;
  LearnedOrder* const order = made_table(order_table);
  const auto tasks = static_cast<std::uint32_t>(batch.size());
  if (order && !batch.learn(*order, kLeastOrdered)) passed_over.store(kPassedOver * tasks, std::memory_order_relaxed);
}

// Owns no lock where the node has no batch, or another thread has it.
std::unique_lock<TaskBatch> lock_batch(const SubtreeNode& node) noexcept {
  return node.batch ? std::unique_lock(*node.batch, std::try_to_lock) : std::unique_lock<TaskBatch>();
}

// `node` has ended, and all of its parts. `now` and `thread` are those of whoever ended last.
void finish(SubtreeNode* node, SubtreeThread& thread) noexcept {
  for (;;) {
    const Ticks by_tasks = node->task_work.load(std::memory_order_relaxed);
    const Ticks work = node->work + by_tasks;
    SubtreeNode* const parent = node->parent;
    learn(node->kernel, node->size, work, node->is_learned);
    if (TunedCode* const code = code_of(node->kernel)) {
      const std::uint32_t seen = code->seen.fetch_add(1, std::memory_order_relaxed) + 1;
      if (seen == kFirstTasks && !code->stays_deferred.load(std::memory_order_relaxed))
        __atomic_store_n(&code->may_call, 1, __ATOMIC_RELAXED);
    }
    // What it called is its parent's own already.
    if (parent) parent->task_work.fetch_add(node->is_task ? work : by_tasks, std::memory_order_relaxed);
    if (const auto lock = lock_batch(*node)) learn_order(*lock.mutex());
    give_back(thread, *node);
    // Release and acquire: whoever is last finds what the others have added.
    if (!parent || parent->open.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    node = parent;
  }
}

void stop_waiting(SubtreeThread& thread, Ticks now) noexcept {
  if (thread.waits_from == 0) return;
  if (now > thread.waits_from) add_to(thread.waited, now - thread.waits_from);
  thread.waits_from = 0;
}

void begin(foretask_tuned_task& task, SubtreeNode& node, SubtreeThread& thread, SubtreeNode* parent, bool is_task,
           Ticks now) noexcept {
  node.was_waiting = is_task && thread.waits_from != 0;
  stop_waiting(thread, now);
  begin_node(node, thread, parent, is_task, now);
  node.open.store(1, std::memory_order_relaxed);
  node.kernel = task.subtree.kernel;
  node.size = task.subtree.size;
  node.work = 0;
  node.took = nullptr;
  if (const auto lock = lock_batch(node)) learn_order(*lock.mutex());
  const TunedCode* const code = code_of(node.kernel);
  const std::uint32_t seen = code ? code->seen.load(std::memory_order_relaxed) : 1;
  node.switches_begun = code && (seen < kWatchedTasks || seen % kWatchedEach == 0) ? own_switches() : -1;
  node.is_learned = is_for_learner(thread, node.kernel, node.size, now);
  task.subtree.node = &node;
  task.subtree.is_timed = 1;
}

// What a task took by itself, and whether it blocked: of those that made no tasks, so that it was not the runtime.
void look_at(const SubtreeNode& node, Ticks own) noexcept {
  TunedCode* const code = code_of(node.kernel);
  if (!code || node.tasks != 0 || node.plain_at != 0) return;
  const base::RunMean mean = base::RunMean::of_bits(code->own.load(std::memory_order_relaxed));
  code->own.store(mean.with(own).bits(), std::memory_order_relaxed);
  if (node.switches_begun >= 0 && own_switches() > node.switches_begun) stay_deferred(*code);
}

// Whether the next task of `task`, which is timed, is run at once.
bool calls_next(foretask_tuned_task& task, const TunedCode& code, SubtreeThread& thread, Ticks now) noexcept {
  foretask_subtree& subtree = task.subtree;
  SubtreeNode& node = node_of(task);
  if (subtree.is_called && !node.is_overdue && has_enough(node)) return true;
  stop_waiting(thread, now);
  goes_on(node, now);
  if (subtree.is_called && is_overdue(node, now)) node.is_overdue = true;
  const Ticks ticks = expected(code.kernel, subtree.size + 1);
  const bool small = !node.is_overdue && ticks != 0 && ticks < worth_now(*node.thread);
  // One that takes long by itself is taken up by whoever has time, however many there are.
  const bool is_short = base::RunMean::of_bits(code.own.load(std::memory_order_relaxed)).ticks() < worth();
  if (!small && !is_alone() && (!is_short || may_spawn(thread, node, now))) return false;
  if (!subtree.is_called) {
    begin_plain_calls(subtree, node, thread, now);
  } else if (small && !node.is_small) {
    node.plain_at = now;
  }
  node.is_small = small ? 1 : 0;
  return true;
}

// The next task of `task` becomes one of the runtime's.
void make(foretask_tuned_task& task, SubtreeThread& thread, foretask_tuned_ticket& ticket, Ticks now) noexcept {
  SubtreeNode& node = node_of(task);
  if (task.subtree.is_timed) {
    goes_on(node, now);
    end_plain_calls(task.subtree, thread, node);
  }
  task.subtree.has_spawned = 1;
  stop_waiting(thread, now);
  add_to(thread.tasks_made, 1);
  const std::uint64_t seen = thread.tasks_seen.load(std::memory_order_relaxed) + 1;
  thread.tasks_seen.store(seen, std::memory_order_relaxed);
  if (seen % kTasksALook == 0 && !is_dry) trial.look();
  node.open.fetch_add(1, std::memory_order_relaxed);
  spawn(node, thread, now);
  ticket.parent = &node;
}

// What was decided in this process. At its end.
struct Decisions {
  std::uint64_t tasks = 0;
  std::uint64_t called = 0;  // run at once
  std::uint32_t kinds = 0;   // places in the code
  std::uint32_t kept = 0;    // of them those whose tasks all went to the runtime, as one was seen to block
  double making_ns = 0;      // what making one took, at the latest
  double seconds = 0;
  TunedRegions regions;

  // Making them alone: what follows from it, on whatever thread, is not known of tasks that were not made.
  [[nodiscard]] double saved_seconds() const { return 1e-9 * static_cast<double>(called) * making_ns; }
};

std::optional<model::TunedStore> store;
model::TunedProgram earlier;  // what was found by earlier runs
std::string json_path;
bool announces = false;
base::ClockPair started;
pid_t process = 0;  // whose end it is that says: a forked child has copies of what its parent has counted

Decisions decisions() {
  Decisions all;
  all.tasks = trial.left_alone.load();
  for (const SubtreeThread* one = all_threads.load(std::memory_order_acquire); one; one = one->next_of_all) {
    // Others may go on: what was made is counted before it is seen.
    const std::uint64_t made = one->tasks_made.load();
    const std::uint64_t seen = std::max(one->tasks_seen.load(), made);
    all.tasks += seen;
    all.called += seen - made + one->tasks_called_dry.load();
  }
  for (const foretask_kernel* kernel : KernelRegistry::instance().all()) {
    const TunedCode* const code = kernel->tuned.load();
    all.kinds += code ? 1 : 0;
    all.kept += code && code->stays_deferred.load() ? 1 : 0;
  }
  all.regions = count_tuned_regions();
  const base::ClockPair now = base::read_clock_pair();
  all.making_ns = 1e9 * static_cast<double>(making_cost.load()) / base::ticks_per_second(started, now);
  all.seconds = 1e-9 * static_cast<double>(now.monotonic_ns - started.monotonic_ns);
  return all;
}

void say(const Decisions& all) {
  std::array<char, 256> text;
  if (all.regions.with_loops != 0) {
    std::snprintf(text.data(), text.size(),
                  "tune: of %u regions whose loops leave their schedule to the runtime, %u run with another one by now, "
                  "which took less",
                  all.regions.with_loops, all.regions.changed);
    base::say(text.data());
  }
  if (all.tasks == 0) {
    if (all.regions.with_loops != 0) return;
    return base::say("tune: no task was decided on: the program made none, or made them where it is not seen");
  }
  std::snprintf(
      text.data(), text.size(), "tune: %s %llu of %llu tasks at once, of %u places in the code%s",
      is_dry ? "would have run" : "ran", static_cast<unsigned long long>(all.called),
      static_cast<unsigned long long>(all.tasks), all.kinds,
      all.kept == 0 ? "" : ("; tasks of " + std::to_string(all.kept) + " of them block, and were left alone").c_str());
  base::say(text.data());
  std::snprintf(text.data(), text.size(),
                "tune: to hand one to the runtime took %.2f us at the end: %s some %.3f s of the threads' time, and "
                "the queueing and waiting, which is not measured",
                1e-3 * all.making_ns, is_dry ? "that would have saved" : "that saved", all.saved_seconds());
  base::say(text.data());
  if (const std::uint64_t ordered = tasks_ordered.load(); ordered != 0) {
    std::snprintf(text.data(), text.size(),
                  "tune: %llu tasks with dependences %s an order, by what came after the same ones before",
                  static_cast<unsigned long long>(ordered), is_dry ? "would have been given" : "were given");
    base::say(text.data());
  }
  if (trial.trials.load() == 0)
    return base::say("tune: that it pays was not put on trial: threads were not short of tasks for long");
  const std::uint32_t given_up = trial.given_up.load();
  std::snprintf(text.data(), text.size(),
                "tune: threads were short of tasks, so it was tried whether that pays: in %u of %u trials it %s",
                given_up == 0 ? trial.trials.load() : given_up, trial.trials.load(),
                given_up == 0 ? "did" : "did not, and the runtime had all tasks for a while");
  base::say(text.data());
}

void write_json(const Decisions& all) {
  std::array<char, 512> text;
  std::snprintf(text.data(), text.size(),
                "{\n  \"tasks\": %llu,\n  \"run_at_once\": %llu,\n  \"dry_run\": %s,\n  \"kinds\": %u,\n"
                "  \"kinds_left_alone\": %u,\n  \"making_ns\": %.1f,\n  \"saved_s\": %.6f,\n  \"trials\": %u,\n"
                "  \"trials_given_up\": %u,\n  \"tasks_ordered\": %llu,\n  \"regions\": %u,\n"
                "  \"regions_changed\": %u,\n  \"seconds\": %.6f\n}\n",
                static_cast<unsigned long long>(all.tasks), static_cast<unsigned long long>(all.called),
                is_dry ? "true" : "false", all.kinds, all.kept, all.making_ns, all.saved_seconds(), trial.trials.load(),
                trial.given_up.load(), static_cast<unsigned long long>(tasks_ordered.load()), all.regions.with_loops,
                all.regions.changed, all.seconds);
  if (const auto written = base::write_file_atomically(json_path, text.data()); !written)
    base::warn(written.error().message());
}

// `code` is new in this process. Of threads that come at once each does the same.
void recall(TunedCode& code, foretask_kernel& kernel) {
  const std::string version = version_of(kernel);
  code.identity.store(base::fingerprint_number(kernel.name + version));
  WorkTable* const works = works_of(&kernel);
  for (const model::TunedPlace& place : earlier.places) {
    if (place.name != kernel.name || place.version != version || !works) continue;
    for (const auto& [cell, content] : place.works)
      if (cell < SizeCells::kCells) works->recall(cell, content);
    code.own.store(place.own, std::memory_order_relaxed);
    code.seen.store(kFirstTasks, std::memory_order_relaxed);
    code.may_call = 1;
  }
}

// What the next run begins with.
void keep() {
  model::TunedProgram found;
  found.gives_up = trial.gave_up();
  keep_tuned_regions(found);
  for (foretask_kernel* const kernel : KernelRegistry::instance().all()) {
    const TunedCode* const code = code_of(kernel);
    const WorkTable* const works = kernel->works.load();
    if (!code || !code->may_call || !works) continue;
    model::TunedPlace place{.name = kernel->name, .version = version_of(*kernel), .own = code->own.load(), .works = {}};
    for (std::size_t cell = 0; cell < SizeCells::kCells; ++cell)
      if (const std::uint64_t content = works->cell(cell); content != 0) place.works.emplace_back(cell, content);
    found.places.push_back(std::move(place));
  }
  for (SubtreeThread* one = all_threads.load(); one; one = one->next_of_all) {
    const SubtreeNode* const root = one->root;
    const std::unique_lock lock = root ? lock_batch(*root) : std::unique_lock<TaskBatch>();
    if (lock && root->open.load() == 1) learn_order(*lock.mutex());
  }
  if (const LearnedOrder* const order = order_table.load()) found.order = order->entries();
  if (const auto kept = store->save(std::move(found)); !kept) base::warn(kept.error().message());
}

bool start_tuning() {
  if (!base::read_mode().mode.tunes) return false;
  const base::Environment environment = base::read_environment();
  is_dry = environment.tunes_dry;
  announces = environment.announces && environment.is_launched;
  if (environment.is_launched) json_path = environment.tune_json;
  static_cast<void>(base::run_aside([] {
    try {
      const std::string home = base::store_home();
      if (home.empty()) return;
      earlier = store.emplace(home, base::program_name(), base::warn).load();
      LearnedOrder* const order = earlier.order.empty() ? nullptr : made_table(order_table);
      for (const std::uint64_t entry : earlier.order)
        if (order) order->set(entry);
      if (earlier.gives_up && !is_dry) trial.give_up_first();
    } catch (const std::exception& problem) {
      base::warn(std::string("what earlier runs found is not known: ") + problem.what());
    }
  }));
  start_tuning_regions(environment, earlier);
  process = ::getpid();
  started = base::read_clock_pair();
  return true;
}

__attribute__((destructor)) void end_tuning() {
  if (started.ticks == 0 || !base::is_own_process() || ::getpid() != process) return;
  static_cast<void>(base::run_aside([] {
    try {
      const Decisions all = decisions();
      const bool is_known = all.tasks != 0 || all.regions.with_loops != 0;
      if (store && !is_dry && is_known && !base::has_new_root()) keep();
      if (announces) say(all);
      if (!json_path.empty()) write_json(all);
    } catch (const std::exception&) {
    }
  }));
}

}  // namespace
}  // namespace foretask::runtime

extern "C" {

using namespace foretask::runtime;
using foretask::base::ticks_now;

int foretask_hook_tunes(void) {
  static const bool tunes = start_tuning();
  return tunes ? 1 : 0;
}

foretask_tuned_code* foretask_tuned_code_at(const void* code) {
  foretask_kernel* const kernel = kernel_of_code(code, foretask::base::KernelKind::kSubtrees);
  if (!kernel) return nullptr;
  TunedCode* const made = made_table(kernel->tuned);
  if (!made || __atomic_load_n(&made->kernel, __ATOMIC_ACQUIRE)) return made;
  try {
    recall(*made, *kernel);
  } catch (const std::exception&) {
  }
  __atomic_store_n(&made->kernel, kernel, __ATOMIC_RELEASE);
  return made;
}

foretask_tuned_task* foretask_tuned_root(void) {
  SubtreeThread* const thread = subtree_thread();
  if (!thread) return nullptr;
  if (!root_task.subtree.node) {
    SubtreeNode* const node = take_node(*thread);
    if (!node) return nullptr;
    root_task.subtree.kernel = nullptr;
    thread->root = node;
    begin(root_task, *node, *thread, nullptr, false, ticks_now());
  }
  foretask_tuned_running = &root_task;
  return &root_task;
}

int foretask_tuned_calls_slow(foretask_tuned_task* task, foretask_tuned_code* code) {
  SubtreeThread* const thread = subtree_thread();
  const Ticks now = ticks_now();
  if (!thread || !calls_next(*task, *static_cast<TunedCode*>(code), *thread, now)) return 0;
  count_decision(*thread, code->kernel, false, now);
  return is_dry ? 2 : 1;
}

int foretask_tuned_has_none_open(const foretask_tuned_task* task) {
  // Acquire: what those that have ended did is seen.
  return task->subtree.node && node_of(*task).open.load(std::memory_order_acquire) == 1 ? 1 : 0;
}

int foretask_tuned_order(foretask_tuned_task* task, const foretask_tuned_code* code,
                         const foretask_tuned_access* accesses, unsigned count, foretask_tuned_ticket* ticket) {
  // Within tasks GCC's runtime fails where tasks have priorities.
  if (!task->subtree.node || task->subtree.size != 0 || !has_priorities()) return 0;
  if (const std::uint32_t left = passed_over.load(std::memory_order_relaxed); left != 0) {
    passed_over.store(left - 1, std::memory_order_relaxed);
    return 0;
  }
  SubtreeNode& node = node_of(*task);
  try {
    if (!node.batch) node.batch = std::make_unique<TaskBatch>();
    const auto lock = lock_batch(node);
    if (!lock) return 0;
    // It has waited for all of them: the same may come again.
    if (task->subtree.has_spawned == 0 && foretask_tuned_has_none_open(task)) learn_order(*node.batch);
    TaskBatch::Task* const made =
        node.batch->add(static_cast<const TunedCode*>(code)->identity.load(std::memory_order_relaxed), std::span(accesses, count));
    if (!made) return 0;
    ticket->ordered = &made->took;
    const LearnedOrder* const order = order_table.load(std::memory_order_acquire);
    const unsigned level = order ? node.batch->level(*order) : 0;
    if (level != 0) tasks_ordered.fetch_add(1, std::memory_order_relaxed);
    return is_dry ? 0 : static_cast<int>(level);
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

void foretask_tuned_make(foretask_tuned_task* task, foretask_tuned_code* code, foretask_tuned_ticket* ticket) {
  ticket->parent = nullptr;
  ticket->code = code;
  ticket->depth = task->subtree.size + 1;
  SubtreeThread* const thread = subtree_thread();
  if (!thread || !task->subtree.node) return;
  const Ticks now = ticks_now();
  make(*task, *thread, *ticket, now);
  count_decision(*thread, code->kernel, true, now);
}

void foretask_tuned_made(foretask_tuned_task* task) {
  if (!task->subtree.node) return;
  SubtreeNode& node = node_of(*task);
  if (node.making_at == 0) return;
  // One in some tells enough, and costs less.
  if (node.thread->tasks_made.load(std::memory_order_relaxed) % kTimedEach == 0)
    end_making(node, ticks_now());
  else
    node.making_at = 0;
}

void foretask_tuned_call_slow(foretask_tuned_task* task) {
  task->subtree.node = task->outer->subtree.node;
  SubtreeThread* const thread = subtree_thread();
  if (!thread || !task->subtree.node) return;
  SubtreeNode& above = node_of(*task);
  const Ticks now = ticks_now();
  if (!is_dry) trial.look();
  if (foretask_subtree_plain == &above) {
    if (above.is_overdue && !has_few(*thread)) return let_go_on(*thread, above, kOverdueCalls);
    if (!interrupts(above, *thread, task->subtree.kernel, task->subtree.size, now)) return;
  } else {
    goes_on(above, now);
  }
  SubtreeNode* const node = take_node(*thread);
  if (!node) return;
  const bool is_overdue = foretask_subtree_plain == &above && above.is_overdue;
  above.open.fetch_add(1, std::memory_order_relaxed);
  begin(*task, *node, *thread, &above, false, now);
  node->is_overdue = is_overdue;
}

void foretask_tuned_would_call(void) {
  if (SubtreeThread* const thread = subtree_thread()) add_to(thread->tasks_called_dry, 1);
}

void foretask_tuned_count(unsigned tasks) {
  trial.left_alone.fetch_add(tasks, std::memory_order_relaxed);
  trial.look();
}

void foretask_tuned_begin(foretask_tuned_task* task, const foretask_tuned_ticket* ticket) {
  task->outer = foretask_tuned_running;
  task->subtree.kernel = ticket->code->kernel;
  task->subtree.size = ticket->depth;
  task->subtree.is_called = task->subtree.has_spawned = task->subtree.is_timed = 0;
  foretask_tuned_running = task;
  task->subtree.node = nullptr;
  if (!ticket->parent) return;
  auto& parent = static_cast<SubtreeNode&>(*ticket->parent);
  parent.tasks_begun.fetch_add(1, std::memory_order_relaxed);
  parent.thread->pending.fetch_sub(1, std::memory_order_relaxed);
  SubtreeThread* const thread = subtree_thread();
  SubtreeNode* const node = thread ? take_node(*thread) : nullptr;
  if (!node) return;
  count_help(*parent.thread, parent.thread != thread);
  begin(*task, *node, *thread, &parent, true, ticks_now());
  node->took = static_cast<std::atomic<Ticks>*>(ticket->ordered);
}

void foretask_tuned_wait_slow(foretask_tuned_task* task, int takes_up_others) {
  if (!task->subtree.is_timed) return;
  task->subtree.has_spawned = 0;
  SubtreeNode& node = node_of(*task);
  const Ticks now = ticks_now();
  goes_on(node, now);
  if (SubtreeThread* const thread = subtree_thread()) end_plain_calls(task->subtree, *thread, node);
  node.waiting_at = node.thread->waits_from = now;
  if (takes_up_others) set_idle(*node.thread, true);
  if (task == &root_task) node.thread->decided.write();
}

void foretask_tuned_end_slow(foretask_tuned_task* task) {
  SubtreeNode& node = node_of(*task);
  SubtreeThread& thread = *node.thread;
  const Ticks now = ticks_now();
  end_making(node, now);
  end_waiting(node);
  if (task->subtree.is_called) count_calls(thread, node);
  const Ticks all = now - node.begin;
  const Ticks own = all > node.away ? all - node.away : 0;
  node.work = own + node.called_work;
  if (node.took) node.took->store(all, std::memory_order_relaxed);
  look_at(node, own);
  if (SubtreeNode* const parent = node.parent) {
    if (node.is_task) {
      Ticks end = parent->task_end.load(std::memory_order_relaxed);
      while (end < now && !parent->task_end.compare_exchange_weak(end, now, std::memory_order_relaxed)) {
      }
      thread.task_end = now;
    } else {
      parent->called_work += node.work;
      parent->away += all;
      parent->latest = now;
    }
  }
  thread.current = node.outer;
  if (!thread.current) thread.decided.write();
  if (node.was_waiting || !thread.current) thread.waits_from = now;
  set_idle(thread, !thread.current || node.was_idle);
  foretask_subtree_plain = node.outer_plain;
  if (node.open.fetch_sub(1, std::memory_order_acq_rel) == 1) finish(&node, thread);
}

}  // extern "C"
