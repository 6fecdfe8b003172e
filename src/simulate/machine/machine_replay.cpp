// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "foretask/analysis/task_graph.hpp"
#include "graph/task_graph_order.hpp"
#include "simulate/cores/pending_counts.hpp"
#include "simulate/cores/quad_heap.hpp"
#include "simulate/machine/heft_plan.hpp"
#include "simulate/machine/machine.hpp"
#include "simulate/network/linear_network.hpp"
#include "simulate/network/network.hpp"
#include "simulate/network/simgrid_process.hpp"

namespace foretask::simulate {
namespace {

using analysis::NodeIndex;
using analysis::Policy;
using analysis::SimulationOptions;
using analysis::SimulationResult;
using analysis::TaskGraph;

using ClassMask = std::uint32_t;  // a bit a worker class

// A ready task behind what the policy orders by, smallest first.
using ReadyTask = std::tuple<std::int64_t, std::uint64_t, NodeIndex>;

// The ready tasks of each node of a platform, by what may run them: the next one for an idle worker is the smallest
// among those that a class with an idle worker can run. O(log tasks) a push and pop, O(kinds) a look.
class ReadyTasks {
 public:
  explicit ReadyTasks(std::size_t nodes) : by_node_(nodes) {}

  // `classes`: that can run it.
  void push(std::uint32_t node, ClassMask classes, const ReadyTask& task) {
    std::vector<Kind>& kinds = by_node_[node];
    auto kind = std::ranges::find(kinds, classes, &Kind::classes);
    if (kind == kinds.end()) kind = kinds.insert(kind, {classes, {}});
    kind->tasks.push(task);
  }

  // The smallest that one of the `idle` classes can run, taken off.
  [[nodiscard]] std::optional<NodeIndex> pop(std::uint32_t node, ClassMask idle) {
    Kind* first = nullptr;
    for (Kind& kind : by_node_[node]) {
      if ((kind.classes & idle) == 0 || kind.tasks.empty()) continue;
      if (!first || kind.tasks.top() < first->tasks.top()) first = &kind;
    }
    if (!first) return std::nullopt;
    const NodeIndex task = std::get<NodeIndex>(first->tasks.top());
    first->tasks.pop();
    return task;
  }

 private:
  struct Kind {
    ClassMask classes = 0;
    std::priority_queue<ReadyTask, std::vector<ReadyTask>, std::greater<>> tasks;
  };
  std::vector<std::vector<Kind>> by_node_;
};

struct MachineRun {
  std::int64_t makespan_ns = 0;
  std::int64_t work_ns = 0;         // where the tasks ran
  std::int64_t worker_work_ns = 0;  // the part on workers
  std::size_t finished = 0;
};

// One replay on a platform. The order of events is that of identical cores (docs/simulator.md); messages arrive after
// the finishes and before the releases of their instant, in order of their edges. Of the ready tasks of a node the one
// with the smallest key starts that an idle worker can run, on the class on which it is fastest; with a plan each
// worker takes its own tasks in the planned order.
class MachineScheduler {
 public:
  // `levels`: one a task, for critical-path, else empty. `plan`: for heft, else null. `schedule` is empty, or holds an
  // entry a task. Everything referred to must stay as long as the object.
  MachineScheduler(const Machine& machine, Policy policy, std::span<const std::int64_t> levels, const HeftPlan* plan,
                   PendingCounts& pending, Network& network, std::span<analysis::ScheduledNode> schedule)
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

