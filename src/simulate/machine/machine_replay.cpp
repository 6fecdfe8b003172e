// SPDX-License-Identifier: Apache-2.0
#include "simulate/machine/machine_replay.hpp"

#include <numeric>
#include <optional>
#include <utility>

#include "graph/task_graph_order.hpp"
#include "simulate/machine/heft_plan.hpp"
#include "simulate/machine/machine_scheduler.hpp"
#include "simulate/network/linear_network.hpp"
#include "simulate/network/simgrid_process.hpp"

namespace foretask::simulate {

using analysis::NodeIndex;
using analysis::Policy;
using analysis::SimulationOptions;
using analysis::SimulationResult;
using analysis::TaskGraph;

namespace {

// By index where that is a topological order, so that ties are broken by it.
std::vector<NodeIndex> order_of(const TaskGraph& graph) {
  if (!graph::is_numbered_topologically(graph)) return graph::topological_order(graph);
  std::vector<NodeIndex> order(graph.size());
  std::iota(order.begin(), order.end(), NodeIndex{0});
  return order;
}

Result<void> check_policy(const SimulationOptions& options) {
  if (options.policy == Policy::kWorkStealing)
    return Error{"work-stealing is replayed on identical cores only: choose another policy for this machine"};
  if (options.platform->any_node && options.platform->nodes.size() > 1 && options.policy != Policy::kHeft)
    return Error{"with placement \"any\", the policy has to choose nodes: use --policy heft"};
  return {};
}

}  // namespace

MachineReplay::MachineReplay(const TaskGraph& graph, const SimulationOptions& options, ClassTimes times)
    : graph_(graph),
      options_(options),
      times_(std::move(times)),
      order_(order_of(graph)),
      predecessors_(count_predecessors(graph)) {}

Result<std::unique_ptr<Replayer>> MachineReplay::of(const TaskGraph& graph, const SimulationOptions& options) {
  if (auto allowed = check_policy(options); !allowed) return allowed.error();
  auto times = ClassTimes::of(graph, classes_of(*options.platform), options);
  if (!times) return times.error();
  std::unique_ptr<MachineReplay> replay(new MachineReplay(graph, options, *std::move(times)));
  if (replay->order_.size() != graph.size()) return graph::cycle_error(graph);
  return std::unique_ptr<Replayer>(std::move(replay));
}

Result<SimulationResult> MachineReplay::run(std::uint32_t cores, std::uint64_t /*seed*/) {
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

Result<SimulationResult> MachineReplay::run_on(const Machine& machine, Network& network,
                                               std::span<const std::int64_t> levels, const HeftPlan* plan) const {
  SimulationResult result;
  if (options_.keep_schedule) result.schedule.resize(graph_.size());
  PendingCounts pending = predecessors_.copy();
  const MachineRun run =
      MachineScheduler(machine, options_.policy, levels, plan, pending, network, result.schedule).run();
  if (run.finished != graph_.size()) return Error{"the replay did not run all tasks"};

  result.makespan_ns = run.makespan_ns;
  result.work_ns = graph_.task_of_node.empty() ? run.work_ns : run.worker_work_ns;
  if (run.makespan_ns > 0) {
    const auto makespan = static_cast<double>(run.makespan_ns);
    result.speedup = static_cast<double>(result.work_ns) / makespan;
    result.utilization = static_cast<double>(run.worker_work_ns) / (makespan * machine.layout.workers());
  }
  return result;
}

}  // namespace foretask::simulate
