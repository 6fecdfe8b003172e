// SPDX-License-Identifier: Apache-2.0
// Tasks with dependences whose bodies sleep for uneven times, lognormal with a sigma of 0.5 around 4 to 12 ms, so that
// a run with more threads than the machine has cores is still a true one. Prints the seconds that they took, and those
// of list scheduling by their true ranks (the longest path of what comes after a task) on as many workers. A load for
// scripts/tune_speed.
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "sleep.hpp"

namespace {

constexpr std::uint64_t kSeed = 11;

struct Task {
  std::int64_t ns = 0;
  int written = 0;
  std::vector<int> read;  // blocks
  std::vector<int> next;  // tasks
  int before = 0;
};

class Graph {
 public:
  // A task that reads blocks and writes one, which it reads as well.
  void add(double mean_ms, int written, std::vector<int> read) {
    const int index = static_cast<int>(tasks.size());
    const double uneven = std::exp(0.5 * examples::random_normal(kSeed, tasks.size()));
    Task& task = tasks.emplace_back();
    task.ns = std::llround(1e6 * mean_ms * uneven);
    task.written = written;
    task.read = std::move(read);
    const auto put_after = [&](int block) {
      const auto writer = writers_.find(block);
      if (writer == writers_.end()) return;
      tasks[static_cast<std::size_t>(writer->second)].next.push_back(index);
      ++task.before;
    };
    for (const int block : task.read) put_after(block);
    put_after(written);
    writers_[written] = index;
    blocks = std::max(blocks, written + 1);
  }

  std::vector<Task> tasks;
  int blocks = 0;

 private:
  std::map<int, int> writers_;
};

Graph cholesky(int tiles) {
  Graph graph;
  const auto tile = [tiles](int row, int column) { return row * tiles + column; };
  for (int k = 0; k < tiles; ++k) {
    graph.add(4, tile(k, k), {});
    for (int row = k + 1; row < tiles; ++row) graph.add(8, tile(row, k), {tile(k, k)});
    for (int row = k + 1; row < tiles; ++row) {
      for (int column = k + 1; column < row; ++column)
        graph.add(12, tile(row, column), {tile(row, k), tile(column, k)});
      graph.add(8, tile(row, row), {tile(row, k)});
    }
  }
  return graph;
}

// Blocks near the diagonal and every fifth one are there at first; others are filled in.
Graph sparse_lu(int blocks) {
  Graph graph;
  std::vector<bool> there(static_cast<std::size_t>(blocks) * blocks);
  const auto at = [blocks](int i, int j) { return i * blocks + j; };
  for (int i = 0; i < blocks; ++i)
    for (int j = 0; j < blocks; ++j) there[at(i, j)] = std::abs(i - j) < 2 || (3 * i + j) % 5 == 0;
  for (int k = 0; k < blocks; ++k) {
    graph.add(6, at(k, k), {});
    for (int j = k + 1; j < blocks; ++j)
      if (there[at(k, j)]) graph.add(8, at(k, j), {at(k, k)});
    for (int i = k + 1; i < blocks; ++i) {
      if (!there[at(i, k)]) continue;
      graph.add(8, at(i, k), {at(k, k)});
      for (int j = k + 1; j < blocks; ++j) {
        if (!there[at(k, j)]) continue;
        there[at(i, j)] = true;
        graph.add(12, at(i, j), {at(i, k), at(k, j)});
      }
    }
  }
  return graph;
}

// Each task after up to three of the hundred before it.
Graph random_graph(int size) {
  Graph graph;
  for (int i = 0; i < size; ++i) {
    std::vector<int> read;
    for (int edge = 0; edge < 3 && i > 0; ++edge) {
      const double place = examples::random_unit(kSeed + 1, static_cast<std::uint64_t>(3 * i + edge));
      read.push_back(i - 1 - static_cast<int>(place * std::min(i, 100)));
    }
    std::sort(read.begin(), read.end());
    read.erase(std::unique(read.begin(), read.end()), read.end());
    graph.add(8, i, std::move(read));
  }
  return graph;
}

std::int64_t list_schedule_ns(const std::vector<Task>& tasks, int workers) {
  std::vector<std::int64_t> rank(tasks.size());
  for (std::size_t i = tasks.size(); i-- > 0;) {
    for (const int next : tasks[i].next) rank[i] = std::max(rank[i], rank[static_cast<std::size_t>(next)]);
    rank[i] += tasks[i].ns;
  }
  std::vector<int> open;
  std::priority_queue<std::pair<std::int64_t, int>> ready;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    open.push_back(tasks[i].before);
    if (open[i] == 0) ready.emplace(rank[i], static_cast<int>(i));
  }
  using End = std::pair<std::int64_t, int>;
  std::priority_queue<End, std::vector<End>, std::greater<>> running;
  std::int64_t now_ns = 0;
  while (!ready.empty() || !running.empty()) {
    while (!ready.empty() && static_cast<int>(running.size()) < workers) {
      const int task = ready.top().second;
      ready.pop();
      running.emplace(now_ns + tasks[static_cast<std::size_t>(task)].ns, task);
    }
    const auto [end_ns, ended] = running.top();
    running.pop();
    now_ns = end_ns;
    for (const int next : tasks[static_cast<std::size_t>(ended)].next)
      if (--open[static_cast<std::size_t>(next)] == 0) ready.emplace(rank[static_cast<std::size_t>(next)], next);
  }
  return now_ns;
}

void run(const Graph& graph) {
  std::vector<char> blocks(static_cast<std::size_t>(graph.blocks));
  [[maybe_unused]] char* const block = blocks.data();  // of GCC, which does not count a depend clause
#pragma omp parallel
#pragma omp single
  for (const Task& task : graph.tasks) {
    const std::int64_t ns = task.ns;
    const int* const read = task.read.data();
    const int reads = static_cast<int>(task.read.size());
#pragma omp task depend(iterator(i = 0 : reads), in : block[read[i]]) depend(inout : block[task.written])
    examples::sleep_until(examples::now_ns() + ns);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string shape = argc > 1 ? argv[1] : "";
  const int size = argc > 2 ? std::atoi(argv[2]) : 0;
  Graph graph;
  if (size > 0 && shape == "cholesky") graph = cholesky(size);
  if (size > 0 && shape == "sparse_lu") graph = sparse_lu(size);
  if (size > 0 && shape == "random") graph = random_graph(size);
  if (graph.tasks.empty()) {
    std::fprintf(stderr, "usage: sleeping_graphs cholesky TILES | sparse_lu BLOCKS | random TASKS\n");
    return 2;
  }
  examples::wake_on_time();
#pragma omp parallel  // the threads are started before the clock is
  {}
  const std::int64_t start_ns = examples::now_ns();
  run(graph);
  const std::int64_t took_ns = examples::now_ns() - start_ns;
  const std::int64_t list_ns = list_schedule_ns(graph.tasks, omp_get_max_threads());
  std::printf("%zu tasks: %.3f s, %.3f x list scheduling\n", graph.tasks.size(), 1e-9 * static_cast<double>(took_ns),
              static_cast<double>(took_ns) / static_cast<double>(list_ns));
  return 0;
}
