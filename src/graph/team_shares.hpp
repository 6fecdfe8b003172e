// SPDX-License-Identifier: Apache-2.0
// What each thread of a team spent on each loop of a phase, and outside of loops.
#pragma once

#include <algorithm>
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
  std::int64_t hand_out_ns = 0;  // beside it: TeamStrand::hand_out_ns
};

// `duration_ns`: one a graph node. By loop in order of their starts, what is outside of loops last, then by thread;
// each once. O(strands log strands) of the phase.
[[nodiscard]] std::vector<TeamShare> shares_of_phase(const analysis::TeamWork& team, const analysis::TeamPhase& phase,
                                                     std::span<const std::int64_t> duration_ns);

// The shares of every phase.
class TeamShares {
 public:
  TeamShares(const analysis::TeamWork& team, std::span<const std::int64_t> duration_ns);

  // As shares_of_phase() orders them.
  [[nodiscard]] std::span<const TeamShare> of_phase(std::size_t phase) const noexcept {
    return std::span(shares_).subspan(first_[phase], first_[phase + 1] - first_[phase]);
  }

 private:
  std::vector<TeamShare> shares_;
  std::vector<std::size_t> first_;  // one a phase, and the end
};

// Tells `visit(loop, shares)` of each loop of a phase, and of what is outside of loops as of kNoLoop, where there is
// some. `shares`: as shares_of_phase() orders them.
template <typename Visit>
void for_each_loop(std::span<const TeamShare> shares, const Visit& visit) {
  for (auto begin = shares.begin(); begin != shares.end();) {
    const std::uint32_t loop = begin->loop;
    const auto end = std::find_if(begin, shares.end(), [loop](const TeamShare& one) { return one.loop != loop; });
    visit(loop, std::span<const TeamShare>(begin, end));
    begin = end;
  }
}

[[nodiscard]] inline std::span<const analysis::TeamStrand> strands_of(const analysis::TeamWork& team,
                                                                      const analysis::TeamPhase& phase) {
  return std::span(team.strands).subspan(phase.first_strand, phase.end_strand - phase.first_strand);
}

// By thread.
[[nodiscard]] inline std::span<const analysis::LoopPiece> pieces_of(const analysis::TeamWork& team,
                                                                    const analysis::TeamLoop& loop) {
  return std::span(team.pieces).subspan(loop.first_piece, loop.end_piece - loop.first_piece);
}

// The runtime gives chunks one by one to the thread that is free first; static ones each thread computes for itself.
[[nodiscard]] constexpr bool hands_out(analysis::LoopSchedule schedule) noexcept {
  return schedule == analysis::LoopSchedule::kDynamic || schedule == analysis::LoopSchedule::kGuided;
}

// Of the loop, as `threads` threads ran it. Where they were not recorded: up to the last one that was, at least one a
// thread. O(pieces) then.
[[nodiscard]] double iterations_of(const analysis::TeamWork& team, const analysis::TeamLoop& loop,
                                   std::uint32_t threads) noexcept;

// Whether its pieces tell where each iteration ran: none was lost, and it was not cut. O(pieces).
[[nodiscard]] bool has_all_pieces(const analysis::TeamWork& team, const analysis::TeamLoop& loop) noexcept;

// A graph node of what the phase's threads did outside of loops, for its kernel; where there is none, of the phase.
[[nodiscard]] std::uint32_t rest_node(const analysis::TeamWork& team, const analysis::TeamPhase& phase);

// A thread's pieces of a loop, in order of time. O(log pieces).
[[nodiscard]] std::span<const analysis::LoopPiece> pieces_of(const analysis::TeamWork& team,
                                                             const analysis::TeamLoop& loop, std::uint32_t thread);

// Threads of the largest team. A smaller one the program made so: other numbers of threads leave it as it is.
[[nodiscard]] std::uint32_t widest_team(const analysis::TeamWork& team);

// Whether other numbers of threads divide the phase's work, in a team of `widest` threads at most.
[[nodiscard]] inline bool is_divided(const analysis::TeamPhase& phase, std::uint32_t widest) noexcept {
  return phase.divides && (phase.is_of_any_size || phase.threads == widest) && phase.first_strand != phase.end_strand;
}

// One a graph node: its duration, but of work that other numbers of threads divide only as much as one of them must do
// alone. Of a loop that is its longest chunk, as far as it is known; of what is divided evenly for want of knowledge,
// nothing. Empty where nothing divides. `shares`: of the same durations. O(nodes + pieces * threads).
[[nodiscard]] std::vector<std::int64_t> indivisible_ns(const analysis::TeamWork& team, const TeamShares& shares,
                                                       std::span<const std::int64_t> duration_ns);

// What analysis::assumed_even_ns() says, of `shares`.
[[nodiscard]] std::int64_t assumed_even_ns(const analysis::TeamWork& team, const TeamShares& shares);

}  // namespace foretask::graph
