// SPDX-License-Identifier: Apache-2.0
// HOT: what the parts of a reconstruction share: the tasks, what waits for them, and what each worker runs.
//
// A worker is a stream: one thread, or several of which each began when the one before had ended.
//
// A worker's stack holds the tasks that it has begun and not finished, innermost last; only the last may run. A trace
// that contradicts this (losses, damage) is counted in `out.anomalies`, and the reconstruction goes on from what the
// event itself says.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "foretask/analysis/team_work.hpp"
#include "graph/reconstruction/graph_builder.hpp"
#include "graph/reconstruction/idle_workers.hpp"
#include "graph/reconstruction/occupancy.hpp"
#include "graph/reconstruction/recorded_graph.hpp"
#include "graph/reconstruction/strand_writer.hpp"
#include "graph/reconstruction/tables.hpp"

namespace foretask::graph {

// Parallel regions while a graph is reconstructed: their members and the barriers that these have come to.
struct Barrier {
  std::vector<NodeIndex> arrived;  // last strands before it
  NodeIndex join_node = kNoNode;   // made when the first member leaves
  std::int64_t ready_ns = 0;       // when the last arrived and the last task ended
  std::uint32_t left = 0;
  std::uint32_t next_phase = kNone;  // what begins behind it; as join_node
};

struct Member {
  std::uint32_t task = kNone;
  std::uint32_t barriers_reached = 0;
  std::uint32_t barriers_left = 0;
  std::uint32_t loops_begun = 0;
};

struct Region {
  NodeIndex fork_strand = kNoNode;
  std::uint32_t parent = kNone;  // the task that meets the construct
  std::uint32_t scope = kNone;
  std::uint32_t kernel = 0;
  std::uint32_t team_size = 0;  // 0 until a member begins
  bool ended = false;
  std::vector<Member> members;
  std::vector<Barrier> barriers;  // those that not all members have left: two at most, in a trace that is whole
  std::uint32_t barriers_done = 0;
  std::uint32_t first_phase = kNone;
  bool is_doubtful = false;          // its events contradict each other, in a damaged trace
  bool is_spoiled = false;           // its members do more in some phase than work that could be divided
  bool has_submitter = false;        // a thread creates tasks for it, and runs none
  bool is_for_tasks = false;         // it is no construct of a program's: a runtime's workers, whose parts are empty
  bool has_tasks = false;            // explicit ones were made in it
  std::uint32_t starting = 0;        // members that have not begun, or not left an open barrier
  double costs_before_ns = 0;        // of all regions when it began, and of those that have ended within it
  std::vector<std::uint32_t> loops;  // in the order in which each member comes to them
};

using TeamTable = NameTable<Region>;

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
  // Of an implicit task: between which barriers (of ReconstructionState::phases), and its number in the team.
  std::uint32_t phase = kNone;
  std::uint32_t thread = 0;
  // In a worksharing loop: which, this thread's share of it as a record of its own, and until when its chunks are told.
  std::uint32_t loop = kNone;
  std::uint32_t share = kNone;
  std::int64_t chunks_since_ns = 0;
  std::uint32_t single = kNone;  // or masked: in which (of LoopEvents)
  // Over its strands on this worker: how many strands ran, and how long, on the clock without probes.
  double running_ns = 0;
  double elapsed_ns = 0;
  // kLock, kBlocked: since when, what the program's clock had stood until then, and the strand before.
  std::int64_t paused_ns = 0;
  double paused_stood_ns = 0;
  NodeIndex paused_strand = kNoNode;
};

// How long the runtime takes now, against its calibration: over the latest some 1,000 gaps. A processor's speed changes
// while a program runs, and the costs within strands, which no event shows, change with it.
class RuntimeSpeed {
 public:
  void add(double gap_ns, double calibrated_ns) noexcept {
    constexpr double kPart = 1.0 / 1024;
    // What is longer than this waited for something else.
    gap_ns_ += kPart * (std::clamp(gap_ns, 0.0, 4 * calibrated_ns) - gap_ns_);
    calibrated_ns_ += kPart * (calibrated_ns - calibrated_ns_);
  }
  // 1 of none.
  [[nodiscard]] double factor() const noexcept { return std::clamp(gap_ns_ / calibrated_ns_, 0.25, 4.0); }

 private:
  double gap_ns_ = 20;
  double calibrated_ns_ = 20;
};

// The part of the tasks that a worker makes which it runs at once, as the runtime keeps no more: of the latest some
// 256.
class AtOnceShare {
 public:
  void make() noexcept { share_ -= kPart * share_; }
  void run_at_once() noexcept { share_ += kPart; }                               // the one that was made last
  [[nodiscard]] double share() const noexcept { return std::min(share_, 1.0); }  // a damaged trace

 private:
  static constexpr double kPart = 1.0 / 256;
  double share_ = 0;
};

