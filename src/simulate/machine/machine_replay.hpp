// SPDX-License-Identifier: Apache-2.0
// Replays on a platform: workers of several classes, nodes with a network.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "simulate/cores/pending_counts.hpp"
#include "simulate/cores/replayer.hpp"
#include "simulate/machine/heft_plan.hpp"
#include "simulate/machine/machine.hpp"
#include "simulate/network/network.hpp"

namespace foretask::simulate {

class MachineReplay final : public Replayer {
 public:
  // Errors: a policy that platforms do not have, factors and times that cannot be, a cycle.
  [[nodiscard]] static Result<std::unique_ptr<Replayer>> of(const analysis::TaskGraph& graph,
                                                            const analysis::SimulationOptions& options);

  // Errors: no worker, a task that none of its node's can run or that is on a node which is not there.
  [[nodiscard]] Result<analysis::SimulationResult> run(std::uint32_t cores, std::uint64_t seed) override;

 private:
  MachineReplay(const analysis::TaskGraph& graph, const analysis::SimulationOptions& options, ClassTimes times);

  [[nodiscard]] Result<analysis::SimulationResult> run_on(const Machine& machine, Network& network,
                                                          std::span<const std::int64_t> levels,
                                                          const HeftPlan* plan) const;

  const analysis::TaskGraph& graph_;
  const analysis::SimulationOptions options_;
  const ClassTimes times_;
  const std::vector<analysis::NodeIndex> order_;  // topological
  const PendingCounts predecessors_;
};

}  // namespace foretask::simulate
