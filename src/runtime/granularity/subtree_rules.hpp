// SPDX-License-Identifier: Apache-2.0
// HOT: by what rules parts of a subtree become tasks, what subtrees take, and what a task costs: for parts that the
// program asks about (subtrees.cpp) and for tasks that it makes (tuned_tasks.cpp). docs/granularity.md says why.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <new>
#include <type_traits>

#include "base/clock.hpp"
#include "base/messages.hpp"
#include "foretask/granularity.h"
#include "runtime/granularity/task_order.hpp"
#include "runtime/granularity/work_table.hpp"
#include "runtime/kernels/kernel_registry.hpp"
#include "runtime/kernels/size_cells.hpp"
#include "runtime/learning/learned_ticks.hpp"
#include "runtime/learning/learning.hpp"
#include "runtime/recording/activity.hpp"
#include "runtime/recording/annotations.hpp"

extern "C" {

// Those of the program's OpenMP runtime, where it has one.
__attribute__((weak)) int omp_in_parallel();
__attribute__((weak)) int omp_get_num_threads();
__attribute__((weak)) int omp_get_level();

}  // extern "C"

namespace foretask::runtime {

// What is kept of a subtree that is timed, and of each thread that has such subtrees. Nodes and threads' records are
// used again and never freed: a part that ends after its parent finds a node, and by its generation that it is another.

// HOT: while the process is recorded, what a thread has decided of a kernel's subtrees, until it becomes an event: once
// a ms at most, and at the end of the thread's outermost subtree. Owning thread only.
class DecisionCounts {
 public:
  // A decision of a part of `kernel`, from `begin` to `end`; `threshold`: what a part has to take.
  void add(const foretask_kernel* kernel, bool is_task, base::Ticks begin, base::Ticks end, base::Ticks threshold) {
    if (!kernel) return;
    if (kernel != kernel_) {
      write();
      kernel_ = kernel;
      since_ = begin;
    }
    tasks_ += is_task ? 1 : 0;
    ++decisions_;
    ticks_ += end - begin;
    threshold_ = threshold;
    if (ns(end - since_) >= kEachNs) {
      write();
      since_ = end;
    }
  }

  // Parts that were called without being asked for.
  void add_calls(std::int64_t calls) { calls_ += calls; }

  void write() {
    if (decisions_ != 0 && (activity_now() & kRecording) != 0)
      record_granularity({.kernel = kernel_id(kernel_),
                          .tasks = tasks_,
                          .calls = bounded(calls_),
                          .decisions = decisions_,
                          .decisions_ns = bounded(ns(ticks_)),
                          .threshold_ns = bounded(ns(threshold_))});
    tasks_ = decisions_ = 0;
    calls_ = 0;
    ticks_ = 0;
  }

 private:
  static constexpr std::int64_t kEachNs = 1'000'000;

  static std::int64_t ns(base::Ticks ticks) {
    return static_cast<std::int64_t>(recording_scale.load(std::memory_order_relaxed).ns(ticks));
  }
  static std::uint32_t bounded(std::int64_t number) {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(number, 0, std::numeric_limits<std::uint32_t>::max()));
  }

  const foretask_kernel* kernel_ = nullptr;
  std::uint32_t tasks_ = 0;
  std::uint32_t decisions_ = 0;
  std::int64_t calls_ = 0;
  base::Ticks ticks_ = 0;      // of the decisions
  base::Ticks threshold_ = 0;  // at the latest one
  base::Ticks since_ = 0;
};

struct SubtreeThread;

// All but what is atomic belongs to the task that the subtree is of; its parts read `thread`. Times in ticks.
struct SubtreeNode : foretask_subtree_node {
  std::atomic<std::uint32_t> generation{0};
  std::uint32_t parent_generation = 0;
  SubtreeNode* parent = nullptr;  // of a free node: the next one
  SubtreeThread* thread = nullptr;
  const SubtreeNode* outer = nullptr;            // what its thread was in before
  foretask_subtree_node* outer_plain = nullptr;  // whose plain calls its thread was in before