struct WorkerState {
  std::vector<Frame> stack;
  std::uint64_t packets = 0;
  std::uint32_t next_task = 0;
  std::uint32_t next_region = 0;
  std::uint32_t code_high = 0;
  std::uint32_t last_created = kNone;
  std::uint32_t created_dependences = 0;  // of that one
  std::uint32_t ended_dependences = 0;    // of the task that it has ended last
  // Of its last event, where that was the first of two that one append may have written.
  std::uint64_t first_of_append_ticks = 0;
  std::uint32_t first_of_append = 0;  // its kind
  RuntimeSpeed speed;
  AtOnceShare at_once;
  double core_wait = 0;  // the part of the time since its last event in which its thread waited for a core
  // What its open strand began with; of one that runs none, what its latest ended with.
  Boundary boundary = Boundary::kOther;
  std::size_t opening_edge = 0;  // the first into its open strand
  bool is_stolen_from = false;   // since it took a task of its own deque
  bool has_thread = false;       // the beginning of one was seen
  // The integrals when its open strand began.
  double running_ns = 0;
  double elapsed_ns = 0;
  double blame_ns = 0;

  [[nodiscard]] std::uint64_t code(std::uint32_t low) const noexcept {
    return static_cast<std::uint64_t>(code_high) << 32 | low;
  }
  [[nodiscard]] bool is_in(FrameState state) const noexcept { return !stack.empty() && stack.back().state == state; }
  // The region that a task belongs to which starts on top.
  [[nodiscard]] std::uint32_t region() const noexcept { return stack.empty() ? kNone : stack.back().region; }
};

// A taskgroup or a parallel region: what its end waits for.
struct Scope {
  std::uint32_t outer = kNone;          // the scope around it
  std::uint32_t owner = kNone;          // the task that opened it
  std::uint32_t orphans = kNone;        // list of tasks whose parents are gone without having waited
  std::uint32_t children_mark = kNone;  // taskgroup: the owner's list of children when it was opened
  std::uint64_t live = 0;               // incomplete tasks in it
  bool waiting = false;                 // taskgroup: its owner has come to its end
  std::uint32_t group = kNone;          // taskgroup, where the trace says who cancels them: which
};

struct PhaseStrand {
  analysis::TeamStrand strand;
  std::uint32_t phase = 0;
  std::uint32_t single = kNone;
};

// A taskloop that leaves it to the runtime how many tasks it has.
struct Taskloop {
  std::uint32_t threads = 0;  // of the team
  std::uint64_t iterations = 0;
  std::vector<std::uint32_t> tasks;
};

struct ReconstructionState {
  ReconstructionState(std::size_t streams, const TraceCensus& census, std::size_t counters, std::int64_t last_ns,
                      const std::vector<analysis::TeamCosts>& team_costs);

