// SPDX-License-Identifier: Apache-2.0
// A recorded run: read from its folder, reconstructed as strands and edges, and summed up.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "foretask/analysis/baseline.hpp"
#include "foretask/analysis/causes.hpp"
#include "foretask/analysis/kernel_counters.hpp"
#include "foretask/analysis/processes.hpp"
#include "foretask/analysis/simulate.hpp"
#include "foretask/analysis/speculative_section.hpp"
#include "foretask/analysis/task_graph.hpp"
#include "foretask/analysis/variability.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

// Called now and then with the share done, in [0, 1], and a word for it. May be empty.
using Progress = std::function<void(double done, const char* what)>;

// A function that a kernel's threads were seen in: the innermost one, inlined ones included but those of system
// headers.
struct FunctionTime {
  std::string name;  // function (file), or (module) without debug information
  std::uint64_t samples = 0;
  std::int64_t time_ns = 0;  // on a core, that these stand for
};

struct KernelSummary {
  std::string name;  // function (file:line), or module and offset without debug information
  // The program's own name for the kernel, or "module+0xoffset" of the code that creates its tasks, as a running
  // process knows it. " [parallel]" follows for the threads' own part in a region, " loop" or " sections" for their
  // shares of one. Empty: the serial part, or not known.
  std::string code;
  std::uint64_t count = 0;             // tasks; of a region or a loop the threads' shares
  std::int64_t work_ns = 0;            // sum of its strands, without probe cost
  double mean_ns = 0;                  // of them
  double cv = 0;                       // standard deviation / mean of task times
  std::int64_t critical_path_ns = 0;   // its part of the span
  std::int64_t system_blocked_ns = 0;  // part of its work
  // Of explicit tasks. The counters' means are over all tasks, the rest over an even choice of them.
  std::vector<CounterSummary> counters;
  std::vector<CounterRatio> ratios;
  std::vector<ActiveWorkers> active_workers;  // fewest first
  Variability variability;
  std::vector<FunctionTime> functions;  // most time first; empty where nothing was sampled
  std::string source_file;              // that of `name`, with its folders as compiled; empty: not known

  // The program's own code outside of tasks and regions.
  [[nodiscard]] bool is_serial_part() const { return name == "(serial part)"; }
};

// The samples of where the program's threads were.
struct FunctionSampling {
  std::uint32_t period_ns = 0;  // of a thread's time on a core; 0: nothing was sampled
  std::uint64_t samples = 0;    // outside of strands, too
  std::uint64_t lost = 0;
  std::string reason;  // why there are none; empty where there are, or none were wanted
};

// Samples of a kernel that are not tasks: scopes, and times that the program handed over.
struct SampledKernel {
  std::string name;
  std::vector<std::string> parameters;
  std::uint64_t count = 0;
  double total_ns = 0;
  double mean_ns = 0;
  double cv = 0;
};

// Why a loop's threads waited for the slowest of them, in ns. Together it is the loop's waited_ns.
struct WaitCauses {
  // Too few iterations or chunks: if all cost the same, threads would still wait so long.
  std::int64_t numbers_ns = 0;
  // Some iterations cost more: a thread's of a static loop, of others those of a chunk. Of a static loop a core that is
  // always slower looks the same.
  std::int64_t costs_ns = 0;
  // What is left: a thread was held up at times.
  std::int64_t speeds_ns = 0;
};

// A worksharing loop, over all its executions by teams; or a region's code outside of loops that were seen, where that
// may be one itself.
struct LoopSummary {
  std::string name;
  std::uint64_t instances = 0;
  std::uint64_t cut = 0;            // of the instances: cancelled, or not done when the program ended
  std::uint64_t iterations = 0;     // of all instances; 0: not known
  std::string schedule;             // "static", "dynamic,4"; "unknown"; "several": it differs between instances
  std::int64_t work_ns = 0;         // of all threads
  std::uint64_t hand_outs = 0;      // chunks that the runtime handed out
  std::int64_t hand_out_ns = 0;     // what that took of all threads' time, beside the work; 0 without a calibration
  std::optional<double> imbalance;  // the slowest thread's time / the threads' mean; empty: of one thread
  std::int64_t waited_ns = 0;       // what the other threads' shares are shorter than the slowest one's, summed
  std::optional<WaitCauses> waits;  // empty: nothing was waited, or not all iterations were seen
  std::uint32_t threads = 1;        // of the largest team
};

