// SPDX-License-Identifier: Apache-2.0
// The task graph of a right-looking tiled Cholesky factorisation, made in memory: tiles (tiles + 1) (tiles + 2) / 6
// tasks in the order in which a program creates them, about three edges each.
#pragma once

#include <cstdint>
#include <vector>

#include "foretask/analysis/task_graph.hpp"

namespace foretask::benchmarks {

class TiledCholesky {
 public:
  // jitter_ns: each duration is raised by up to that much, the same in every run.
  explicit TiledCholesky(std::uint32_t tiles, std::int64_t jitter_ns = 0) : tiles_(tiles), jitter_ns_(jitter_ns) {
    graph_.kernel_names = {"potrf", "trsm", "syrk", "gemm"};
    visit([this](std::uint32_t kernel, const std::vector<Node>& after) { count(kernel, after); });
    for (std::size_t i = 1; i < graph_.first_successor.size(); ++i) {
      graph_.first_successor[i] += graph_.first_successor[i - 1];
    }
    graph_.successors.resize(graph_.first_successor.back());
    next_.assign(graph_.first_successor.begin(), graph_.first_successor.end() - 1);
    visit([this, task = Node{0}](std::uint32_t, const std::vector<Node>& after) mutable {
      for (const Node before : after) graph_.successors[next_[before]++] = task;
      ++task;
    });
    next_ = {};
  }

  analysis::TaskGraph take() && { return std::move(graph_); }

 private:
  using Node = analysis::NodeIndex;

  // Calls task(kernel, predecessors) for each task.
  template <typename Task>
  void visit(Task task) {
    constexpr Node kNone = analysis::kNoNode;
    std::vector<Node> writer(std::size_t{tiles_} * tiles_, kNone);  // of tile (row, column), the latest
    std::vector<Node> panel(tiles_);
    std::vector<Node> after;
    Node index = 0;
    const auto write = [&](std::uint32_t kernel, std::uint32_t row, std::uint32_t column) {
      Node& last = writer[std::size_t{row} * tiles_ + column];
      if (last != kNone) after.push_back(last);
      task(kernel, after);
      return last = index++;
    };
    for (std::uint32_t k = 0; k < tiles_; ++k) {
      after.clear();
      const Node diagonal = write(0, k, k);
      for (std::uint32_t row = k + 1; row < tiles_; ++row) {
        after = {diagonal};
        panel[row] = write(1, row, k);
      }
      for (std::uint32_t row = k + 1; row < tiles_; ++row) {
        for (std::uint32_t column = k + 1; column < row; ++column) {
          after.assign({panel[column], panel[row]});
          write(3, row, column);
        }
        after.assign({panel[row]});
        write(2, row, row);
      }
    }
  }

  void count(std::uint32_t kernel, const std::vector<Node>& after) {
    constexpr std::int64_t kDurationNs[] = {2800, 6100, 4200, 7300};
    const std::uint64_t mixed = (graph_.size() + 1) * 0x9e3779b97f4a7c15ULL >> 32;
    const std::int64_t extra = jitter_ns_ == 0 ? 0 : static_cast<std::int64_t>(mixed) % jitter_ns_;
    graph_.duration_ns.push_back(kDurationNs[kernel] + extra);
    graph_.kernel.push_back(kernel);
    graph_.first_successor.resize(graph_.size() + 1);
    for (const Node before : after) ++graph_.first_successor[before + 1];
  }

  std::uint32_t tiles_;
  std::int64_t jitter_ns_;
  analysis::TaskGraph graph_;
  std::vector<std::uint64_t> next_;
};

}  // namespace foretask::benchmarks