  // An event contradicts what came before.
  void count_anomaly() noexcept { ++out.anomalies; }
  // The frame on top, running: opens a strand where an event was lost. Null when the worker's stack is empty.
  Frame* running_frame(std::uint32_t worker);
  // Brings the integrals up to now_ns. Before anything changes.
  void advance();
  // What the worker waits for may have changed, or how far it has a core.
  void note_idle(std::uint32_t worker);
  // So many of the region's members are yet to begin, or to leave a barrier that is open.
  void set_starting(Region& region, std::uint32_t members);
  // The next strand of `task`, after its latest.
  NodeIndex open_strand(std::uint32_t worker, std::uint32_t task, EdgeKind kind, Boundary begin = Boundary::kOther);
  // kNoNode where the worker runs none. What the runtime takes for that end is charged to it: for a team of `threads`,
  // 0: the worker's.
  NodeIndex close_strand(std::uint32_t worker, Boundary end = Boundary::kOther, std::uint32_t threads = 0);
  // The strand that began with a creation did nothing of its own: the task that it created runs at once, in its place.
  // False where it cannot be taken back.
  bool discard_strand(std::uint32_t worker);
  // Takes out the edges to what was discarded behind others. Linear in the edges, where there are any. At the end.
  void drop_edges();
  // Of the innermost region of the worker; 1 outside of regions.
  [[nodiscard]] std::uint32_t team_size(std::uint32_t worker) const;
  // A gap of the runtime's own, against what the calibration has for it.
  void note_speed(std::uint32_t worker, std::int64_t gap_ns, std::int64_t analysis::TeamCosts::*calibrated);
  // The runtime handed the worker so many chunks of a loop: what that took is charged to it, and returned.
  double charge_hand_outs(std::uint32_t worker, std::uint32_t chunks);
  // Whether the worker's team says what the runtime takes in a team of all workers.
  [[nodiscard]] bool is_in_full_team(std::uint32_t worker) const { return team_size(worker) == out.workers; }
  // The same of so many dependences of the task that the worker has created last.
  void charge_dependences(std::uint32_t worker, std::uint32_t count);
  // Of a gap behind a task's end: without release_ns for each dependence that the task had.
  [[nodiscard]] std::int64_t without_release_ns(std::uint32_t worker, std::int64_t gap_ns);
  // The same of what the runtime took within the tasks of a subtree: as calibrated, for the gaps beside it, behind the
  // recorder's own work, are those of cold caches.
  double charge_subtree(std::uint32_t worker, double made, double waits);
  // Of the tasks that the worker makes: the part that it runs at once, which costs what it does in a team of one.
  [[nodiscard]] double at_once_share(std::uint32_t worker) const {
    return team_size(worker) > 1 ? workers[worker].at_once.share() : 0;
  }
  // Whether the worker's running task gave itself back to the runtime before it began, as LLVM's untied ones do.
  [[nodiscard]] bool has_parts(std::uint32_t worker) const {
    const std::vector<Frame>& stack = workers[worker].stack;
    return !stack.empty() && tasks[stack.back().task].has(kHasParts);
  }
  // The duration that the worker's open strand would get if its task ended now.
  [[nodiscard]] double net_at_end_ns(std::uint32_t worker);
  // The worker's thread has ended: nothing is left of what it was in.
  void end_thread(std::uint32_t worker);
  // The running task comes to something whose time is not its own. False where none runs.
  bool pause(std::uint32_t worker, FrameState state);
  // The end of it: the strand goes on, or a new one begins where it `splits` it, which is returned then.
  NodeIndex end_pause(std::uint32_t worker, bool splits);
  // A phase of the region's team begins.
  std::uint32_t add_phase(std::uint32_t region);
  // What the frame's task is in the midst of cannot be divided among other threads.
  void spoil_phase(const Frame& frame);
  // The clock of what the worker runs: it stands while that waits for a core.
  [[nodiscard]] std::int64_t running_clock_ns(std::uint32_t worker) const {
    return now_ns - static_cast<std::int64_t>(writer.core_wait_ns(worker));
  }
  void count_ready(std::uint32_t task);
  void uncount_ready(std::uint32_t task);
  std::uint32_t add_scope(const Scope& scope = {});
  // The innermost scope that waits for the task: none that the task has opened itself.
  [[nodiscard]] std::uint32_t scope_around(std::uint32_t task) const;
  // What waited for the task goes on, and the task may still run, where the runtime releases early: what has run of it
  // becomes a strand that a join may name. Before the waiting task's next strand.
  void release(std::uint32_t task);
  [[nodiscard]] bool was_released(std::uint32_t task) const { return released_.contains(task); }
  void release_list(std::uint32_t first, std::uint32_t end);
  // The strand that is over when what waited for the task goes on: its last, or the one before its release.
  [[nodiscard]] NodeIndex strand_to_wait_for(std::uint32_t task) const;
  // Edges from the last strands of a list of tasks, up to but not including `end`. When the latest ended; 0 of none.
  std::int64_t join_list(std::uint32_t first, std::uint32_t end, NodeIndex into);
  // The same of the tasks that a scope's end waits for beside its owner's children.
  std::int64_t join_orphans(std::uint32_t scope, NodeIndex into);
  // How many tasks were not over when a wait for them was, nor soon after. Of the whole trace.
  [[nodiscard]] std::uint64_t contradicted_joins() const;

  RecordedGraph out;
  Occupancy occupancy;
  IdleWorkers idle;
  StrandWriter writer;
  TaskTable tasks;
  TeamTable teams;
  KernelTable kernels;
  std::vector<Scope> scopes;  // tasks outside any parallel region wait in the first
  std::vector<WorkerState> workers;
  std::vector<analysis::TeamPhase> phases;
  std::vector<std::uint32_t> region_of_phase;
  std::vector<std::int64_t> blocked_of_phase;  // waits for locks
  std::vector<PhaseStrand> phase_strands;
  std::vector<Taskloop> taskloops;
  std::unordered_map<std::uint32_t, std::uint32_t> taskloop_of;  // a task that makes one's tasks now
  std::vector<std::size_t> dropped_edges;
  std::int64_t now_ns = 0;
  bool releases_early = false;  // a task's end may follow what waits for it

 private:
  [[nodiscard]] const analysis::TeamCosts& costs_of(std::uint32_t threads);
  [[nodiscard]] Idle idle_of(std::uint32_t worker) const;
  // The worker's strand has ended: what it cost the workers that waited meanwhile.
  void blame(std::uint32_t worker, const TaskRecord& record, const StrandWriter::Closed& closed);
  // The worker's open strand pays `factor` times what was calibrated.
  void charge(std::uint32_t worker, double cost_ns, double factor);

  struct LateTask {
    std::uint32_t task;
    std::int64_t wait_end_ns;
  };

  const std::vector<analysis::TeamCosts>& team_costs_;
  std::vector<LateTask> late_tasks_;
  std::vector<analysis::TeamCosts> costs_by_size_;         // by number of threads, as far as asked for
  std::unordered_map<std::uint32_t, NodeIndex> released_;  // running tasks: the strand until their release
};

}  // namespace foretask::graph