// A lock, a critical section or an ordered part.
struct LockSummary {
  std::string name;  // of the kernel whose tasks held it longest
  std::uint64_t times = 0;
  std::int64_t held_ns = 0;    // by one thread at a time: no run is shorter
  std::int64_t waited_ns = 0;  // of all threads, while another held it
};

// Which parts of a recursive program foretask made tasks (granularity.h).
struct GranularitySummary {
  // What a part had to take to become a task, from time_ns on: the mean over the threads.
  struct Threshold {
    std::int64_t time_ns = 0;
    double threshold_ns = 0;
  };

  std::string name;  // of the kernel
  std::uint64_t tasks = 0;
  std::uint64_t calls = 0;            // parts that were called; without those in code that begins no subtrees
  double decision_ns = 0;             // mean, of those that were timed
  std::vector<Threshold> thresholds;  // 50 at most, evenly over the time in which there were decisions
};

// Mean numbers of running and ready strands, from time_ns to the next point.
struct ProfilePoint {
  std::int64_t time_ns = 0;
  double running = 0;
  double ready = 0;
};

// On a critical path, from a strand's end to the next one's start: what the workers did meanwhile.
struct PathGap {
  std::int64_t begin_ns = 0;  // from the run's start
  std::int64_t length_ns = 0;
  std::uint32_t kernel = 0;           // of the strand behind it; index into Report::kernels
  bool is_on_another_worker = false;  // than the strand before it
  std::int64_t others_ns = 0;         // until the worker of the strand behind it had ended its last other strand
  std::uint32_t others_kernel = 0;    // of these strands the longest one's; if there is one
  std::int64_t busy_ns = 0;           // in which workers ran strands, summed over all workers
};

struct CriticalPath {
  std::int64_t work_ns = 0;
  std::int64_t delay_ns = 0;
  std::vector<std::pair<std::uint32_t, std::int64_t>> kernels;  // index into Report::kernels, ns; largest first
  std::vector<PathGap> gaps;  // of the last finisher's path the longest 10, longest first
};

// A run's figures, of the whole of it. Times are in ns, without probe cost unless a name says otherwise. Definitions:
// docs/analysis.md.
struct RunTotals {
  std::uint32_t workers = 0;
  std::int64_t elapsed_ns = 0;           // without what recording took
  std::int64_t recorded_elapsed_ns = 0;  // by the clock, probes included
  // Outside of what the program says is of interest (foretask_begin_interest): in no other figure.
  std::int64_t not_of_interest_ns = 0;
  std::int64_t work_ns = 0;
  std::int64_t delay_ns = 0;
  std::int64_t no_work_ns = 0;
  std::int64_t outside_ns = 0;  // detached tasks that wait for threads outside of OpenMP: in the span, not work
  std::int64_t blocked_ns = 0;  // waits for locks and critical sections
  std::int64_t probe_ns = 0;
  // Part of the delay: the runtime's own time, creating, starting and joining tasks. Within strands it is only known by
  // a calibration, and is left in the work without one.
  std::int64_t runtime_ns = 0;
  // What strands waited for a core. It is taken out of them, as the probes are, and makes the elapsed time shorter.
  std::int64_t core_wait_ns = 0;
  std::int64_t core_wait_elapsed_ns = 0;

  // The part of the recorded elapsed time that recording took.
  [[nodiscard]] std::int64_t recording_ns() const noexcept {
    return recorded_elapsed_ns - elapsed_ns - core_wait_elapsed_ns;
  }
  std::int64_t system_blocked_ns = 0;  // part of the work: the thread was blocked in the system (sleep, files)
  std::uint64_t tasks = 0;             // explicit ones that started
  std::uint64_t contracted_tasks = 0;  // of these, those that are parts of the task around them, not told apart
  std::uint64_t counted_tasks = 0;     // of these, those without time stamps: their times are estimates
  std::uint64_t create_task = 0;
  std::uint64_t own_tasks = 0;  // scopes on threads that no runtime runs: nothing tells what they waited for
  std::uint64_t wait_tasks = 0;
  std::uint64_t barriers = 0;
  std::uint64_t unfinished_tasks = 0;  // still running when the recording ended
  std::uint64_t cancelled_tasks = 0;   // discarded with their taskgroup or region before they started
};

