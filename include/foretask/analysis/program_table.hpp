// SPDX-License-Identifier: Apache-2.0
// A program's runs on several input sizes n and numbers of workers p, to fit models of T(n, p). As thread safe as a
// std::vector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "foretask/analysis/simulate.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

// One kernel in a run.
struct ProgramKernel {
  std::string name;
  double tasks = 0;          // of a loop: iterations; threads' shares where they are not known
  double work = 0;           // as ProgramRun::work
  double critical_path = 0;  // its part of the span
  std::string code;          // as a running process knows it (KernelSummary::code); empty: not known
  // Bytes between memory and last-level cache, from counted misses; NaN: not counted.
  double memory_bytes = std::numeric_limits<double>::quiet_NaN();
};

// One run. All times have the table's unit, ns in recordings. Definitions: docs/analysis.md; Namsraijav and Taura,
// "Performance Modeling of Task Parallel Programs", section 4.1.
struct ProgramRun {
  double n = 0;                        // input size, above 0
  double p = 0;                        // workers, a whole number from 1
  double create_task = 0;              // tasks created
  double wait_tasks = 0;               // waits issued
  double serial_work = 0;              // T1', the work of the same input on one worker (column T1prime); 0: not known
  double work = 0;                     // T1; work + delay + no_work = p * time
  double delay = 0;                    // scheduler delay: a task was ready and the worker idle
  double no_work = 0;                  // no task was ready
  double time = 0;                     // elapsed time
  double span = 0;                     // longest path; 0: not known
  double burdened_span = 0;            // with the cost of steals; 0: not known
  std::vector<ProgramKernel> kernels;  // most work first; empty: not known
  std::string source;                  // "table.csv:7", or the run folder
  double baseline = 0;                 // time of the unrecorded run beside it, on its own runtime; 0: there is none
  double no_core = 0;                  // share of the workers' time that other programs had; 0 in runs below 100 ms
  SchedulingCosts costs;               // as the recording calibrates them; all 0 in a table
};

struct ProgramTable {
  std::string size_name = "n";        // the program's word for n
  std::string inputs;                 // the other numeric parameters, "b=16 c=2"
  std::string program;                // empty: not known
  std::string machine;                // its fingerprint; empty: not known
  std::string build_id;               // of the executable, in hex; empty: not known
  std::vector<ProgramRun> runs;       // as in the file or the store; of recordings by n, p
  std::vector<std::string> warnings;  // in words
};

// Whether a table has a column of this name besides that of n.
[[nodiscard]] bool is_program_table_column(std::string_view name);

// Reads comma-separated values. Columns, in any order: n, p, create_task, wait_tasks, T1prime, work, delay, no_work,
// time, span; burdened_span may be missing. An empty or 0 span is not known. `size_name` is the column of n. Errors
// name file, line and column. Of a cell: text, a negative number, n, p or time of 0, p not a whole number. Of the
// table: a missing column, the same row twice, fewer than two rows, none with p = 1. Also several values in a column
// machine or program (else app), and dropped_events above 0. Other columns are ignored.
[[nodiscard]] Result<ProgramTable> read_program_table(const std::string& path, const std::string& size_name = "n");

// Reads the columns n and p of questions. Errors as above, except for those of the whole table: one row is enough, and
// rows may repeat.
struct ProgramPoint {
  double n = 0;
  double p = 0;
};
[[nodiscard]] Result<std::vector<ProgramPoint>> read_program_points(const std::string& path,
                                                                    const std::string& size_name = "n");

// From this share of no_core on a run is disturbed: its time is not the program's.
inline constexpr double kDisturbed = 0.2;

// One recording, with n from its parameter `size_name`, without serial_work. `progress` (may be empty) gets the share
// done. Errors name the folder: no recording, no such parameter or not a number above 0, dropped events, a cut stream.
[[nodiscard]] Result<ProgramRun> program_run(const std::string& folder, const std::string& size_name,
                                             const std::function<void(double done)>& progress = {});

// A table of recordings; a folder of recordings, as from `foretask sweep`, stands for them. n is the parameter
// `size_name` (foretask record --param n=1024); if that is empty, the only numeric parameter that varies. serial_work
// is the median work of the runs with this n and p = 1; without such runs it is 0, with a warning. Disturbed runs are
// left out, with a warning, where another one has the same n and p. `progress` (may be
// empty) gets the share done and a folder. Errors name the folder: another program or machine, another parameter that
// varies, no such parameter, dropped events, a cut stream, only one run, none with p = 1.
[[nodiscard]] Result<ProgramTable> program_table_of_runs(
    const std::vector<std::string>& folders, const std::string& size_name,
    const std::function<void(double done, const char* what)>& progress = {});

// The recordings at these paths, each once; a folder of recordings stands for them. Error: a path without any.
[[nodiscard]] Result<std::vector<std::string>> recordings_in(const std::vector<std::string>& paths);

// Comma-separated values for read_program_table(), in full precision, with burdened_span, program, machine and run;
// with baseline where a run has one.
[[nodiscard]] std::string program_table_text(const ProgramTable& table);

}  // namespace foretask::analysis
