// SPDX-License-Identifier: Apache-2.0
#include "graph/file/graph_file_team_text.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "graph/file/graph_file_number.hpp"
#include "graph/file/graph_file_team_line.hpp"
#include "graph/team_shares.hpp"

namespace foretask::graph {

using analysis::kNoLoop;
using analysis::LoopPiece;
using analysis::NodeIndex;
using analysis::TaskGraph;
using analysis::TeamLoop;
using analysis::TeamPhase;
using analysis::TeamStrand;

namespace {

template <typename Number>
void append(std::string& text, std::string_view before, Number value) {
  text += before;
  append_number(text, value);
}

// Within the loop, where a damaged recording says otherwise: replays take it so too.
LoopPiece readable(LoopPiece piece, std::uint64_t iterations) {
  const std::int64_t end = iterations == 0 ? kMostLoopIterations : static_cast<std::int64_t>(iterations);
  const bool is_outside = piece.last < piece.first || piece.last < 0 || piece.first >= end;
  piece.first = is_outside ? 0 : std::max<std::int64_t>(piece.first, 0);
  piece.last = is_outside ? end - 1 : std::min(piece.last, end - 1);
  piece.iterations =
      std::clamp<std::uint64_t>(piece.iterations, 1, static_cast<std::uint64_t>(piece.last - piece.first) + 1);
  if (!std::isfinite(piece.weight) || piece.weight < 0) piece.weight = 0;
  return piece;
}

}  // namespace

GraphFileTeamText::GraphFileTeamText(const TaskGraph& graph) : team_(graph.team) {
  const std::uint32_t widest = widest_team(team_);
  const auto divides = [widest](const TeamPhase& phase) { return is_divided(phase, widest); };
  if (std::none_of(team_.phases.begin(), team_.phases.end(), divides)) return;
  strand_of_node_.assign(graph.size(), kNoLoop);
  phase_of_strand_.resize(team_.strands.size());
  strands_of_loop_.resize(team_.loops.size());
  is_loop_written_.resize(team_.loops.size());
  is_piece_written_.resize(team_.pieces.size());
  for (const TeamPhase& phase : team_.phases)
    if (divides(phase)) add_phase(phase);
}

void GraphFileTeamText::add_phase(const TeamPhase& phase) {
  std::uint32_t highest = 0;
  for (std::uint64_t at = phase.first_strand; at < phase.end_strand; ++at) {
    const TeamStrand& strand = team_.strands[at];
    highest = std::max(highest, strand.thread);
    strand_of_node_[strand.node] = static_cast<std::uint32_t>(at);
    phase_of_strand_[at] = static_cast<std::uint32_t>(phases_.size());
    if (strand.loop != kNoLoop) ++strands_of_loop_[strand.loop];
  }
  phases_.push_back({.strands = static_cast<std::uint32_t>(phase.end_strand - phase.first_strand),
                     .threads = phase.threads == highest + 1 ? 0 : phase.threads,
                     .rest_divides = phase.rest_divides});
}

std::string_view GraphFileTeamText::of(NodeIndex node) {
  text_.clear();
  if (strand_of_node_.empty() || strand_of_node_[node] == kNoLoop) return text_;
  const std::uint32_t at = strand_of_node_[node];
  const TeamStrand& strand = team_.strands[at];
  write_phase(strand, phase_of_strand_[at]);
  if (strand.loop != kNoLoop) {
    write_loop(strand);
  } else if (strand.is_of_one) {
    text_ += ", \"once\": true";
  } else if (phases_[phase_of_strand_[at]].rest_divides) {
    text_ += ", \"divides\": true";
  }
  return text_;
}

// A phase of one task needs no number, unless the task does its work once.
void GraphFileTeamText::write_phase(const TeamStrand& strand, std::uint32_t number) {
  Phase& phase = phases_[number];
  const bool is_once = strand.loop == kNoLoop && strand.is_of_one;
  if (phase.strands > 1 || is_once) append(text_, ", \"phase\": ", number);
  if (strand.thread != 0) append(text_, ", \"thread\": ", strand.thread);
  if (phase.threads != 0) append(text_, ", \"threads\": ", phase.threads);
  phase.threads = 0;
}

void GraphFileTeamText::write_loop(const TeamStrand& strand) {
  const TeamLoop& loop = team_.loops[strand.loop];
  const char* separator = ", \"loop\": {";
  const auto next = [&] {
    text_ += separator;
    separator = ", ";
  };
  if (strands_of_loop_[strand.loop] > 1) {
    next();
    append(text_, "\"number\": ", strand.loop);
  }
  if (!is_loop_written_[strand.loop]) {
    is_loop_written_[strand.loop] = true;
    if (const std::string schedule = schedule_name(loop); schedule != "static") {
      next();
      text_ += "\"schedule\": \"" + schedule + "\"";
    }
    next();
    append(text_, "\"iterations\": ", std::min<std::uint64_t>(loop.iterations, kMostLoopIterations));
  }
  const std::span<const LoopPiece> pieces = pieces_of(team_, loop, strand.thread);
  if (!pieces.empty()) {
    const auto first = static_cast<std::size_t>(pieces.data() - team_.pieces.data());
    if (!is_piece_written_[first]) {
      is_piece_written_[first] = true;
      next();
      write_pieces(loop, strand.thread);
    }
  }
  text_ += "}";
}

void GraphFileTeamText::write_pieces(const TeamLoop& loop, std::uint32_t thread) {
  const char* before = "\"pieces\": [[";
  for (const LoopPiece& recorded : pieces_of(team_, loop, thread)) {
    const LoopPiece piece = readable(recorded, std::min<std::uint64_t>(loop.iterations, kMostLoopIterations));
    append(text_, before, piece.first);
    append(text_, ", ", piece.last);
    append(text_, ", ", piece.iterations);
    append(text_, ", ", piece.weight);
    before = "], [";
  }
  text_ += "]]";
}

}  // namespace foretask::graph
