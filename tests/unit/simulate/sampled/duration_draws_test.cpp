// SPDX-License-Identifier: Apache-2.0
// What draws of task times keep of the times that they are drawn from.
#include "simulate/sampled/duration_draws.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "catch.hpp"
#include "unit/simulate/recording_of.hpp"

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
  // Of 100,000 independent draws one in a thousand is farther.
  CHECK(farthest < 1.95 / std::sqrt(100'000.0));
}

namespace {

struct Sums {
  double mean = 0;      // of the sums less the recorded one
  double variance = 0;  // about the recorded one
};

Sums sums_of(const Times& recorded, std::uint32_t samples) {
  const TaskGraph graph = tasks_of(recorded);
  const DurationDraws draws(graph);
  const double all = std::accumulate(recorded.begin(), recorded.end(), 0.0);
  Sums sums;
  for (std::uint32_t sample = 0; sample < samples; ++sample) {
    const Times times = drawn(draws, recorded.size(), sample);
    const double distance = std::accumulate(times.begin(), times.end(), 0.0) - all;
    sums.mean += distance / samples;
    sums.variance += distance * distance / samples;
  }
  return sums;
}

// n times the variance of the recorded ones.
double variance_of_a_sum(const Times& recorded) {
  const auto count = static_cast<double>(recorded.size());
  const double mean = std::accumulate(recorded.begin(), recorded.end(), 0.0) / count;
  double squares = 0;
  for (const std::int64_t time : recorded) squares += std::pow(static_cast<double>(time) - mean, 2);
  return squares;
}

}  // namespace

TEST_CASE("a sample's sum is as far from the recorded one as a sum of independent tasks") {
  const Times recorded = exponential_times(100);
  const Sums next = sums_of(recorded, 5000);
  CHECK(next.variance == Approx(variance_of_a_sum(recorded)).epsilon(4 * std::sqrt(2.0 / 5000)));
  CHECK(std::abs(next.mean) < 4 * std::sqrt(next.variance / 5000));
}

TEST_CASE("times of many sizes by chance are drawn from all of them") {
  // The quantiles of a lognormal distribution whose logarithm has standard deviation 2: a hundredfold and more between
  // the 10th and the 90th of a hundred.
  constexpr std::size_t kTasks = 400;
  Times recorded(kTasks);
  for (std::size_t i = 0; i < kTasks; ++i) {
    // Normal quantiles as differences of Tukey's lambda: within 1 % of them.
    const double p = (static_cast<double>(i * 171 % kTasks) + 0.5) / kTasks;
    recorded[i] = std::llround(1e6 * std::exp(2 * 4.91 * (std::pow(p, 0.14) - std::pow(1 - p, 0.14))));
  }
  const Sums next = sums_of(recorded, 2000);
  CHECK(next.variance == Approx(variance_of_a_sum(recorded)).epsilon(0.15));
  CHECK(std::abs(next.mean) < 4 * std::sqrt(next.variance / 2000));
}

TEST_CASE("where the order of creation tells long tasks from short ones, each stays of its kind") {
  Times recorded(400);
  for (std::size_t i = 0; i < 400; ++i)
    recorded[i] = (i < 200 ? 1'000 : 1'000'000) + static_cast<std::int64_t>(i * 171 % 400);
  const TaskGraph graph = tasks_of(recorded);
  const DurationDraws draws(graph);
  for (std::uint32_t sample = 0; sample < 10; ++sample) {
    const Times times = drawn(draws, 400, sample);
    CHECK(*std::max_element(times.begin(), times.begin() + 200) < 10'000);
    CHECK(*std::min_element(times.begin() + 200, times.end()) > 500'000);
  }
}

TEST_CASE("times that rise along the program are the program's, and no chance") {
  // From 1 to 3.5 ms: drawn from all of them a sum would differ from the next by 1.6 %.
  Times recorded(1000);
  for (std::size_t i = 0; i < 1000; ++i) recorded[i] = 1'000'000 + 2'500 * static_cast<std::int64_t>(i);
  const Sums next = sums_of(recorded, 500);
  double all = 0;
  for (const std::int64_t time : recorded) all += static_cast<double>(time);
  CHECK(std::sqrt(next.variance) < 0.002 * all);
  const TaskGraph graph = tasks_of(recorded);
  const DurationDraws draws(graph);
  const Times times = drawn(draws, 1000, 1);
  CHECK(*std::max_element(times.begin(), times.begin() + 400) < *std::min_element(times.end() - 400, times.end()));
}

TEST_CASE("where the number of descendants tells long tasks from short ones, each stays of its kind") {
  // Of 80 tasks of one depth every other has a chain of six below it; they take a thousand times as long. All create
  // one task at least, so that their strands end alike.
  Recording recording;
  const std::uint32_t root = recording.add_task(analysis::kNoNode, 1);
  std::vector<std::size_t> long_ones;
  std::vector<std::size_t> short_ones;
  for (int i = 0; i < 80; ++i) {
    const bool is_long = i % 2 == 1;
    (is_long ? long_ones : short_ones).push_back(recording.durations.size());
    std::uint32_t task = recording.create(root, (is_long ? 1'000'000 : 1'000) + i, 1);
    for (int below = 0; below < (is_long ? 6 : 1); ++below) task = recording.create(task, 5, 0);
  }
  recording.wait(root, 1);
  const TaskGraph graph = recording.graph();
  const DurationDraws draws(graph);
  const Times times = drawn(draws, graph.size(), 1);
  std::size_t longer = 0;
  std::size_t shorter = 0;
  for (std::size_t node = 0; node < graph.size(); ++node) {
    if (graph.duration_ns[node] >= 1'000'000) {
      CHECK(times[node] > 500'000);
      ++longer;
    } else if (graph.duration_ns[node] >= 1'000) {
      CHECK(times[node] < 10'000);
      ++shorter;
    }
  }
  CHECK(longer == long_ones.size());
  CHECK(shorter == short_ones.size());
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
  const std::int64_t shortest[3] = {10, 100, 1000};
  for (std::size_t pair = 0; pair < 3; ++pair) CHECK(of_pair[pair] == std::set{shortest[pair], shortest[pair] + 1});
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
}

TEST_CASE("nodes that run on no worker, and tasks of no time, stay as they are") {
  TaskGraph graph = tasks_of({5, 500, 0, 0, 0});
  graph.kernel = {0, 0, 1, 1, 1};
  graph.kernel_names = {"a", "b"};
  graph.cores = {1, 0, 1, 1, 1};
  const DurationDraws draws(graph);
  for (std::uint32_t sample = 0; sample < 20; ++sample) CHECK(drawn(draws, 5, sample) == graph.duration_ns);
}