  base::Ticks begin = 0;
  base::Ticks away = 0;         // in parts that were called and timed, and in waits
  base::Ticks called_work = 0;  // of parts that were called and timed
  base::Ticks latest = 0;       // when something was last seen to happen
  base::Ticks making_at = 0;    // a task is being made since; 0: none
  base::Ticks waiting_at = 0;   // it waits since; 0: it does not
  base::Ticks plain_at = 0;     // it makes plain calls since, of one kind: small parts, or parts while enough are tasks
  base::Ticks checked_at = 0;   // the clock was looked at in them
  long calls_given = 0;         // then

  std::uint32_t tasks = 0;
  bool is_task = false;
  bool is_in_task = false;   // its thread runs it within a task of another subtree
  bool is_group = false;     // its tasks are in a taskgroup of OpenMP's, which has not ended
  bool is_overdue = false;   // it takes longer than was predicted
  bool is_learned = false;   // it becomes a sample of its kernel
  bool was_idle = false;     // its thread was, before it began
  bool was_waiting = false;  // the same, also where it could only take up tasks of its own

  // On a line of its own: its tasks write it when they begin and end.
  alignas(64) std::atomic<base::Ticks> task_work{0};
  std::atomic<base::Ticks> task_end{0};  // the latest end of one
  std::atomic<std::uint32_t> tasks_begun{0};

  // Of a task of the program's, which may end before its parts do: the last of them ends the subtree.
  std::atomic<std::uint32_t> open{0};  // it, and its parts that have nodes
  foretask_kernel* kernel = nullptr;
  double size = 0;
  base::Ticks work = 0;                      // its own and that of what it called, once it has ended
  std::atomic<base::Ticks>* took = nullptr;  // where to say how long it took; null: nobody asks
  std::atomic<TaskBatch*> batch{nullptr};    // of its tasks with dependences; null until the first one
  long switches_begun = 0;                   // how often its thread had blocked when it began; -1: not looked at
};

struct SubtreeThread {
  // On a line of its own: who takes up a task writes it.
  alignas(64) std::atomic<std::int32_t> pending{0};  // tasks made by its subtrees that have not begun
  std::atomic<std::uint32_t> help{0};                // how many of the latest ones other threads took up
  // On a line of its own: other threads read it.
  alignas(64) std::atomic<bool> is_idle{false};  // it is in no subtree, or waits in one
  SubtreeThread* next_of_all = nullptr;
  alignas(64) const SubtreeNode* current = nullptr;  // the innermost subtree; never followed, it may have ended
  base::Ticks task_end = 0;                          // the latest end of a task on it
  base::Ticks paid_until = 0;                        // its tasks so far are worth making if it works until then
  base::Ticks learns_at = 0;                         // the learner gets its next sample then
  DecisionCounts decided;                            // while the process is recorded
  long calls = 1;                                    // plain calls that took about as long as a task has to
  base::Ticks waits_from = 0;                        // it has had nothing to do since; 0: it has
  // Of the program's tasks, which other threads read: those that it made or ran at once, and how long it waited.
  std::atomic<std::uint64_t> tasks_seen{0};
  std::atomic<std::uint64_t> tasks_made{0};        // of them those that went to the runtime
  std::atomic<std::uint64_t> tasks_called_dry{0};  // of these, where nothing is changed, what else were run at once
  std::atomic<base::Ticks> waited{0};
  SubtreeNode* free_nodes = nullptr;
  std::atomic<SubtreeNode*> root{nullptr};  // of what it does outside of the program's tasks
  SubtreeThread* next = nullptr;            // of those that no thread has
};

using base::Ticks;

