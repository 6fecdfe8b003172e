// SPDX-License-Identifier: Apache-2.0
// One replay on a platform. The order of events is that of identical cores (docs/simulator.md); messages arrive after
// the finishes and before the releases of their instant, in order of their edges. Of the ready tasks of a node the one
// with the smallest key starts that an idle worker can run, on the class on which it is fastest; with a plan each
// worker takes its own tasks in the planned order.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <tuple>
#include <vector>

#include "simulate/cores/pending_counts.hpp"
#include "simulate/machine/heft_plan.hpp"
#include "simulate/machine/machine.hpp"
#include "simulate/machine/ready_tasks.hpp"
#include "simulate/network/network.hpp"

namespace foretask::simulate {

struct MachineRun {
  std::int64_t makespan_ns = 0;
  std::int64_t work_ns = 0;         // where the tasks ran
  std::int64_t worker_work_ns = 0;  // the part on workers
  std::size_t finished = 0;
};

class MachineScheduler {
 public:
  // `levels`: one a task, for critical-path, else empty. `plan`: for heft, else null. `schedule` is empty, or holds an
  // entry a task. Everything referred to must stay as long as the object.
  MachineScheduler(const Machine& machine, analysis::Policy policy, std::span<const std::int64_t> levels,
                   const HeftPlan* plan, PendingCounts& pending, Network& network,
                   std::span<analysis::ScheduledNode> schedule);

  MachineRun run();

 private:
  using NodeIndex = analysis::NodeIndex;
  using Event = std::tuple<std::int64_t, NodeIndex, std::uint32_t>;  // time, task, worker
  using Events = std::priority_queue<Event, std::vector<Event>, std::greater<>>;

  [[nodiscard]] static std::int64_t next_ns(const Events& events) {
    return events.empty() ? kNever : std::get<0>(events.top());
  }
  void handle_instant();
  void finish(NodeIndex task, std::uint32_t worker);
  void meet(NodeIndex task);
  void become_ready(NodeIndex task);
  void start_ready();
  void start_planned(std::uint32_t worker);
  void start_on_node(std::uint32_t node);
  void start(NodeIndex task, std::uint32_t worker);
  [[nodiscard]] ReadyKey key_of(NodeIndex task);
  [[nodiscard]] std::uint32_t node_of(NodeIndex task) const;
  void note_change(std::uint32_t worker, std::uint32_t node);

  const Machine& machine_;
  const analysis::TaskGraph& graph_;
  const analysis::Policy policy_;
  const std::span<const std::int64_t> levels_;
  const HeftPlan* plan_;
  PendingCounts& pending_;
  Network& network_;
  const std::span<analysis::ScheduledNode> schedule_;

  Events finishes_;
  Events releases_;
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

}  // namespace foretask::simulate
