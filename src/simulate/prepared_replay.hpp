// SPDX-License-Identifier: Apache-2.0
// Replays on identical cores under one policy and one what-if: what does not depend on the number of cores (durations,
// bottom levels and their order, predecessor counts) is found once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "foretask/analysis/simulate.hpp"
#include "simulate/cores/durations.hpp"
#include "simulate/cores/node_table.hpp"
#include "simulate/cores/pending_counts.hpp"
#include "simulate/cores/ready_queues.hpp"
#include "simulate/cores/replay.hpp"
#include "simulate/cores/replayer.hpp"

namespace foretask::simulate {

class PreparedReplay final : public Replayer {
 public:
  // `options`: all but cores and seed. Errors: a node that cannot run on a plain core, a factor that cannot be, times
  // that do not fit, a cycle (critical-path; the other policies find it when they run).
  [[nodiscard]] static Result<std::unique_ptr<Replayer>> of(const analysis::TaskGraph& graph,
                                                            const analysis::SimulationOptions& options);

  // Errors: no core, costs that cannot be, a cycle.
  [[nodiscard]] Result<analysis::SimulationResult> run(std::uint32_t cores, std::uint64_t seed) override;
  [[nodiscard]] bool was_random() const noexcept override { return was_random_; }

 private:
  PreparedReplay(const analysis::TaskGraph& graph, const analysis::SimulationOptions& options, Durations durations)
      : graph_(graph), options_(options), durations_(std::move(durations)), predecessors_(graph.size()) {}

  [[nodiscard]] bool find_critical_paths();
  [[nodiscard]] Result<Replay> replay(std::span<analysis::ScheduledNode> schedule);
  template <typename Ready, typename Nodes>
  Replay replay_list(Ready& ready, const Nodes& nodes, std::span<analysis::ScheduledNode> schedule);

  const analysis::TaskGraph& graph_;
  analysis::SimulationOptions options_;
  Durations durations_;
  PendingCounts predecessors_;
  PendingCounts pending_;
  bool was_random_ = false;
  std::optional<CriticalPathQueue> critical_path_;  // empty between runs
  std::optional<CompactNodes> compact_;             // where the critical-path policy's graph fits into it
};

}  // namespace foretask::simulate
