// SPDX-License-Identifier: Apache-2.0
// Graphs of steps, each of which reads and writes blocks of data: an own random one, and those of programs of others,
// as their papers and sources describe them.
#pragma once

#include <atomic>
#include <cstdlib>
#include <deque>
#include <initializer_list>
#include <map>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "job.hpp"

namespace examples {

struct Step {
  Job job;
  std::vector<Step*> next;
  int before = 0;
  std::atomic<int> open = 0;
  double rank_ns = 0;
};

// Each step before those that wait for it.
class Graph : public std::deque<Step> {
 public:
  using Block = std::pair<int, int>;

  // A step that writes a block, after those that wrote it and what it reads.
  void add(Job job, Block writes, std::initializer_list<Block> reads = {}) {
    Step& step = emplace_back();
    step.job = job;
    for (const Block& block : reads) put_after(block, step);
    put_after(writes, step);
    writers_[writes] = &step;
  }

 private:
  void put_after(const Block& block, Step& step) {
    const auto writer = writers_.find(block);
    if (writer == writers_.end()) return;
    writer->second->next.push_back(&step);
    ++step.before;
  }

  std::map<Block, Step*> writers_;
};

// The results of each step go to two later ones.
inline Graph random_graph(int steps, unsigned seed) {
  std::mt19937 random(seed);
  Graph graph;
  for (int i = 0; i < steps; ++i) graph.emplace_back().job = Job::draw(random);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for (int edge = 0; edge < 2 && i + 1 < graph.size(); ++edge) {
      Step& next = graph[i + 1 + random() % (graph.size() - i - 1)];
      graph[i].next.push_back(&next);
      ++next.before;
    }
  }
  return graph;
}

// Task Bench (Slaughter et al. 2020): a row of points a timestep, each after itself and its neighbours, some of which
// are further away ("random_nearest"); the times are uneven ("load imbalance").
inline Graph task_bench(int width, int timesteps, unsigned seed) {
  constexpr int kRadix = 5;
  std::mt19937 random(seed);
  Graph graph;
  for (int step = 0; step < timesteps; ++step)
    for (int point = 0; point < width; ++point) {
      const auto near = [&] {
        return Graph::Block{(step + 1) % 2,
                            std::clamp(point - kRadix / 2 + static_cast<int>(random() % kRadix), 0, width - 1)};
      };
      graph.add(Job::draw(random), {step % 2, point}, {{(step + 1) % 2, point}, near(), near()});
    }
  return graph;
}

// LU without pivoting of a matrix of blocks, some of which are empty and filled in. `is_there` says which.
template <typename IsThere>
Graph sparse_lu(int blocks, IsThere is_there) {
  // Of blocks of 40 by 40: the steps' operations, in a kernel that takes as many rows times columns.
  const Job diagonal{.rows = 400, .columns = 700};
  const Job solve{.rows = 800, .columns = 800};
  const Job update{.rows = 800, .columns = 1600};
  std::map<Graph::Block, bool> there;
  for (int i = 0; i < blocks; ++i)
    for (int j = 0; j < blocks; ++j) there[{i, j}] = is_there(i, j);
  Graph graph;
  for (int k = 0; k < blocks; ++k) {
    graph.add(diagonal, {k, k});
    for (int j = k + 1; j < blocks; ++j)
      if (there[{k, j}]) graph.add(solve, {k, j}, {{k, k}});
    for (int i = k + 1; i < blocks; ++i) {
      if (!there[{i, k}]) continue;
      graph.add(solve, {i, k}, {{k, k}});
      for (int j = k + 1; j < blocks; ++j) {
        if (!there[{k, j}]) continue;
        there[{i, j}] = true;
        graph.add(update, {i, j}, {{i, k}, {k, j}});
      }
    }
  }
  return graph;
}

// The matrix of the Barcelona OpenMP Tasks Suite (Duran et al. 2009).
inline bool is_in_bots(int i, int j) {
  if (i == j || i == j - 1 || i - 1 == j) return true;
  return i % 2 == 0 && j % 2 == 0 && (i > j || i % 3 == 0) && (i < j || j % 3 == 0);
}

// `name`: random, task_bench, sparse_lu or bots.
inline Graph graph_of(std::string_view name, int workers, unsigned seed) {
  if (name == "task_bench") return task_bench(2 * workers + 3, 12, seed);
  if (name == "bots") return sparse_lu(workers + 8, is_in_bots);
  if (name == "sparse_lu") {
    // Bands and a few blocks anywhere.
    std::mt19937 random(seed);
    return sparse_lu(workers / 2 + 8, [&random](int i, int j) { return std::abs(i - j) < 3 || random() % 8 == 0; });
  }
  return random_graph(20 * workers, seed);
}

}  // namespace examples
