// SPDX-License-Identifier: Apache-2.0
// How long sampled makespans take: 500 replays of a graph of 100,000 tasks whose times are drawn, a policy at a time.
//
//   bin/makespan_speed [SAMPLES [TILES [CORES [THREADS]]]]     by default 500 of 84 tiles (102,340 tasks) on 64 cores,
//   all processors
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "foretask/analysis/makespan.hpp"
#include "tiled_cholesky.hpp"

int main(int argc, char** argv) {
  using namespace foretask::analysis;
  const auto number = [&](int place, int otherwise) {
    return static_cast<std::uint32_t>(argc > place ? std::atoi(argv[place]) : otherwise);
  };
  const TaskGraph graph = foretask::benchmarks::TiledCholesky(number(2, 84), 1'000'000).take();
  SimulationOptions options;
  ReplayGrid grid;
  grid.replays = number(1, 500);
  grid.cores = {number(3, 64)};
  grid.threads = number(4, 0);
  std::printf("%zu tasks, %zu edges, %u samples on %u cores; asked for: 500 of 100,000 tasks in 10 s\n", graph.size(),
              graph.edge_count(), grid.replays, grid.cores.front());
  for (const Policy policy : {Policy::kCriticalPath, Policy::kWorkStealing, Policy::kFifo, Policy::kReadyFifo}) {
    options.policy = policy;
    const auto begin = std::chrono::steady_clock::now();
    const auto sampled = sample_makespans(graph, options, grid);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!sampled) {
      std::fprintf(stderr, "makespan_speed: %s\n", sampled.error().message().c_str());
      return 1;
    }
    const MakespanSample& point = sampled->points.front().front();
    std::printf("%-14s %6.2f s  %5.1f M tasks/s  makespan %.6g ns, sd %.3g ns\n",
                std::string(policy_name(policy)).c_str(), seconds,
                static_cast<double>(graph.size()) * grid.replays / seconds * 1e-6, point.quantiles_ns[4], point.sd_ns);
  }
  return 0;
}
