// SPDX-License-Identifier: Apache-2.0
// Replays on identical cores under one policy and one what-if: what does not depend on the number of cores (durations,
// bottom levels and their order, predecessor counts) is found once.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include "foretask/analysis/simulate.hpp"
#include "foretask/analysis/task_graph.hpp"
#include "simulate/cores/durations.hpp"
#include "simulate/cores/page_array.hpp"
#include "simulate/cores/pending_counts.hpp"
#include "simulate/cores/ready_queues.hpp"
#include "simulate/cores/replayer.hpp"

namespace foretask::simulate {

// HOT, and CompactNodes too: where the replay finds a node's duration and successors.
// The graph's own arrays: for policies that walk the nodes more or less in order of index.
class GraphNodes {
 public:
  GraphNodes(const analysis::TaskGraph& graph, std::span<const std::int64_t> duration_ns) noexcept
      : duration_ns_(duration_ns.data()), first_(graph.first_successor.data()), successors_(graph.successors.data()) {}

  [[nodiscard]] std::int64_t duration_ns(analysis::NodeIndex node) const noexcept { return duration_ns_[node]; }
  [[nodiscard]] std::span<const analysis::NodeIndex> successors(analysis::NodeIndex node) const noexcept {
    return {successors_ + first_[node], successors_ + first_[node + 1]};
  }
  void prefetch(analysis::NodeIndex node) const noexcept {
    __builtin_prefetch(duration_ns_ + node);
    __builtin_prefetch(first_ + node);
  }
  void prefetch_successors(analysis::NodeIndex node) const noexcept { __builtin_prefetch(successors_ + first_[node]); }

 private:
  const std::int64_t* duration_ns_;
  const std::uint64_t* first_;
  const analysis::NodeIndex* successors_;
};

// Both in 8 bytes a node, which share a cache line: for the critical-path policy, which jumps about.
class CompactNodes {
 public:
  CompactNodes(const analysis::TaskGraph& graph, std::span<const std::int64_t> duration_ns)
      : entries_(graph.size() + 1), successors_(graph.successors.data()) {
    for (std::size_t i = 0; i < graph.size(); ++i) {
      entries_[i] = {static_cast<std::uint32_t>(duration_ns[i]), static_cast<std::uint32_t>(graph.first_successor[i])};
    }
    entries_[graph.size()].first = static_cast<std::uint32_t>(graph.edge_count());
  }

  // Whether everything is small enough: durations below 4.29 s, fewer than 2^32 edges.
  [[nodiscard]] static bool fits(const analysis::TaskGraph& graph, std::int64_t longest_ns) noexcept {
    constexpr auto kLimit = std::numeric_limits<std::uint32_t>::max();
    return longest_ns <= std::int64_t{kLimit} && graph.edge_count() <= kLimit;
  }

  [[nodiscard]] std::int64_t duration_ns(analysis::NodeIndex node) const noexcept { return entries_[node].duration_ns; }
  [[nodiscard]] std::span<const analysis::NodeIndex> successors(analysis::NodeIndex node) const noexcept {
    return {successors_ + entries_[node].first, successors_ + entries_[node + 1].first};
  }
  void prefetch(analysis::NodeIndex node) const noexcept { __builtin_prefetch(entries_.data() + node); }
  void prefetch_successors(analysis::NodeIndex node) const noexcept {
    __builtin_prefetch(successors_ + entries_[node].first);
  }

 private:
  struct Entry {
    std::uint32_t duration_ns;
    std::uint32_t first;
  };

  PageArray<Entry> entries_;  // and one behind the last
  const analysis::NodeIndex* successors_;
};

class PreparedReplay final : public Replayer {
 public:
  // `options`: all but cores and seed. Errors: a node that cannot run on a plain core, a factor that cannot be, times
  // that do not fit, a cycle (critical-path; the other policies find it when they run).
  [[nodiscard]] static Result<std::unique_ptr<Replayer>> of(const analysis::TaskGraph& graph,
                                                            const analysis::SimulationOptions& options);

  // Errors: no core, costs that cannot be, a cycle.
  [[nodiscard]] Result<analysis::SimulationResult> run(std::uint32_t cores, std::uint64_t seed) override;
  [[nodiscard]] bool was_random() const noexcept override { return was_random_; }

 private:
  PreparedReplay(const analysis::TaskGraph& graph, const analysis::SimulationOptions& options, Durations durations)
      : graph_(graph), options_(options), durations_(std::move(durations)), predecessors_(graph.size()) {}

  [[nodiscard]] bool find_critical_paths();
  [[nodiscard]] Result<Replay> replay(std::span<analysis::ScheduledNode> schedule);
  template <typename Ready, typename Nodes>
  Replay replay_list(Ready& ready, const Nodes& nodes, std::span<analysis::ScheduledNode> schedule);

  const analysis::TaskGraph& graph_;
  analysis::SimulationOptions options_;
  Durations durations_;
  PendingCounts predecessors_;
  PendingCounts pending_;
  bool was_random_ = false;
  std::optional<CriticalPathQueue> critical_path_;  // empty between runs
  std::optional<CompactNodes> compact_;             // where the critical-path policy's graph fits into it
};

}  // namespace foretask::simulate
