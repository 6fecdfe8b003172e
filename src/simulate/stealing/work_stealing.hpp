// SPDX-License-Identifier: Apache-2.0
// Work stealing: a deque a worker, its owner at the bottom, thieves at the top. For a recording the workers act as the
// threads of its runtime do, and may have one queue for all (docs/simulator.md, "Work stealing").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/huge_pages.hpp"
#include "foretask/analysis/simulate.hpp"
#include "foretask/result.hpp"
#include "simulate/cores/durations.hpp"
#include "simulate/cores/pending_counts.hpp"
#include "simulate/cores/replayer.hpp"

namespace foretask::simulate {

// How a worker comes to a node.
enum class Arrival : std::uint8_t {
  kFromWait,   // by its own deque, from a wait
  kFromEnd,    // by its own deque, from the end of another task
  kContended,  // by its own deque, of which a node has been stolen since its latest
  kAtOnce,     // as it is created
  kStolen,
  kWoken,       // idle until it was woken for it, by a queue for the whole team
  kResumed,     // it had waited on the worker's stack
  kGoingOn,     // right behind the strand before
  kGoingOnFull  // the same where the deque takes no more
};

class StealingCosts {
 public:
  // Of a graph whose durations add up to `work_ns`. Errors: negative costs, times that do not fit.
  [[nodiscard]] static Result<StealingCosts> of(const analysis::TaskGraph& graph,
                                                const analysis::SimulationOptions& options, std::int64_t work_ns);

  // From a worker's decision to the start of the node.
  [[nodiscard]] std::int64_t before_ns(analysis::NodeIndex node, Arrival arrival) const noexcept {
    const Begin begin = ends_.size() != 0 ? ends_[node].begin : Begin::kTask;
    return before_ns_[static_cast<std::size_t>(begin)][static_cast<std::size_t>(arrival)];
  }
  // From a task's being queued for the whole team to an idle worker's looking for it.
  [[nodiscard]] std::int64_t wake_ns() const noexcept { return wake_ns_; }
  // What the node takes besides its duration: creating a task, waiting, the task's own begin and end, starting threads.
  // `is_full`: there is no room for more tasks, so that those which it creates run at once.
  [[nodiscard]] std::int64_t added_ns(analysis::NodeIndex node, bool is_full = false) const noexcept {
    End end = ends_.size() != 0 ? ends_[node].end : End::kOther;
    if (is_full && end == End::kCreation) end = End::kUndeferred;
    std::int64_t ns = added_ns_[static_cast<std::size_t>(end)];
    if (node == team_start_) [[unlikely]]
      ns += team_start_ns_;
    if (!more_ns_.empty()) ns += (is_full && !full_ns_.empty() ? full_ns_ : more_ns_)[node];
    return ns;
  }
  // Of a queue for the whole team: how long its lock is held for the creation of a task, and to take one. The threads
  // that these costs were measured on all asked at once: each of p waited for the p - 1 others, and was served in a
  // p-th. More threads are served no faster.
  [[nodiscard]] std::int64_t create_held_ns() const noexcept { return create_held_ns_; }
  [[nodiscard]] std::int64_t take_held_ns() const noexcept { return take_held_ns_; }
  // Whether the creator runs the next task at once, with so many in its deque or in the team: there is no room for
  // more, or the team has no other thread.
  [[nodiscard]] bool runs_at_once(std::size_t tasks) const noexcept { return tasks >= room_; }

 private:
  // What a recording's strand begins behind.
  enum class Begin : std::uint8_t {
    kOther,
    kTask,     // an explicit task's first
    kTeam,     // an implicit task's first
    kWait,     // its task has waited
    kBarrier,  // or at a barrier or a region's end
    kSwitch    // an untied task goes on that waited for nothing
  };
  static constexpr std::size_t kBegins = 6;
  static constexpr std::size_t kArrivals = 9;
  // What it ends with.
  enum class End : std::uint8_t {
    kOther,
    kCreation,    // of an explicit task
    kUndeferred,  // of one that it waits for
    kWait,
    kTask  // an explicit task's last, or an untied one leaves its worker
  };
  static constexpr std::size_t kEnds = 5;
  struct Ends {
    Begin begin : 4;
    End end : 4;
  };

  StealingCosts(const analysis::TaskGraph& graph, const analysis::SimulationOptions& options);
  void fill_tables(const analysis::TeamCosts& costs, const analysis::TeamCosts& of_one);
  void mark_strands(const analysis::TaskGraph& graph, const analysis::TeamCosts& team);
  void price_subtrees(const analysis::TaskGraph& graph, const analysis::TeamCosts& recorded,
                      const analysis::TeamCosts& team, const analysis::TeamCosts& of_one);

  std::array<std::array<std::int64_t, kArrivals>, kBegins> before_ns_{};
  std::array<std::int64_t, kEnds> added_ns_{};
  std::size_t room_;  // for tasks
  analysis::NodeIndex team_start_;
  std::int64_t team_start_ns_ = 0;
  std::int64_t wake_ns_ = 0;
  std::int64_t create_held_ns_ = 0;
  std::int64_t take_held_ns_ = 0;
  // By node: what the tasks within it cost, and the dependences of those that it creates and ends. Empty: nothing.
  std::vector<std::int64_t> more_ns_;
  std::vector<std::int64_t> full_ns_;  // where there is no room for more tasks; empty: the same
  base::PagedVector<Ends> ends_;       // of a recording's strands; empty where nothing costs anything
};

// Replays under work stealing with the costs, the seed and the cores of `options`. Errors: costs that cannot be, a
// recording whose arrays do not fit together.
[[nodiscard]] Result<Replay> replay_work_stealing(const analysis::TaskGraph& graph,
                                                  const analysis::SimulationOptions& options,
                                                  const Durations& durations, PendingCounts& pending,
                                                  std::span<analysis::ScheduledNode> schedule);

}  // namespace foretask::simulate
