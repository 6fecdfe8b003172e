// SPDX-License-Identifier: Apache-2.0
#include "cli/options/input.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <filesystem>
#include <utility>

#include "cli/command.hpp"
#include "cli/progress.hpp"
#include "report/plain_text.hpp"

namespace foretask::cli {

void add_rename(CLI::App& command, InputOptions& options) {
  command.add_flag(
      "--rename", options.rename,
      "Treat each buffer that an annotated task writes without reading as a new one. Then only reads wait for "
      "writes");
}

Result<analysis::Run> load_run(const std::string& path, const InputOptions& how) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored))
    return Error{.what = "is a file, not a recorded run. Give the folder that foretask record wrote", .path = path};
  if (how.processes.processes.empty() && analysis::is_run_folder(path))
    if (const auto shares = analysis::read_process_shares(path); !shares.processes.empty())
      note(report::wrapped(fmt::format("{} is one of {} processes that were recorded together: foretask report {}",
                                       path, shares.processes.size(), path)));
  ProgressLine progress;
  analysis::OpenOptions options;
  options.burden = how.burden;
  options.rename_buffers = how.rename;
  options.processes = how.processes;
  options.progress = [&progress](double done, const char* what) { progress.update(done, what); };
  return analysis::Run::open(path, options);
}

void note_warnings(const analysis::Report& report) {
  for (const std::string& warning : report.warnings) note(report::wrapped("warning: " + warning));
  for (const analysis::SpeculativeSection& section : report.speculative) {
    if (section.cancelled == 0) continue;
    note(report::wrapped(
        "warning: in the or-parallel section " + section.name +
        " the replay keeps the recorded winner and the recorded time of each other search. For other numbers of "
        "workers use foretask predict"));
  }
}

Result<Input> load_input(const std::string& path, const InputOptions& options) {
  std::error_code ignored;
  Input input;
  input.path = path;
  if (std::filesystem::is_directory(path, ignored)) {
    auto run = load_run(path, options);
    if (!run) return run.error();
    input.run = std::move(*run);
    return input;
  }
  if (options.rename)
    return Error{.what = "--rename needs a recorded run. A task-graph file does not say what its tasks read and write",
                 .path = path};
  auto graph = analysis::read_task_graph(path);
  if (!graph) return graph.error();
  input.own = std::move(*graph);
  return input;
}

}  // namespace foretask::cli
