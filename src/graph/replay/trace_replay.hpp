// SPDX-License-Identifier: Apache-2.0
// The state machine behind build_graph: one handler an event, on the workers' stacks of tasks. Its handlers are in
// replay_tasks.cpp (tasks), replay_accesses.cpp (ranges of memory), replay_messages.cpp (calls of MPI),
// replay_waits.cpp (taskwait, taskgroup, locks), replay_groups.cpp (cancelled taskgroups) and replay_teams.cpp
// (regions, barriers).
//
// A worker's stack holds the tasks that it has begun and not finished, innermost last; only the last may run. A trace
// that contradicts this (losses, damage) is counted in `anomalies` and the replay goes on from what the event itself
// says.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "graph/replay/dependence_table.hpp"
#include "graph/replay/graph_builder.hpp"
#include "graph/replay/kernel_table.hpp"
#include "graph/replay/occupancy.hpp"
#include "graph/replay/range_table.hpp"
#include "graph/replay/strand_writer.hpp"
#include "graph/replay/task_table.hpp"
#include "graph/replay/team_table.hpp"

namespace foretask::graph {

class TraceReplay {
 public:
  TraceReplay(std::vector<trace::StreamReader>& streams, const TraceCensus& census, const BuildOptions& options);

  void handle(std::uint32_t worker, const trace::Event& event);
  [[nodiscard]] RecordedGraph finish();

 private:
  enum class FrameState : std::uint8_t {
    kRunning,
    kReady,
    kChild,
    kTaskwait,
    kDependWait,
    kGroup,
    kBarrier,
    kRegion,
    kLock,
    kBlocked
  };
  struct Frame {
    std::uint32_t task = kNone;
    std::uint32_t region = kNone;  // the innermost region that the task belongs to
    std::uint32_t member = kNone;  // of an implicit task: which
    FrameState state = FrameState::kRunning;
    // Over its strands on this worker: how many strands ran, and how long, on the clock without probes.
    double running_ns = 0;
    double elapsed_ns = 0;
  };
  struct Worker {
    std::vector<Frame> stack;
    std::uint64_t packets = 0;
    std::uint32_t next_task = 0;
    std::uint32_t next_region = 0;
    std::uint32_t code_high = 0;
    std::uint32_t last_created = kNone;
    std::vector<RangeAccess> accesses;  // of the task created last, as far as it was told of them
    std::int64_t lock_since_ns = 0;
    NodeIndex lock_strand = kNoNode;
    // In a call whose time is not the task's: the strand before it, whether it ends there, and what the next one waited
    // for, as places in the lists of messages.
    std::int64_t block_since_ns = 0;
    NodeIndex block_strand = kNoNode;
    bool block_is_cut = false;
    std::vector<std::size_t> arrivals;
    std::vector<std::size_t> departures;
    // The integrals when its open strand began.
    double running_ns = 0;
    double elapsed_ns = 0;
  };

  void resume_numbering(std::uint32_t worker);
  void dispatch(std::uint32_t worker, const trace::Event& event);

  // replay_tasks.cpp
  void on_create(std::uint32_t worker, std::uint64_t code, std::uint32_t flags);
  void on_switch(std::uint32_t worker, std::uint32_t task);
  void on_end(std::uint32_t worker, bool detached);
  void on_cancel(std::uint32_t worker, std::uint32_t task);
  void on_fulfill(std::uint32_t worker, std::uint32_t task);
  void on_dependences(std::uint32_t worker, const std::uint32_t* payload);
  void start_task(std::uint32_t worker, std::uint32_t task, bool was_idle);
  void resume_frame(std::uint32_t worker);
  void suspend_for_switch(std::uint32_t worker, std::uint32_t next);
  void complete(std::uint32_t task);
  void pass_on_children(std::uint32_t task);
  void add_dependence_edges(std::uint32_t task, NodeIndex strand);
  void note_gap(std::uint32_t worker, std::uint32_t task);
  [[nodiscard]] bool parent_waits(std::uint32_t worker, std::uint32_t parent, std::uint32_t flags);

  // replay_accesses.cpp
  void on_accesses(std::uint32_t worker, const std::uint32_t* payload);
  void add_access_edges(std::uint32_t worker, std::uint32_t task, NodeIndex strand);

  // replay_messages.cpp
  void on_block_begin(std::uint32_t worker);
  void on_block_end(std::uint32_t worker);
  void on_message(std::uint32_t worker, const std::uint32_t* payload, bool is_sent);
  void on_collective_enter(std::uint32_t worker, const std::uint32_t* payload);
  void on_collective_leave(std::uint32_t worker, const std::uint32_t* payload);

