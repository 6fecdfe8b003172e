// SPDX-License-Identifier: Apache-2.0
// What each thread of a team does in a phase, when another number of threads does it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "foretask/analysis/simulate.hpp"
#include "simulate/teams/hand_out.hpp"

namespace foretask::simulate {

struct PhaseShare {
  std::uint32_t kernel = 0;
  std::int64_t duration_ns = 0;
};

class PhaseShares {
 public:
  // All must stay. `duration_ns`: one a graph node.
  PhaseShares(const analysis::TaskGraph& graph, std::span<const std::int64_t> duration_ns, const LoopDealing& dealing)
      : graph_(graph), duration_ns_(duration_ns), dealing_(dealing) {}

  // By thread, then in the order of its doing; at least one for each. Valid until the next call.
  [[nodiscard]] const std::vector<std::vector<PhaseShare>>& divide(const analysis::TeamPhase& phase,
                                                                   std::uint32_t threads);

 private:
  void add_shares(std::uint32_t kernel);

  const analysis::TaskGraph& graph_;
  std::span<const std::int64_t> duration_ns_;
  LoopDealing dealing_;
  std::vector<std::vector<PhaseShare>> shares_;
  std::vector<double> busy_ns_;     // of each thread, until now
  std::vector<double> written_ns_;  // of it, in shares_
};

}  // namespace foretask::simulate
