// SPDX-License-Identifier: Apache-2.0
// foretask diff: what changed between two recorded runs, or several of each.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/launch/calibration.hpp"
#include "cli/options/input.hpp"
#include "foretask/analysis/program_table.hpp"
#include "foretask/analysis/run_difference.hpp"
#include "report/diff/difference.hpp"
#include "report/output.hpp"
#include "report/plain_text.hpp"

namespace foretask::cli {
namespace {

struct Side {
  std::string run;
  std::vector<std::string> more;
};

struct Options {
  Side before;
  Side after;
  InputOptions input;
  std::string html;
  bool is_anonymous = false;
  bool json = false;
};

// One at a time: of each only the figures are kept.
Result<std::vector<analysis::ComparedRun>> read_side(const Side& side, const InputOptions& input) {
  std::vector<std::string> paths{side.run};
  paths.insert(paths.end(), side.more.begin(), side.more.end());
  const auto folders = analysis::recordings_in(paths);
  if (!folders) return folders.error();
  std::vector<analysis::ComparedRun> runs;
  for (const std::string& folder : *folders) {
    const auto recorded = load_run(folder, input);
    if (!recorded) return recorded.error();
    runs.push_back(analysis::compared_run(folder, recorded->report()));
  }
  return runs;
}

int run(const Options& options) {
  calibrate_for({options.before.run});
  const auto before = read_side(options.before, options.input);
  if (!before) return fail(before.error());
  const auto after = read_side(options.after, options.input);
  if (!after) return fail(after.error());
  const auto difference = analysis::compare_runs(*before, *after);
  if (!difference) return fail(difference.error());
  if (options.html.empty())
    return print_or_fail(options.json ? report::difference_json(*difference)
                                      : report::wrapped(report::difference_text(*difference)));
  auto output = report::Output::open(options.html);
  if (!output) return fail(output.error());
  report::write_difference_page(*difference, options.is_anonymous, *output);
  const auto written = output->finish();
  return written ? kExitOk : fail(written.error());
}

void add_replicates(CLI::App& command, const char* option, std::vector<std::string>& runs, const std::string& of) {
  command
      .add_option(
          option, runs,
          "Replicates of " + of + ", comma-separated. With two recordings of each or more, changes have intervals")
      ->delimiter(',')
      ->allow_extra_args(false);
}

}  // namespace

Command add_diff(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("diff", "Say what changed between two recorded runs, in all and by kernel");
  command->add_option("RUN1", options->before.run, "The folder of the run before, or one that holds replicates of it")
      ->required();
  command->add_option("RUN2", options->after.run, "The folder of the run after, likewise")->required();
  add_replicates(*command, "--runs1", options->before.more, "RUN1");
  add_replicates(*command, "--runs2", options->after.more, "RUN2");
  add_rename(*command, options->input);
  CLI::Option* const json = command->add_flag("--json", options->json, "Write JSON");
  CLI::Option* const html =
      command->add_option("--html", options->html, "Write a page to FILE that shows all of it, without a network")
          ->check(CLI::Validator(check_not_empty, "FILE"))
          ->excludes(json);
  command->add_flag("--anonymous", options->is_anonymous, "For --html: no path, host or command line in the page")
      ->needs(html);
  return {command, [options] { return run(*options); }};
}

}  // namespace foretask::cli
