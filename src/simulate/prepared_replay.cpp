// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/huge_pages.hpp"
#include "graph/task_graph_order.hpp"
#include "simulate/cores/durations.hpp"
#include "simulate/cores/finish_queue.hpp"
#include "simulate/cores/level_ranks.hpp"
#include "simulate/cores/pending_counts.hpp"
#include "simulate/cores/quad_heap.hpp"
#include "simulate/cores/ready_queues.hpp"
#include "simulate/make_replayer.hpp"
#include "simulate/stealing/work_stealing.hpp"
#include "simulate/teams/loop_shares.hpp"

namespace foretask::simulate {

using analysis::Policy;
using analysis::ScheduledNode;
using analysis::SimulationOptions;
using analysis::SimulationResult;
using analysis::TaskGraph;

namespace {

// HOT, and CompactNodes too: where the replay finds a node's duration and successors.
// The graph's own arrays: for policies that walk the nodes more or less in order of index.
class GraphNodes {
 public:
  GraphNodes(const TaskGraph& graph, std::span<const std::int64_t> duration_ns) noexcept
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
  CompactNodes(const TaskGraph& graph, std::span<const std::int64_t> duration_ns)
      : entries_(graph.size() + 1), successors_(graph.successors.data()) {
    for (std::size_t i = 0; i < graph.size(); ++i) {
      entries_[i] = {static_cast<std::uint32_t>(duration_ns[i]), static_cast<std::uint32_t>(graph.first_successor[i])};
    }
    entries_[graph.size()].first = static_cast<std::uint32_t>(graph.edge_count());
  }

  // Whether everything is small enough: durations below 4.29 s, fewer than 2^32 edges.
  [[nodiscard]] static bool fits(const TaskGraph& graph, std::int64_t longest_ns) noexcept {
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

  base::PagedVector<Entry> entries_;  // and one behind the last
  const analysis::NodeIndex* successors_;
};

// HOT: the replay of a graph under one policy, in the order of events that docs/simulator.md fixes. The policy, the
// table of nodes and the width of the keys are types, so that the loop has no branch on them.
//
// Its time is that of reaching into tables in no order that hardware could guess. So it looks ahead: what the next
// start will read is fetched at the start before, and what a node's finish will read is fetched a few starts after the
// node's own.
template <typename Ready, typename Nodes, typename FinishKey>
class ListScheduler {
 public:
  // `cores` workers. `schedule` is empty, or holds an entry a node. Everything referred to must stay as long as the
  // scheduler.
  ListScheduler(const analysis::TaskGraph& graph, std::uint32_t cores, const Nodes& nodes, PendingCounts& pending,
                Ready& ready, std::span<analysis::ScheduledNode> schedule)
      : nodes_(nodes),
        release_ns_(graph.release_ns.empty() ? nullptr : graph.release_ns.data()),
        cores_(graph.cores.empty() ? nullptr : graph.cores.data()),
        schedule_(schedule.empty() ? nullptr : schedule.data()),
        count_(static_cast<analysis::NodeIndex>(graph.size())),
        pending_(pending),
        ready_(ready),
        finishes_(cores),
        idle_(cores) {
    std::iota(idle_.rbegin(), idle_.rend(), 0U);  // worker 0 is taken first
    begun_.fill(analysis::kNoNode);
  }

  Replay run() {
    for (analysis::NodeIndex node = 0; node < count_; ++node) {
      if (pending_.none(node)) release(node);
    }
    for (;;) {
      handle_instant();
      while (!idle_.empty() && !ready_.empty()) start(ready_.pop());
      if (finishes_.empty() && detached_.empty() && releases_.empty()) break;
      now_ns_ = std::min({finishes_.next_time_ns(), detached_.next_time_ns(), releases_.next_time_ns()});
    }
    return {static_cast<std::int64_t>(now_ns_), finished_};
  }

 private:
  // Rule 1: finishes before releases, each kind in order of index, what arises at this instant included. The order of
  // finishes among themselves changes nothing.
  void handle_instant() {
    if constexpr (Ready::kOrdered) {
      if (cores_ == nullptr) {
        handle_finishes();
        handle_batch();
        return;
      }
    }
    for (;;) {
      handle_finishes();
      if (detached_.next_time_ns() == now_ns_) {
        finish(detached_.pop().node);
      } else if (releases_.next_time_ns() == now_ns_) {
        become_ready(releases_.pop().node);
      } else {
        return;
      }
    }
  }

