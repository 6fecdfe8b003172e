// SPDX-License-Identifier: Apache-2.0
// Replays of a graph with locks. Waits for locks are not replayed: each replay takes at least as long as the lock that
// is held longest.
#pragma once

#include <cstdint>
#include <memory>

#include "simulate/cores/replayer.hpp"

namespace foretask::simulate {

class LockedReplay final : public Replayer {
 public:
  // Keeps `graph`.
  LockedReplay(const analysis::TaskGraph& graph, analysis::SimulationOptions options, std::unique_ptr<Replayer> replay);

  [[nodiscard]] Result<analysis::SimulationResult> run(std::uint32_t cores, std::uint64_t seed) override;
  [[nodiscard]] bool was_random() const noexcept override { return replay_->was_random(); }

 private:
  const analysis::TaskGraph& graph_;
  const analysis::SimulationOptions options_;
  const std::unique_ptr<Replayer> replay_;
};

}  // namespace foretask::simulate
