// SPDX-License-Identifier: Apache-2.0
#include "simulate/machine/heft_plan.hpp"

#include <algorithm>
#include <functional>
#include <tuple>

#include "graph/task_graph_order.hpp"

namespace foretask::simulate {

using analysis::NodeIndex;
using analysis::TaskGraph;

namespace {

struct Slot {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = kNever;
};

class Planner {
 public:
  Planner(const Machine& machine, const std::vector<NodeIndex>& order)
      : machine_(machine),
        graph_(machine.graph),
        order_(order),
        predecessors_(graph_, true),
        finish_ns_(graph_.size()),
        start_ns_(graph_.size()),
        gaps_(machine.layout.workers(), {Slot{}}) {
    plan_.worker.assign(graph_.size(), analysis::kNoWorker);
    plan_.by_worker.resize(machine.layout.workers());
  }

  HeftPlan plan() && {
    find_ranks();
    for (const NodeIndex task : by_rank()) place(task);
    for (NodeIndex task = 0; task < graph_.size(); ++task)
      if (plan_.worker[task] != analysis::kNoWorker) plan_.by_worker[plan_.worker[task]].push_back(task);
    std::vector<std::uint32_t> place_of(graph_.size());
    for (std::uint32_t i = 0; i < order_.size(); ++i) place_of[order_[i]] = i;
    // Tasks of no length at one instant: as they depend on each other.
    for (auto& tasks : plan_.by_worker) {
      std::ranges::sort(tasks, {},
                        [&](NodeIndex task) { return std::tuple(start_ns_[task], finish_ns_[task], place_of[task]); });
    }
    return std::move(plan_);
  }

 private:
  // Over the workers that can run it.
  [[nodiscard]] double mean_ns(NodeIndex task) const {
    if (!machine_.runs_on_worker(task)) return static_cast<double>(machine_.times.fastest_ns(task));
    double sum_ns = 0;
    double workers = 0;
    for (const WorkerPool& pool : machine_.pools_for(task)) {
      const std::int64_t ns = machine_.ns_on(task, pool);
      if (ns < 0) continue;
      sum_ns += static_cast<double>(ns) * pool.count;
      workers += pool.count;
    }
    return sum_ns / workers;
  }

  // The part of all pairs of workers that a message lies between.
  [[nodiscard]] double pairs_apart() const {
    if (machine_.layout.workers() < 2) return 0;
    const double all = machine_.layout.workers();
    double within = 0;
    for (std::uint32_t node = 0; node < machine_.layout.nodes(); ++node) {
      double workers = 0;
      for (std::uint32_t i = machine_.layout.pools_of_node[node]; i < machine_.layout.pools_of_node[node + 1]; ++i)
        workers += machine_.layout.pools[i].count;
      within += workers * (workers - 1);
    }
    return 1 - within / (all * (all - 1));
  }

  void find_ranks() {
    plan_.rank.assign(graph_.size(), 0);
    const double apart = machine_.platform.any_node ? pairs_apart() : 0;
    for (auto task = order_.rbegin(); task != order_.rend(); ++task) {
      double longest = 0;
      for (std::uint64_t e = graph_.first_successor[*task]; e < graph_.first_successor[*task + 1]; ++e) {
        const NodeIndex next = graph_.successors[e];
        double message = 0;
        if (machine_.platform.any_node) {
          message = apart * static_cast<double>(machine_.message_ns(e));
        } else if (machine_.own_node(next) != machine_.own_node(*task)) {
          message = static_cast<double>(machine_.message_ns(e));
        }
        longest = std::max(longest, message + plan_.rank[next]);
      }
      plan_.rank[*task] = mean_ns(*task) + longest;
    }
  }

  // Largest rank first, and never before a predecessor.
  [[nodiscard]] std::vector<NodeIndex> by_rank() const {
    std::vector<NodeIndex> tasks = order_;
    std::ranges::stable_sort(tasks, std::greater(), [this](NodeIndex task) { return plan_.rank[task]; });
    return tasks;
  }

