// SPDX-License-Identifier: Apache-2.0
// How long a whole what-if takes: ten kernels, two factors, eight numbers of cores, on the tiled Cholesky graph of
// 2,001,460 tasks, its kernels told apart by the step that they belong to.
//
//   bin/whatif_speed [TILES [THREADS]]       by default 228 tiles, all processors
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "foretask/analysis/simulate.hpp"
#include "tiled_cholesky.hpp"

namespace {

using namespace foretask::analysis;

constexpr std::uint32_t kKernels = 10;

// Four kernels become ten: some of them in the first steps, in the middle, at the end.
TaskGraph graph_of_ten_kernels(std::uint32_t tiles) {
  TaskGraph graph = foretask::benchmarks::TiledCholesky(tiles, 1000).take();
  const std::size_t third = graph.size() / 3 + 1;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const std::uint32_t kernel = graph.kernel[i];
    graph.kernel[i] = kernel == 0 ? 0 : 1 + 3 * (kernel - 1) + static_cast<std::uint32_t>(i / third);
  }
  graph.kernel_names.clear();
  for (std::uint32_t i = 0; i < kKernels; ++i) graph.kernel_names.push_back("kernel" + std::to_string(i));
  return graph;
}

}  // namespace

int main(int argc, char** argv) {
  const auto tiles = static_cast<std::uint32_t>(argc > 1 ? std::atoi(argv[1]) : 228);
  const TaskGraph graph = graph_of_ten_kernels(tiles);
  ReplayGrid grid;
  grid.cores = {1, 2, 4, 8, 16, 32, 64, 128};
  grid.threads = static_cast<std::uint32_t>(argc > 2 ? std::atoi(argv[2]) : 0);
  for (std::uint32_t kernel = 0; kernel < kKernels; ++kernel)
    for (const double factor : {2.0, 100.0}) grid.scenarios.push_back({.speedups = {{kernel, factor}}, .removed = {}});
  const auto begin = std::chrono::steady_clock::now();
  const auto table = simulate(graph, SimulationOptions{}, grid);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!table) {
    std::fprintf(stderr, "whatif_speed: %s\n", table.error().message().c_str());
    return 1;
  }
  const double replays = static_cast<double>(grid.scenarios.size() * grid.cores.size());
  std::printf("%zu tasks, %zu edges: %u kernels x 2 factors x 8 numbers of cores in %.1f s\n", graph.size(),
              graph.edge_count(), kKernels, seconds);
  std::printf("%.0f replays, %.1f M tasks/s\n", replays, replays * static_cast<double>(graph.size()) / seconds * 1e-6);
  return 0;
}