// A task is worth making where it takes so many times as long as making it did. Made, taken up, perhaps by another
// thread, and waited for, it costs some six times what making it does; with libgomp and libomp that is 5 % of the
// least.
inline constexpr Ticks kWorth = 120;
// With so many tasks of one's own that nobody has taken up, another one helps nobody.
inline constexpr std::int32_t kEnough = 4;
// So many tasks more than have been paid for by work.
inline constexpr Ticks kInAdvance = 8;
// No more than so many can be paid for by time that has passed.
inline constexpr Ticks kMostCredit = 1024;
// Making it is this part of that; the rest falls to whoever takes it up.
inline constexpr Ticks kOwnShare = 6;
// A prediction is no longer believed when the plain calls take so many times what makes a task worth it.
inline constexpr Ticks kOverdue = 4;
// With fewer, a task is worth making from a share of the usual on: others may have nothing to do soon, and there may be
// no larger parts.
inline constexpr std::int32_t kFew = 2;
inline constexpr Ticks kHungry = 16;
// Of its latest tasks other threads took up so many, of kAllHelp: others have time for more.
inline constexpr std::uint32_t kAllHelp = 1024;
inline constexpr std::uint32_t kMuchHelp = kAllHelp / 4;
inline constexpr std::uint32_t kHelpMemory = 8;
// The clock is looked at after so many plain calls at the latest, when they have just begun.
inline constexpr long kFirstCalls = 64;
// The same where predictions have failed: whether another thread wants work.
inline constexpr long kOverdueCalls = 8;
inline constexpr Ticks kCostMemory = 16;
// The learner gets a sample of each size that this process has not seen, and one in so many times what makes a task
// worth it: it needs a processor as well.
inline constexpr Ticks kLearnedEach = 4;
inline constexpr Ticks kLeastCost = 20;
// Beyond it the program did something of its own before it was seen again.
inline constexpr Ticks kMostCost = 20'000;

// What making a task has taken of late, in ticks.
alignas(64) inline constinit std::atomic<Ticks> making_cost{1000};

// Those that have ended as well; and how many have not ended.
inline constinit std::atomic<SubtreeThread*> all_threads{nullptr};
inline constinit std::atomic<std::int32_t> live_threads{0};

inline constinit thread_local SubtreeThread* own_thread __attribute__((tls_model("initial-exec"))) = nullptr;
// Null where there is no memory.
[[nodiscard]] SubtreeThread* open_subtree_thread_slow() noexcept;
inline SubtreeThread* subtree_thread() noexcept { return own_thread ? own_thread : open_subtree_thread_slow(); }

inline SubtreeNode* take_node(SubtreeThread& thread) noexcept {
  SubtreeNode* const node = thread.free_nodes;
  if (!node) [[unlikely]]
    return new (std::nothrow) SubtreeNode;
  thread.free_nodes = node->parent;
  return node;
}

