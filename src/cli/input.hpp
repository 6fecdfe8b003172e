// SPDX-License-Identifier: Apache-2.0
// What a command reads: a recorded run or a task-graph file, told apart by what is there.
#pragma once

#include <optional>
#include <string>

#include "foretask/analysis/run.hpp"
#include "foretask/analysis/task_graph.hpp"
#include "foretask/result.hpp"

namespace foretask::cli {

struct Input {
  std::string path;
  std::optional<analysis::Run> run;  // a recorded run, else
  analysis::TaskGraph file;          // a task-graph file

  [[nodiscard]] const analysis::TaskGraph& graph() const { return run ? run->graph() : file; }
};

// Shows progress on a terminal.
[[nodiscard]] Result<Input> load_input(const std::string& path);

// For the commands that only a recording can answer.
[[nodiscard]] Result<analysis::Run> load_run(const std::string& path,
                                             const std::optional<analysis::Burden>& burden = {});

}  // namespace foretask::cli