  // replay_waits.cpp
  void begin_wait(std::uint32_t worker, FrameState state);
  void on_wait_end(std::uint32_t worker);
  void on_depend_wait_end(std::uint32_t worker, std::uint32_t task);
  void on_group_begin(std::uint32_t worker);
  void on_group_end(std::uint32_t worker);
  void on_lock_wait(std::uint32_t worker);
  void on_lock_acquired(std::uint32_t worker);
  void join_list(std::uint32_t first, std::uint32_t end, NodeIndex into);

  // replay_groups.cpp
  struct Group {
    std::int64_t begin_ns = 0;
    std::int64_t cancel_ns = -1;
    std::int64_t left_ns = -1;
    std::uint32_t winner = kNone;
  };
  void on_cancel_request(std::uint32_t worker, std::uint32_t what);
  [[nodiscard]] MemberEnd end_of_member(std::uint32_t task, const Group& group);
  void add_speculative_groups();
  void mark_cut_tasks();

  // replay_teams.cpp
  void on_region_begin(std::uint32_t worker, std::uint64_t code);
  void on_region_end(std::uint32_t worker, std::uint32_t region);
  void on_implicit_begin(std::uint32_t worker, const std::uint32_t* payload);
  void on_implicit_end(std::uint32_t worker, std::uint32_t task);
  void on_barrier_begin(std::uint32_t worker);
  void on_barrier_end(std::uint32_t worker);
  void begin_initial(std::uint32_t worker, std::uint32_t task, std::int64_t now_ns);
  // OpenMP is used again after a while in which no thread did.
  void return_from_outside();
  // The program's own time after the runtime's end: destructors, giving memory back.
  void add_time_after_end();
  void make_barrier_node(Region& region, Barrier& barrier);

  // replay_facts.cpp
  void on_counters(std::uint32_t worker, const std::uint32_t* payload);
  void on_task_kernel(std::uint32_t worker, const std::uint32_t* payload);
  void on_task_parameter(std::uint32_t worker, const std::uint32_t* payload);
  void on_kernel_sample(const std::uint32_t* payload);
  void observe(std::uint32_t worker, const Frame& frame);

  // The frame on top, running: opens a strand where an event was lost. Null when the worker's stack is empty.
  Frame* running_frame(std::uint32_t worker);
  NodeIndex open_after(std::uint32_t worker, std::uint32_t task, EdgeKind kind);
  NodeIndex close_strand(std::uint32_t worker);
  void note_integrals(std::uint32_t worker) noexcept {
    workers_[worker].running_ns = occupancy_.running_ns();
    workers_[worker].elapsed_ns = occupancy_.elapsed_ns();
  }
  void count_ready(std::uint32_t task);
  void uncount_ready(std::uint32_t task);
  void wake_waiting(std::uint32_t task);
  [[nodiscard]] std::uint64_t code_of(std::uint32_t worker, std::uint32_t low) const {
    return static_cast<std::uint64_t>(workers_[worker].code_high) << 32 | low;
  }
  [[nodiscard]] std::int64_t to_ns(std::uint64_t ticks) const {
    if (ticks <= start_ticks_) return 0;
    // A damaged stamp may be centuries away.
    return static_cast<std::int64_t>(std::min(static_cast<double>(ticks - start_ticks_) * ns_per_tick_, kLatestNs));
  }

  static constexpr double kLatestNs = 4e18;

  std::vector<trace::StreamReader>& streams_;
  RecordedGraph out_;
  const trace::ProbeCosts costs_;
  const std::vector<double> counter_bias_;
  const std::uint64_t start_ticks_;
  const double ns_per_tick_;
  const std::int64_t exit_ns_;
  const std::uint32_t main_worker_;
  Occupancy occupancy_;
  StrandWriter writer_;
  TaskTable tasks_;
  TeamTable teams_;
  KernelTable kernels_;
  DependenceTable dependences_;
  RangeTable ranges_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::size_t> open_collectives_;  // (communicator, number)
  std::vector<Scope> scopes_;
  const bool says_who_cancels_;  // the trace has events of cancellation: older ones have none
  bool has_cut_tasks_ = false;
  std::vector<Group> groups_;  // taskgroups, where it has
  std::vector<Worker> workers_;
  std::int64_t now_ns_ = 0;
  bool program_over_ = false;        // what comes is the runtime's shutting down
  std::uint32_t last_task_ = kNone;  // that the program ended in
  // The worker that used OpenMP last when no thread did any more: what the program does outside is taken for its own.
  std::uint32_t outside_ = kNone;
  NodeIndex outside_strand_ = kNoNode;  // its last, when OpenMP is used again
};

}  // namespace foretask::graph
