// SPDX-License-Identifier: Apache-2.0
// foretask merge: the recordings of an MPI program's ranks as one task-graph file.
#include "foretask/analysis/merge.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/options/input.hpp"
#include "cli/progress.hpp"

namespace foretask::cli {
namespace {

struct Options {
  std::vector<std::string> runs;
  InputOptions reading;
  std::string output = "/dev/stdout";
};

int run(const Options& options) {
  ProgressLine progress;
  analysis::OpenOptions how;
  how.rename_buffers = options.reading.rename;
  how.progress = [&progress](double done, const char* what) { progress.update(done, what); };
  const auto merged = analysis::merge_runs(options.runs, how);
  progress.clear();
  if (!merged) return fail(merged.error());
  for (const std::string& warning : merged->warnings) note("warning: " + warning);
  if (const auto written = write_task_graph(merged->graph, options.output); !written) return fail(written.error());
  note(fmt::format("{} ranks, {} graph nodes, {} messages of {} bytes, {} collective calls", merged->ranks,
                   merged->graph.size(), merged->messages, merged->message_bytes, merged->collectives));
  return kExitOk;
}

}  // namespace

Command add_merge(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("merge", "Join the recordings of an MPI program's ranks into one task-graph file");
  command->add_option("RUN", options->runs, "The run folders of all ranks")->required();
  command->add_option("-o,--output", options->output, "The file to write (default: standard output)")
      ->check(CLI::Validator(check_not_empty, "FILE"));
  add_rename(*command, options->reading);
  return {command, [options] { return run(*options); }};
}

}  // namespace foretask::cli
