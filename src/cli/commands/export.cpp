// SPDX-License-Identifier: Apache-2.0
// foretask export: a recorded run, a replay or a task graph in another tool's format.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/commands/export.hpp"
#include "cli/launch/calibration.hpp"
#include "cli/launch/scratch_folder.hpp"
#include "cli/progress.hpp"
#include "report/timeline/graph_export.hpp"

namespace foretask::cli {
namespace {

constexpr std::size_t kMaxDotNodes = 20'000;
constexpr std::size_t kCopyBytes = 1 << 20;
constexpr const char* kLoopsCsv = "loops-csv";

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

// perfetto, csv and loops-csv: a timeline where there is one.
Result<void> write_timeline(const std::optional<report::Timeline>& timeline, const Input& input,
                            const ExportOptions& options) {
  auto output = open_output(options.output, options.gzip);
  if (!output) return output.error();
  if (options.format == "csv") {
    write_csv(timeline ? timeline->graph : input.graph(), timeline ? timeline->places : report::Places{}, *output);
  } else if (options.format == kLoopsCsv) {
    write_loop_csv(*timeline, *output);
  } else {
    ProgressLine progress;
    write_perfetto(
        *timeline, [&progress](double done, const char* what) { progress.update(done, what); }, *output);
  }
  return output->finish();
}

// dot and graph: nothing but the graph.
Result<void> write_graph(const Input& input, const ExportOptions& options) {
  if (options.format == "graph" && !options.output.empty() && !options.gzip)
    return write_task_graph(input.graph(), options.output);
  auto output = open_output(options.output, options.gzip);
  if (!output) return output.error();
  const Result<void> written = options.format == "dot" ? write_dot(input.graph(), options.max_nodes, *output)
                                                       : copy_task_graph(input.graph(), *output);
  return written ? output->finish() : written;
}

struct Format {
  const char* name;
  bool shows_times;
};
constexpr std::array kFormats{Format{"perfetto", true},    Format{"paraver", true}, Format{"dot", false},
                              Format{"csv", true},         Format{"graph", false},  Format{"profile-csv", true},
                              Format{"profile-svg", true}, Format{kLoopsCsv, true}};

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Format& format : kFormats) names.emplace_back(format.name);
  return names;
}

bool shows_times(const std::string& name) {
  return std::any_of(kFormats.begin(), kFormats.end(),
                     [&name](const Format& format) { return format.name == name && format.shows_times; });
}

Result<void> write(Input& input, const ExportOptions& options) {
  if (!shows_times(options.format)) return write_graph(input, options);
  std::optional<ExportedReplay> replay;
  if (options.shows_replay()) {
    auto made = replay_for_export(input, options);
    if (!made) return made.error();
    replay = std::move(*made);
  }
  if (options.format.starts_with("profile")) return export_profile(input, replay, options);
  std::optional<report::Timeline> timeline;
  if (replay) {
    timeline.emplace(replayed_timeline(input, *replay));
  } else if (input.run) {
    timeline.emplace(recorded_timeline(input));
  }
  if (options.format == "paraver") return export_paraver(*timeline, options);
  return write_timeline(timeline, input, options);
}

int run(const ExportOptions& options) {
  if (options.gzip && options.output.empty() && ::isatty(STDOUT_FILENO) == 1)
    return fail("gzip output cannot go to a terminal. Name a file with -o, or redirect the output");
  if (options.shows_replay() && !shows_times(options.format))
    return fail(options.format +
                " shows no times, so a replay would not change it: leave out --cores, --workers and --platform");
  if (options.shows_replay() && options.format == kLoopsCsv)
    return fail(
        "loops-csv shows which thread ran which iterations, and a replay does not say that: leave out --cores, "
        "--workers and --platform");
  if (options.format == "paraver") {
    if (const std::string problem = check_paraver_output(options); !problem.empty()) return fail(problem);
  }
  if (options.shows_replay()) calibrate_for({options.input});
  auto input = load_input(options.input, options.reading);
  if (!input) return fail(input.error());
  if (!input->run && options.format == kLoopsCsv)
    return fail(options.input + ": a task-graph file does not say when its loops ran: loops-csv needs a recorded run");
  if (!input->run && !options.shows_replay() && shows_times(options.format) && options.format != "csv") {
    return fail(
        fmt::format("{}: a task-graph file does not say when its tasks ran: {} needs a recorded run, or --cores N "
                    "for a replay",
                    options.input, options.format));
  }
  if (input->run)
    for (const std::string& warning : input->run->report().warnings) note("warning: " + warning);
  const auto written = write(*input, options);
  return written ? kExitOk : fail(written.error());
}

}  // namespace

Command add_export(CLI::App& app) {
  auto options = std::make_shared<ExportOptions>();
  options->max_nodes = kMaxDotNodes;
  CLI::App* command =
      app.add_subcommand("export", "Write a run or a replay for Perfetto, Paraver, Graphviz, as CSV or as a figure");
  command->add_option("INPUT", options->input, "The folder of a recorded run, or a task-graph file")->required();
  command->add_option("--format", options->format, fmt::format("What to write: {}", fmt::join(format_names(), ", ")))
      ->required()
      ->check(CLI::IsMember(format_names()));
  command->add_option("-o,--output", options->output, "The file to write (default: standard output)")
      ->check(CLI::Validator(check_not_empty, "FILE"));
  CLI::Option* const cores = add_core_count_option(*command, options->cores,
                                                   "Show a replay on N cores (with --platform: N cores of each node)");
  add_platform_options(*command, cores, options->machine);
  const std::array replay{add_policy_option(*command, options->replay), add_speedup_option(*command, options->replay),
                          add_seed_option(*command, options->replay)};
  command->parse_complete_callback([options, replay] {
    check_platform_options(options->machine);
    for (const CLI::Option* const option : replay) {
      if (!option->empty() && !options->shows_replay())
        throw CLI::RequiresError(option->get_name(), "--cores N (or --workers, or --platform)");
    }
  });
  command
      ->add_option("--max-nodes", options->max_nodes,
                   fmt::format("For dot: refuse a graph with more graph nodes (default {})", kMaxDotNodes))
      ->check(CLI::Validator(whole_number(), "N"));
  add_rename(*command, options->reading);
  command->add_flag("--gzip", options->gzip, "Compress the output (for paraver: the .prv file)");
  return {command, [options] { return run(*options); }};
}

}  // namespace foretask::cli
