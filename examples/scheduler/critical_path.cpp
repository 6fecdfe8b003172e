// SPDX-License-Identifier: Apache-2.0
// A task graph: the critical path goes first. A step is as urgent as its upward rank (or bottom level), the longest
// path from its start to the end of the graph (Topcuoglu, Hariri and Wu 2002).
//
//   bin/scheduler_critical_path [WORKERS [GRAPH]]
//
// WORKERS: default 2; with more than the machine has processors, steps sleep. GRAPH: random (the default), task_bench,
// sparse_lu or bots.
#include <algorithm>

#include "comparison.hpp"
#include "graphs.hpp"
#include "pool.hpp"

namespace {

using examples::Graph;
using examples::Order;
using examples::Step;

// Asks for means, because a rank is a sum of times. The result is how many are known.
std::size_t predict(Graph& graph) {
  std::size_t known = 0;
  for (Step& step : graph) {
    const double mean_ns = examples::smooth.mean(step.job.rows, step.job.columns);
    if (std::isnan(mean_ns)) continue;
    step.job.predicted_ns = mean_ns;
    ++known;
  }
  return known;
}

// rank = time + largest rank of the next steps: the last steps first.
void rank(Graph& graph, Order order) {
  for (auto step = graph.rbegin(); step != graph.rend(); ++step) {
    step->rank_ns = 0;
    for (const Step* next : step->next) step->rank_ns = std::max(step->rank_ns, next->rank_ns);
    step->rank_ns += step->job.time_ns(order);
  }
}

void submit(examples::Pool& pool, Step& step) {
  pool.submit(step.rank_ns, [&pool, &step] {
    step.job.run();
    for (Step* next : step.next)
      if (--next->open == 0) submit(pool, *next);
  });
}

double run(examples::Pool& pool, Graph& graph, Order order) {
  rank(graph, order);
  for (Step& step : graph) step.open = step.before;
  for (Step& step : graph)
    if (step.before == 0) submit(pool, step);
  pool.wait();
  double checksum = 0;
  for (Step& step : graph) checksum += std::exchange(step.job.result, 0);
  return checksum;
}

}  // namespace

int main(int argc, char** argv) {
  const int workers = examples::workers_of(argc, argv);
  foretask_learning_start();
  examples::Pool pool(workers);
  examples::Comparison comparison;
  for (unsigned round = 1; round <= examples::kRounds; ++round) {
    Graph graph = examples::graph_of(argc > 2 ? argv[2] : "", workers, round);
    std::printf("round %u: %zu of %zu steps predicted\n", round, predict(graph), graph.size());
    comparison.add_round([&](Order order) { return run(pool, graph, order); });
  }
  return comparison.print();
}
