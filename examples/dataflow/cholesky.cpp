// SPDX-License-Identifier: Apache-2.0
// Tiled Cholesky factorization A = L L^T: potrf, trsm, syrk, gemm, ordered by the tiles that they read and write.
#include "dataflow/cholesky_matrix.hpp"
#include "dataflow/tasks.hpp"
#include "dataflow/tile_kernels.hpp"
#include "dataflow/tiles.hpp"

namespace {

void create_tasks(examples::Tiles& matrix) {
  const examples::Kernel potrf("potrf"), trsm("trsm"), syrk("syrk"), gemm("gemm");
  const long count = matrix.count();
  const long b = matrix.tile_size();
  const std::size_t size = matrix.tile_numbers();
  using examples::in, examples::inout, examples::task;
  for (long k = 0; k < count; ++k) {
    double* const diagonal = matrix.tile(k, k);
    task(potrf, {inout(diagonal, size)}, [=] { examples::factorize_cholesky(diagonal, b); });
    for (long i = k + 1; i < count; ++i) {
      double* const panel = matrix.tile(i, k);
      task(trsm, {in(diagonal, size), inout(panel, size)},
           [=] { examples::solve_right_transposed(diagonal, panel, b); });
    }
    for (long i = k + 1; i < count; ++i) {
      const double* const left = matrix.tile(i, k);
      double* const corner = matrix.tile(i, i);
      task(syrk, {in(left, size), inout(corner, size)},
           [=] { examples::subtract_product_transposed(left, left, corner, b); });
      for (long j = k + 1; j < i; ++j) {
        const double* const right = matrix.tile(j, k);
        double* const target = matrix.tile(i, j);
        task(gemm, {in(left, size), in(right, size), inout(target, size)},
             [=] { examples::subtract_product_transposed(left, right, target, b); });
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  long n = 768;
  long b = 64;
  examples::Arguments arguments("dataflow_cholesky", "tiled Cholesky factorization of an n x n matrix");
  arguments.number("-n", "rows of the matrix, a multiple of the tile size", n, 1, 65536);
  arguments.number("-b", "rows of a tile", b, 1, 4096);
  arguments.parse(argc, argv);
  if (n % b != 0) arguments.fail("-n must be a multiple of -b");
  return arguments.repeat(n, [&](examples::Run& run) {
    examples::Tiles matrix(n, b);
    examples::fill_for_cholesky(matrix);
    examples::run_tasks(run, [&] { create_tasks(matrix); });
    return examples::is_cholesky_factor(matrix);
  });
}