// When, where and by what a run was recorded. What is not known is empty or 0.
struct RecordingOrigin {
  std::string started;  // UTC, ISO 8601
  std::string folder;   // the working directory
  std::string host;
  std::string processor_model;
  std::string fingerprint;  // of the machine
  std::uint32_t cores = 0;
  std::uint32_t processors = 0;         // of the machine
  std::uint32_t processors_usable = 0;  // that the process was allowed
  double quota = 0;                     // of the control group, in cores; 0: none, or not known
  std::uint64_t memory_bytes = 0;
  std::string build_id;                                          // of the program
  std::string version;                                           // of foretask
  std::string runtime_version;                                   // in words
  std::vector<std::pair<std::string, std::string>> environment;  // the runtime's variables
};

// A run's figures, its critical path and its kernels: what `foretask report` prints.
struct Report : RunTotals {
  std::string program;
  std::string runtime;  // "openmp", "mpi", "starpu", "tbb", or "sequential": annotated tasks
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> parameters;  // name and value, as given to the recording
  RecordingOrigin origin;
  std::uint64_t strands = 0;
  std::uint64_t edges = 0;
  std::int64_t span_ns = 0;
  std::int64_t burdened_span_ns = 0;
  std::int64_t burden_ns = 0;
  bool has_ended = true;  // false: the program was killed, or still runs
  std::uint64_t dropped_events = 0;
  SchedulingCosts costs;
  double identity_error = 0;              // |work + delay + no_work - p elapsed| / (p elapsed)
  std::vector<KernelSummary> kernels;     // most work first
  CriticalPath longest_work;              // the critical path by work; its length is the span
  CriticalPath last_finisher;             // traced back from the strand that ended last
  CriticalPath largest_delay;             // the path with most scheduler delay
  std::vector<ProfilePoint> profile;      // a few thousand points
  std::vector<RecordedCounter> counters;  // asked for, here and in the recordings beside this one
  std::uint32_t counter_sampling = 1;     // one task in this many was counted
  FunctionSampling function_sampling;
  std::vector<SampledKernel> samples;           // most time first
  std::vector<SpeculativeSection> speculative;  // most work first
  std::vector<LoopSummary> loops;               // most work first
  std::vector<LockSummary> locks;               // longest held first, 64 at most
  std::vector<GranularitySummary> granularity;  // by the kernels' numbers
  bool has_regions = false;                     // parallel ones
  // What threads that could run waited for a core, also where they only looked for work; 0 where threads outnumber the
  // cores.
  std::int64_t held_up_ns = 0;
  // Of the work: what replays take to divide among any number of threads, though the recording does not show how: loops
  // that one thread ran as one piece, and regions that may be a loop.
  std::int64_t assumed_even_ns = 0;
  // Of the span: tasks that run parts of loops which the runtime divides by the number of its threads. Replays keep the
  // parts of the recorded run.
  std::int64_t loop_parts_span_ns = 0;
  CoreTime core_time;  // of all workers, by what it was lost to
  // Of all workers, which core_time divides.
  [[nodiscard]] double cores_ns() const noexcept { return workers * static_cast<double>(core_time.wall_ns); }
  std::optional<Baseline> baseline;   // empty: the program was not run unrecorded beside it
  ProcessShares processes;            // as OpenOptions gave them
  std::vector<std::string> warnings;  // losses, cut streams, what breaks the identity
};

struct TimeRange {
  std::int64_t lowest_ns = 0;
  std::int64_t highest_ns = 0;

  [[nodiscard]] bool is_known() const noexcept { return lowest_ns == highest_ns; }
};

// The program's time without a recorder: that of the unrecorded run, where there was one that ended likewise. Else
// elapsed_ns, and where recording took more than 5 % of that, as much less to as much more as it took: caches are
// colder, and tasks may go to other threads (docs/overhead.md).
[[nodiscard]] TimeRange unrecorded_time(const Report& report);