inline void give_back(SubtreeThread& thread, SubtreeNode& node) noexcept {
  node.generation.store(node.generation.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  node.parent = thread.free_nodes;
  thread.free_nodes = &node;
}

inline WorkTable* works_of(foretask_kernel* kernel) noexcept { return kernel ? made_table(kernel->works) : nullptr; }

// What a subtree has to take for it to be worth a task.
inline Ticks worth() noexcept { return making_cost.load(std::memory_order_relaxed) * kWorth; }

// Whether a subtree that begins becomes a sample of its kernel. Decided before it is known how long it takes: of those
// that end at a given time, long ones are more frequent.
inline bool is_for_learner(SubtreeThread& thread, foretask_kernel* kernel, double size, Ticks now) noexcept {
  if ((activity_now() & kLearning) == 0 || !kernel || kernel_parameter_count(kernel) != 1) return false;
  const WorkTable* const works = works_of(kernel);
  const bool is_new = works && SizeCells::is_size(size) && works->mean(size) == 0;
  if (!is_new && now < thread.learns_at) return false;
  thread.learns_at = now + kLearnedEach * worth();
  return true;
}

// In ticks; 0: not known.
inline Ticks expected(foretask_kernel* kernel, double size) noexcept {
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
inline void count_help(SubtreeThread& of, bool is_elsewhere) noexcept {
  const std::uint32_t now = of.help.load(std::memory_order_relaxed);
  const std::uint32_t part = (is_elsewhere ? kAllHelp - now : now) / kHelpMemory;
  of.help.store(is_elsewhere ? now + part : now - part, std::memory_order_relaxed);
}

inline void set_idle(SubtreeThread& thread, bool is_idle) noexcept {
  if (thread.is_idle.load(std::memory_order_relaxed) != is_idle)
    thread.is_idle.store(is_idle, std::memory_order_relaxed);
}

// Whether a thread has nothing to do, as far as is known: one that has had a subtree, or of an OpenMP team one that has
// had none.
inline bool is_work_wanted() noexcept {
  if (omp_get_num_threads && omp_get_num_threads() > live_threads.load(std::memory_order_relaxed)) return true;
  // Acquire: pairs with the release of who adds one.
  for (const SubtreeThread* one = all_threads.load(std::memory_order_acquire); one; one = one->next_of_all)
    if (one->is_idle.load(std::memory_order_relaxed)) return true;
  return false;
}

// In a region of OpenMP's with one thread nobody takes up a task.
inline bool is_alone() noexcept {
  return omp_get_level && omp_get_num_threads && omp_get_level() > 0 && omp_get_num_threads() == 1;
}

// Whether hardly any of its tasks waits for a thread.
inline bool has_few(const SubtreeThread& thread) noexcept {
  return thread.pending.load(std::memory_order_relaxed) < kFew;
}

// worth() at this moment, for a part of a subtree on this thread.
inline Ticks worth_now(const SubtreeThread& thread) noexcept {
  const bool is_wanted =
      has_few(thread) && (thread.help.load(std::memory_order_relaxed) >= kMuchHelp || is_work_wanted());
  return is_wanted ? worth() / kHungry : worth();
}

inline bool has_enough(const SubtreeNode& node) noexcept {
  return node.thread->pending.load(std::memory_order_relaxed) >= kEnough;
}

// Each task is paid for by the time of the thread that makes it: 5 % of that goes into making tasks, and where
// predictions have failed no more than that into all that they cost.
inline bool may_spawn(const SubtreeThread& thread, const SubtreeNode& node, Ticks now) noexcept {
  if (node.is_overdue) return (thread.paid_until <= now || is_work_wanted()) && !is_alone();
  return !has_enough(node) && thread.paid_until <= now + kInAdvance * worth() && !is_alone();
}

// What the subtree does before it is seen again counts as well: so more is believed slowly.
inline void learn_cost(Ticks ticks) noexcept {
  const Ticks now = making_cost.load(std::memory_order_relaxed);
  const Ticks seen = std::clamp(ticks, kLeastCost, kMostCost);
  const Ticks next = seen < now ? now - (now - seen) / kCostMemory : now + std::min(seen - now, now / 4) / kCostMemory;
  making_cost.store(next, std::memory_order_relaxed);
}

inline void end_making(SubtreeNode& node, Ticks now) noexcept {
  if (node.making_at == 0) return;
  learn_cost(now - node.making_at);
  node.making_at = 0;
}

// It has waited until the last of its tasks ended, or the last one that its thread took up meanwhile.
inline void end_waiting(SubtreeNode& node) noexcept {
  if (node.waiting_at == 0) return;
  const Ticks end = std::max(node.task_end.load(std::memory_order_relaxed), node.thread->task_end);
  if (end > node.waiting_at) node.away += end - node.waiting_at;
  node.waiting_at = 0;
  set_idle(*node.thread, false);
}

// Something else happens: no task is being made any more, and it does not wait.
inline void goes_on(SubtreeNode& node, Ticks now) noexcept {
  end_making(node, now);
  end_waiting(node);
  node.latest = now;
}

inline void give_calls(SubtreeNode& node, long calls) noexcept { node.calls_left = node.calls_given = calls; }

inline bool is_recorded() noexcept { return (activity_now() & kRecording) != 0; }

// By the thread that owns it.
template <typename Number>
void add_to(std::atomic<Number>& sum, std::type_identity_t<Number> number) noexcept {
  sum.store(sum.load(std::memory_order_relaxed) + number, std::memory_order_relaxed);
}

// Of those that were given, the ones that were made.
inline void count_calls(SubtreeThread& thread, const SubtreeNode& node) noexcept {
  add_to(thread.tasks_seen, static_cast<std::uint64_t>(node.calls_given - node.calls_left));
  if (is_recorded()) thread.decided.add_calls(node.calls_given - node.calls_left);
}

// So many of those that are left are taken back, and were not made.
inline void count_fewer_calls(SubtreeThread& thread, long calls) noexcept {
  if (is_recorded()) thread.decided.add_calls(-calls);
}

inline void count_decision(SubtreeThread& thread, const foretask_kernel* kernel, bool is_task, Ticks begin) noexcept {
  if (is_recorded()) thread.decided.add(kernel, is_task, begin, base::ticks_now(), worth());
}

// The subtree makes plain calls from now on, or goes on making them; `small`: of small parts.
inline void make_plain_calls(foretask_subtree& subtree, SubtreeNode& node, const SubtreeThread& thread, bool small,
                             Ticks now) noexcept {
  if (!subtree.is_called) {
    node.plain_at = node.checked_at = now;
    // Others may take much longer than the last ones.
    give_calls(node, node.is_overdue ? kOverdueCalls : std::min(thread.calls, kFirstCalls));
    foretask_subtree_plain = &node;
    subtree.is_called = 1;
  } else if (small && !node.is_small) {
    node.plain_at = now;
  }
  node.is_small = small ? 1 : 0;
}

inline void end_plain_calls(foretask_subtree& subtree, SubtreeThread& thread, SubtreeNode& node) noexcept {
  if (subtree.is_called) count_calls(thread, node);
  if (foretask_subtree_plain == &node) foretask_subtree_plain = nullptr;
  subtree.is_called = 0;
}

// Calls that were made as all of them take less than a task is worth have taken much longer.
inline bool is_overdue(const SubtreeNode& node, Ticks now) noexcept {
  return node.is_small != 0 && now - node.plain_at >= kOverdue * worth();
}

// So many more, as nothing is to be done about them now.
inline void let_go_on(SubtreeThread& thread, SubtreeNode& root, long calls) noexcept {
  count_calls(thread, root);
  give_calls(root, calls);
}

// The plain calls of `root` have been as many as were given. Whether this one, of `size`, is to be timed: it can make a
// task that is wanted, or nothing is known of its size.
inline bool interrupts(SubtreeNode& root, SubtreeThread& thread, foretask_kernel* kernel, double size,
                       Ticks now) noexcept {
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
inline bool is_called_by(const SubtreeNode& parent, const SubtreeThread& thread) noexcept {
  if (parent.thread != &thread || thread.current != &parent) return false;
  return parent.waiting_at == 0 || parent.tasks_begun.load(std::memory_order_relaxed) >= parent.tasks;
}

inline void begin_node(SubtreeNode& node, SubtreeThread& thread, SubtreeNode* parent, bool is_task,
                       Ticks now) noexcept {
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

inline void spawn(SubtreeNode& node, SubtreeThread& thread, Ticks now) noexcept {
  thread.paid_until = std::max(thread.paid_until, now - std::min(now, kMostCredit * worth()));
  thread.paid_until += node.is_overdue ? worth() : worth() / kOwnShare;
  node.thread->pending.fetch_add(1, std::memory_order_relaxed);
  ++node.tasks;
  node.making_at = now;
}

inline void tell_parent(const SubtreeNode& node, Ticks now, Ticks work) noexcept {
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

inline void learn(foretask_kernel* kernel, double size, Ticks work, bool for_learner) noexcept {
  if (!kernel) return;
  if (!SizeCells::is_size(size)) {
    static constinit std::atomic<bool> said{false};
    base::say_once(said, "the size of a subtree is negative or no number: nothing is learned of it");
    return;
  }
  if (WorkTable* const works = works_of(kernel)) works->add(size, work);
  if (for_learner) static_cast<void>(foretask_learn(kernel, &size, 1, Learning::instance().scale().ns(work)));
}

}  // namespace foretask::runtime