  void handle_finishes() {
    while (finishes_.next_time_ns() == now_ns_) {
      const std::uint32_t worker = finishes_.pop();
      idle_.push_back(worker);
      finish(finishes_.node_on(worker));
    }
  }

  // Every node that becomes ready at this instant, in order of index.
  void handle_batch() {
    while (releases_.next_time_ns() == now_ns_) batch_.push_back(releases_.pop().node);
    if (batch_.size() > 1) std::sort(batch_.begin(), batch_.end());
    for (const analysis::NodeIndex node : batch_) ready_.push(node);
    batch_.clear();
  }

  void finish(analysis::NodeIndex node) {
    ++finished_;
    for (const analysis::NodeIndex next : nodes_.successors(node)) {
      if (pending_.remove(next)) release(next);
    }
  }

  // The last predecessor has finished.
  void release(analysis::NodeIndex node) {
    const std::uint64_t release_ns = release_ns_ == nullptr ? 0 : static_cast<std::uint64_t>(release_ns_[node]);
    if (release_ns > now_ns_) {
      releases_.push({static_cast<std::int64_t>(release_ns), node, kNoWorker});
    } else if (!Ready::kOrdered) {
      become_ready(node);  // the order inside an instant changes nothing: no event is needed
    } else if (cores_ == nullptr) {
      batch_.push_back(node);
    } else {
      releases_.push({static_cast<std::int64_t>(now_ns_), node, kNoWorker});
    }
  }

  void become_ready(analysis::NodeIndex node) {
    if (cores_ == nullptr || cores_[node] != 0) return ready_.push(node);
    const std::int64_t end_ns = static_cast<std::int64_t>(now_ns_) + nodes_.duration_ns(node);
    if (schedule_ != nullptr) schedule_[node] = {static_cast<std::int64_t>(now_ns_), end_ns, kNoWorker};
    detached_.push({end_ns, node, kNoWorker});
  }

  void start(analysis::NodeIndex node) {
    look_ahead(node);
    const std::uint32_t worker = idle_.back();
    idle_.pop_back();
    const std::int64_t end_ns = static_cast<std::int64_t>(now_ns_) + nodes_.duration_ns(node);
    if (schedule_ != nullptr) schedule_[node] = {static_cast<std::int64_t>(now_ns_), end_ns, worker};
    finishes_.push(end_ns, worker, node);
  }

  void look_ahead(analysis::NodeIndex starting) {
    if (const analysis::NodeIndex next = ready_.next(); next < count_) nodes_.prefetch(next);
    nodes_.prefetch_successors(starting);
    analysis::NodeIndex& place = begun_[starts_++ % kLag];
    const analysis::NodeIndex before = std::exchange(place, starting);
    if (before >= count_) return;
    for (const analysis::NodeIndex successor : nodes_.successors(before)) {
      pending_.prefetch(successor);
      ready_.prefetch(successor);
    }
  }

  static constexpr std::size_t kLag = 8;  // starts until a node's successors are in the cache

  const Nodes& nodes_;
  const std::int64_t* release_ns_;     // nullptr: all 0
  const std::uint8_t* cores_;          // nullptr: all 1
  analysis::ScheduledNode* schedule_;  // nullptr: not asked for
  analysis::NodeIndex count_;
  PendingCounts& pending_;
  Ready& ready_;
  FinishQueue<FinishKey> finishes_;
  EventQueue detached_;  // finishes of nodes that run on no worker
  EventQueue releases_;
  std::vector<std::uint32_t> idle_;
  std::vector<analysis::NodeIndex> batch_;
  std::array<analysis::NodeIndex, kLag> begun_;
  std::size_t starts_ = 0;
  std::uint64_t now_ns_ = 0;
  std::size_t finished_ = 0;
};

// What handing out chunks takes, where the options have a cost of it. It is no work.
void add_hand_outs(const TaskGraph& graph, const SimulationOptions& options, Durations& durations) {
  if (costs_of_chunks(options) == nullptr) return;
  std::int64_t added = 0;
  for (const analysis::TeamStrand& strand : graph.team.strands) {
    if (strand.hand_out_ns == 0) continue;
    if (durations.divided.empty()) {
      durations.divided.assign(durations.ns.begin(), durations.ns.end());
      durations.ns = durations.divided;
    }
    std::int64_t& ns = durations.divided[strand.node];
    ns += strand.hand_out_ns;
    durations.longest_ns = std::max(durations.longest_ns, ns);
    added += strand.hand_out_ns;
  }
  durations.latest_ns += added;
}

class PreparedReplay final : public Replayer {
 public:
  PreparedReplay(const TaskGraph& graph, const SimulationOptions& options, Durations durations)
      : graph_(graph), options_(options), durations_(std::move(durations)), predecessors_(graph.size()) {}

