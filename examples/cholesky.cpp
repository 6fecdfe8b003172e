// SPDX-License-Identifier: Apache-2.0
// Cholesky factorization A = L L^T of a tiled matrix: one task a tile operation, ordered by depend clauses alone.
#include <algorithm>
#include <cmath>

#include "common.hpp"

namespace {

constexpr std::uint64_t kSeed = 23;

// The lower triangle of a symmetric matrix in tiles of b x b numbers; each tile is column by column.
class TiledMatrix {
 public:
  TiledMatrix(long n, long b)
      : tiles_(n / b), b_(b), numbers_(static_cast<std::size_t>(tiles_ * (tiles_ + 1) / 2 * b * b)) {}

  [[nodiscard]] long tiles() const { return tiles_; }
  [[nodiscard]] long tile_size() const { return b_; }
  [[nodiscard]] long order() const { return tiles_ * b_; }
  [[nodiscard]] double* tile(long row, long column) {
    return numbers_.data() + (row * (row + 1) / 2 + column) * b_ * b_;
  }
  [[nodiscard]] double& at(long i, long j) { return tile(i / b_, j / b_)[j % b_ * b_ + i % b_]; }

 private:
  long tiles_;
  long b_;
  std::vector<double> numbers_;
};

// Symmetric, with a diagonal that makes it positive definite.
double element(long i, long j, long order) {
  const auto place = static_cast<std::uint64_t>(std::max(i, j) * order + std::min(i, j));
  return 2 * examples::random_unit(kSeed, place) - 1 + (i == j ? static_cast<double>(order) : 0);
}

void fill(TiledMatrix& matrix) {
  for (long i = 0; i < matrix.order(); ++i)
    for (long j = 0; j <= i; ++j) matrix.at(i, j) = element(i, j, matrix.order());
}

// target[from, b) -= sum over k of column k of `left` times row j of `right`. Four columns at a time: the target is
// loaded and stored once for all four.
inline void subtract_column(const double* __restrict left, const double* __restrict right, double* __restrict target,
                            long j, long from, long b) {
  long k = 0;
  for (; k + 4 <= b; k += 4) {
    const double r0 = right[k * b + j];
    const double r1 = right[(k + 1) * b + j];
    const double r2 = right[(k + 2) * b + j];
    const double r3 = right[(k + 3) * b + j];
    const double* column = left + k * b;
    for (long i = from; i < b; ++i)
      target[i] -= r0 * column[i] + r1 * column[b + i] + r2 * column[2 * b + i] + r3 * column[3 * b + i];
  }
  for (; k < b; ++k)
    for (long i = from; i < b; ++i) target[i] -= right[k * b + j] * left[k * b + i];
}

// Factors a diagonal tile.
[[gnu::noinline]] void potrf(double* tile, long b) {
  for (long k = 0; k < b; ++k) {
    double* column = tile + k * b;
    const double pivot = std::sqrt(column[k]);
    for (long i = k; i < b; ++i) column[i] /= pivot;
    for (long j = k + 1; j < b; ++j) {
      const double factor = column[j];
      double* later = tile + j * b;
      for (long i = j; i < b; ++i) later[i] -= factor * column[i];
    }
  }
}

// A tile below the diagonal: solves X L^T = tile, L being the factor of the diagonal tile.
[[gnu::noinline]] void trsm(const double* __restrict diagonal, double* __restrict tile, long b) {
  for (long k = 0; k < b; ++k) {
    double* column = tile + k * b;
    const double inverse = 1 / diagonal[k * b + k];
    for (long i = 0; i < b; ++i) column[i] *= inverse;
    for (long j = k + 1; j < b; ++j) {
      const double factor = diagonal[k * b + j];
      double* later = tile + j * b;
      for (long i = 0; i < b; ++i) later[i] -= factor * column[i];
    }
  }
}

// The lower triangle of a diagonal tile, less panel * panel^T.
[[gnu::noinline]] void syrk(const double* panel, double* diagonal, long b) {
  for (long j = 0; j < b; ++j) subtract_column(panel, panel, diagonal + j * b, j, j, b);
}

// Any other tile, less left * right^T.
[[gnu::noinline]] void gemm(const double* left, const double* right, double* tile, long b) {
  for (long j = 0; j < b; ++j) subtract_column(left, right, tile + j * b, j, 0, b);
}

// The first number of a tile stands for the whole tile in the depend clauses.
[[gnu::noinline]] void factorize(TiledMatrix& matrix) {
  const long tiles = matrix.tiles();
  const long b = matrix.tile_size();
  for (long k = 0; k < tiles; ++k) {
    double* diagonal = matrix.tile(k, k);
#pragma omp task depend(inout : diagonal[0])
    potrf(diagonal, b);
    for (long row = k + 1; row < tiles; ++row) {
      double* panel = matrix.tile(row, k);
#pragma omp task depend(in : diagonal[0]) depend(inout : panel[0])
      trsm(diagonal, panel, b);
    }
    for (long row = k + 1; row < tiles; ++row) {
      const double* left = matrix.tile(row, k);
      double* target = matrix.tile(row, row);
#pragma omp task depend(in : left[0]) depend(inout : target[0])
      syrk(left, target, b);
      for (long column = k + 1; column < row; ++column) {
        const double* right = matrix.tile(column, k);
        double* tile = matrix.tile(row, column);
#pragma omp task depend(in : left[0], right[0]) depend(inout : tile[0])
        gemm(left, right, tile, b);
      }
    }
  }
#pragma omp taskwait
}

void factorize_parallel(TiledMatrix& matrix, examples::Run& run) {
#pragma omp parallel num_threads(run.threads)
  {
#pragma omp barrier
#pragma omp single nowait
    {
      run.start();
      factorize(matrix);
    }
  }
  run.stop();
}

// L (L^T x) against A x for a random x, with A made anew.
bool is_factor(TiledMatrix& factor) {
  const long order = factor.order();
  const auto size = static_cast<std::size_t>(order);
  std::vector<double> x(size), ax(size), ltx(size), lltx(size);
  for (long i = 0; i < order; ++i) x[i] = 2 * examples::random_unit(kSeed + 1, static_cast<std::uint64_t>(i)) - 1;
  for (long i = 0; i < order; ++i)
    for (long j = 0; j <= i; ++j) {
      const double value = element(i, j, order);
      ax[i] += value * x[j];
      if (j < i) ax[j] += value * x[i];
      ltx[j] += factor.at(i, j) * x[i];
    }
  for (long i = 0; i < order; ++i)
    for (long j = 0; j <= i; ++j) lltx[i] += factor.at(i, j) * ltx[j];
  return examples::nearly_equal(lltx, ax, 1e-12);
}

}  // namespace

int main(int argc, char** argv) {
  long n = 2560;
  long b = 128;
  examples::Arguments arguments("cholesky", "tiled Cholesky factorization of an n x n matrix");
  arguments.number("-n", "rows of the matrix, a multiple of the tile size", n, 1, 65536);
  arguments.number("-b", "rows of a tile", b, 1, 4096);
  arguments.parse(argc, argv);
  if (n % b != 0) arguments.fail("-n must be a multiple of -b");
  return arguments.repeat(n, [&](examples::Run& run) {
    TiledMatrix matrix(n, b);
    fill(matrix);
    factorize_parallel(matrix, run);
    return is_factor(matrix);
  });
}
