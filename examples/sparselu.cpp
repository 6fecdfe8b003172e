// SPDX-License-Identifier: Apache-2.0
// LU factorization without pivoting of a sparse matrix of dense blocks. Each step factors the diagonal block, then the
// row and the column behind it, then updates what is left; the tasks of a phase are waited for before the next.
#include <algorithm>
#include <cmath>
#include <memory>

#include "sleep.hpp"

namespace {

examples::SleepingBodies sleeping;

constexpr std::uint64_t kSeed = 11;

// n x n blocks of m x m numbers, row by row; a block without numbers is zero.
class BlockMatrix {
 public:
  BlockMatrix(long n, long m) : n_(n), m_(m), blocks_(static_cast<std::size_t>(n * n)) {}

  [[nodiscard]] long blocks() const { return n_; }
  [[nodiscard]] long block_size() const { return m_; }
  [[nodiscard]] double* at(long row, long column) const { return blocks_[index(row, column)].get(); }
  void allocate(long row, long column) {
    blocks_[index(row, column)] = std::make_unique<double[]>(static_cast<std::size_t>(m_ * m_));
  }

 private:
  [[nodiscard]] std::size_t index(long row, long column) const { return static_cast<std::size_t>(row * n_ + column); }

  long n_;
  long m_;
  std::vector<std::unique_ptr<double[]>> blocks_;
};

// Three diagonals, and one block in eight elsewhere.
bool is_stored(long row, long column) {
  return std::abs(row - column) <= 1 || examples::random_unit(kSeed, static_cast<std::uint64_t>(row) << 32 |
                                                                         static_cast<std::uint64_t>(column)) < 0.125;
}

// The diagonal dominates its row and its column, so that no pivot is needed.
double element(long row, long column, long order) {
  const auto place = static_cast<std::uint64_t>(row * order + column);
  return 2 * examples::random_unit(kSeed + 1, place) - 1 + (row == column ? static_cast<double>(order) : 0);
}

void fill(BlockMatrix& matrix) {
  const long n = matrix.blocks();
  const long m = matrix.block_size();
  for (long row = 0; row < n; ++row)
    for (long column = 0; column < n; ++column) {
      if (!is_stored(row, column)) continue;
      matrix.allocate(row, column);
      double* block = matrix.at(row, column);
      for (long i = 0; i < m; ++i)
        for (long j = 0; j < m; ++j) block[i * m + j] = element(row * m + i, column * m + j, n * m);
    }
}

// The blocks that the factorization will fill in, allocated beforehand.
void allocate_fill_in(BlockMatrix& matrix) {
  const long n = matrix.blocks();
  for (long k = 0; k < n; ++k)
    for (long row = k + 1; row < n; ++row)
      for (long column = k + 1; column < n; ++column)
        if (matrix.at(row, k) && matrix.at(k, column) && !matrix.at(row, column)) matrix.allocate(row, column);
}

// A sleeping kernel counts its multiplications with a subtraction.
// Factors the diagonal block: L below the diagonal, of which the ones are not stored, and U.
[[gnu::noinline]] void lu0(double* diagonal, long m) {
  if (sleeping.on()) return sleeping.sleep(static_cast<double>((m - 1) * m * (2 * m - 1) / 6));
  for (long k = 0; k < m; ++k)
    for (long i = k + 1; i < m; ++i) {
      const double factor = diagonal[i * m + k] /= diagonal[k * m + k];
      for (long j = k + 1; j < m; ++j) diagonal[i * m + j] -= factor * diagonal[k * m + j];
    }
}

// A block of U: solves L X = block.
[[gnu::noinline]] void fwd(const double* __restrict diagonal, double* __restrict block, long m) {
  if (sleeping.on()) return sleeping.sleep(static_cast<double>(m * m * (m - 1) / 2));
  for (long k = 0; k < m; ++k)
    for (long i = k + 1; i < m; ++i) {
      const double factor = diagonal[i * m + k];
      for (long j = 0; j < m; ++j) block[i * m + j] -= factor * block[k * m + j];
    }
}

// A block of L: solves X U = block.
[[gnu::noinline]] void bdiv(const double* __restrict diagonal, double* __restrict block, long m) {
  if (sleeping.on()) return sleeping.sleep(static_cast<double>(m * m * (m - 1) / 2));
  for (long i = 0; i < m; ++i)
    for (long k = 0; k < m; ++k) {
      const double factor = block[i * m + k] /= diagonal[k * m + k];
      for (long j = k + 1; j < m; ++j) block[i * m + j] -= factor * diagonal[k * m + j];
    }
}

// Subtracts left * right from a block.
[[gnu::noinline]] void bmod(const double* __restrict left, const double* __restrict right, double* __restrict block,
                            long m) {
  if (sleeping.on()) return sleeping.sleep(static_cast<double>(m * m * m));
  for (long i = 0; i < m; ++i)
    for (long k = 0; k < m; ++k) {
      const double factor = left[i * m + k];
      for (long j = 0; j < m; ++j) block[i * m + j] -= factor * right[k * m + j];
    }
}

[[gnu::noinline]] void factorize(const BlockMatrix& matrix) {
  const long n = matrix.blocks();
  const long m = matrix.block_size();
  for (long k = 0; k < n; ++k) {
    double* diagonal = matrix.at(k, k);
#pragma omp task
    lu0(diagonal, m);
#pragma omp taskwait
    for (long i = k + 1; i < n; ++i) {
      if (double* block = matrix.at(k, i)) {
#pragma omp task
        fwd(diagonal, block, m);
      }
      if (double* block = matrix.at(i, k)) {
#pragma omp task
        bdiv(diagonal, block, m);
      }
    }
#pragma omp taskwait
    for (long row = k + 1; row < n; ++row)
      for (long column = k + 1; column < n; ++column) {
        const double* left = matrix.at(row, k);
        const double* right = matrix.at(k, column);
        if (left == nullptr || right == nullptr) continue;
        double* block = matrix.at(row, column);
#pragma omp task
        bmod(left, right, block, m);
      }
#pragma omp taskwait
  }
}

void factorize_parallel(const BlockMatrix& matrix, examples::Run& run) {
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

// L (U x) against A x, with A made anew.
bool is_factorization(const BlockMatrix& factors) {
  const long m = factors.block_size();
  const long order = factors.blocks() * m;
  const auto size = static_cast<std::size_t>(order);
  std::vector<double> x(size), ax(size), ux(size), lux(size);
  for (long i = 0; i < order; ++i) x[i] = 2 * examples::random_unit(kSeed + 2, static_cast<std::uint64_t>(i)) - 1;
  const auto factor = [&](long i, long j) {
    const double* block = factors.at(i / m, j / m);
    return block == nullptr ? 0 : block[i % m * m + j % m];
  };
  for (long i = 0; i < order; ++i) {
    for (long j = 0; j < order; ++j)
      if (is_stored(i / m, j / m)) ax[i] += element(i, j, order) * x[j];
    for (long j = i; j < order; ++j) ux[i] += factor(i, j) * x[j];
  }
  for (long i = 0; i < order; ++i) {
    lux[i] = ux[i];
    for (long j = 0; j < i; ++j) lux[i] += factor(i, j) * ux[j];
  }
  return examples::nearly_equal(lux, ax, 1e-12);
}

}  // namespace

int main(int argc, char** argv) {
  long n = 32;
  long m = 80;
  examples::Arguments arguments("sparselu", "LU factorization of a sparse matrix of n x n blocks");
  arguments.number("-n", "blocks a side", n, 1, 1024);
  arguments.number("-m", "numbers a side of a block", m, 1, 1024);
  sleeping.add_options(arguments);
  arguments.parse(argc, argv);
  sleeping.prepare();
  return arguments.repeat(n, [&](examples::Run& run) {
    BlockMatrix matrix(n, m);
    fill(matrix);
    allocate_fill_in(matrix);
    factorize_parallel(matrix, run);
    return sleeping.on() ? sleeping.fit_into(run) : is_factorization(matrix);
  });
}
