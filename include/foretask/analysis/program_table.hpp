// SPDX-License-Identifier: Apache-2.0
// Runs of one program on inputs of several sizes n and on several numbers of workers p: what models of the program's
// time T(n, p) are fitted to. Thread safe as a std::vector is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "foretask/result.hpp"

namespace foretask::analysis {

// What one kernel did in a run.
struct ProgramKernel {
  std::string name;
  double tasks = 0;
  double work = 0;           // as ProgramRun::work
  double critical_path = 0;  // its part of the span
  std::string code;          // as a running process knows it (KernelSummary::code); empty: not known
  // Bytes between memory and the last-level cache, from its counted misses; NaN: not counted.
  double memory_bytes = std::numeric_limits<double>::quiet_NaN();
};

// One run. All times are in one unit, that of the table: ns where foretask recorded it. Definitions: docs/analysis.md;
// Namsraijav and Taura, "Performance Modeling of Task Parallel Programs", section 4.1.
struct ProgramRun {
  double n = 0;                        // size of the input, above 0
  double p = 0;                        // workers, a whole number from 1
  double create_task = 0;              // tasks created
  double wait_tasks = 0;               // waits issued
  double serial_work = 0;              // T1': work of the same input on one worker; column T1prime; 0: not known
  double work = 0;                     // T1, summed over the workers; work + delay + no_work = p * time
  double delay = 0;                    // a task was ready and an idle worker did not run it
  double no_work = 0;                  // no task was ready
  double time = 0;                     // elapsed
  double span = 0;                     // longest path; 0: not known
  double burdened_span = 0;            // the same with what a steal costs; 0: not known
  std::vector<ProgramKernel> kernels;  // most work first; none where the table's file did not say
  std::string source;                  // "table.csv:7" or the run's folder, for messages
};

struct ProgramTable {
  std::string size_name = "n";        // what the program calls n
  std::string inputs;                 // the other numeric parameters, as "b=16 c=2"; empty: none
  std::string program;                // empty: not known
  std::string machine;                // its fingerprint; empty: not known
  std::string build_id;               // of its executable, in hex; empty: not known
  std::vector<ProgramRun> runs;       // as in the file, or by n, p
  std::vector<std::string> warnings;  // in words
};

// Comma-separated values with a line of column names: n, p, create_task, wait_tasks, T1prime, work, delay, no_work,
// time, span, in any order, others ignored; but where a column app, program or machine has several values, or
// dropped_events one above 0, the rows cannot stand in one table. An empty or 0 span: not known. `size_name` is the
// column that is n. Errors name the file, the line and the column: a missing column, text, a negative time, n or p of
// 0, p that is no whole number, the same row twice, fewer than two rows, none with p = 1.
[[nodiscard]] Result<ProgramTable> read_program_table(const std::string& path, const std::string& size_name = "n");

// The rows n and p to be predicted, from comma-separated values; errors as above, but for those of a whole table: one
// row is enough, and the same one may be there twice.
struct ProgramPoint {
  double n = 0;
  double p = 0;
};
[[nodiscard]] Result<std::vector<ProgramPoint>> read_program_points(const std::string& path,
                                                                    const std::string& size_name = "n");

// One recording: `size_name` is its parameter that is n. serial_work is not known of one run. `progress` (may be empty)
// is called with the share done. Errors name the folder: no recording, no such parameter or one that is no number above
// 0, dropped events, a cut stream.
[[nodiscard]] Result<ProgramRun> program_run(const std::string& folder, const std::string& size_name,
                                             const std::function<void(double done)>& progress = {});

// Of recorded runs. A folder that holds recordings, as `foretask sweep` leaves, stands for them. n is the recording's
// parameter `size_name` (foretask record --param n=1024), or, where that is empty, its only numeric parameter that
// varies. `progress` (may be empty) is called with the share done and a folder. Errors name the folder: another program
// or machine than the others, another parameter that varies, no such parameter, dropped events, a cut stream, one run,
// no run with p = 1. serial_work is the median work of the runs of the same n with p = 1; where there are none it is 0,
// and a warning says so.
[[nodiscard]] Result<ProgramTable> program_table_of_runs(
    const std::vector<std::string>& folders, const std::string& size_name,
    const std::function<void(double done, const char* what)>& progress = {});

// The recordings that these paths name, each once: a folder that holds recordings stands for them. Errors: a path that
// is none and holds none.
[[nodiscard]] Result<std::vector<std::string>> recordings_in(const std::vector<std::string>& paths);

// The table as comma-separated values, in the columns that read_program_table() takes, then burdened_span, program,
// machine, run. Full precision.
[[nodiscard]] std::string program_table_text(const ProgramTable& table);

}  // namespace foretask::analysis
