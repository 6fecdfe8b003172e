// SPDX-License-Identifier: Apache-2.0
// What `foretask simulate` found, as data for its writers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "foretask/analysis/makespan.hpp"
#include "foretask/analysis/pooled_loops.hpp"
#include "foretask/analysis/simulate.hpp"
#include "foretask/analysis/work_inflation.hpp"

namespace foretask::report {

// Another recording whose loops say more of what iterations cost.
struct PooledRun : analysis::PooledRecording {
  std::string run;
};

// A sentence each; empty where there are none.
[[nodiscard]] std::string pooled_words(const std::vector<PooledRun>& runs);

struct SimulatedRun {
  std::uint32_t cores = 1;    // on a platform of several nodes, of each
  std::uint64_t workers = 1;  // in all
  analysis::SimulationResult replay;
  std::int64_t lock_ns = 0;                         // analysis::lock_bound_ns()
  std::optional<analysis::MakespanSample> sampled;  // where task times were drawn
  std::optional<analysis::RunRange> range;          // where recordings enough say how runs differ
};

// The recording that the prediction can be held against.
struct MeasuredRun {
  std::uint32_t workers = 0;
  std::int64_t elapsed_ns = 0;
  analysis::TimeRange unrecorded;  // unrecorded_time() of it
  std::int64_t blocked_ns = 0;     // of its workers' time, waiting for locks
  std::int64_t runtime_ns = 0;     // of its workers' time, the runtime's own work
  double loop_parts = 0;           // loop_parts_share() of it
};

struct Speedup {
  std::string kernel;
  double factor = 1;
};

struct ChangedLoop {
  std::string loop;
  std::string schedule;  // "dynamic,4"
};

// Replays with drawn task times, of each number of cores.
struct SampleCount {
  std::uint32_t samples = 0;
  std::uint64_t tasks = 0;
  std::uint64_t kept = 0;                     // as in analysis::SampledMakespans
  bool is_a_run = false;                      // recorded; else a task-graph file
  std::optional<analysis::RunSpread> spread;  // of it and other recordings
};

struct Simulation {
  std::string input;
  analysis::Policy policy = analysis::Policy::kCriticalPath;
  analysis::SchedulingCosts costs;
  std::uint64_t seed = 1;
  std::string machine;   // in words; empty: identical cores
  std::string contents;  // of a recording: its tasks and loops in words
  std::uint64_t tasks = 0;
  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;
  std::int64_t span_ns = 0;
  std::vector<Speedup> speedups;
  std::vector<ChangedLoop> schedules;
  double assumed_even = 0;  // of a recording's work: analysis::Report::assumed_even_ns
  std::vector<PooledRun> pooled;
  std::vector<analysis::KernelWork> inflated;  // kernels whose work differs on other numbers of workers
  std::optional<MeasuredRun> measured;
  std::optional<SampleCount> sampled;
  std::vector<SimulatedRun> runs;  // at least one

  // Of the durations in force; with `inflated` of those on the recorded number of workers.
  [[nodiscard]] std::int64_t work_ns() const { return inflated.empty() ? runs.back().replay.work_ns : own_work_ns_; }
  // Where the work differs by the number of cores: the recorded one, which speedups are of.
  void set_work(std::int64_t work_ns) {
    own_work_ns_ = work_ns;
    for (SimulatedRun& run : runs)
      run.replay.speedup = static_cast<double>(work_ns) / static_cast<double>(run.replay.makespan_ns);
  }

 private:
  std::int64_t own_work_ns_ = 0;
};

// How many tasks' times could not be drawn, in words; empty where there is nothing to say.
[[nodiscard]] std::string sampling_words(const SampleCount& sampled);

// That so much of the work is taken to divide evenly; empty where that is little.
[[nodiscard]] std::string assumed_even_words(double share);

// A table, and one line that reads it: where it stops scaling and why.
[[nodiscard]] std::string simulation_text(const Simulation& simulation);

// One JSON object; the keys are in docs/command_line.md.
[[nodiscard]] std::string simulation_json(const Simulation& simulation);

}  // namespace foretask::report
