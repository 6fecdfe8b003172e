// SPDX-License-Identifier: Apache-2.0
// foretask tune: becomes a program whose small tasks are run at once, and which starts no more threads than there are
// cores to have.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/launch/launcher.hpp"
#include "cli/launch/recorder.hpp"
#include "foretask/analysis/machine.hpp"

namespace foretask::cli {
namespace {

struct Options {
  bool is_dry = false;
  std::string json;
};

// Where the user has not said how many threads: a runtime starts one for each processor that it may run on, and knows
// nothing of a quota.
void set_threads(Recorder& recorder, bool is_dry) {
  constexpr const char* kThreads = "OMP_NUM_THREADS";
  const analysis::CoreLimits limits = analysis::core_limits();
  if (recorder.environment().find(kThreads) != nullptr || limits.quota == 0 || limits.quota >= limits.processors)
    return;
  const auto threads = static_cast<unsigned>(std::max(limits.quota, 1.0));
  note(fmt::format("tune: {}OMP_NUM_THREADS={}: of {} processors this process's control group has the time of {:.3g}",
                   is_dry ? "would set " : "", threads, limits.processors, limits.quota));
  if (!is_dry) recorder.environment().set(kThreads, std::to_string(threads));
}

int run(const std::vector<std::string>& arguments, const Options& options) {
  if (arguments.empty()) return wrong_usage("tune needs a program: foretask tune -- PROGRAM ARGUMENTS");
  const auto path = find_program(arguments.front());
  if (!path) return fail_to_start(path.error());
  auto recorder = Recorder::prepare(arguments, *path, HookMode::kTune);
  if (!recorder) return fail(recorder.error());
  if (!recorder->obstacle().empty()) note(fmt::format("warning: {}. Its tasks stay as they are", recorder->obstacle()));
  if (const std::string doubt = recorder->doubt(); !doubt.empty()) note("warning: " + doubt);
  if (options.is_dry) recorder->environment().set("FORETASK_TUNE", "dry");
  if (!options.json.empty())
    recorder->environment().set("FORETASK_TUNE_JSON", std::filesystem::absolute(options.json).string());
  set_threads(*recorder, options.is_dry);
  return fail_to_start(recorder->become(arguments));
}

}  // namespace

Command add_tune(CLI::App& app, const std::vector<std::string>& program) {
  auto arguments = std::make_shared<std::vector<std::string>>(program);
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "tune", "Run a program whose small OpenMP tasks are run at once, where predictions say that this is faster");
  command->add_flag("--dry-run", options->is_dry, "Decide and count, and change nothing");
  command->add_option("--json", options->json, "Write what was decided into this file as well")
      ->type_name("FILE")
      ->check(check_not_empty);
  add_program(*command);
  command->footer("The exit code is the program's. 127: no such program; 126: it cannot be run.");
  return {command, [arguments, options] { return run(*arguments, *options); }};
}

}  // namespace foretask::cli
