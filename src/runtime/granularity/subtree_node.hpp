// SPDX-License-Identifier: Apache-2.0
// What is kept of a subtree that is timed, and of each thread that has such subtrees. Nodes and threads' records are
// used again and never freed: a part that ends after its parent finds a node, and by its generation that it is another.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>

#include "base/clock.hpp"
#include "foretask/granularity.h"
#include "runtime/granularity/task_order.hpp"
#include "runtime/kernels/kernel_registry.hpp"
#include "runtime/recording/activity.hpp"
#include "runtime/recording/annotations.hpp"

namespace foretask::runtime {

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

}  // namespace foretask::runtime
