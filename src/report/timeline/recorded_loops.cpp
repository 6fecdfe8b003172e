// SPDX-License-Identifier: Apache-2.0
#include "report/timeline/recorded_loops.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "graph/team_shares.hpp"

namespace foretask::report {

using analysis::kNoLoop;
using analysis::LoopPiece;
using analysis::NodeIndex;
using analysis::StrandPlace;
using analysis::TeamStrand;

namespace {

std::int64_t length_of(const StrandPlace& place) noexcept {
  return std::max<std::int64_t>(0, place.end_ns - place.begin_ns);
}

double weight_of(const LoopPiece& piece) noexcept {
  return std::isfinite(piece.weight) ? std::max(0.0, piece.weight) : 0;
}

}  // namespace

RecordedLoops::RecordedLoops(const Timeline& timeline) : team_(timeline.graph.team) {
  if (!timeline.is_recorded || team_.strands.empty()) return;
  strand_of_node_.assign(timeline.graph.size(), kNoLoop);
  for (std::size_t at = 0; at < team_.strands.size(); ++at)
    strand_of_node_[team_.strands[at].node] = static_cast<std::uint32_t>(at);
  find_parts(timeline);
  find_shares();
}

void RecordedLoops::find_parts(const Timeline& timeline) {
  for (std::size_t at = 0; at < team_.strands.size(); ++at)
    if (team_.strands[at].loop != kNoLoop && !team_.loops[team_.strands[at].loop].is_taskloop)
      parts_.push_back({.strand = static_cast<std::uint32_t>(at), .place = timeline.places(team_.strands[at].node)});
  const auto key = [this](const Part& part) {
    const TeamStrand& strand = team_.strands[part.strand];
    return std::tuple(strand.loop, strand.thread, part.place.begin_ns, strand.node);
  };
  std::sort(parts_.begin(), parts_.end(), [&](const Part& a, const Part& b) { return key(a) < key(b); });
}

void RecordedLoops::find_shares() {
  part_of_strand_.assign(team_.strands.size(), kNoLoop);
  weight_until_.assign(team_.pieces.size(), 0);
  for (std::size_t at = 0; at < parts_.size(); ++at) {
    Part& part = parts_[at];
    const TeamStrand& strand = team_.strands[part.strand];
    if (shares_.empty() || shares_.back().loop != strand.loop || shares_.back().thread != strand.thread) {
      Share& share = shares_.emplace_back(Share{.loop = strand.loop, .thread = strand.thread, .first = at});
      share.pieces = graph::pieces_of(team_, team_.loops[strand.loop], strand.thread);
      for (const LoopPiece& piece : share.pieces) {
        share.iterations += piece.iterations;
        share.weight += weight_of(piece);
        weight_until_[static_cast<std::size_t>(&piece - team_.pieces.data())] = share.weight;
      }
    }
    Share& share = shares_.back();
    share.end = at + 1;
    part.share = static_cast<std::uint32_t>(shares_.size() - 1);
    part.before_ns = share.length_ns;
    part_of_strand_[part.strand] = static_cast<std::uint32_t>(at);
    share.length_ns += length_of(part.place);
  }
}

const RecordedLoops::Share* RecordedLoops::share_of(NodeIndex node) const noexcept {
  if (empty() || strand_of_node_[node] == kNoLoop) return nullptr;
  const std::uint32_t part = part_of_strand_[strand_of_node_[node]];
  return part == kNoLoop ? nullptr : &shares_[parts_[part].share];
}

bool RecordedLoops::is_of_one(NodeIndex node) const noexcept {
  if (empty() || strand_of_node_[node] == kNoLoop) return false;
  const TeamStrand& strand = team_.strands[strand_of_node_[node]];
  return strand.is_of_one && strand.loop == kNoLoop;
}

// Of the share's time, in ns. Pieces without weights take equal parts.
std::int64_t RecordedLoops::end_of(const Share& share, std::size_t piece) const {
  const double part =
      share.weight > 0
          ? weight_until_[static_cast<std::size_t>(share.pieces.data() - team_.pieces.data()) + piece] / share.weight
          : static_cast<double>(piece + 1) / static_cast<double>(share.pieces.size());
  return piece + 1 == share.pieces.size() ? share.length_ns : std::llround(part * static_cast<double>(share.length_ns));
}

std::span<const PieceTime> RecordedLoops::pieces_in(NodeIndex node, const StrandPlace& place) {
  times_.clear();
  const Share* const share = share_of(node);
  if (share == nullptr) return {};
  const Part& part = parts_[part_of_strand_[strand_of_node_[node]]];
  const std::int64_t part_end_ns = part.before_ns + length_of(part.place);
  const auto at_ns = [&](std::int64_t of_share_ns) {
    return std::clamp(part.place.begin_ns + of_share_ns - part.before_ns, place.begin_ns, place.end_ns);
  };
  // The first that ends within the strand, or behind it.
  std::size_t piece = 0;
  for (std::size_t left = share->pieces.size(); left > 0;) {
    const std::size_t half = left / 2;
    const bool is_before = end_of(*share, piece + half) <= part.before_ns;
    piece = is_before ? piece + half + 1 : piece;
    left = is_before ? left - half - 1 : half;
  }
  for (; piece < share->pieces.size(); ++piece) {
    const std::int64_t from_ns = std::max(part.before_ns, piece == 0 ? 0 : end_of(*share, piece - 1));
    if (from_ns >= part_end_ns) break;
    const std::int64_t begin_ns = at_ns(from_ns);
    const std::int64_t end_ns = at_ns(std::min(part_end_ns, end_of(*share, piece)));
    if (end_ns > begin_ns) times_.push_back({&share->pieces[piece], begin_ns, end_ns, place.worker});
  }
  return times_;
}

std::span<const PieceTime> RecordedLoops::pieces_of(const Share& share) {
  times_.clear();
  std::size_t begins = share.first;  // the parts that the piece begins and ends in
  std::size_t ends = share.first;
  const auto at_ns = [&](std::size_t part, std::int64_t of_share_ns) {
    return parts_[part].place.begin_ns + of_share_ns - parts_[part].before_ns;
  };
  const auto part_end_ns = [&](std::size_t part) { return parts_[part].before_ns + length_of(parts_[part].place); };
  std::int64_t from_ns = 0;
  for (std::size_t piece = 0; piece < share.pieces.size(); ++piece) {
    const std::int64_t to_ns = end_of(share, piece);
    while (begins + 1 < share.end && from_ns >= part_end_ns(begins)) ++begins;
    ends = std::max(ends, begins);
    while (ends + 1 < share.end && to_ns > part_end_ns(ends)) ++ends;
    times_.push_back({&share.pieces[piece], at_ns(begins, from_ns), at_ns(ends, to_ns), parts_[begins].place.worker});
    from_ns = to_ns;
  }
  return times_;
}

}  // namespace foretask::report
