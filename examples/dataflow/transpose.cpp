// SPDX-License-Identifier: Apache-2.0
// Transposition of a tiled matrix in its place: transpose turns a tile on the diagonal, transpose_exchange two that
// change places.
#include <utility>

#include "dataflow/tasks.hpp"
#include "dataflow/tiles.hpp"

namespace {

double element(long i, long j, long order) { return static_cast<double>(i * order + j); }

void transpose_tile(double* tile, long b) {
  for (long j = 0; j < b; ++j)
    for (long i = 0; i < j; ++i) std::swap(tile[j * b + i], tile[i * b + j]);
}

void exchange_tiles(double* one, double* other, long b) {
  for (long j = 0; j < b; ++j)
    for (long i = 0; i < b; ++i) std::swap(one[j * b + i], other[i * b + j]);
}

void create_tasks(examples::Tiles& matrix, long passes) {
  const examples::Kernel transpose("transpose"), transpose_exchange("transpose_exchange");
  const long b = matrix.tile_size();
  const std::size_t size = matrix.tile_numbers();
  using examples::inout, examples::task;
  for (long pass = 0; pass < passes; ++pass)
    for (long i = 0; i < matrix.count(); ++i) {
      double* const diagonal = matrix.tile(i, i);
      task(transpose, {inout(diagonal, size)}, [=] { transpose_tile(diagonal, b); });
      for (long j = 0; j < i; ++j) {
        double* const lower = matrix.tile(i, j);
        double* const upper = matrix.tile(j, i);
        task(transpose_exchange, {inout(lower, size), inout(upper, size)}, [=] { exchange_tiles(lower, upper, b); });
      }
    }
}

bool is_transposed(examples::Tiles& matrix, bool transposed) {
  const long order = matrix.order();
  for (long i = 0; i < order; ++i)
    for (long j = 0; j < order; ++j)
      if (matrix.at(i, j) != (transposed ? element(j, i, order) : element(i, j, order))) return false;
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  long n = 2048;
  long b = 128;
  long passes = 3;
  examples::Arguments arguments("dataflow_transpose", "transposition of an n x n matrix in tiles, some times over");
  arguments.number("-n", "rows of the matrix, a multiple of the tile size", n, 1, 65536);
  arguments.number("-b", "rows of a tile", b, 1, 4096);
  arguments.number("-p", "transpositions, one after the other", passes, 1, 1000);
  arguments.parse(argc, argv);
  if (n % b != 0) arguments.fail("-n must be a multiple of -b");
  return arguments.repeat(n, [&](examples::Run& run) {
    examples::Tiles matrix(n, b);
    for (long i = 0; i < n; ++i)
      for (long j = 0; j < n; ++j) matrix.at(i, j) = element(i, j, n);
    examples::run_tasks(run, [&] { create_tasks(matrix, passes); });
    return is_transposed(matrix, passes % 2 == 1);
  });
}
