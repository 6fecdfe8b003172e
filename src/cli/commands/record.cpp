// SPDX-License-Identifier: Apache-2.0
// foretask record: becomes a program with the recorder in its OpenMP runtime.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/launch/baseline.hpp"
#include "cli/launch/campaign.hpp"
#include "cli/launch/launcher.hpp"
#include "cli/launch/program_image.hpp"
#include "cli/launch/recorder.hpp"
#include "cli/options/lists.hpp"
#include "foretask/analysis/run.hpp"

namespace foretask::cli {
namespace {

constexpr std::uint32_t kMostProcesses = 1U << 20;
constexpr std::string_view kNoGrain = "0";
constexpr std::int64_t kMostGrainNs = 10'000'000;  // as FORETASK_GRAIN_NS

struct Options {
  std::string out;
  std::vector<std::string> params;
  std::string counters;
  std::uint32_t counter_sampling = 0;  // 0: not given
  std::uint32_t processes = 0;         // 0: not given
  std::string grain;
  std::string threads;  // empty: as the environment has it
  bool no_samples = false;
  bool learn = false;
  bool tune = false;
  bool baseline = false;
  std::string runtime;  // without effect, for scripts of earlier versions
  std::vector<std::string> program;
};

std::string check_param(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return fmt::format("'{}' is not NAME=VALUE", text);
  if (text.find('\n') != std::string::npos) return "a parameter must be one line";
  return {};
}

std::string check_grain(const std::string& text) {
  if (text == kNoGrain) return {};
  const auto times = parse_time_list(text);
  return times && times->size() == 1 && times->front() <= kMostGrainNs ? "" : "write 0, 10us or 0.5ms; at most 10ms";
}

std::string check_threads(const std::string& text) {
  const auto list = parse_core_list(text);
  return list ? std::string() : list.error().message();
}

// Groups of counters, a run of the program each; one, which may be empty, where there is nothing to part.
std::vector<std::string> counter_groups(const Options& options, const ChildEnvironment& environment) {
  const std::string* const inherited = environment.find("FORETASK_COUNTERS");
  const std::string list = options.counters.empty() && inherited != nullptr ? *inherited : options.counters;
  std::vector<std::string> groups;
  for (std::string& group : split(list, ';'))
    if (group.find_first_not_of(" \t,") != std::string::npos) groups.push_back(std::move(group));
  if (groups.empty()) groups.emplace_back();
  return groups;
}

// Where the folder has a name beforehand, so have those of the other groups.
Result<void> check_group_folders(const std::vector<std::string>& groups, const ChildEnvironment& environment) {
  if (groups.size() > analysis::kMostCounterRuns)
    return Error{.what = fmt::format("{} groups of counters are too many: {} at most", groups.size(),
                                     analysis::kMostCounterRuns)};
  const std::string* const out = environment.find("FORETASK_OUT");
  for (std::size_t group = 2; out != nullptr && group <= groups.size(); ++group)
    if (const auto path = check_recording_folder(analysis::counter_run_folder(*out, static_cast<std::uint32_t>(group)));
        !path)
      return path.error();
  return {};
}

void say_what_was_recorded(const RecordedRun& recorded, const Recorder& recorder) {
  for (const std::string& folder : recorded.folders) note("recorded into " + folder);
  if (const std::string silence = recorder.silence(); recorded.folders.empty() && !silence.empty())
    note("nothing was recorded: " + silence);
}

// A recorded run of the program for each group of counters, its folders known beforehand, and then those unrecorded
// that `options` ask for. Ended by a signal: that of a run, or one that somebody sent.
ExitStatus run_groups(const std::vector<std::string>& groups, const Options& options,
                      const std::vector<std::string>& words, Recorder& recorder) {
  const std::string first_folder = *recorder.environment().find("FORETASK_OUT");
  const InputPlace input;
  if (options.baseline && input.is_read_once())
    note("warning: standard input is a pipe. What the recorded run reads of it, the unrecorded ones will not find");
  StopSignals stop;
  std::optional<RecordedRun> first;
  ExitStatus first_failure;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    if (!groups[group].empty()) recorder.environment().set("FORETASK_COUNTERS", groups[group]);
    recorder.environment().set("FORETASK_OUT",
                               analysis::counter_run_folder(first_folder, static_cast<std::uint32_t>(group + 1)));
    auto recorded = recorder.run(words);
    if (!recorded) return {.exit_code = fail_to_start(recorded.error())};
    say_what_was_recorded(*recorded, recorder);
    const auto& [status, folders] = *recorded;
    stop.take(status.asked_to_end);
    if (!first_failure.has_failed()) first_failure = status;
    if (group != 0 && !folders.empty())
      if (const auto noted = analysis::note_counter_runs(first_folder, static_cast<std::uint32_t>(group + 1)); !noted)
        note(noted.error().message());
    // A signal is somebody's wish to end it, and without a recording there is nothing to add to.
    first_failure.asked_to_end = stop.requested();
    if (status.signal != 0 || folders.empty() || stop.requested() != 0) return first_failure;
    if (!first) first = std::move(*recorded);
  }
  if (!options.baseline) return first_failure;
  if (const int asked = add_baseline(recorder, words, *first, {.input = &input}); asked != 0)
    return {.exit_code = 128 + asked, .signal = asked, .pid = 0, .asked_to_end = asked, .elapsed_ns = 0};
  return first_failure;
}

// Ends as the first run that failed.
int run_as_child(const std::vector<std::string>& groups, const Options& options, Recorder& recorder) {
  if (groups.size() > 1) note(fmt::format("the program runs {} times, once for each group of counters", groups.size()));
  if (options.threads.empty()) end_like(run_groups(groups, options, options.program, recorder));
  const std::string folder = *recorder.environment().find("FORETASK_OUT");
  if (std::error_code problem; !std::filesystem::create_directory(folder, problem))
    return fail(Error{.what = "the folder cannot be made", .path = folder, .code = problem.value()});
  const auto list = parse_core_list(options.threads);  // checked where the command line was read
  for (const std::uint32_t threads : *list) {
    recorder.environment().set("FORETASK_OUT", analysis::threads_run_folder(folder, threads));
    recorder.environment().set_for_all("OMP_NUM_THREADS", std::to_string(threads));
    const ExitStatus status =
        run_groups(groups, options, command_of({.command = options.program}, {.cores = threads}), recorder);
    if (status.has_failed() || status.asked_to_end != 0) end_like(status);
  }
  if (!analysis::threads_run_folders(folder).empty()) note("They share one report: foretask report " + folder);
  return kExitOk;
}

int run(const Options& options) {
  if (options.program.empty())
    return wrong_usage("record needs a program: foretask record [OPTIONS] -- PROGRAM ARGUMENTS");
  const std::string repeats = options.baseline          ? "--baseline"
                              : options.threads.empty() ? ""
                                                        : "--threads " + options.threads;
  if (!repeats.empty() && analysis::rank_run_folder("run") != "run")
    return wrong_usage(
        fmt::format("{0} runs the program more than once, and a rank that mpirun or srun started can run it once only. "
                    "Put foretask first: foretask record {0} -- mpirun ...",
                    repeats));
  const std::string& name = options.program.front();
  const auto path = find_program(name);
  if (!path) return fail_to_start(path.error());
  if (options.runtime == "libomp")
    note(
        "warning: --runtime libomp has no effect any more: a program is recorded on the OpenMP runtime that it is "
        "linked with. To record it on LLVM's, build it with Clang");
  auto recorder = Recorder::prepare(options.program, *path);
  if (!recorder) return fail(recorder.error());
  ChildEnvironment& environment = recorder->environment();
  recorder->set_params(options.params);
  if (!options.counters.empty()) environment.set("FORETASK_COUNTERS", options.counters);
  if (options.counter_sampling != 0)
    environment.set("FORETASK_COUNTER_SAMPLING", std::to_string(options.counter_sampling));
  if (options.tune)
    if (const auto added = recorder->add_tuning(); !added) return fail(added.error());
  if (options.learn || options.tune)
    environment.set("FORETASK", fmt::format("record{}{}", options.learn ? ",learn" : "", options.tune ? ",tune" : ""));
  if (options.no_samples) environment.set("FORETASK_SAMPLES", "0");
  if (!options.grain.empty())
    environment.set("FORETASK_GRAIN_NS", options.grain == kNoGrain
                                             ? options.grain
                                             : std::to_string(parse_time_list(options.grain)->front()));
  if (options.processes != 0) environment.set("FORETASK_PROCESSES", std::to_string(options.processes));
  const std::vector<std::string> groups = counter_groups(options, environment);
  const bool is_child = groups.size() > 1 || options.baseline || !options.threads.empty();
  if (is_child || !options.out.empty() || !recorder->join_launch())
    if (const auto ready = recorder->record_into(options.out); !ready) return fail(ready.error());
  // The further groups have the folders that further processes would have.
  if (groups.size() > 1) environment.set("FORETASK_PROCESSES", "1");
  if (const auto free = check_group_folders(groups, environment); !free) return fail(free.error());

  if (!recorder->obstacle().empty())
    note(fmt::format("warning: {}. {}", recorder->obstacle(),
                     recorder->is_annotated() ? "Only its annotations are recorded" : "The program runs unrecorded"));
  if (const std::string doubt = recorder->doubt(); !doubt.empty()) note("warning: " + doubt);
  if (is_child) return run_as_child(groups, options, *recorder);
  return fail_to_start(recorder->become(options.program));
}

}  // namespace

