// SPDX-License-Identifier: Apache-2.0
// Tiled Cholesky factorization A = L L^T as oneTBB's flow graph: a node for each update of a tile, an edge from each
// node to those that read or update its tile next.
#include <oneapi/tbb/flow_graph.h>

#include <memory>

#include "dataflow/cholesky_matrix.hpp"
#include "dataflow/tile_kernels.hpp"
#include "tbb/arena.hpp"

namespace {

class Factorization {
 public:
  explicit Factorization(examples::Tiles& matrix)
      : matrix_(matrix), last_(static_cast<std::size_t>(matrix.count() * matrix.count()), &start_) {
    const long count = matrix.count();
    for (long k = 0; k < count; ++k) {
      potrf(k);
      for (long i = k + 1; i < count; ++i) trsm(i, k);
      for (long i = k + 1; i < count; ++i) {
        syrk(i, k);
        for (long j = k + 1; j < i; ++j) gemm(i, j, k);
      }
    }
  }

  void run() {
    start_.try_put(Signal());
    graph_.wait_for_all();
  }

 private:
  using Signal = tbb::flow::continue_msg;
  using Node = tbb::flow::continue_node<Signal>;

  // Each kernel's body is a lambda of its own: it names the kernel.
  void potrf(long k) {
    double* const diagonal = matrix_.tile(k, k);
    add(k, k, [diagonal, b = b_](Signal) { examples::factorize_cholesky(diagonal, b); });
  }
  void trsm(long i, long k) {
    const double* const diagonal = matrix_.tile(k, k);
    double* const panel = matrix_.tile(i, k);
    Node& node = add(i, k, [=, b = b_](Signal) { examples::solve_right_transposed(diagonal, panel, b); });
    reads(node, k, k);
  }
  void syrk(long i, long k) {
    const double* const left = matrix_.tile(i, k);
    double* const corner = matrix_.tile(i, i);
    Node& node = add(i, i, [=, b = b_](Signal) { examples::subtract_product_transposed(left, left, corner, b); });
    reads(node, i, k);
  }
  void gemm(long i, long j, long k) {
    const double* const left = matrix_.tile(i, k);
    const double* const right = matrix_.tile(j, k);
    double* const target = matrix_.tile(i, j);
    Node& node = add(i, j, [=, b = b_](Signal) { examples::subtract_product_transposed(left, right, target, b); });
    reads(node, i, k);
    reads(node, j, k);
  }

  // After the last update of the tile.
  template <typename Body>
  Node& add(long row, long column, Body body) {
    nodes_.push_back(std::make_unique<Node>(graph_, body));
    tbb::flow::make_edge(*last(row, column), *nodes_.back());
    last(row, column) = nodes_.back().get();
    return *nodes_.back();
  }
  // Nobody updates a tile once it has been read.
  void reads(Node& node, long row, long column) { tbb::flow::make_edge(*last(row, column), node); }
  tbb::flow::sender<Signal>*& last(long row, long column) {
    return last_[static_cast<std::size_t>(row * matrix_.count() + column)];
  }

  examples::Tiles& matrix_;
  const long b_ = matrix_.tile_size();
  tbb::flow::graph graph_;
  tbb::flow::broadcast_node<Signal> start_{graph_};
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<tbb::flow::sender<Signal>*> last_;  // of each tile: who updated it last
};

}  // namespace

int main(int argc, char** argv) {
  long n = 2560;
  long b = 128;
  examples::Arguments arguments("tbb_cholesky", "tiled Cholesky factorization of an n x n matrix");
  arguments.number("-n", "rows of the matrix, a multiple of the tile size", n, 1, 65536);
  arguments.number("-b", "rows of a tile", b, 1, 4096);
  arguments.parse(argc, argv);
  if (n % b != 0) arguments.fail("-n must be a multiple of -b");
  return arguments.repeat(n, [&](examples::Run& run) {
    examples::Tiles matrix(n, b);
    examples::fill_for_cholesky(matrix);
    examples::run_in_arena(run, [&] { Factorization(matrix).run(); });
    return examples::is_cholesky_factor(matrix);
  });
}
