// SPDX-License-Identifier: Apache-2.0
// HOT: the C ABI of granularity.h, and the threads that have subtrees.
#include "base/environment.hpp"
#include "base/thread_end.hpp"
#include "runtime/granularity/subtree_rules.hpp"

extern "C" {

__attribute__((weak)) void GOMP_taskgroup_start();
__attribute__((weak)) void GOMP_taskgroup_end();

constinit __thread foretask_subtree_node* foretask_subtree_plain = nullptr;

}  // extern "C"

namespace foretask::runtime {
namespace {

constinit base::ThreadEnd thread_end;
// Of threads that have ended. Without a lock: a fork may come at any time.
constinit std::atomic<SubtreeThread*> free_threads{nullptr};

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
  left->decided.write();
  // Its tasks may go on: the last of them gives it back.
  if (SubtreeNode* const root = left->root.exchange(nullptr))
    if (root->open.fetch_sub(1, std::memory_order_acq_rel) == 1) give_back(*left, *root);
  live_threads.fetch_sub(1, std::memory_order_relaxed);
  put_back(left, left);
}

__attribute__((constructor)) void open_thread_end() { thread_end.open(leave_thread); }
__attribute__((destructor)) void close_thread_end() { thread_end.close(); }

}  // namespace

SubtreeThread* open_subtree_thread_slow() noexcept {
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

}  // namespace foretask::runtime

extern "C" {

using namespace foretask::runtime;
using foretask::base::ticks_now;

void foretask_subtree_begin_slow(foretask_subtree* subtree, foretask_subtree* parent) {
  subtree->node = nullptr;
  if (!foretask::base::is_on() || (parent && !parent->node)) return;
  SubtreeThread* const thread = subtree_thread();
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
  SubtreeThread* const thread = subtree_thread();
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
    make_plain_calls(*subtree, node, *thread, small, now);
    count_decision(*thread, subtree->kernel, false, now);
    return 0;
  }
  end_plain_calls(*subtree, *thread, node);
  subtree->has_spawned = 1;
  count_decision(*thread, subtree->kernel, true, now);
  if (!node.is_group && !node.is_in_task && GOMP_taskgroup_start && GOMP_taskgroup_end && omp_in_parallel &&
      omp_in_parallel() != 0) {
    GOMP_taskgroup_start();
    node.is_group = true;
  }
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
  if (SubtreeThread* const thread = subtree_thread()) end_plain_calls(*subtree, *thread, node);
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
