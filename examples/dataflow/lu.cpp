// SPDX-License-Identifier: Apache-2.0
// Tiled LU factorization without pivoting: lu0, fwd, bdiv, bmod, ordered by the tiles that they read and write.
#include "dataflow/tasks.hpp"
#include "dataflow/tile_kernels.hpp"
#include "dataflow/tiles.hpp"

namespace {

constexpr std::uint64_t kSeed = 26;

// A diagonal so large that no pivoting is needed.
double element(long i, long j, long order) {
  const auto place = static_cast<std::uint64_t>(i * order + j);
  return 2 * examples::random_unit(kSeed, place) - 1 + (i == j ? static_cast<double>(order) : 0);
}

void create_tasks(examples::Tiles& matrix) {
  const examples::Kernel lu0("lu0"), fwd("fwd"), bdiv("bdiv"), bmod("bmod");
  const long count = matrix.count();
  const long b = matrix.tile_size();
  const std::size_t size = matrix.tile_numbers();
  using examples::in, examples::inout, examples::task;
  for (long k = 0; k < count; ++k) {
    double* const diagonal = matrix.tile(k, k);
    task(lu0, {inout(diagonal, size)}, [=] { examples::factorize_lu(diagonal, b); });
    for (long j = k + 1; j < count; ++j) {
      double* const row = matrix.tile(k, j);
      task(fwd, {in(diagonal, size), inout(row, size)}, [=] { examples::solve_left(diagonal, row, b); });
    }
    for (long i = k + 1; i < count; ++i) {
      double* const column = matrix.tile(i, k);
      task(bdiv, {in(diagonal, size), inout(column, size)}, [=] { examples::solve_right(diagonal, column, b); });
    }
    for (long i = k + 1; i < count; ++i)
      for (long j = k + 1; j < count; ++j) {
        const double* const column = matrix.tile(i, k);
        const double* const row = matrix.tile(k, j);
        double* const target = matrix.tile(i, j);
        task(bmod, {in(column, size), in(row, size), inout(target, size)},
             [=] { examples::subtract_product(column, row, target, b); });
      }
  }
}

// L (U x) against A x for a random x, with A made anew.
bool is_factor(examples::Tiles& factors) {
  const long order = factors.order();
  const auto size = static_cast<std::size_t>(order);
  std::vector<double> x(size), ax(size), ux(size), lux(size);
  for (long i = 0; i < order; ++i) x[i] = 2 * examples::random_unit(kSeed + 1, static_cast<std::uint64_t>(i)) - 1;
  for (long i = 0; i < order; ++i)
    for (long j = 0; j < order; ++j) {
      ax[i] += element(i, j, order) * x[j];
      if (j >= i) ux[i] += factors.at(i, j) * x[j];
    }
  for (long i = 0; i < order; ++i) {
    lux[i] = ux[i];
    for (long j = 0; j < i; ++j) lux[i] += factors.at(i, j) * ux[j];
  }
  return examples::nearly_equal(lux, ax, 1e-12);
}

}  // namespace

int main(int argc, char** argv) {
  long n = 768;
  long b = 64;
  examples::Arguments arguments("dataflow_lu", "tiled LU factorization of an n x n matrix");
  arguments.number("-n", "rows of the matrix, a multiple of the tile size", n, 1, 65536);
  arguments.number("-b", "rows of a tile", b, 1, 4096);
  arguments.parse(argc, argv);
  if (n % b != 0) arguments.fail("-n must be a multiple of -b");
  return arguments.repeat(n, [&](examples::Run& run) {
    examples::Tiles matrix(n, b);
    for (long i = 0; i < n; ++i)
      for (long j = 0; j < n; ++j) matrix.at(i, j) = element(i, j, n);
    examples::run_tasks(run, [&] { create_tasks(matrix); });
    return is_factor(matrix);
  });
}
