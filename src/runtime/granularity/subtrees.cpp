// SPDX-License-Identifier: Apache-2.0
// HOT: the C ABI of granularity.h. docs/granularity.md says why.
#include <algorithm>
#include <atomic>
#include <new>

#include "base/clock.hpp"
#include "base/environment.hpp"
#include "base/messages.hpp"
#include "base/thread_end.hpp"
#include "foretask/granularity.h"
#include "runtime/granularity/subtree_node.hpp"
#include "runtime/granularity/work_table.hpp"
#include "runtime/kernels/kernel_registry.hpp"
#include "runtime/kernels/size_cells.hpp"
#include "runtime/learning/learned_ticks.hpp"
#include "runtime/learning/learning.hpp"
#include "runtime/recording/activity.hpp"

extern "C" {

// Those of the program's OpenMP runtime, where it has one.
__attribute__((weak)) void GOMP_taskgroup_start();
__attribute__((weak)) void GOMP_taskgroup_end();
__attribute__((weak)) int omp_in_parallel();
__attribute__((weak)) int omp_get_num_threads();
__attribute__((weak)) int omp_get_level();

constinit __thread foretask_subtree_node* foretask_subtree_plain = nullptr;

}  // extern "C"

namespace foretask::runtime {
namespace {

using base::Ticks;

// A task is worth making where it takes so many times as long as making it did. Made, taken up, perhaps by another
// thread, and waited for, it costs some six times what making it does; with libgomp and libomp that is 5 % of the
// least.
constexpr Ticks kWorth = 120;
// With so many tasks of one's own that nobody has taken up, another one helps nobody.
constexpr std::int32_t kEnough = 4;
// So many tasks more than have been paid for by work.
constexpr Ticks kInAdvance = 8;
// No more than so many can be paid for by time that has passed.
constexpr Ticks kMostCredit = 1024;
// Making it is this part of that; the rest falls to whoever takes it up.
constexpr Ticks kOwnShare = 6;
// A prediction is no longer believed when the plain calls take so many times what makes a task worth it.
constexpr Ticks kOverdue = 4;
// With fewer, a task is worth making from a share of the usual on: others may have nothing to do soon, and there may be
// no larger parts.
constexpr std::int32_t kFew = 2;
constexpr Ticks kHungry = 16;
// Of its latest tasks other threads took up so many, of kAllHelp: others have time for more.
constexpr std::uint32_t kAllHelp = 1024;
constexpr std::uint32_t kMuchHelp = kAllHelp / 4;
constexpr std::uint32_t kHelpMemory = 8;
// The clock is looked at after so many plain calls at the latest, when they have just begun.
constexpr long kFirstCalls = 64;
// The same where predictions have failed: whether another thread wants work.
constexpr long kOverdueCalls = 8;
constexpr Ticks kCostMemory = 16;
// The learner gets a sample of each size that this process has not seen, and one in so many times what makes a task
// worth it: it needs a processor as well.
constexpr Ticks kLearnedEach = 4;
constexpr Ticks kLeastCost = 20;
// Beyond it the program did something of its own before it was seen again.
constexpr Ticks kMostCost = 20'000;

// What making a task has taken of late, in ticks.
alignas(64) constinit std::atomic<Ticks> making_cost{1000};

constinit base::ThreadEnd thread_end;
// Of threads that have ended. Without a lock: a fork may come at any time.
constinit std::atomic<SubtreeThread*> free_threads{nullptr};
// Those as well; and how many have not ended.
constinit std::atomic<SubtreeThread*> all_threads{nullptr};
constinit std::atomic<std::int32_t> live_threads{0};

constinit thread_local SubtreeThread* own_thread __attribute__((tls_model("initial-exec"))) = nullptr;

// `last` is the end of the list that begins with `first`.
void put_back(SubtreeThread* first, SubtreeThread* last) noexcept {
  last->next = free_threads.load(std::memory_order_relaxed);
  // Release: pairs with the acquire of who takes them.
  while (!free_threads.compare_exchange_weak(last->next, first, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

void leave_thread(void* thread) {
  own_thread = nullptr;
  auto* const left = static_cast<SubtreeThread*>(thread);
  left->is_idle.store(false, std::memory_order_relaxed);
  live_threads.fetch_sub(1, std::memory_order_relaxed);
  put_back(left, left);
}

__attribute__((constructor)) void open_thread_end() { thread_end.open(leave_thread); }
__attribute__((destructor)) void close_thread_end() { thread_end.close(); }

SubtreeThread* open_thread_slow() noexcept {
  // All of them, so that none can have been taken and put back meanwhile.
  own_thread = free_threads.exchange(nullptr, std::memory_order_acquire);
  if (own_thread) {
    if (SubtreeThread* const rest = own_thread->next) {
      SubtreeThread* last = rest;
      while (last->next) last = last->next;
      put_back(rest, last);
    }
    own_thread->current = nullptr;
    own_thread->paid_until = 0;
    own_thread->calls = 1;
  } else {
    own_thread = new (std::nothrow) SubtreeThread;
    if (own_thread) {
      own_thread->next_of_all = all_threads.load(std::memory_order_relaxed);
      // Release: pairs with the acquire of idle_threads().
      while (!all_threads.compare_exchange_weak(own_thread->next_of_all, own_thread, std::memory_order_release,
                                                std::memory_order_relaxed)) {
      }
    }
  }
  if (own_thread) live_threads.fetch_add(1, std::memory_order_relaxed);
  if (own_thread && !thread_end.set(own_thread)) leave_thread(own_thread);
  return own_thread;
}

SubtreeThread* this_thread() noexcept { return own_thread ? own_thread : open_thread_slow(); }

SubtreeNode* take_node(SubtreeThread& thread) noexcept {
  SubtreeNode* const node = thread.free_nodes;
  if (!node) [[unlikely]]
    return new (std::nothrow) SubtreeNode;
  thread.free_nodes = node->parent;
  return node;
}

void give_back(SubtreeThread& thread, SubtreeNode& node) noexcept {
  node.generation.fetch_add(1, std::memory_order_relaxed);
  node.parent = thread.free_nodes;
  thread.free_nodes = &node;
}

WorkTable* works_of(foretask_kernel* kernel) noexcept { return kernel ? made_table(kernel->works) : nullptr; }

// What a subtree has to take for it to be worth a task.
Ticks worth() noexcept { return making_cost.load(std::memory_order_relaxed) * kWorth; }

// Whether a subtree that begins becomes a sample of its kernel. Decided before it is known how long it takes: of those
// that end at a given time, long ones are more frequent.
bool is_for_learner(SubtreeThread& thread, foretask_kernel* kernel, double size, Ticks now) noexcept {
  if ((activity_now() & kLearning) == 0 || !kernel || kernel_parameter_count(kernel) != 1) return false;
  const WorkTable* const works = works_of(kernel);
  const bool is_new = works && SizeCells::is_size(size) && works->mean(size) == 0;
  if (!is_new && now < thread.learns_at) return false;
  thread.learns_at = now + kLearnedEach * worth();
  return true;
}

// In ticks; 0: not known.
Ticks expected(foretask_kernel* kernel, double size) noexcept {
  WorkTable* const works = works_of(kernel);
  if (!works || !SizeCells::is_size(size)) return 0;
  if (const Ticks mean = works->mean(size); mean != 0) [[likely]]
    return mean;
  if ((activity_now() & kLearning) == 0) return 0;
  const Ticks predicted = learned_ticks(kernel, &size, 1);
  if (predicted != 0) works->add(size, predicted);
  return predicted;
}

// One of its tasks has begun. Of two that begin at once one may be lost.
void count_help(SubtreeThread& of, bool is_elsewhere) noexcept {
  const std::uint32_t now = of.help.load(std::memory_order_relaxed);
  const std::uint32_t part = (is_elsewhere ? kAllHelp - now : now) / kHelpMemory;
  of.help.store(is_elsewhere ? now + part : now - part, std::memory_order_relaxed);
}

void set_idle(SubtreeThread& thread, bool is_idle) noexcept {
  if (thread.is_idle.load(std::memory_order_relaxed) != is_idle)
    thread.is_idle.store(is_idle, std::memory_order_relaxed);
}

// Whether a thread has nothing to do, as far as is known: one that has had a subtree, or of an OpenMP team one that has
// had none.
bool is_work_wanted() noexcept {
  if (omp_get_num_threads && omp_get_num_threads() > live_threads.load(std::memory_order_relaxed)) return true;
  // Acquire: pairs with the release of who adds one.
  for (const SubtreeThread* one = all_threads.load(std::memory_order_acquire); one; one = one->next_of_all)
    if (one->is_idle.load(std::memory_order_relaxed)) return true;
  return false;
}

// In a region of OpenMP's with one thread nobody takes up a task.
bool is_alone() noexcept {
  return omp_get_level && omp_get_num_threads && omp_get_level() > 0 && omp_get_num_threads() == 1;
}

// Whether hardly any of its tasks waits for a thread.
bool has_few(const SubtreeThread& thread) noexcept { return thread.pending.load(std::memory_order_relaxed) < kFew; }

// worth() at this moment, for a part of a subtree on this thread.
Ticks worth_now(const SubtreeThread& thread) noexcept {
  const bool is_wanted =
      has_few(thread) && (thread.help.load(std::memory_order_relaxed) >= kMuchHelp || is_work_wanted());
  return is_wanted ? worth() / kHungry : worth();
}

bool has_enough(const SubtreeNode& node) noexcept {
  return node.thread->pending.load(std::memory_order_relaxed) >= kEnough;
}

// Each task is paid for by the time of the thread that makes it: 5 % of that goes into making tasks, and where
// predictions have failed no more than that into all that they cost.
bool may_spawn(const SubtreeThread& thread, const SubtreeNode& node, Ticks now) noexcept {
  if (node.is_overdue) return (thread.paid_until <= now || is_work_wanted()) && !is_alone();
  return !has_enough(node) && thread.paid_until <= now + kInAdvance * worth() && !is_alone();
}

// What the subtree does before it is seen again counts as well: so more is believed slowly.
void learn_cost(Ticks ticks) noexcept {
  const Ticks now = making_cost.load(std::memory_order_relaxed);
  const Ticks seen = std::clamp(ticks, kLeastCost, kMostCost);
  const Ticks next = seen < now ? now - (now - seen) / kCostMemory : now + std::min(seen - now, now / 4) / kCostMemory;
  making_cost.store(next, std::memory_order_relaxed);
}

void end_making(SubtreeNode& node, Ticks now) noexcept {
  if (node.making_at == 0) return;
  learn_cost(now - node.making_at);
  node.making_at = 0;
}

// It has waited until the last of its tasks ended, or the last one that its thread took up meanwhile.
void end_waiting(SubtreeNode& node) noexcept {
  if (node.waiting_at == 0) return;
  const Ticks end = std::max(node.task_end.load(std::memory_order_relaxed), node.thread->task_end);
  if (end > node.waiting_at) node.away += end - node.waiting_at;
  node.waiting_at = 0;
  set_idle(*node.thread, false);
}

// Something else happens: no task is being made any more, and it does not wait.
void goes_on(SubtreeNode& node, Ticks now) noexcept {
  end_making(node, now);
  end_waiting(node);
  node.latest = now;
}

void give_calls(SubtreeNode& node, long calls) noexcept { node.calls_left = node.calls_given = calls; }

bool is_recorded() noexcept { return (activity_now() & kRecording) != 0; }

// Of those that were given, the ones that were made.
void count_calls(SubtreeThread& thread, const SubtreeNode& node) noexcept {
  if (is_recorded()) thread.decided.add_calls(node.calls_given - node.calls_left);
}

// So many of those that are left are taken back, and were not made.
void count_fewer_calls(SubtreeThread& thread, long calls) noexcept {
  if (is_recorded()) thread.decided.add_calls(-calls);
}

void count_decision(SubtreeThread& thread, const foretask_subtree& subtree, bool is_task, Ticks begin) noexcept {
  if (is_recorded()) thread.decided.add(subtree.kernel, is_task, begin, base::ticks_now(), worth());
}

void begin_plain_calls(foretask_subtree& subtree, SubtreeNode& node, const SubtreeThread& thread, Ticks now) noexcept {
  node.plain_at = node.checked_at = now;
  // Others may take much longer than the last ones.
  give_calls(node, node.is_overdue ? kOverdueCalls : std::min(thread.calls, kFirstCalls));
  foretask_subtree_plain = &node;
  subtree.is_called = 1;
}

void end_plain_calls(foretask_subtree& subtree, SubtreeThread& thread, SubtreeNode& node) noexcept {
  if (subtree.is_called) count_calls(thread, node);
  if (foretask_subtree_plain == &node) foretask_subtree_plain = nullptr;
  subtree.is_called = 0;
}

// Calls that were made as all of them take less than a task is worth have taken much longer.
bool is_overdue(const SubtreeNode& node, Ticks now) noexcept {
  return node.is_small != 0 && now - node.plain_at >= kOverdue * worth();
}

// So many more, as nothing is to be done about them now.
void let_go_on(SubtreeThread& thread, SubtreeNode& root, long calls) noexcept {
  count_calls(thread, root);
  give_calls(root, calls);
}

// The plain calls of `root` have been as many as were given. Whether this one, of `size`, is to be timed: it can make a
// task that is wanted, or nothing is known of its size.
bool interrupts(SubtreeNode& root, SubtreeThread& thread, foretask_kernel* kernel, double size, Ticks now) noexcept {
  if (root.is_overdue) {
    let_go_on(thread, root, kOverdueCalls);
    return has_few(thread) && may_spawn(thread, root, now);
  }
  const Ticks least = worth();
  const Ticks since = std::max<Ticks>(now - root.checked_at, 1);
  const auto wanted = static_cast<Ticks>(root.calls_given) * least / since;
  thread.calls = static_cast<long>(std::clamp<Ticks>(wanted, 1, 16 * static_cast<Ticks>(root.calls_given)));
  if (2 * since < least) {  // sooner than meant
    root.calls_left = std::max(thread.calls - root.calls_given, 1L);
    root.calls_given = thread.calls;
    return false;
  }
  root.checked_at = now;
  let_go_on(thread, root, thread.calls);
  if (is_overdue(root, now)) {
    root.is_overdue = true;
    root.is_small = 0;
    give_calls(root, kOverdueCalls);
  }
  const Ticks ticks = expected(kernel, size);
  if (ticks == 0) return true;
  return has_few(thread) && (root.is_overdue || ticks >= worth_now(thread));
}

// Whether a part that begins on this thread is called by `parent`; else it is one of its tasks.
bool is_called_by(const SubtreeNode& parent, const SubtreeThread& thread) noexcept {
  if (parent.thread != &thread || thread.current != &parent) return false;
  return parent.waiting_at == 0 || parent.tasks_begun.load(std::memory_order_relaxed) >= parent.tasks;
}

void begin_node(SubtreeNode& node, SubtreeThread& thread, SubtreeNode* parent, bool is_task, Ticks now) noexcept {
  if (thread.paid_until == 0) thread.paid_until = now;
  node.parent = parent;
  node.parent_generation = parent ? parent->generation.load(std::memory_order_relaxed) : 0;
  node.thread = &thread;
  node.outer = thread.current;
  node.outer_plain = foretask_subtree_plain;
  thread.current = &node;
  node.was_idle = thread.is_idle.load(std::memory_order_relaxed);
  set_idle(thread, false);
  foretask_subtree_plain = nullptr;
  node.begin = node.latest = now;
  node.away = node.called_work = 0;
  node.making_at = node.waiting_at = node.plain_at = 0;
  node.tasks = 0;
  node.is_task = is_task;
  node.is_in_task = is_task || (parent && parent->is_in_task);
  node.is_group = node.is_overdue = false;
  node.task_work.store(0, std::memory_order_relaxed);
  node.task_end.store(0, std::memory_order_relaxed);
  node.tasks_begun.store(0, std::memory_order_relaxed);
}

void spawn(SubtreeNode& node, SubtreeThread& thread, Ticks now) noexcept {
  thread.paid_until = std::max(thread.paid_until, now - std::min(now, kMostCredit * worth()));
  thread.paid_until += node.is_overdue ? worth() : worth() / kOwnShare;
  node.thread->pending.fetch_add(1, std::memory_order_relaxed);
  ++node.tasks;
  if (!node.is_group && !node.is_in_task && GOMP_taskgroup_start && GOMP_taskgroup_end && omp_in_parallel &&
      omp_in_parallel() != 0) {
    GOMP_taskgroup_start();
    node.is_group = true;
  }
  node.making_at = now;
}

void tell_parent(const SubtreeNode& node, Ticks now, Ticks work) noexcept {
  SubtreeNode& parent = *node.parent;
  if (parent.generation.load(std::memory_order_relaxed) != node.parent_generation) {
    static constinit std::atomic<bool> said{false};
    base::say_once(said, "a subtree ended before a part of it: its time is too short");
    return;
  }
  if (!node.is_task) {
    parent.called_work += work;
    parent.away += now - node.begin;
    parent.latest = now;
    return;
  }
  parent.task_work.fetch_add(work, std::memory_order_relaxed);
  Ticks end = parent.task_end.load(std::memory_order_relaxed);
  while (end < now && !parent.task_end.compare_exchange_weak(end, now, std::memory_order_relaxed)) {
  }
}

void learn(foretask_kernel* kernel, double size, Ticks work, bool for_learner) noexcept {
  if (!kernel) return;
  if (!SizeCells::is_size(size)) {
    static constinit std::atomic<bool> said{false};
    base::say_once(said, "the size of a subtree is negative or no number: nothing is learned of it");
    return;
  }
  if (WorkTable* const works = works_of(kernel)) works->add(size, work);
  if (for_learner) static_cast<void>(foretask_learn(kernel, &size, 1, Learning::instance().scale().ns(work)));
}

}  // namespace
}  // namespace foretask::runtime

extern "C" {

using namespace foretask::runtime;
using foretask::base::ticks_now;

void foretask_subtree_begin_slow(foretask_subtree* subtree, foretask_subtree* parent) {
  subtree->node = nullptr;
  if (!foretask::base::is_on() || (parent && !parent->node)) return;
  SubtreeThread* const thread = this_thread();
  if (!thread) return;
  auto* const above = parent ? static_cast<SubtreeNode*>(parent->node) : nullptr;
  const bool is_within = above && foretask_subtree_plain == above;
  if (is_within && above->is_overdue && !has_few(*thread)) {
    let_go_on(*thread, *above, kOverdueCalls);
    subtree->node = above;
    return;
  }
  const Ticks now = ticks_now();
  if (is_within && !interrupts(*above, *thread, subtree->kernel, subtree->size, now)) {
    subtree->node = above;
    return;
  }
  SubtreeNode* const node = take_node(*thread);
  if (!node) return;
  const bool is_task = above && !is_within && !is_called_by(*above, *thread);
  if (is_task) {
    above->tasks_begun.fetch_add(1, std::memory_order_relaxed);
    above->thread->pending.fetch_sub(1, std::memory_order_relaxed);
    count_help(*above->thread, above->thread != thread);
  } else if (above) {
    goes_on(*above, now);
  }
  begin_node(*node, *thread, above, is_task, now);
  if (is_within) node->is_overdue = above->is_overdue;
  node->is_learned = is_for_learner(*thread, subtree->kernel, subtree->size, now);
  subtree->node = node;
  subtree->is_timed = 1;
  subtree->is_called = 0;
}

int foretask_subtree_spawn_slow(foretask_subtree* subtree, double size) {
  SubtreeThread* const thread = this_thread();
  if (!thread) return 0;
  auto& node = static_cast<SubtreeNode&>(*subtree->node);
  if (subtree->is_called && !node.is_overdue && has_enough(node)) {
    node.is_small = 0;
    return 0;
  }
  const Ticks now = ticks_now();
  goes_on(node, now);
  if (subtree->is_called && is_overdue(node, now)) node.is_overdue = true;
  const Ticks ticks = expected(subtree->kernel, size);
  const bool small = !node.is_overdue && ticks != 0 && ticks < worth_now(*node.thread);
  if (small || !may_spawn(*thread, node, now)) {
    if (!subtree->is_called) {
      begin_plain_calls(*subtree, node, *thread, now);
    } else if (small && !node.is_small) {
      node.plain_at = now;
    }
    node.is_small = small ? 1 : 0;
    count_decision(*thread, *subtree, false, now);
    return 0;
  }
  end_plain_calls(*subtree, *thread, node);
  subtree->has_spawned = 1;
  count_decision(*thread, *subtree, true, now);
  spawn(node, *thread, now);
  return 1;
}

int foretask_subtree_is_small_slow(const foretask_subtree* subtree) {
  const Ticks ticks = expected(subtree->kernel, subtree->size);
  return ticks != 0 && ticks < worth_now(*static_cast<const SubtreeNode&>(*subtree->node).thread) ? 1 : 0;
}

int foretask_subtree_wait_slow(foretask_subtree* subtree) {
  subtree->has_spawned = 0;
  if (!subtree->is_timed) return 1;
  auto& node = static_cast<SubtreeNode&>(*subtree->node);
  const Ticks now = ticks_now();
  goes_on(node, now);
  if (SubtreeThread* const thread = this_thread()) end_plain_calls(*subtree, *thread, node);
  node.waiting_at = now;
  // In OpenMP it takes up its own parts alone.
  if (!omp_get_level || omp_get_level() == 0) set_idle(*node.thread, true);
  if (!node.is_group) return 1;
  node.is_group = false;
  GOMP_taskgroup_end();
  return 0;
}

void foretask_subtree_end_slow(foretask_subtree* subtree) {
  auto& node = static_cast<SubtreeNode&>(*subtree->node);
  if (node.is_group) static_cast<void>(foretask_subtree_wait_slow(subtree));
  SubtreeThread* const thread = own_thread;
  const Ticks now = ticks_now();
  end_making(node, now);
  const std::uint32_t begun = node.tasks_begun.load(std::memory_order_relaxed);
  // Where nobody said that it waits, it waited since it last did something else.
  if (node.waiting_at == 0 && begun > 0) node.waiting_at = node.latest;
  end_waiting(node);
  // Tasks that ran while they were made were taken for calls.
  if (begun != node.tasks)
    node.thread->pending.fetch_sub(static_cast<std::int32_t>(node.tasks - begun), std::memory_order_relaxed);
  const Ticks all = now - node.begin;
  const Ticks own = all > node.away ? all - node.away : 0;
  const Ticks work = own + node.called_work + node.task_work.load(std::memory_order_relaxed);
  if (node.parent) tell_parent(node, now, work);
  learn(subtree->kernel, subtree->size, work, node.is_learned);
  if (thread != node.thread) {
    // It has moved. What its first thread may still take for the plain calls that it is in must not come to life again.
    if (foretask_subtree_plain == &node) foretask_subtree_plain = nullptr;
    if (thread && node.plain_at == 0) give_back(*thread, node);
    return;
  }
  if (node.is_task) thread->task_end = now;
  if (subtree->is_called) count_calls(*thread, node);
  if (thread->current == &node) thread->current = node.outer;
  if (!thread->current) thread->decided.write();
  set_idle(*thread, !thread->current || node.was_idle);
  foretask_subtree_plain = node.outer_plain;
  if (foretask_subtree_plain && foretask_subtree_plain == node.parent && node.is_overdue && has_few(*thread) &&
      may_spawn(*thread, node, now)) {
    // Its siblings may find a task that others take up.
    count_fewer_calls(*thread, node.parent->calls_left - 1);
    node.parent->calls_left = 1;
    node.parent->checked_at = now - worth();
  }
  give_back(*thread, node);
}

}  // extern "C"
