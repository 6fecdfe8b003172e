// SPDX-License-Identifier: Apache-2.0
// LU factorization without pivoting of a sparse matrix of dense blocks, by parallel_for: after a step's diagonal block
// a loop over its row and one over its column at once, then one over all blocks that are left.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/blocked_range2d.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>

#include "dataflow/tile_kernels.hpp"
#include "dataflow/tiles.hpp"
#include "tbb/arena.hpp"

namespace {

constexpr std::uint64_t kSeed = 11;

// Three diagonals, and one block in eight elsewhere.
bool is_stored(long row, long column) {
  const auto place = static_cast<std::uint64_t>(row) << 32 | static_cast<std::uint64_t>(column);
  return std::abs(row - column) <= 1 || examples::random_unit(kSeed, place) < 0.125;
}

// The diagonal dominates its row and its column, so that no pivot is needed.
double element(long i, long j, long order) {
  const auto place = static_cast<std::uint64_t>(i * order + j);
  return 2 * examples::random_unit(kSeed + 1, place) - 1 + (i == j ? static_cast<double>(order) : 0);
}

class SparseMatrix {
 public:
  SparseMatrix(long blocks, long m) : tiles_(blocks * m, m), has_(static_cast<std::size_t>(blocks * blocks)) {
    const long order = tiles_.order();
    for (long i = 0; i < order; ++i)
      for (long j = 0; j < order; ++j)
        if (is_stored(i / m, j / m)) tiles_.at(i, j) = element(i, j, order);
    for (long row = 0; row < blocks; ++row)
      for (long column = 0; column < blocks; ++column) has_[index(row, column)] = is_stored(row, column);
    // What the factorization fills in.
    for (long k = 0; k < blocks; ++k)
      for (long row = k + 1; row < blocks; ++row)
        for (long column = k + 1; column < blocks; ++column)
          if (has(row, k) && has(k, column)) has_[index(row, column)] = 1;
  }

  [[nodiscard]] long blocks() const { return tiles_.count(); }
  [[nodiscard]] bool has(long row, long column) const { return has_[index(row, column)] != 0; }
  [[nodiscard]] examples::Tiles& tiles() { return tiles_; }

 private:
  [[nodiscard]] std::size_t index(long row, long column) const {
    return static_cast<std::size_t>(row * tiles_.count() + column);
  }

  examples::Tiles tiles_;
  std::vector<char> has_;
};

using Range = tbb::blocked_range<long>;
using Square = tbb::blocked_range2d<long>;

void fwd(SparseMatrix& matrix, long k) {
  examples::Tiles& tiles = matrix.tiles();
  tbb::parallel_for(Range(k + 1, matrix.blocks()), [&, k](const Range& columns) {
    for (long j = columns.begin(); j < columns.end(); ++j)
      if (matrix.has(k, j)) examples::solve_left(tiles.tile(k, k), tiles.tile(k, j), tiles.tile_size());
  });
}

void bdiv(SparseMatrix& matrix, long k) {
  examples::Tiles& tiles = matrix.tiles();
  tbb::parallel_for(Range(k + 1, matrix.blocks()), [&, k](const Range& rows) {
    for (long i = rows.begin(); i < rows.end(); ++i)
      if (matrix.has(i, k)) examples::solve_right(tiles.tile(k, k), tiles.tile(i, k), tiles.tile_size());
  });
}

void bmod(SparseMatrix& matrix, long k) {
  examples::Tiles& tiles = matrix.tiles();
  const long n = matrix.blocks();
  tbb::parallel_for(Square(k + 1, n, k + 1, n), [&, k](const Square& part) {
    for (long i = part.rows().begin(); i < part.rows().end(); ++i)
      for (long j = part.cols().begin(); j < part.cols().end(); ++j)
        if (matrix.has(i, k) && matrix.has(k, j))
          examples::subtract_product(tiles.tile(i, k), tiles.tile(k, j), tiles.tile(i, j), tiles.tile_size());
  });
}

void factorize(SparseMatrix& matrix) {
  for (long k = 0; k < matrix.blocks(); ++k) {
    examples::factorize_lu(matrix.tiles().tile(k, k), matrix.tiles().tile_size());
    tbb::parallel_invoke([&matrix, k] { fwd(matrix, k); }, [&matrix, k] { bdiv(matrix, k); });
    bmod(matrix, k);
  }
}

// L (U x) against A x, with A made anew.
bool is_factorization(SparseMatrix& factors, long m) {
  const long order = factors.tiles().order();
  const auto size = static_cast<std::size_t>(order);
  std::vector<double> x(size), ax(size), ux(size), lux(size);
  for (long i = 0; i < order; ++i) x[i] = 2 * examples::random_unit(kSeed + 2, static_cast<std::uint64_t>(i)) - 1;
  for (long i = 0; i < order; ++i) {
    for (long j = 0; j < order; ++j)
      if (is_stored(i / m, j / m)) ax[i] += element(i, j, order) * x[j];
    for (long j = i; j < order; ++j) ux[i] += factors.tiles().at(i, j) * x[j];
  }
  for (long i = 0; i < order; ++i) {
    lux[i] = ux[i];
    for (long j = 0; j < i; ++j) lux[i] += factors.tiles().at(i, j) * ux[j];
  }
  return examples::nearly_equal(lux, ax, 1e-12);
}

}  // namespace

int main(int argc, char** argv) {
  long n = 32;
  long m = 80;
  examples::Arguments arguments("tbb_sparselu", "LU factorization of a sparse matrix of n x n blocks");
  arguments.number("-n", "blocks a side", n, 1, 256);
  arguments.number("-m", "numbers a side of a block", m, 1, 1024);
  arguments.parse(argc, argv);
  return arguments.repeat(n, [&](examples::Run& run) {
    SparseMatrix matrix(n, m);
    examples::run_in_arena(run, [&] { factorize(matrix); });
    return is_factorization(matrix, m);
  });
}
