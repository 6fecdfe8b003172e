// SPDX-License-Identifier: Apache-2.0
// Replays of a recording with teams: on each number of cores the graph that so many threads would have made.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "foretask/analysis/simulate.hpp"
#include "simulate/cores/durations.hpp"
#include "simulate/cores/replayer.hpp"

namespace foretask::simulate {

class DividedReplay final : public Replayer {
 public:
  // For identical cores. Errors: PreparedReplay::of()'s.
  [[nodiscard]] static Result<std::unique_ptr<Replayer>> of(const analysis::TaskGraph& graph,
                                                            const analysis::SimulationOptions& options);

  // Errors: PreparedReplay's. Throws std::bad_alloc: whether there is room is to be asked before (replay_memory.hpp).
  [[nodiscard]] Result<analysis::SimulationResult> run(std::uint32_t cores, std::uint64_t seed) override;
  [[nodiscard]] bool was_random() const noexcept override { return replay_ && replay_->was_random(); }

 private:
  DividedReplay(const analysis::TaskGraph& graph, const analysis::SimulationOptions& options, Durations durations)
      : graph_(graph), options_(options), durations_(std::move(durations)) {}

  const analysis::TaskGraph& graph_;
  analysis::SimulationOptions options_;
  Durations durations_;
  // Of the last run.
  std::uint32_t cores_ = 0;
  std::optional<analysis::TaskGraph> divided_;
  std::unique_ptr<Replayer> replay_;
};

}  // namespace foretask::simulate