  // When all that the task needs is on the node.
  [[nodiscard]] std::int64_t data_ns(NodeIndex task, std::uint32_t node) const {
    std::int64_t latest_ns = machine_.release_ns(task);
    for (std::uint64_t p = predecessors_.first[task]; p < predecessors_.first[task + 1]; ++p) {
      const NodeIndex before = predecessors_.nodes[p];
      const bool is_message = node_of(before) != node;
      latest_ns =
          std::max(latest_ns, finish_ns_[before] + (is_message ? machine_.message_ns(predecessors_.edges[p]) : 0));
    }
    return latest_ns;
  }

  [[nodiscard]] std::uint32_t node_of(NodeIndex task) const {
    const std::uint32_t worker = plan_.worker[task];
    if (worker == analysis::kNoWorker) return machine_.own_node(task);
    return machine_.layout.pools[machine_.layout.pool_of_worker[worker]].node;
  }

  // The first gap of the worker that has room for it.
  [[nodiscard]] std::size_t gap_for(std::uint32_t worker, std::int64_t ready_ns, std::int64_t ns) const {
    const std::vector<Slot>& gaps = gaps_[worker];
    auto gap = std::partition_point(gaps.begin(), gaps.end(), [&](const Slot& g) { return g.end_ns < ready_ns; });
    while (std::max(gap->begin_ns, ready_ns) > gap->end_ns - ns) ++gap;  // the last one has no end
    return static_cast<std::size_t>(gap - gaps.begin());
  }

  void place(NodeIndex task) {
    if (!machine_.runs_on_worker(task)) {
      start_ns_[task] = data_ns(task, machine_.own_node(task));
      finish_ns_[task] = start_ns_[task] + machine_.times.fastest_ns(task);
      return;
    }
    std::uint32_t best = analysis::kNoWorker;
    std::size_t best_gap = 0;
    std::int64_t best_finish_ns = kNever;
    std::int64_t best_ns = 0;
    std::uint32_t node = analysis::kNoWorker;
    std::int64_t ready_ns = 0;
    for (const WorkerPool& pool : machine_.pools_for(task)) {
      const std::int64_t ns = machine_.ns_on(task, pool);
      if (ns < 0) continue;
      if (pool.node != node) ready_ns = data_ns(task, node = pool.node);
      if (ready_ns + ns >= best_finish_ns) continue;
      for (std::uint32_t worker = pool.first; worker < pool.first + pool.count; ++worker) {
        const std::size_t gap = gap_for(worker, ready_ns, ns);
        const std::int64_t finish_ns = std::max(gaps_[worker][gap].begin_ns, ready_ns) + ns;
        if (finish_ns >= best_finish_ns) continue;
        best = worker;
        best_gap = gap;
        best_finish_ns = finish_ns;
        best_ns = ns;
        if (finish_ns == ready_ns + ns) break;  // no worker of the pool is earlier
      }
    }
    plan_.worker[task] = best;
    finish_ns_[task] = best_finish_ns;
    start_ns_[task] = best_finish_ns - best_ns;
    fill(gaps_[best], best_gap, start_ns_[task], best_finish_ns);
  }

  static void fill(std::vector<Slot>& gaps, std::size_t place, std::int64_t begin_ns, std::int64_t end_ns) {
    const Slot gap = gaps[place];
    auto at = gaps.erase(gaps.begin() + static_cast<std::ptrdiff_t>(place));
    if (end_ns < gap.end_ns) at = gaps.insert(at, {end_ns, gap.end_ns});
    if (begin_ns > gap.begin_ns) gaps.insert(at, {gap.begin_ns, begin_ns});
  }

  const Machine& machine_;
  const TaskGraph& graph_;
  const std::vector<NodeIndex>& order_;
  const graph::Predecessors predecessors_;
  HeftPlan plan_;
  std::vector<std::int64_t> finish_ns_;
  std::vector<std::int64_t> start_ns_;
  std::vector<std::vector<Slot>> gaps_;  // of each worker, ascending; the last one is open
};

}  // namespace

HeftPlan heft_plan(const Machine& machine, const std::vector<NodeIndex>& order) {
  return Planner(machine, order).plan();
}

}  // namespace foretask::simulate
