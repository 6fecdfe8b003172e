// SPDX-License-Identifier: Apache-2.0
// What draws of task times keep of the times that they are drawn from.
#include "simulate/duration_draws.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "recording_of.hpp"

using namespace foretask;
using analysis::TaskGraph;
using simulate::DurationDraws;

namespace {

using Times = std::vector<std::int64_t>;

// Tasks of one kernel, none after another.
TaskGraph tasks_of(const Times& times) {
  TaskGraph graph;
  graph.duration_ns = times;
  graph.kernel.assign(times.size(), 0);
  graph.kernel_names = {"task"};
  graph.first_successor.assign(times.size() + 1, 0);
  return graph;
}

// The quantiles of an exponential distribution with a mean of 1 ms, in no order.
Times exponential_times(std::size_t count) {
  Times times(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t rank = i * 7919 % count;
    const double p = (static_cast<double>(rank) + 0.5) / static_cast<double>(count);
    times[i] = std::llround(-1e6 * std::log1p(-p));
  }
  return times;
}

Times drawn(const DurationDraws& draws, std::size_t nodes, std::uint32_t sample, std::uint64_t seed = 1) {
  Times times(nodes);
  draws.draw(seed, sample, times);
  return times;
}

}  // namespace

TEST_CASE("the same seed and sample draw the same times, others draw others") {
  const TaskGraph graph = tasks_of(exponential_times(500));
  const DurationDraws draws(graph);
  const Times times = drawn(draws, 500, 3);
  CHECK(drawn(DurationDraws(graph), 500, 3) == times);
  CHECK(drawn(draws, 500, 4) != times);
  CHECK(drawn(draws, 500, 3, 2) != times);
}