// Where and when a strand ran.
struct StrandPlace {
  std::int64_t begin_ns = 0;  // since the start of the recording, probes included
  std::int64_t end_ns = 0;
  std::uint32_t worker = 0;
};

// The cost of an edge in the burdened span.
struct Burden {
  double ns = 0;
  double instructions = 0;  // one a tick of the recording's clock
};

// Cilkview's (He, Leiserson and Leiserson, SPAA 2010).
inline constexpr Burden kCilkviewBurden{0, 15'000};

struct OpenOptions {
  Progress progress;
  std::optional<Burden> burden;  // empty: as measured by the recording
  // For tasks annotated with their accesses: as if each task that writes a buffer anew had its own. Then only reads
  // after writes are ordered.
  bool rename_buffers = false;
  ProcessShares processes;  // of the launch that the recording belongs to, for its report
};

// A run folder, read once. Every accessor is const and thread safe.
class Run {
 public:
  // Reads the folder. Damaged parts are left out, counted, and listed in report().warnings. Errors: not a recording, no
  // readable event, another format version, no memory.
  [[nodiscard]] static Result<Run> open(const std::string& folder, const OpenOptions& options = {});

  Run(Run&&) noexcept;
  Run& operator=(Run&&) noexcept;
  ~Run();

  [[nodiscard]] const Report& report() const;
  [[nodiscard]] const TaskGraph& graph() const;
  [[nodiscard]] StrandPlace place(NodeIndex strand) const;
  // Sets the part of the report's work that is slower than in `base`, a recording of the same program and input on
  // fewer threads, in `folder`. O(kernels). Errors: another program, build or parameter, not fewer threads. Another
  // command line, but for its numbers of threads, and another number of tasks are warnings. Not thread safe.
  [[nodiscard]] Result<void> compare_with_base(const Run& base, const std::string& folder);
  // Sets what the run would take without each cause that cost 2 % or more, on its own cores and on `cores`: replays
  // under work stealing, one a cause and number of cores. Not thread safe.
  void try_without_causes(const std::vector<std::uint32_t>& cores);
  // What the strand adds to the span, in ns: 0 where it is not on Report::longest_work. Of a loop that a team divides
  // the longest chunk counts.
  [[nodiscard]] std::int64_t span_part_ns(NodeIndex strand) const;

  struct Impl;  // the library's

 private:
  explicit Run(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// How a program ended, as its parent saw it.
struct ProgramEnd {
  std::int64_t monotonic_ns = 0;  // CLOCK_MONOTONIC
  int exit_code = 0;
  int signal = 0;        // 0: none
  std::int64_t pid = 0;  // of the ended process; 0: the recorded one
};

// Adds the program's end to the recording in `folder`: the time after the runtime's end belongs to the program. Does
// nothing where another process ended, such as a script or mpirun. Errors: run.json is damaged, or cannot be read or
// written.
[[nodiscard]] Result<void> note_program_end(const std::string& folder, const ProgramEnd& end);

inline constexpr std::uint32_t kMostCounterRuns = 64;

// Notes in the first recording, in `folder`, that the program ran once for each of `runs` groups of counters. Errors as
// above.
[[nodiscard]] Result<void> note_counter_runs(const std::string& folder, std::uint32_t runs);

// The folder of such a group's recording, from 1: "run", "run.2", "run.3".
[[nodiscard]] std::string counter_run_folder(const std::string& first, std::uint32_t number);

// The folder of the recording on so many threads among several in `folder` (foretask record --threads): "folder/p=2".
[[nodiscard]] std::string threads_run_folder(const std::string& folder, std::uint32_t threads);

// The recordings of that kind in `folder`, the fewest threads first; empty where there are none.
[[nodiscard]] std::vector<std::string> threads_run_folders(const std::string& folder);

// The folder for a recording that the user wants in `folder`. In one of several processes started together (mpirun) it
// is "run.rank3" beside it.
[[nodiscard]] std::string rank_run_folder(const std::string& folder);
// The same for `rank`.
[[nodiscard]] std::string rank_run_folder(const std::string& folder, std::uint32_t rank);

// True for a folder with a recording's run.json or metadata.
[[nodiscard]] bool is_run_folder(const std::string& path);

}  // namespace foretask::analysis
