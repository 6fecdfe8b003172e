// SPDX-License-Identifier: Apache-2.0
#include "simulate/machine/machine_scheduler.hpp"

#include <algorithm>

namespace foretask::simulate {

using analysis::kNoWorker;
using analysis::Policy;

MachineScheduler::MachineScheduler(const Machine& machine, Policy policy, std::span<const std::int64_t> levels,
                                   const HeftPlan* plan, PendingCounts& pending, Network& network,
                                   std::span<analysis::ScheduledNode> schedule)
    : machine_(machine),
      graph_(machine.graph),
      policy_(policy),
      levels_(levels),
      plan_(plan),
      pending_(pending),
      network_(network),
      schedule_(schedule),
      ready_(machine.layout.nodes()) {
  for (const WorkerPool& pool : machine.layout.pools) {
    std::vector<std::uint32_t>& idle = idle_of_pool_.emplace_back();
    for (std::uint32_t i = pool.count; i-- > 0;) idle.push_back(pool.first + i);
  }
  if (plan) {
    is_ready_.assign(graph_.size(), 0);
    begun_.assign(machine.layout.workers(), 0);
    is_idle_.assign(machine.layout.workers(), 1);
  }
  is_changed_.assign(plan ? machine.layout.workers() : machine.layout.nodes(), 0);
}

MachineRun MachineScheduler::run() {
  for (NodeIndex task = 0; task < graph_.size(); ++task)
    if (pending_.none(task)) releases_.emplace(machine_.release_ns(task), task, kNoWorker);
  for (;;) {
    handle_instant();
    start_ready();
    const std::int64_t next = std::min(next_ns(finishes_), next_ns(releases_));
    if (next == now_ns_) continue;  // a task of no length
    if (next == kNever && network_.is_quiet()) break;
    now_ns_ = network_.advance(next);
  }
  result_.makespan_ns = now_ns_;
  return result_;
}

void MachineScheduler::handle_instant() {
  for (;;) {
    if (next_ns(finishes_) == now_ns_) {
      const auto [time, task, worker] = finishes_.top();
      finishes_.pop();
      finish(task, worker);
    } else if (const auto edge = network_.arrived()) {
      meet(graph_.successors[*edge]);
    } else if (next_ns(releases_) == now_ns_) {
      const NodeIndex task = std::get<1>(releases_.top());
      releases_.pop();
      become_ready(task);
    } else {
      return;
    }
  }
}

std::uint32_t MachineScheduler::node_of(NodeIndex task) const {
  const std::uint32_t worker = plan_ ? plan_->worker[task] : kNoWorker;
  if (worker == kNoWorker) return machine_.own_node(task);
  return machine_.layout.pools[machine_.layout.pool_of_worker[worker]].node;
}

void MachineScheduler::note_change(std::uint32_t worker, std::uint32_t node) {
  const std::uint32_t what = plan_ ? worker : node;
  if (is_changed_[what] != 0) return;
  is_changed_[what] = 1;
  changed_.push_back(what);
}

void MachineScheduler::finish(NodeIndex task, std::uint32_t worker) {
  ++result_.finished;
  if (worker != kNoWorker) {
    const std::uint32_t pool = machine_.layout.pool_of_worker[worker];
    if (plan_) {
      is_idle_[worker] = 1;
    } else {
      idle_of_pool_[pool].push_back(worker);
    }
    note_change(worker, machine_.layout.pools[pool].node);
  }
  const std::uint32_t node = node_of(task);
  for (std::uint64_t e = graph_.first_successor[task]; e < graph_.first_successor[task + 1]; ++e) {
    const std::uint32_t other = node_of(graph_.successors[e]);
    if (other == node) {
      meet(graph_.successors[e]);
    } else {
      network_.send({.edge = e, .from = node, .to = other, .bytes = machine_.bytes_of(e)});
    }
  }
}

// One predecessor less.
void MachineScheduler::meet(NodeIndex task) {
  if (pending_.remove(task)) releases_.emplace(std::max(now_ns_, machine_.release_ns(task)), task, kNoWorker);
}

void MachineScheduler::become_ready(NodeIndex task) {
  if (!machine_.runs_on_worker(task)) {
    const std::int64_t ns = machine_.times.fastest_ns(task);
    if (!schedule_.empty()) schedule_[task] = {now_ns_, now_ns_ + ns, kNoWorker};
    result_.work_ns += ns;
    finishes_.emplace(now_ns_ + ns, task, kNoWorker);
    return;
  }
  if (plan_) {
    is_ready_[task] = 1;
    note_change(plan_->worker[task], 0);
    return;
  }
  ClassMask classes = 0;
  for (const WorkerPool& pool : machine_.pools_for(task))
    if (machine_.ns_on(task, pool) >= 0) classes |= ClassMask{1} << pool.worker_class;
  const std::uint32_t node = machine_.own_node(task);
  ready_.push(node, classes, key_of(task), task);
  note_change(kNoWorker, node);
}

ReadyKey MachineScheduler::key_of(NodeIndex task) {
  const std::uint64_t turn = turns_++;
  switch (policy_) {
    case Policy::kReadyFifo:
      return {0, turn};
    case Policy::kLifo:
      return {0, ~turn};
    case Policy::kCriticalPath:
      return {-levels_[task], task};
    case Policy::kPriority:
      // ~p orders as -p does, and the smallest priority has one.
      return {graph_.priority.empty() ? 0 : ~graph_.priority[task], turn};
    default:
      return {0, task};
  }
}

void MachineScheduler::start_ready() {
  for (const std::uint32_t what : changed_) {
    is_changed_[what] = 0;
    if (plan_) {
      start_planned(what);
    } else {
      start_on_node(what);
    }
  }
  changed_.clear();
}

void MachineScheduler::start_planned(std::uint32_t worker) {
  const std::vector<NodeIndex>& tasks = plan_->by_worker[worker];
  if (is_idle_[worker] == 0 || begun_[worker] == tasks.size() || is_ready_[tasks[begun_[worker]]] == 0) return;
  is_idle_[worker] = 0;
  start(tasks[begun_[worker]++], worker);
}

void MachineScheduler::start_on_node(std::uint32_t node) {
  const std::uint32_t first = machine_.layout.pools_of_node[node];
  const std::uint32_t end = machine_.layout.pools_of_node[node + 1];
  for (;;) {
    ClassMask idle = 0;
    for (std::uint32_t i = first; i < end; ++i)
      if (!idle_of_pool_[i].empty()) idle |= ClassMask{1} << machine_.layout.pools[i].worker_class;
    if (idle == 0) return;
    const auto task = ready_.pop(node, idle);
    if (!task) return;
    std::uint32_t best = end;
    for (std::uint32_t i = first; i < end; ++i) {
      if (idle_of_pool_[i].empty()) continue;
      const std::int64_t ns = machine_.ns_on(*task, machine_.layout.pools[i]);
      if (ns >= 0 && (best == end || ns < machine_.ns_on(*task, machine_.layout.pools[best]))) best = i;
    }
    const std::uint32_t worker = idle_of_pool_[best].back();
    idle_of_pool_[best].pop_back();
    start(*task, worker);
  }
}

void MachineScheduler::start(NodeIndex task, std::uint32_t worker) {
  const std::int64_t ns = machine_.ns_on(task, machine_.layout.pools[machine_.layout.pool_of_worker[worker]]);
  if (!schedule_.empty()) schedule_[task] = {now_ns_, now_ns_ + ns, worker};
  result_.work_ns += ns;
  result_.worker_work_ns += ns;
  finishes_.emplace(now_ns_ + ns, task, worker);
}

}  // namespace foretask::simulate