  MachineRun run() {
    for (NodeIndex task = 0; task < graph_.size(); ++task)
      if (pending_.none(task)) releases_.push({machine_.release_ns(task), task, kNoWorker});
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

 private:
  [[nodiscard]] static std::int64_t next_ns(const EventQueue& events) {
    return static_cast<std::int64_t>(std::min<std::uint64_t>(events.next_time_ns(), kNever));
  }

  void handle_instant() {
    for (;;) {
      if (next_ns(finishes_) == now_ns_) {
        const Event event = finishes_.pop();
        finish(event.node, event.worker);
      } else if (const auto edge = network_.arrived()) {
        meet(graph_.successors[*edge]);
      } else if (next_ns(releases_) == now_ns_) {
        become_ready(releases_.pop().node);
      } else {
        return;
      }
    }
  }

  void finish(NodeIndex task, std::uint32_t worker) {
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
  void meet(NodeIndex task) {
    if (pending_.remove(task)) releases_.push({std::max(now_ns_, machine_.release_ns(task)), task, kNoWorker});
  }

  void become_ready(NodeIndex task) {
    if (!machine_.runs_on_worker(task)) {
      const std::int64_t ns = machine_.times.fastest_ns(task);
      if (!schedule_.empty()) schedule_[task] = {now_ns_, now_ns_ + ns, kNoWorker};
      result_.work_ns += ns;
      finishes_.push({now_ns_ + ns, task, kNoWorker});
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
    ready_.push(node, classes, in_order(task));
    note_change(kNoWorker, node);
  }

  void start_ready() {
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

  void start_planned(std::uint32_t worker) {
    const std::vector<NodeIndex>& tasks = plan_->by_worker[worker];
    if (is_idle_[worker] == 0 || begun_[worker] == tasks.size() || is_ready_[tasks[begun_[worker]]] == 0) return;
    is_idle_[worker] = 0;
    start(tasks[begun_[worker]++], worker);
  }

  void start_on_node(std::uint32_t node) {
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

  void start(NodeIndex task, std::uint32_t worker) {
    const std::int64_t ns = machine_.ns_on(task, machine_.layout.pools[machine_.layout.pool_of_worker[worker]]);
    if (!schedule_.empty()) schedule_[task] = {now_ns_, now_ns_ + ns, worker};
    result_.work_ns += ns;
    result_.worker_work_ns += ns;
    finishes_.push({now_ns_ + ns, task, worker});
  }

  [[nodiscard]] ReadyTask in_order(NodeIndex task) {
    const std::uint64_t turn = turns_++;
    switch (policy_) {
      case Policy::kReadyFifo:
        return {0, turn, task};
      case Policy::kLifo:
        return {0, ~turn, task};
      case Policy::kCriticalPath:
        return {-levels_[task], 0, task};
      case Policy::kPriority:
        // ~p orders as -p does, and the smallest priority has one.
        return {graph_.priority.empty() ? 0 : ~graph_.priority[task], turn, task};
      default:
        return {0, 0, task};
    }
  }

  [[nodiscard]] std::uint32_t node_of(NodeIndex task) const {
    const std::uint32_t worker = plan_ ? plan_->worker[task] : kNoWorker;
    if (worker == kNoWorker) return machine_.own_node(task);
    return machine_.layout.pools[machine_.layout.pool_of_worker[worker]].node;
  }

  void note_change(std::uint32_t worker, std::uint32_t node) {
    const std::uint32_t what = plan_ ? worker : node;
    if (is_changed_[what] != 0) return;
    is_changed_[what] = 1;
    changed_.push_back(what);
  }

  const Machine& machine_;
  const analysis::TaskGraph& graph_;
  const analysis::Policy policy_;
  const std::span<const std::int64_t> levels_;
  const HeftPlan* plan_;
  PendingCounts& pending_;
  Network& network_;
  const std::span<analysis::ScheduledNode> schedule_;

  EventQueue finishes_;
  EventQueue releases_;
  ReadyTasks ready_;
  std::vector<std::vector<std::uint32_t>> idle_of_pool_;  // the lowest number last
  // With a plan: of each task whether it is ready, of each worker how many it has begun and whether it is idle.
  std::vector<std::uint8_t> is_ready_;
  std::vector<std::size_t> begun_;
  std::vector<std::uint8_t> is_idle_;
  // What may have something to start: nodes, with a plan workers.
  std::vector<std::uint32_t> changed_;
  std::vector<std::uint8_t> is_changed_;
  std::uint64_t turns_ = 0;
  std::int64_t now_ns_ = 0;
  MachineRun result_;
};

Result<void> check_policy(const SimulationOptions& options) {
  if (options.policy == Policy::kWorkStealing)
    return Error{"work-stealing is replayed on identical cores only: choose another policy for this machine"};
  if (options.platform->any_node && options.platform->nodes.size() > 1 && options.policy != Policy::kHeft)
    return Error{"with placement \"any\", the policy has to choose nodes: use --policy heft"};
  return {};
}

class MachineReplay final : public Replayer {
 public:
  MachineReplay(const TaskGraph& graph, const SimulationOptions& options, ClassTimes times)
      : graph_(graph),
        options_(options),
        times_(std::move(times)),
        order_(graph::topological_order(graph)),
        predecessors_(count_predecessors(graph)) {}

  [[nodiscard]] bool has_cycle() const noexcept { return order_.size() != graph_.size(); }

  // Errors: no worker, a task that none of its node's can run or that is on a node which is not there.
  [[nodiscard]] Result<SimulationResult> run(std::uint32_t cores, std::uint64_t /*seed*/) override {
    const auto layout = layout_of(*options_.platform, cores);
    if (!layout) return layout.error();
    const Machine machine{graph_, *options_.platform, *layout, times_};
    if (auto possible = check_tasks(machine); !possible) return possible.error();

    std::vector<std::int64_t> levels;
    if (options_.policy == Policy::kCriticalPath) levels = machine_levels(machine, order_);
    std::optional<HeftPlan> plan;
    if (options_.policy == Policy::kHeft) plan = heft_plan(machine, order_);

    const auto replay = [&](Network& network) { return run_on(machine, network, levels, plan ? &*plan : nullptr); };
    if (!options_.platform->simgrid_xml.empty()) return replay_on_simgrid(*options_.platform, replay);
    LinearNetwork network(*options_.platform);
    return replay(network);
  }

 private:
  [[nodiscard]] Result<SimulationResult> run_on(const Machine& machine, Network& network,
                                                std::span<const std::int64_t> levels, const HeftPlan* plan) const {
    SimulationResult result;
    if (options_.keep_schedule) result.schedule.resize(graph_.size());
    PendingCounts pending = predecessors_;
    const MachineRun run =
        MachineScheduler(machine, options_.policy, levels, plan, pending, network, result.schedule).run();
    if (run.finished != graph_.size()) return Error{"the replay did not run all tasks"};

    result.makespan_ns = run.makespan_ns;
    result.work_ns = graph_.task_of_node.empty() ? run.work_ns : run.worker_work_ns;
    rate(result, run.worker_work_ns, machine.layout.workers());
    return result;
  }

  const TaskGraph& graph_;
  const SimulationOptions options_;
  const ClassTimes times_;
  const std::vector<NodeIndex> order_;  // topological; by index where it can be, which breaks ties
  const PendingCounts predecessors_;
};

}  // namespace

Result<std::unique_ptr<Replayer>> machine_replay(const TaskGraph& graph, const SimulationOptions& options) {
  if (auto allowed = check_policy(options); !allowed) return allowed.error();
  auto times = ClassTimes::of(graph, classes_of(*options.platform), options);
  if (!times) return times.error();
  auto replay = std::make_unique<MachineReplay>(graph, options, *std::move(times));
  if (replay->has_cycle()) return graph::cycle_error(graph);
  return std::unique_ptr<Replayer>(std::move(replay));
}

}  // namespace foretask::simulate
