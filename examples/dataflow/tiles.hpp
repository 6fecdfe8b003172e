// SPDX-License-Identifier: Apache-2.0
// A square matrix in tiles of b x b numbers, each tile in one piece, column by column.
#pragma once

#include <cstddef>
#include <vector>

namespace examples {

class Tiles {
 public:
  Tiles(long n, long b) : count_(n / b), b_(b), numbers_(static_cast<std::size_t>(n) * static_cast<std::size_t>(n)) {}

  [[nodiscard]] long count() const { return count_; }  // tiles a side
  [[nodiscard]] long tile_size() const { return b_; }
  [[nodiscard]] long order() const { return count_ * b_; }
  [[nodiscard]] std::size_t tile_numbers() const { return static_cast<std::size_t>(b_ * b_); }
  [[nodiscard]] double* tile(long row, long column) { return numbers_.data() + (row * count_ + column) * b_ * b_; }
  [[nodiscard]] double& at(long i, long j) { return tile(i / b_, j / b_)[j % b_ * b_ + i % b_]; }

 private:
  long count_;
  long b_;
  std::vector<double> numbers_;
};

}  // namespace examples
