// SPDX-License-Identifier: Apache-2.0
// What a trace says, as arrays: strands in order of their starts, and the edges into each strand in the same order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "foretask/analysis/causes.hpp"
#include "foretask/analysis/run.hpp"
#include "foretask/analysis/task_graph.hpp"
#include "foretask/analysis/team_work.hpp"
#include "graph/reconstruction/task_facts.hpp"
#include "statistics/running_variance.hpp"
#include "statistics/time_histogram.hpp"

namespace foretask::graph {

using analysis::EdgeKind;
using analysis::kNoNode;
using analysis::NodeIndex;

enum class MemberEnd : std::uint8_t {
  kWon,        // cancelled the group
  kAlsoFound,  // would have: another one was first
  kEnded,      // came to its end without
  kCutShort,   // the group was cancelled, or the recording ended, while it ran
  kNeverRan
};

struct SpeculativeMember {
  std::uint32_t task = 0;
  std::uint32_t kernel = 0;
  MemberEnd end = MemberEnd::kEnded;
  std::int64_t work_ns = 0;   // of its strands
  std::int64_t inner_ns = 0;  // of the tasks in taskgroups within it
};

// A taskgroup that ends when one of its tasks cancels it, an or-parallel section, as it was recorded. Times on the
// recorded clock; -1: it did not happen.
struct SpeculativeGroup {
  std::uint32_t kernel = 0;  // of those that search: some group was cancelled by one of it
  std::int64_t begin_ns = 0;
  std::int64_t cancel_ns = -1;
  std::int64_t left_ns = -1;               // its owner goes on
  std::vector<SpeculativeMember> members;  // in order of creation

  [[nodiscard]] bool is_cancelled() const noexcept { return cancel_ns >= 0; }
};

// What the runtime is called for at a strand's end; the next strand of the task begins with it.
enum class Boundary : std::uint8_t {
  kTask,    // an explicit task's begin and end
  kCreate,  // of a task
  kWait,    // a taskwait, the end of a taskgroup
  kOther
};
inline constexpr std::size_t kBoundaries = 4;

// What a recording shows of the runtime's own time: strands by what they begin and end with, which are nothing else in
// a program whose tasks do nothing, and the gaps between strands where a worker could go on. Probes are taken out.
struct RuntimeTimes {
  // By the boundaries at the beginning and at the end.
  std::array<std::array<statistics::TimeHistogram, kBoundaries>, kBoundaries> strands;
  // As analysis::TeamCosts.
  statistics::TimeHistogram at_once;
  statistics::TimeHistogram dispatch;
  statistics::TimeHistogram next;
  statistics::TimeHistogram contended;
  statistics::TimeHistogram steal;
  statistics::TimeHistogram resume;
  statistics::TimeHistogram pass;
  statistics::TimeHistogram fork;
  statistics::TimeHistogram barrier;
  // By the number of a task's dependences: the strands from its creation to the next creation (0: none is kept here),
  // and the gaps from its end to the next task.
  static constexpr std::uint32_t kMostDependences = 4;
  std::array<statistics::TimeHistogram, kMostDependences + 1> creations;
  std::array<statistics::TimeHistogram, kMostDependences + 1> ends;

  // Of the gaps before tasks, without outliers.
  [[nodiscard]] double task_gaps_ns() const noexcept {
    return at_once.sum_ns() + dispatch.sum_ns() + next.sum_ns() + contended.sum_ns() + steal.sum_ns() +
           resume.sum_ns() + pass.sum_ns();
  }
};

// Edges, grouped by the strand that they lead to, in ascending order of it: predecessors come for nothing, and every
// edge leads from a lower index to a higher one.
struct EdgesByTarget {
  std::vector<NodeIndex> from;
  std::vector<NodeIndex> to;
  std::vector<EdgeKind> kind;

