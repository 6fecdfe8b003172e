// SPDX-License-Identifier: Apache-2.0
// foretask export: a recorded run, a replay or a task graph in another tool's format.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/launch/calibration.hpp"
#include "cli/launch/scratch_folder.hpp"
#include "cli/options/input.hpp"
#include "cli/options/machine_options.hpp"
#include "cli/options/replay_options.hpp"
#include "cli/progress.hpp"
#include "foretask/analysis/simulate.hpp"
#include "foretask/result.hpp"
#include "report/figure/profile_export.hpp"
#include "report/output.hpp"
#include "report/timeline/graph_export.hpp"
#include "report/timeline/timeline.hpp"
#include "report/units.hpp"

namespace foretask::cli {
namespace {

struct ExportOptions {
  std::string input;
  InputOptions reading;
  std::string format;
  std::string output;
  std::size_t max_nodes = 0;
  bool gzip = false;
  std::uint32_t cores = 0;  // 0: not given
  MachineOptions machine;   // but for the cores
  ReplayOptions replay;

  [[nodiscard]] bool shows_replay() const {
    return cores != 0 || !machine.workers.empty() || !machine.platform.empty();
  }
};

// A replay that is exported, with the settings that made it.
struct ExportedReplay {
  analysis::SimulationOptions settings;
  std::optional<analysis::TaskGraph> divided;  // what was replayed in the input's place
  analysis::SimulationResult result;
};

// A platform's workers are numbered node by node. Empty: identical cores.
std::vector<std::uint32_t> nodes_of_workers(const analysis::SimulationOptions& settings) {
  std::vector<std::uint32_t> nodes;
  if (!settings.platform) return nodes;
  for (std::uint32_t node = 0; node < settings.platform->nodes.size(); ++node)
    nodes.insert(nodes.end(), workers_of(settings.platform->nodes[node], settings.cores), node);
  return nodes;
}

// With --models the input has their times then.
Result<ExportedReplay> replay_for_export(Input& input, const ExportOptions& options) {
  auto platform = platform_of(input, options.machine, options.cores != 0);
  if (!platform) return platform.error();
  auto settings = replay_settings(input, options.replay, *std::move(platform));
  if (!settings) return settings.error();
  settings->cores = options.cores;
  settings->keep_schedule = true;
  // Loops are divided as in a replay that keeps no schedule.
  auto divided = Result<std::optional<analysis::TaskGraph>>(std::nullopt);
  const bool is_plain = !settings->platform && settings->policy != analysis::Policy::kHeft;
  if (is_plain)
    divided =
        analysis::graph_on_cores(input.graph(), options.cores, {},
                                 settings->policy == analysis::Policy::kWorkStealing ? &settings->costs : nullptr);
  if (!divided) return divided.error();
  auto result = simulate(*divided ? **divided : input.graph(), *settings);
  if (!result) return result.error();
  return ExportedReplay{std::move(*settings), *std::move(divided), std::move(*result)};
}

// A run's program; of a task-graph file its name without folder and extension.
std::string program_of(const Input& input) {
  return input.run ? input.run->report().program : std::filesystem::path(input.path).stem().string();
}

// As recorded; the input is a run, and stays.
report::Timeline recorded_timeline(const Input& input) {
  return {.graph = input.graph(),
          .places = [&input](analysis::NodeIndex node) { return input.run->place(node); },
          .program = program_of(input),
          .workers = input.run->report().workers,
          .is_recorded = true};
}

// Input and replay stay.
report::Timeline replayed_timeline(const Input& input, const ExportedReplay& replay) {
  std::vector<std::uint32_t> nodes = nodes_of_workers(replay.settings);
  const auto workers = nodes.empty() ? replay.settings.cores : static_cast<std::uint32_t>(nodes.size());
  return {.graph = replay.divided ? *replay.divided : input.graph(),
          .places =
              [&schedule = replay.result.schedule](analysis::NodeIndex node) {
                const analysis::ScheduledNode& entry = schedule[node];
                return analysis::StrandPlace{entry.start_ns, entry.end_ns, entry.worker};
              },
          .program = program_of(input),
          .workers = workers,
          .is_one_pool = replay.settings.platform == nullptr,
          .node_of_worker = std::move(nodes)};
}

// An empty path is standard output.
Result<report::Output> open_output(const std::string& path, bool gzip) {
  return report::Output::open(path, gzip ? report::Compression::kGzip : report::Compression::kNone);
}

// "run" of "run.prv", or of "run.prv.gz" where it is compressed; empty: the name ends in something else.
std::string stem_of(const ExportOptions& options) {
  const std::string ending = options.gzip ? ".prv.gz" : ".prv";
  if (!options.output.ends_with(ending)) return {};
  return options.output.substr(0, options.output.size() - ending.size());
}

// What is wrong with the file's name, or nothing.
std::string check_paraver_output(const ExportOptions& options) {
  const std::string wanted = options.gzip ? "-o FILE.prv.gz" : "-o FILE.prv";
  if (options.output.empty()) return "paraver writes three files (.prv, .pcf and .row). Name the first: " + wanted;
  if (!stem_of(options).empty()) return {};
  return "-o " + options.output + ": the name of Paraver's trace has another ending. Write " + wanted;
}

// FILE.prv and beside it FILE.pcf and FILE.row; only the .prv is compressed. The .prv is put into its place first:
// where there is no room for it, nothing is left of the other two.
Result<void> export_paraver(const report::Timeline& timeline, const ExportOptions& options) {
  const std::string stem = stem_of(options);
  auto records = open_output(options.output, options.gzip);
  if (!records) return records.error();
  auto names = open_output(stem + ".pcf", false);
  if (!names) return names.error();
  auto rows = open_output(stem + ".row", false);
  if (!rows) return rows.error();

  ProgressLine progress;
  write_paraver(
      timeline, std::time(nullptr), [&](double done, const char* what) { progress.update(done, what); }, *records,
      *names, *rows);
  if (auto written = records->finish(); !written) return written;
  if (auto written = names->finish(); !written) return written;
  return rows->finish();
}

constexpr std::size_t kLongestLabel = 80;  // bytes that a figure has room for, beside its own words

// "with gemm 2 times as fast, trsm 4 times as fast", as the user named them.
std::string label_of(const std::vector<std::string>& speedups) {
  std::string text;
  for (const std::string& speedup : speedups) {
    const std::size_t equals = speedup.rfind('=');
    text += fmt::format("{} {} {} times as fast", text.empty() ? "with" : ",", speedup.substr(0, equals),
                        speedup.substr(equals + 1));
  }
  return text.size() <= kLongestLabel ? text : text.substr(0, kLongestLabel) + "...";
}

// The program without its folder.
std::string name_of(const Input& input) { return std::filesystem::path(program_of(input)).filename().string(); }

// "cholesky, 16 cores, critical-path"
std::string title_of(const Input& input, const ExportedReplay& replay, std::uint32_t cores) {
  const bool is_machine = replay.settings.platform != nullptr;
  const std::string where =
      report::format_count(cores, is_machine ? "worker" : "core", is_machine ? "workers" : "cores");
  return fmt::format("{}, {}, {}", name_of(input), where, policy_name(replay.settings.policy));
}

// One, or before and after.
Result<void> write_profiles(const std::string& title, const std::vector<report::ProfilePanel>& panels,
                            const ExportOptions& options) {
  auto output = open_output(options.output, options.gzip);
  if (!output) return output.error();
  if (options.format == "profile-csv") {
    write_profile_csv(panels, *output);
  } else {
    write_profile_svg(title, panels, *output);
  }
  return output->finish();
}

Result<void> write_one(const report::Timeline& timeline, const std::string& title, const std::string& how,
                       const ExportOptions& options) {
  const report::BusyProfile profile(timeline);
  return write_profiles(title, {{how, profile, timeline.workers}}, options);
}

// Without the speed-ups and with them.
Result<void> write_both(const Input& input, const ExportedReplay& faster, const ExportOptions& options) {
  const report::Timeline timeline = replayed_timeline(input, faster);
  const report::BusyProfile after(timeline);
  ExportedReplay plain{.settings = faster.settings, .divided = faster.divided, .result = {}};
  plain.settings.speedups.clear();
  auto result = simulate(plain.divided ? *plain.divided : input.graph(), plain.settings);
  if (!result) return result.error();
  plain.result = std::move(*result);
  const report::BusyProfile before(replayed_timeline(input, plain));
  const std::uint32_t cores = timeline.workers;
  return write_profiles(title_of(input, faster, cores),
                        {{"before", before, cores}, {label_of(options.replay.speedups), after, cores}}, options);
}

// profile-csv and profile-svg. Speed-ups are shown beside the replay without them.
Result<void> export_profile(const Input& input, const std::optional<ExportedReplay>& replay,
                            const ExportOptions& options) {
  if (!replay) {
    const std::string title =
        fmt::format("{}, {}", name_of(input), report::format_count(input.run->report().workers, "worker", "workers"));
    return write_one(recorded_timeline(input), title, "as recorded", options);
  }
  if (!replay->settings.speedups.empty()) return write_both(input, *replay, options);
  const report::Timeline timeline = replayed_timeline(input, *replay);
  return write_one(timeline, title_of(input, *replay, timeline.workers), "replayed", options);
}

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