  // False where there is a cycle: critical-path alone sees it here.
  [[nodiscard]] bool prepare() {
    if (options_.policy != Policy::kCriticalPath) {
      predecessors_ = count_predecessors(graph_);
      return true;
    }
    auto levels = bottom_levels(graph_, durations_.ns, predecessors_);
    if (!levels) return false;
    critical_path_.emplace(rank_by_level(*std::move(levels)));
    if (CompactNodes::fits(graph_, durations_.longest_ns)) compact_.emplace(graph_, durations_.ns);
    return true;
  }

  // Errors: no core, costs that cannot be, a cycle.
  [[nodiscard]] Result<SimulationResult> run(std::uint32_t cores, std::uint64_t seed) override {
    if (cores == 0) return Error{.what = "a replay needs at least one core"};
    options_.cores = cores;
    options_.seed = seed;
    pending_ = predecessors_;

    SimulationResult result;
    result.work_ns = durations_.work_ns;
    if (options_.keep_schedule) result.schedule.resize(graph_.size());
    const Result<Replay> done = replay(result.schedule);
    if (!done) return done.error();
    if (done->finished != graph_.size()) return graph::cycle_error(graph_);

    result.is_random = done->is_random;
    result.makespan_ns = done->makespan_ns;
    rate(result, durations_.worker_work_ns, cores);
    return result;
  }

 private:
  template <typename Ready, typename Nodes>
  Replay replay_list(Ready&& ready, const Nodes& nodes, std::span<ScheduledNode> schedule) {
    // More workers than nodes are never used.
    const auto workers = static_cast<std::uint32_t>(std::clamp<std::size_t>(graph_.size(), 1, options_.cores));
    const auto run = [&]<typename Key>(Key) {
      return ListScheduler<std::remove_reference_t<Ready>, Nodes, Key>(graph_, workers, nodes, pending_, ready,
                                                                       schedule)
          .run();
    };
    if (FinishQueue<std::uint64_t>::fits(workers, durations_.latest_ns)) return run(std::uint64_t{});
    return run(Wide{});
  }

  [[nodiscard]] Result<Replay> replay(std::span<ScheduledNode> schedule) {
    const std::size_t count = graph_.size();
    const GraphNodes nodes(graph_, durations_.ns);
    switch (options_.policy) {
      case Policy::kFifo:
        return replay_list(FifoQueue(count), nodes, schedule);
      case Policy::kReadyFifo:
        return replay_list(ReadyFifoQueue(count), nodes, schedule);
      case Policy::kLifo:
        return replay_list(LifoQueue(), nodes, schedule);
      case Policy::kCriticalPath:
        return compact_ ? replay_list(*critical_path_, *compact_, schedule)
                        : replay_list(*critical_path_, nodes, schedule);
      case Policy::kPriority:
        return replay_list(PriorityQueue(graph_.priority, count), nodes, schedule);
      case Policy::kHeft:
        break;
      case Policy::kWorkStealing:
        return replay_work_stealing(graph_, options_, durations_, pending_, schedule);
    }
    return Error{.what = "no such policy for identical cores"};
  }

  const TaskGraph& graph_;
  SimulationOptions options_;
  Durations durations_;
  PendingCounts predecessors_;
  PendingCounts pending_;
  std::optional<CriticalPathQueue> critical_path_;  // empty between runs
  std::optional<CompactNodes> compact_;             // where the critical-path policy's graph fits into it
};

}  // namespace

Result<std::unique_ptr<Replayer>> prepared_replay(const TaskGraph& graph, const SimulationOptions& options) {
  auto durations = durations_in_force(graph, options);
  if (!durations) return durations.error();
  add_hand_outs(graph, options, *durations);
  auto prepared = std::make_unique<PreparedReplay>(graph, options, std::move(durations).value());
  if (!prepared->prepare()) return graph::cycle_error(graph);
  return std::unique_ptr<Replayer>(std::move(prepared));
}

}  // namespace foretask::simulate