  void add(NodeIndex source, NodeIndex target, EdgeKind edge_kind) {
    from.push_back(source);
    to.push_back(target);
    kind.push_back(edge_kind);
  }
  [[nodiscard]] std::size_t size() const noexcept { return from.size(); }
};

// One a strand. Times are ns since the start of the recording; duration has the probes' cost taken out.
struct StrandTable {
  std::vector<std::int64_t> begin_ns;
  std::vector<std::int64_t> end_ns;
  std::vector<std::int64_t> duration_ns;
  std::vector<std::uint32_t> task;
  std::vector<std::uint16_t> worker;
  std::vector<std::uint8_t> cores;  // 0 for a join node or a wait for the outside, no strand of any worker
  [[nodiscard]] std::size_t size() const noexcept { return duration_ns.size(); }
};

// A creation site, or what the program named its tasks: one kernel.
struct KernelSite {
  enum class Kind : std::uint8_t { kTask, kRegion, kSerial, kUnknown, kNamed, kLoop, kSections };
  std::uint64_t code = 0;  // kNamed: the kernel's number
  Kind kind = Kind::kTask;
};

struct KernelTotals {
  std::uint64_t count = 0;
  std::int64_t work_ns = 0;
  statistics::RunningVariance spread;  // of the tasks' work
  double system_blocked_ns = 0;        // part of the work
  std::uint64_t regions = 0;           // of a region's code: how often it began
  // That other workers waited because of it, on the recorded clock.
  std::array<double, analysis::kCauses> lost_ns{};

  [[nodiscard]] double mean_ns() const noexcept {
    return count == 0 ? 0 : static_cast<double>(work_ns) / static_cast<double>(count);
  }
};

// Samples of threads that ran a kernel's code at an address.
struct CodeTime {
  std::uint32_t kernel = 0;
  std::uint64_t address = 0;
  std::uint64_t samples = 0;
  std::int64_t time_ns = 0;  // that they stand for
};

// What a thread decided of subtrees of a kernel, up to `time_ns`.
struct GranularityFact {
  std::int64_t time_ns = 0;
  std::uint32_t kernel = 0;  // the program's number
  std::uint32_t tasks = 0;
  std::uint32_t calls = 0;
  std::uint32_t decisions = 0;
  std::uint32_t decisions_ns = 0;
  std::uint32_t threshold_ns = 0;
};

struct RecordedGraph : analysis::RunTotals {
  StrandTable strands;
  EdgesByTarget edges;
  std::vector<std::uint32_t> kernel_of_task;
  std::vector<std::uint32_t> parent_of_task;
  std::vector<std::uint8_t> task_is_untied;
  std::vector<std::uint16_t> dependences_of_task;  // as TaskGraph
  std::vector<KernelSite> kernels;
  std::vector<KernelTotals> kernel_totals;
  analysis::TeamWork team;
  std::vector<analysis::LockHold> locks;
  std::vector<analysis::NodeSubtree> subtrees;  // in the order of their ends

  std::int64_t oversubscribed_ns = 0;  // worker time beyond p: more strands ran than the runtime has workers
  std::int64_t thread_wait_ns = 0;     // that threads were ready and had no core, also outside of strands
  std::array<std::int64_t, analysis::kCauses> idle_ns{};  // delay and no work, by what they were lost to
  std::vector<double> useful_of_worker;                   // in strands and on a core, in ns
  std::uint64_t own_tasks = 0;                            // scopes on threads that no runtime runs
  std::uint64_t anomalies = 0;                            // events that contradict what came before
  NodeIndex team_start = kNoNode;                         // the strand before the first team of several threads
  std::uint32_t first_team_size = 1;
  std::int64_t team_start_ns = 0;   // from its end until the thread that forks is in the team
  std::int64_t program_end_ns = 0;  // when the initial task ended, on the recorded clock; 0: it did not
  std::vector<analysis::ProfilePoint> profile;
  RuntimeTimes runtime;  // of teams of the most threads
  // The runtime within strands, without handing out chunks: as calibrated, as fast as its gaps were, and what was taken
  // out of them.
  double calibrated_runtime_ns = 0;
  double charged_runtime_ns = 0;
  double taken_runtime_ns = 0;

  MessageFacts messages;
  CounterTable counters;
  ParameterTable parameters;
  std::map<std::uint32_t, KernelSamples> samples;  // by the kernel's number
  std::vector<GranularityFact> granularity;        // about in order of time
  std::vector<CodeTime> code_times;                // by kernel and address
  std::vector<Observations> observations;          // by index into `kernels`, explicit tasks; may be shorter
  std::vector<std::uint8_t> task_is_cut;  // 1: cancelled while it ran, or in work when the recording ended; or empty
  std::vector<SpeculativeGroup> speculative_groups;  // by their begin
};

}  // namespace foretask::graph
