// SPDX-License-Identifier: Apache-2.0
// foretask export: a recorded run or a task graph in another tool's format.
#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/input.hpp"
#include "cli/progress.hpp"
#include "cli/scratch_folder.hpp"
#include "report/graph_export.hpp"

namespace foretask::cli {
namespace {

constexpr std::size_t kMaxDotNodes = 20'000;
constexpr std::size_t kCopyBytes = 1 << 20;

struct Options {
  std::string input;
  InputOptions reading;
  std::string format;
  std::string output;
  std::size_t max_nodes = kMaxDotNodes;
  bool gzip = false;
};

// The task-graph writer takes a path: for standard output and gzip its file is passed on.
Result<void> copy_task_graph(const analysis::TaskGraph& graph, report::Output& output) {
  const auto scratch = ScratchFolder::create();
  if (!scratch) return scratch.error();
  const std::string path = scratch->path() + "/graph.jsonl";
  if (auto written = write_task_graph(graph, path); !written) return written;
  std::ifstream in(path, std::ios::binary);
  std::vector<char> block(kCopyBytes);
  while (in && !output.failed()) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    output.write({block.data(), static_cast<std::size_t>(in.gcount())});
  }
  if (in.bad()) return Error{.what = "cannot be read back", .path = path};
  return {};
}

Result<void> write(const Input& input, const Options& options) {
  const analysis::TaskGraph& graph = input.graph();
  if (options.format == "graph" && !options.output.empty() && !options.gzip)
    return write_task_graph(graph, options.output);

  auto output =
      report::Output::open(options.output, options.gzip ? report::Compression::kGzip : report::Compression::kNone);
  if (!output) return output.error();
  report::Places places;
  if (input.run) places = [&input](analysis::NodeIndex node) { return input.run->place(node); };

  Result<void> written;
  if (options.format == "csv") {
    write_csv(graph, places, *output);
  } else if (options.format == "dot") {
    written = write_dot(graph, options.max_nodes, *output);
  } else if (options.format == "perfetto") {
    ProgressLine progress;
    write_perfetto(
        graph, places, input.run->report().program,
        [&progress](double done, const char* what) { progress.update(done, what); }, *output);
  } else {
    written = copy_task_graph(graph, *output);
  }
  return written ? output->finish() : written;
}

int run(const Options& options) {
  if (options.gzip && options.output.empty() && ::isatty(STDOUT_FILENO) == 1)
    return fail("gzip to a terminal: give a file with -o, or send the output to one");
  const auto input = load_input(options.input, options.reading);
  if (!input) return fail(input.error());
  if (!input->run && options.format == "perfetto")
    return fail(options.input + ": a task-graph file says not when its tasks ran: perfetto needs a recorded run");
  if (input->run)
    for (const std::string& warning : input->run->report().warnings) note("warning: " + warning);
  const auto written = write(*input, options);
  return written ? kExitOk : fail(written.error());
}

}  // namespace

Command add_export(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("export", "Write a run for another tool: Perfetto, Graphviz, CSV, a task graph");
  command->add_option("INPUT", options->input, "The folder of a recorded run, or a task-graph file")->required();
  command->add_option("--format", options->format, "perfetto, dot, csv or graph")
      ->required()
      ->check(CLI::IsMember({"perfetto", "dot", "csv", "graph"}));
  command->add_option("-o,--output", options->output, "The file to write (default: standard output)")
      ->check(CLI::Validator(check_not_empty, "FILE"));
  command
      ->add_option("--max-nodes", options->max_nodes,
                   fmt::format("dot: refuse a larger graph (default {})", kMaxDotNodes))
      ->check(CLI::Validator(check_number, "N"));
  add_rename(*command, options->reading);
  command->add_flag("--gzip", options->gzip, "Compress what is written");
  return {command, [options] { return run(*options); }};
}

}  // namespace foretask::cli
