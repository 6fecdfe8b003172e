// SPDX-License-Identifier: Apache-2.0
// When the threads of a recorded program ran the pieces of its loops. A recording has when a thread's share of a loop
// ran, and what part of the share's time each piece took: the pieces lie in the share one after the other, by those
// parts. Where something else came between (a wait, a section of another kind) a share is several strands; a piece may
// then lie in two of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "foretask/analysis/team_work.hpp"
#include "report/timeline/timeline.hpp"

namespace foretask::report {

// A piece, or the part of it that lies in one strand.
struct PieceTime {
  const analysis::LoopPiece* piece = nullptr;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t worker = 0;  // where it begins
};

// Some 44 bytes a strand of a loop, 64 a share and 8 a piece, beside 4 a graph node; nothing for a timeline without
// them.
class RecordedLoops {
 public:
  // A thread's share of an execution of a loop.
  struct Share {
    std::uint32_t loop = 0;  // index into TeamWork::loops
    std::uint32_t thread = 0;
    std::size_t first = 0;  // of its strands, in order of time
    std::size_t end = 0;
    std::int64_t length_ns = 0;
    std::span<const analysis::LoopPiece> pieces;
    std::uint64_t iterations = 0;  // of the pieces
    double weight = 0;             // of the pieces
  };

  // The graph must stay. Of a replay there is none: it does not say which iterations a thread runs.
  explicit RecordedLoops(const Timeline& timeline);

  [[nodiscard]] bool empty() const noexcept { return strand_of_node_.empty(); }
  [[nodiscard]] const std::vector<Share>& shares() const noexcept { return shares_; }  // by loop, then by thread
  // Of a strand between Share::first and Share::end.
  [[nodiscard]] analysis::NodeIndex node_of(std::size_t part) const { return team_.strands[parts_[part].strand].node; }
  // Null where the node is no share of a loop.
  [[nodiscard]] const Share* share_of(analysis::NodeIndex node) const noexcept;
  // In a single or masked section.
  [[nodiscard]] bool is_of_one(analysis::NodeIndex node) const noexcept;

  // The parts of pieces that lie in a share's node, in order of time; those that took no time are left out. `place`:
  // the node's, or a part of it. Valid until the next call. O(log pieces + parts).
  [[nodiscard]] std::span<const PieceTime> pieces_in(analysis::NodeIndex node, const analysis::StrandPlace& place);

  // Every piece of the share, whole. Valid until the next call. O(pieces + strands).
  [[nodiscard]] std::span<const PieceTime> pieces_of(const Share& share);

 private:
  struct Part {
    std::uint32_t strand = 0;  // index into TeamWork::strands
    std::uint32_t share = 0;
    std::int64_t before_ns = 0;  // of the share's time
    analysis::StrandPlace place;
  };

  void find_parts(const Timeline& timeline);
  void find_shares();
  [[nodiscard]] std::int64_t end_of(const Share& share, std::size_t piece) const;

  const analysis::TeamWork& team_;
  std::vector<std::uint32_t> strand_of_node_;  // or kNoLoop; empty: no recorded team
  std::vector<std::uint32_t> part_of_strand_;  // or kNoLoop
  std::vector<Part> parts_;                    // by loop, thread and time
  std::vector<Share> shares_;
  std::vector<double> weight_until_;  // one a piece: of its share's pieces up to it
  std::vector<PieceTime> times_;
};

}  // namespace foretask::report
