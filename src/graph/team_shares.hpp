// SPDX-License-Identifier: Apache-2.0
// What each thread of a team spent on each loop of a phase, and outside of loops.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "foretask/analysis/team_work.hpp"

namespace foretask::graph {

struct TeamShare {
  std::uint32_t loop = analysis::kNoLoop;
  std::uint32_t thread = 0;
  bool is_of_one = false;  // of single or masked; by no loop
  std::int64_t ns = 0;
};

// `duration_ns`: one a graph node. By loop in order of their starts, what is outside of loops last, then by thread;
// each once. O(strands log strands) of the phase.
[[nodiscard]] std::vector<TeamShare> shares_of_phase(const analysis::TeamWork& team, const analysis::TeamPhase& phase,
                                                     std::span<const std::int64_t> duration_ns);

// A graph node of what the phase's threads did outside of loops, for its kernel; where there is none, of the phase.
[[nodiscard]] std::uint32_t rest_node(const analysis::TeamWork& team, const analysis::TeamPhase& phase);

// A thread's pieces of a loop, in order of time. O(log pieces).
[[nodiscard]] std::span<const analysis::LoopPiece> pieces_of(const analysis::TeamWork& team,
                                                             const analysis::TeamLoop& loop, std::uint32_t thread);

// Threads of the largest team. A smaller one the program made so: other numbers of threads leave it as it is.
[[nodiscard]] std::uint32_t widest_team(const analysis::TeamWork& team);

// One a graph node: its duration, but of work that other numbers of threads divide only as much as one of them must do
// alone. Of a loop that is its longest chunk, as far as it is known; of what is divided evenly for want of knowledge,
// nothing. Empty where nothing divides. O(nodes + pieces * threads).
[[nodiscard]] std::vector<std::int64_t> indivisible_ns(const analysis::TeamWork& team,
                                                       std::span<const std::int64_t> duration_ns);

}  // namespace foretask::graph
