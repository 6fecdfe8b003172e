// SPDX-License-Identifier: Apache-2.0
// What a command reads: a recorded run or a task-graph file, told apart by what is there.
#pragma once

#include <optional>
#include <string>

#include "foretask/analysis/run.hpp"
#include "foretask/analysis/task_graph.hpp"
#include "foretask/result.hpp"

namespace CLI {
class App;
}

namespace foretask::cli {

struct Input {
  std::string path;
  std::optional<analysis::Run> run;  // empty: a task-graph file
  // The file's graph. Of a run its graph with more than was recorded in it, if there is more: times by models
  // (--models), or what other recordings say of its loops (--with).
  std::optional<analysis::TaskGraph> own;

  [[nodiscard]] const analysis::TaskGraph& graph() const { return own ? *own : run->graph(); }
};

// How a recording is read.
struct InputOptions {
  std::optional<analysis::Burden> burden;
  bool rename = false;                // --rename: as if annotated tasks had a buffer each for what they write
  analysis::ProcessShares processes;  // what the recording's report says of its launch
};

// Adds --rename to a command that reads a recording.
void add_rename(CLI::App& command, InputOptions& options);

// Shows progress on a terminal. Of a task-graph file no option can be asked.
[[nodiscard]] Result<Input> load_input(const std::string& path, const InputOptions& options = {});

// What a replay of a recording does not know of, and the recording's own warnings; on standard error.
void note_warnings(const analysis::Report& report);

// For the commands that only a recording can answer.
[[nodiscard]] Result<analysis::Run> load_run(const std::string& path, const InputOptions& options = {});

}  // namespace foretask::cli
