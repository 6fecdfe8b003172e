// SPDX-License-Identifier: Apache-2.0
// What models are fitted to and judged on: a file of comma-separated values, or a kernel of a recorded run.
#pragma once

#include <string>
#include <vector>

#include "foretask/analysis/data_table.hpp"
#include "foretask/result.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace foretask::cli {

struct ModelInput {
  analysis::DataTable table;
  std::string name;                     // for errors and headings: the path, and the kernel
  std::string target;                   // a column
  std::vector<std::string> parameters;  // that are used where the user names none; empty: all other columns
};

// FILE, which is required, and --kernel.
void add_model_input(CLI::App& command, std::string& file, std::string& kernel);

// False, and said, where `path` is no folder and `target` is empty: wrong usage.
[[nodiscard]] bool has_target(const std::string& path, const std::string& target);

// `kernel` empty: the one that there is. `target` empty: the time, of a run. The errors list what there is. Rows that
// are left out are said on standard error.
[[nodiscard]] Result<ModelInput> load_model_input(const std::string& path, const std::string& kernel,
                                                  const std::string& target);

}  // namespace foretask::cli
