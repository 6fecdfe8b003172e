// SPDX-License-Identifier: Apache-2.0
// A recorded run: opened from its folder, turned into strands and edges, and summed up.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "foretask/analysis/kernel_counters.hpp"
#include "foretask/analysis/simulate.hpp"
#include "foretask/analysis/speculative_section.hpp"
#include "foretask/analysis/task_graph.hpp"
#include "foretask/analysis/variability.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

// Called now and then with what is done, in [0, 1], and a word for it. May be empty.
using Progress = std::function<void(double done, const char* what)>;

struct KernelSummary {
  std::string name;  // function (file:line), or the module and offset where there is no debug information
  // As a running process knows it: the program's own name for it, or "module+0xoffset" of the code that creates the
  // tasks, with " [parallel]" for the threads' own part in a region. Empty: the serial part, and what is not known.
  std::string code;
  std::uint64_t count = 0;            // tasks
  std::int64_t work_ns = 0;           // sum over its strands, probe cost taken out
  double mean_ns = 0;                 // per task
  double cv = 0;                      // standard deviation / mean of the tasks' times
  std::int64_t critical_path_ns = 0;  // its part of the longest path
  // Of explicit tasks. Of many, an even sample is looked at for all but the counters' means.
  std::vector<CounterSummary> counters;
  std::vector<CounterRatio> ratios;
  std::vector<ActiveWorkers> active_workers;  // fewest first
  Variability variability;
};

// What a kernel's samples say that are no tasks: scopes, and times that the program measured itself.
struct SampledKernel {
  std::string name;
  std::vector<std::string> parameters;
  std::uint64_t count = 0;
  double total_ns = 0;
  double mean_ns = 0;
  double cv = 0;
};

// One interval of the parallelism profile, up to the next one: so many strands run and are ready on average.
struct ProfilePoint {
  std::int64_t time_ns = 0;
  double running = 0;
  double ready = 0;
};

struct CriticalPath {
  std::int64_t work_ns = 0;
  std::int64_t delay_ns = 0;
  std::vector<std::pair<std::uint32_t, std::int64_t>> kernels;  // index into Report::kernels, ns; largest first
};

// All figures are in ns with the probes' own cost taken out, unless a name says otherwise. Definitions:
// docs/analysis.md.
struct Report {
  std::string program;
  std::string runtime;  // "openmp"; "sequential": annotated tasks, one after the other; "mpi"
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> parameters;  // name and value, as the recording was given them
  std::uint32_t workers = 0;
  std::int64_t elapsed_ns = 0;
  std::int64_t recorded_elapsed_ns = 0;  // as the clock saw it, probes included
  std::uint64_t tasks = 0;
  std::uint64_t strands = 0;
  std::uint64_t edges = 0;
  std::int64_t work_ns = 0;
  std::int64_t span_ns = 0;
  std::int64_t burdened_span_ns = 0;
  std::int64_t burden_ns = 0;
  std::int64_t delay_ns = 0;
  std::int64_t no_work_ns = 0;
  std::int64_t outside_ns = 0;  // detached tasks' waiting for threads outside of OpenMP: in the span, no work
  std::int64_t blocked_ns = 0;  // waiting for locks and critical sections
  std::uint64_t create_task = 0;
  std::uint64_t unfinished_tasks = 0;  // in work when the recording ended
  bool has_ended = true;               // the program; else it was killed, or is still running
  std::uint64_t cancelled_tasks = 0;   // created, and discarded with their taskgroup or region before they started
  std::uint64_t wait_tasks = 0;
  std::uint64_t barriers = 0;
  std::int64_t probe_ns = 0;
  std::uint64_t dropped_events = 0;
  SchedulingCosts costs;
  double identity_error = 0;                    // |work + delay + no_work - p elapsed| / (p elapsed)
  std::vector<KernelSummary> kernels;           // most work first
  CriticalPath longest_work;                    // the span: longest path by work
  CriticalPath last_finisher;                   // traced back from the strand that ended last
  CriticalPath largest_delay;                   // the path on which the scheduler lost most
  std::vector<ProfilePoint> profile;            // thinned to a few thousand points
  std::vector<RecordedCounter> counters;        // those asked for, in this recording and in those beside it
  std::uint32_t counter_sampling = 1;           // one task in so many was counted
  std::vector<SampledKernel> samples;           // most time first
  std::vector<SpeculativeSection> speculative;  // most work first
  std::vector<std::string> warnings;            // losses, cut streams, what breaks the identity; in words
};

// Where and when a recorded strand ran.
struct StrandPlace {
  std::int64_t begin_ns = 0;  // since the start of the recording, probes included
  std::int64_t end_ns = 0;
  std::uint32_t worker = 0;
};

// What an edge costs in the burdened span.
struct Burden {
  double ns = 0;
  double instructions = 0;  // at one a tick of the recording's clock
};

// Cilkview's (He, Leiserson and Leiserson, SPAA 2010).
inline constexpr Burden kCilkviewBurden{0, 15'000};

struct OpenOptions {
  Progress progress;
  std::optional<Burden> burden;  // empty: as measured in the recording
  // Of tasks annotated with what they read and write: as if each buffer that one of them writes anew were its own, so
  // that only a read after a write is ordered.
  bool rename_buffers = false;
};

// A run folder, read once. Every accessor is const and thread safe.
class Run {
 public:
  // Reads the folder. What is damaged is left out, counted and said in report().warnings; the error is for a folder
  // that is no recording, or one of another format version.
  [[nodiscard]] static Result<Run> open(const std::string& folder, const OpenOptions& options = {});

  Run(Run&&) noexcept;
  Run& operator=(Run&&) noexcept;
  ~Run();

  [[nodiscard]] const Report& report() const;
  [[nodiscard]] const TaskGraph& graph() const;
  [[nodiscard]] StrandPlace place(NodeIndex strand) const;

  struct Impl;  // the library's

 private:
  explicit Run(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// How a recorded program ended, as its parent saw it.
struct ProgramEnd {
  std::int64_t monotonic_ns = 0;  // CLOCK_MONOTONIC
  int exit_code = 0;
  int signal = 0;        // that ended it; 0 for none
  std::int64_t pid = 0;  // of the process that ended; 0: the recorded one
};

// Adds to the recording in `folder` how its program ended: the time after the runtime's end belongs to the program too.
// Nothing where another process ended, such as a script or an mpirun that had started the recorded one.
[[nodiscard]] Result<void> note_program_end(const std::string& folder, const ProgramEnd& end);

inline constexpr std::uint32_t kMostCounterRuns = 64;

// The program was run once for each group of counters: says so in the first recording, that in `folder`.
[[nodiscard]] Result<void> note_counter_runs(const std::string& folder, std::uint32_t runs);

// Where the recording of such a group lies, from 1: "run", "run.2", "run.3".
[[nodiscard]] std::string counter_run_folder(const std::string& first, std::uint32_t number);

// Where a recording goes that the user wants in `folder`: there, or, where this process is one of several that were
// started together (mpirun), in a folder of its rank beside it, "run.rank3".
[[nodiscard]] std::string rank_run_folder(const std::string& folder);
// That of rank `rank`.
[[nodiscard]] std::string rank_run_folder(const std::string& folder, std::uint32_t rank);

// True where `path` is a folder with a recording's run.json or metadata in it.
[[nodiscard]] bool is_run_folder(const std::string& path);

}  // namespace foretask::analysis
