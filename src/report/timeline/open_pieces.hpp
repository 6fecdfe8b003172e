// SPDX-License-Identifier: Apache-2.0
// The pieces of loops that the rows of a timeline are in while it is written in order of time: those of one strand a
// row at most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "report/timeline/recorded_loops.hpp"

namespace foretask::report {

class OpenPieces {
 public:
  explicit OpenPieces(std::size_t rows) : rows_(rows) {}

  // The row's strand begins, with the first of these.
  void begin(std::uint32_t row, std::span<const PieceTime> pieces) {
    rows_[row].pieces.assign(pieces.begin(), pieces.end());
    rows_[row].current = 0;
    wait_for_next(row);
  }
  // The row's strand ends, after all its pieces. Whether there were some.
  [[nodiscard]] bool end(std::uint32_t row) { return !std::exchange(rows_[row].pieces, {}).empty(); }

  // Whether a row comes to another piece at or before `now_ns`.
  [[nodiscard]] bool has_next(std::int64_t now_ns) const { return !next_.empty() && next_.top().first <= now_ns; }
  struct Next {
    std::uint32_t row = 0;
    PieceTime time;
  };
  [[nodiscard]] Next take_next() {
    const std::uint32_t row = next_.top().second;
    next_.pop();
    ++rows_[row].current;
    wait_for_next(row);
    return {row, rows_[row].pieces[rows_[row].current]};
  }

 private:
  struct Row {
    std::vector<PieceTime> pieces;
    std::size_t current = 0;
  };
  using Begin = std::pair<std::int64_t, std::uint32_t>;  // of a row's next piece

  void wait_for_next(std::uint32_t row) {
    const Row& of = rows_[row];
    if (of.current + 1 < of.pieces.size()) next_.emplace(of.pieces[of.current + 1].begin_ns, row);
  }

  std::vector<Row> rows_;
  std::priority_queue<Begin, std::vector<Begin>, std::greater<>> next_;
};

}  // namespace foretask::report