Command add_record(CLI::App& app, const std::vector<std::string>& program) {
  auto options = std::make_shared<Options>();
  options->program = program;
  CLI::App* command = app.add_subcommand("record", "Run a program and record its tasks");
  add_program(*command);
  command
      ->add_option("--out", options->out,
                   "The run folder to make; it must not exist yet (default: foretask-PROGRAM-TIME-PID)")
      ->check(CLI::Validator(check_not_empty, "FOLDER"));
  command->add_option("--param", options->params, "A parameter of the run, stored with it (repeatable)")
      ->allow_extra_args(false)
      ->check(CLI::Validator(check_param, "NAME=VALUE"));
  command
      ->add_option(
          "--counters", options->counters,
          "PAPI counters to read at task switches, as in PAPI_TOT_INS,PAPI_TOT_CYC. A semicolon begins a new group; "
          "the program runs once for each group")
      ->check(CLI::Validator(check_not_empty, "LIST"));
  command->add_option("--counter-sampling", options->counter_sampling, "Count one task in N (default: every task)")
      ->check(CLI::Range(1U, 1U << 30));
  command->add_option("--runtime", options->runtime)->check(CLI::IsMember({"auto", "libgomp", "libomp"}))->group("");
  command
      ->add_option("--processes", options->processes,
                   "Record at most N of the processes that the program starts, itself included. Further ones are "
                   "counted (default: 64)")
      ->check(CLI::Range(1U, kMostProcesses));
  command
      ->add_option(
          "--threads", options->threads,
          "Run and record the program once on each of these numbers of threads, as in 1,2, into DIR/p=1, DIR/p=2: what "
          "foretask report DIR compares. {p} in an argument stands for the number, which is also OMP_NUM_THREADS")
      ->check(CLI::Validator(check_threads, "LIST"));
  command->add_flag("--no-samples", options->no_samples,
                    "Do not sample which functions the threads run (default: 250 times a second)");
  command
      ->add_option("--grain", options->grain,
                   "A task that takes less, with all that it makes, becomes one event, and the tasks of subtrees that "
                   "are known to be so short are counted (default: 10us; 0: all events stay)")
      ->check(CLI::Validator(check_grain, "TIME"));
  command->add_flag("--learn", options->learn,
                    "Learn the kernels' times as well, as foretask learn does: what asks for predictions is answered "
                    "while the program runs, and the models are kept");
  command->add_flag("--tune", options->tune,
                    "Run small OpenMP tasks at once, as foretask tune does. The recording is of the tuned run");
  command->add_flag("--baseline", options->baseline,
                    "Then run the program unrecorded, to say what recording changed. Standard output of this run is "
                    "thrown away");
  command->footer(
      "The program's output and exit code stay the same. Exit code 127: no such program; 126: it cannot be run.");
  return {command, [options] { return run(*options); }};
}

}  // namespace foretask::cli
