// SPDX-License-Identifier: Apache-2.0
// HOT: the C ABI of tune_hook.h. docs/tune.md says why.
#include "runtime/granularity/tuned_tasks.hpp"

#include <sys/resource.h>

#include <atomic>
#include <exception>
#include <new>
#include <span>

#include "base/run_mean.hpp"
#include "runtime/learning/code_kernels.hpp"

extern "C" {

__attribute__((weak)) int omp_get_max_task_priority();
__attribute__((weak)) void __kmp_invoke_microtask();

constinit __thread foretask_tuned_task* foretask_tuned_running = nullptr;
constinit int foretask_tuned_leaves_alone = 0;

}  // extern "C"

namespace foretask::runtime {

namespace {

// Whether a task blocks is looked at in the first ones, and in one of so many later.
constexpr std::uint32_t kWatchedTasks = 64;
constexpr std::uint32_t kWatchedEach = 64;
constexpr std::uint32_t kTimedEach = 4;
// The trial is looked at once in so many tasks that are made.
constexpr std::uint64_t kTasksALook = 64;
constinit thread_local foretask_tuned_task root_task __attribute__((tls_model("initial-exec"))) = {};

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

// Whether the launcher has turned priorities on, and for GCC's runtime.
bool has_priorities() noexcept {
  static const bool has =
      omp_get_max_task_priority && !__kmp_invoke_microtask && omp_get_max_task_priority() == FORETASK_TUNED_PRIORITIES;
  return has;
}

// `node` has ended, and all of its parts. `now` and `thread` are those of whoever ended last.
void finish(SubtreeNode* node, SubtreeThread& thread) noexcept {
  for (;;) {
    const Ticks by_tasks = node->task_work.load(std::memory_order_relaxed);
    const Ticks work = node->work + by_tasks;
    SubtreeNode* const parent = node->parent;
    learn(node->kernel, node->size, work, node->is_learned);
    if (TunedCode* const code = code_of(node->kernel)) {
      const std::uint32_t seen = code->seen.load(std::memory_order_relaxed) + 1;
      code->seen.store(seen, std::memory_order_relaxed);
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
  const Ticks ticks = expected(foretask_tuned_kernel(&code), subtree.size + 1);
  const bool small = !node.is_overdue && ticks != 0 && ticks < worth_now(*node.thread);
  // One that takes long by itself is taken up by whoever has time, however many there are.
  const bool is_short = base::RunMean::of_bits(code.own.load(std::memory_order_relaxed)).ticks() < worth();
  if (!small && !is_alone() && (!is_short || may_spawn(thread, node, now))) return false;
  make_plain_calls(subtree, node, thread, small, now);
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

}  // namespace
}  // namespace foretask::runtime

extern "C" {

using namespace foretask::runtime;
using foretask::base::ticks_now;

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
  count_decision(*thread, foretask_tuned_kernel(code), false, now);
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
  TaskBatch* const batch = made_table(node.batch);
  const auto lock = lock_batch(node);
  if (!lock) return 0;
  try {
    // It has waited for all of them: the same may come again.
    if (task->subtree.has_spawned == 0 && foretask_tuned_has_none_open(task)) learn_order(*batch);
    TaskBatch::Task* const made = batch->add(
        static_cast<const TunedCode*>(code)->identity.load(std::memory_order_relaxed), std::span(accesses, count));
    if (!made) return 0;
    ticket->ordered = &made->took;
    const LearnedOrder* const order = order_table.load(std::memory_order_acquire);
    const unsigned level = order ? batch->level(*order) : 0;
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
  count_decision(*thread, foretask_tuned_kernel(code), true, now);
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

void foretask_tuned_yield(void) {
  const foretask_tuned_task* const task = foretask_tuned_running;
  if (TunedCode* const code = task ? code_of(task->subtree.kernel) : nullptr) stay_deferred(*code);
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
  task->subtree.kernel = foretask_tuned_kernel(ticket->code);
  task->subtree.size = ticket->depth;
  task->subtree.is_called = task->subtree.has_spawned = task->subtree.is_timed = 0;
  foretask_tuned_running = task;
  task->subtree.node = nullptr;
  if (!ticket->parent) return;
  auto& parent = static_cast<SubtreeNode&>(*ticket->parent);
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
