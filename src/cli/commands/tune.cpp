// SPDX-License-Identifier: Apache-2.0
// foretask tune: becomes a program whose small tasks are run at once, whose tasks with dependences are taken up in an
// order that suits them, and which starts no more threads than help.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "cli/command.hpp"
#include "cli/launch/launcher.hpp"
#include "cli/launch/recorder.hpp"
#include "foretask/analysis/machine.hpp"
#include "foretask/analysis/program_store.hpp"

namespace foretask::cli {
namespace {

struct Options {
  bool is_dry = false;
  bool forgets = false;
  bool has_region_threads = false;
  std::string json;
};

int forget(const std::vector<std::string>& arguments) {
  std::string program;
  if (!arguments.empty()) {
    // A run knows itself by its executable, whatever links led to it.
    std::error_code error;
    const auto path = find_program(arguments.front());
    const auto file = std::filesystem::canonical(path ? *path : arguments.front(), error);
    program = (error ? std::filesystem::path(arguments.front()) : file).filename().string();
  }
  const auto forgotten = analysis::forget_tuning({}, program);
  if (!forgotten) return fail(forgotten.error());
  note(*forgotten == 0 ? std::string("tune: nothing was known")
                       : fmt::format("tune: what was found of {} is forgotten",
                                     program.empty() ? fmt::format("{} programs", *forgotten) : program));
  return 0;
}

// Where the user has not said how many threads: a runtime starts one for each processor that it may run on, and knows
// nothing of a quota, nor of earlier runs.
void set_threads(Recorder& recorder, const std::string& program, bool is_dry) {
  constexpr const char* kThreads = "OMP_NUM_THREADS";
  if (recorder.environment().find(kThreads) != nullptr) return;
  const analysis::CoreLimits limits = analysis::core_limits();
  unsigned threads = limits.processors;
  std::string why;
  if (limits.quota != 0 && limits.quota < limits.processors) {
    threads = static_cast<unsigned>(std::max(limits.quota, 1.0));
    why = fmt::format("of {} processors this process's control group has the time of {:.3g}", limits.processors,
                      limits.quota);
  }
  if (const unsigned enough = analysis::enough_workers({}, program); enough != 0 && enough < threads) {
    threads = enough;
    why = "of this program's stored runs, those with more threads were not faster";
  }
  if (why.empty()) return;
  note(fmt::format("tune: {}OMP_NUM_THREADS={}: {}", is_dry ? "would set " : "", threads, why));
  if (!is_dry) recorder.environment().set(kThreads, std::to_string(threads));
}

int run(const std::vector<std::string>& arguments, const Options& options) {
  if (options.forgets) return forget(arguments);
  if (arguments.empty()) return wrong_usage("tune needs a program: foretask tune -- PROGRAM ARGUMENTS");
  const auto path = find_program(arguments.front());
  if (!path) return fail_to_start(path.error());
  auto recorder = Recorder::prepare(arguments, *path, HookMode::kTune);
  if (!recorder) return fail(recorder.error());
  if (!recorder->obstacle().empty()) note(fmt::format("warning: {}. Its tasks stay as they are", recorder->obstacle()));
  if (const std::string doubt = recorder->doubt(); !doubt.empty()) note("warning: " + doubt);
  if (options.is_dry || options.has_region_threads)
    recorder->environment().set("FORETASK_TUNE", fmt::format("{}{}{}", options.is_dry ? "dry" : "",
                                                             options.is_dry && options.has_region_threads ? "," : "",
                                                             options.has_region_threads ? "region-threads" : ""));
  if (!options.json.empty())
    recorder->environment().set("FORETASK_TUNE_JSON", std::filesystem::absolute(options.json).string());
  set_threads(*recorder, std::filesystem::path(*path).filename().string(), options.is_dry);
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
  command->add_flag("--region-threads", options->has_region_threads,
                    "A parallel region may get fewer threads than the program is told, where it does not gain by more");
  command->add_flag("--forget", options->forgets,
                    "Forget what earlier runs of PROGRAM, or of all programs, have found, and end");
  add_program(*command);
  command->footer("The exit code is the program's. 127: no such program; 126: it cannot be run.");
  return {command, [arguments, options] { return run(*arguments, *options); }};
}

}  // namespace foretask::cli
