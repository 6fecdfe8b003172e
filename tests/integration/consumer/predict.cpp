// SPDX-License-Identifier: Apache-2.0
// Two tasks after one: 5 ms on one core, 4 ms on two.
#include <cstdio>

#include "foretask/analysis/simulate.hpp"

int main(int argc, char** argv) {
  using namespace foretask::analysis;
  if (argc != 2) return 2;
  const auto graph = read_task_graph(argv[1]);
  if (!graph) {
    std::fprintf(stderr, "%s\n", graph.error().message().c_str());
    return 1;
  }
  for (const std::uint32_t cores : {1U, 2U}) {
    SimulationOptions options;
    options.cores = cores;
    const auto result = simulate(*graph, options);
    if (!result) return 1;
    std::printf("%u cores %lld ns\n", cores, static_cast<long long>(result->makespan_ns));
  }
  return 0;
}