TEST_CASE("drawn times have the distribution of the recorded ones") {
  constexpr std::size_t kTasks = 500;  // prime to 7919
  constexpr std::uint32_t kSamples = 200;
  const Times recorded = exponential_times(kTasks);
  const TaskGraph graph = tasks_of(recorded);
  const DurationDraws draws(graph);
  Times pooled;
  for (std::uint32_t sample = 0; sample < kSamples; ++sample) {
    const Times times = drawn(draws, kTasks, sample);
    pooled.insert(pooled.end(), times.begin(), times.end());
  }
  std::sort(pooled.begin(), pooled.end());
  Times sorted = recorded;
  std::sort(sorted.begin(), sorted.end());
  double farthest = 0;  // between the two distribution functions: Kolmogorov and Smirnov
  for (std::size_t i = 0; i < kTasks; ++i) {
    const auto below = std::upper_bound(pooled.begin(), pooled.end(), sorted[i]) - pooled.begin();
    const double drawn_below = static_cast<double>(below) / static_cast<double>(pooled.size());
    farthest = std::max(farthest, std::abs(drawn_below - static_cast<double>(i + 1) / kTasks));
  }
  // Of 100,000 independent draws one in a thousand is farther than 1.95 / sqrt(100,000); a sample's share a population,
  // which makes the variance twice that.
  CHECK(farthest < 1.95 * std::sqrt(2.0 / 100'000));
}

TEST_CASE("a sample's sum is as far from the recorded one as two runs are from each other") {
  // n tasks of variance v, from a population itself drawn: two of them are the same member once in n. Variance of the
  // sum: n v + n (n - 1) v / n = (2 n - 1) v.
  constexpr std::size_t kTasks = 100;
  constexpr std::uint32_t kSamples = 5000;
  const Times recorded = exponential_times(kTasks);
  const TaskGraph graph = tasks_of(recorded);
  const DurationDraws draws(graph);
  double mean = 0;
  for (const std::int64_t time : recorded) mean += static_cast<double>(time) / kTasks;
  double variance = 0;
  for (const std::int64_t time : recorded) variance += std::pow(static_cast<double>(time) - mean, 2) / kTasks;
  double sum = 0;
  double squares = 0;
  for (std::uint32_t sample = 0; sample < kSamples; ++sample) {
    double total = 0;
    for (const std::int64_t time : drawn(draws, kTasks, sample)) total += static_cast<double>(time) - mean;
    sum += total;
    squares += total * total;
  }
  const double expected = (2 * kTasks - 1) * variance;
  CHECK(squares / kSamples == Approx(expected).epsilon(0.08));  // four standard errors: 4 sqrt(2 / 5000)
  CHECK(std::abs(sum / kSamples) < 4 * std::sqrt(expected / kSamples));
}

TEST_CASE("times are drawn from the task's own kernel and parameters") {
  TaskGraph graph = tasks_of({10, 11, 100, 101, 1000, 1001});
  graph.kernel = {0, 0, 1, 1, 1, 1};
  graph.kernel_names = {"a", "b"};
  graph.parameter_names = {"size"};
  graph.parameters = {{2, 0, 8.0}, {3, 0, 8.0}, {4, 0, 16.0}, {5, 0, 16.0}};
  const DurationDraws draws(graph);
  std::set<std::int64_t> of_pair[3];
  for (std::uint32_t sample = 0; sample < 50; ++sample) {
    const Times times = drawn(draws, 6, sample);
    for (std::size_t i = 0; i < 6; ++i) of_pair[i / 2].insert(times[i]);
  }
  CHECK(of_pair[0] == std::set<std::int64_t>{10, 11});
  CHECK(of_pair[1] == std::set<std::int64_t>{100, 101});
  CHECK(of_pair[2] == std::set<std::int64_t>{1000, 1001});
}

TEST_CASE("the strands of a task come from one other task") {
  Recording recording;
  const std::uint32_t root = recording.add_task(analysis::kNoNode, 1);
  for (int i = 1; i <= 20; ++i) {
    const std::uint32_t task = recording.create(root, 10 * i, 1);
    recording.next_strand(task, 70 * i);
  }
  recording.wait(root, 1);
  const TaskGraph graph = recording.graph();
  const DurationDraws draws(graph);
  const Times times = drawn(draws, graph.size(), 1);
  bool is_other = false;
  for (std::uint32_t task = 1; task <= 20; ++task) {
    const auto first = static_cast<std::size_t>(std::find(graph.task_of_node.begin(), graph.task_of_node.end(), task) -
                                                graph.task_of_node.begin());
    const auto second = static_cast<std::size_t>(
        std::find(graph.task_of_node.begin() + static_cast<std::ptrdiff_t>(first) + 1, graph.task_of_node.end(), task) -
        graph.task_of_node.begin());
    CHECK(times[second] == 7 * times[first]);
    is_other |= times[first] != graph.duration_ns[first];
  }
  CHECK(is_other);
}

TEST_CASE("where times follow the depth of recursion, they are drawn from the same depth") {
  // A binary tree, each task a tenth of its parent; above depth 3 there are too few to draw from.
  Recording recording;
  std::vector<std::uint32_t> row{recording.add_task(analysis::kNoNode, 1'000'000)};
  std::int64_t time = 1'000'000;
  for (int depth = 1; depth <= 5; ++depth) {
    std::vector<std::uint32_t> next;
    time /= 10;
    for (const std::uint32_t parent : row) {
      for (int child = 0; child < 2; ++child)
        next.push_back(recording.create(parent, time + static_cast<std::int64_t>(next.size()) % 4, 0));
    }
    for (const std::uint32_t parent : row) recording.wait(parent, 0);
    row = next;
  }
  const TaskGraph graph = recording.graph();
  const DurationDraws draws(graph);
  const Times times = drawn(draws, graph.size(), 1);
  for (std::size_t node = 0; node < graph.size(); ++node) {
    INFO("node " << node << " of " << graph.duration_ns[node]);
    CHECK(std::abs(times[node] - graph.duration_ns[node]) <= std::max<std::int64_t>(4, graph.duration_ns[node] / 2));
  }
}

TEST_CASE("a task alone in its kernel keeps its time, and is counted") {
  TaskGraph graph = tasks_of({10, 20, 12'345});
  graph.kernel = {0, 0, 1};
  graph.kernel_names = {"a", "b"};
  const DurationDraws draws(graph);
  for (std::uint32_t sample = 0; sample < 20; ++sample) CHECK(drawn(draws, 3, sample)[2] == 12'345);
  CHECK(draws.tasks() == 3);
  CHECK(draws.kept() == 1);
  CHECK(draws.residual() == 0);
}

TEST_CASE("nodes that run on no worker, and tasks of no time, stay as they are") {
  TaskGraph graph = tasks_of({5, 500, 0, 0, 0});
  graph.kernel = {0, 0, 1, 1, 1};
  graph.kernel_names = {"a", "b"};
  graph.cores = {1, 0, 1, 1, 1};
  const DurationDraws draws(graph);
  for (std::uint32_t sample = 0; sample < 20; ++sample) CHECK(drawn(draws, 5, sample) == graph.duration_ns);
}

TEST_CASE("what tasks of one time have in common is seen, and kept to a mean of 1") {
  constexpr std::size_t kTasks = 6400;
  Times times = exponential_times(kTasks);
  CHECK(DurationDraws(tasks_of(times)).run_spread() == 0);
  // Slower and faster by 20 %, by turns of an eighth of the run.
  for (std::size_t i = 0; i < kTasks; ++i)
    times[i] = static_cast<std::int64_t>(static_cast<double>(times[i]) * (i / 800 % 2 == 0 ? 0.8 : 1.2));
  const TaskGraph graph = tasks_of(times);
  const DurationDraws draws(graph);
  CHECK(draws.run_spread() > 0.02);
  CHECK(draws.run_spread() < 0.3);
  double all = 0;
  for (const std::int64_t time : times) all += static_cast<double>(time);
  double mean = 0;
  for (std::uint32_t sample = 0; sample < 400; ++sample)
    for (const std::int64_t time : drawn(draws, kTasks, sample)) mean += static_cast<double>(time) / (400 * all);
  CHECK(mean == Approx(1).margin(4 * (1.5 * draws.run_spread() + 0.02) / 20));
}
