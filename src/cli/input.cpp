// SPDX-License-Identifier: Apache-2.0
#include "cli/input.hpp"

#include <filesystem>
#include <utility>

#include "cli/progress.hpp"

namespace foretask::cli {

Result<analysis::Run> load_run(const std::string& path, const std::optional<analysis::Burden>& burden) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored))
    return Error{.what = "is a file, not a recorded run: a run is the folder that foretask record wrote", .path = path};
  ProgressLine progress;
  analysis::OpenOptions options;
  options.burden = burden;
  options.progress = [&progress](double done, const char* what) { progress.update(done, what); };
  return analysis::Run::open(path, options);
}

Result<Input> load_input(const std::string& path) {
  std::error_code ignored;
  Input input;
  input.path = path;
  if (std::filesystem::is_directory(path, ignored)) {
    auto run = load_run(path);
    if (!run) return run.error();
    input.run = std::move(*run);
    return input;
  }
  auto graph = analysis::read_task_graph(path);
  if (!graph) return graph.error();
  input.file = std::move(*graph);
  return input;
}

}  // namespace foretask::cli
