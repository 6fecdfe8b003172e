// SPDX-License-Identifier: Apache-2.0
// A task graph: the critical path goes first. A step is as urgent as its upward rank (or bottom level), the longest
// path from its start to the end of the graph (Topcuoglu, Hariri and Wu 2002).
//
//   bin/scheduler_critical_path [WORKERS]    default 2; with more than the machine has processors, steps sleep
#include <algorithm>
#include <atomic>
#include <deque>

#include "comparison.hpp"
#include "job.hpp"
#include "pool.hpp"

namespace {

using examples::Job;
using examples::Order;

struct Step {
  Job job;
  std::vector<Step*> next;
  int before = 0;
  std::atomic<int> open = 0;
  double rank_ns = 0;
};

// Each step before those that wait for it.
using Graph = std::deque<Step>;

// The results of each step go to two later ones.
Graph draw_graph(int steps, unsigned seed) {
  std::mt19937 random(seed);
  Graph graph(static_cast<std::size_t>(steps));
  for (std::size_t i = 0; i < graph.size(); ++i) {
    graph[i].job = Job::draw(random);
    for (int edge = 0; edge < 2 && i + 1 < graph.size(); ++edge) {
      Step& next = graph[i + 1 + random() % (graph.size() - i - 1)];
      graph[i].next.push_back(&next);
      ++next.before;
    }
  }
  return graph;
}

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
    Graph graph = draw_graph(20 * workers, round);
    std::printf("round %u: %zu of %zu steps predicted\n", round, predict(graph), graph.size());
    comparison.add_round([&](Order order) { return run(pool, graph, order); });
  }
  return comparison.print();
}
