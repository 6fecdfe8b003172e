// SPDX-License-Identifier: Apache-2.0
// foretask sweep: records a campaign and writes its table.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/launch/calibration.hpp"
#include "cli/launch/campaign.hpp"
#include "cli/launch/campaign_folder.hpp"
#include "cli/launch/launcher.hpp"
#include "cli/launch/recorder.hpp"
#include "cli/launch/stop_signals.hpp"
#include "cli/options/lists.hpp"
#include "report/predict/campaign.hpp"

namespace foretask::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kDefaultRepeat = 3;
constexpr std::uint32_t kMostRepeats = 10'000;

struct Options {
  std::vector<std::string> set;
  std::string cores;
  std::uint32_t repeat = kDefaultRepeat;
  std::string out;
  bool baseline = false;
  bool json = false;
  std::vector<std::string> program;
};

std::uint32_t processors() { return std::max(1U, static_cast<std::uint32_t>(::sysconf(_SC_NPROCESSORS_ONLN))); }

// One, and twice as many until the machine has no more.
std::vector<std::uint32_t> default_cores() {
  std::vector<std::uint32_t> cores;
  for (std::uint32_t count = 1; count < processors(); count *= 2) cores.push_back(count);
  cores.push_back(processors());
  return cores;
}

std::string default_folder(const std::string& program) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  std::array<char, 32> time{};
  std::strftime(time.data(), time.size(), "%Y%m%d_%H%M%S", &local);
  return fmt::format("foretask-sweep-{}-{}-{}", fs::path(program).filename().string(), time.data(), ::getpid());
}

int run(const Options& options) {
  if (options.program.empty())
    return wrong_usage("sweep needs a program: foretask sweep --set n=1024,2048 [OPTIONS] -- PROGRAM -n {n}");
  Campaign campaign{.path = "",
                    .command = options.program,
                    .parameters = {},
                    .cores = options.cores.empty() ? default_cores() : *parse_core_list(options.cores),
                    .repeat = options.repeat};
  for (const std::string& text : options.set) campaign.parameters.push_back(*parse_campaign_parameter(text));
  if (const std::string wrong = wrong_campaign(campaign); !wrong.empty()) return wrong_usage(wrong);
  const auto path = find_program(options.program.front());
  if (!path) return fail_to_start(path.error());
  std::error_code ignored;
  campaign.path = fs::canonical(*path, ignored).string();
  const std::string folder = options.out.empty() ? default_folder(options.program.front()) : options.out;
  if (const auto same = check_same_campaign(folder, campaign); !same) return fail(same.error());
  auto recorder = Recorder::prepare(options.program, *path);
  if (!recorder) return fail(recorder.error());
  if (!recorder->obstacle().empty() && !recorder->is_annotated()) return fail(recorder->obstacle());
  if (const auto most = *std::max_element(campaign.cores.begin(), campaign.cores.end()); most > processors())
    note(fmt::format(
        "warning: {} workers on {} processors: workers that wait for a processor add delay, which a larger machine "
        "would not have. Ignore this if the tasks sleep",
        most, processors()));

  StopSignals stop;
  CampaignFolder sweep(campaign, folder, *recorder, options.baseline);
  if (const auto opened = sweep.open(); !opened) return fail(opened.error());
  const auto recorded = sweep.record_all(stop);
  sweep.remove_unfinished();
  // As for the commands that run no program: a closed pipe or a full file is an error of the write.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  if (!recorded) fail(recorded.error());  // what was finished before has its table all the same
  if (const int asked = stop.requested(); asked != 0)
    note(fmt::format("{}: to go on from here, run the same command with --out {}", ::strsignal(asked), folder));
  if (stop.requested() == 0) calibrate_for({folder});
  const auto result = sweep.tables();
  if (!result) return fail(result.error());
  const int printed = print_or_fail(options.json ? report::campaign_json(*result) : report::campaign_text(*result));
  if (const int asked = stop.requested(); asked != 0)
    end_like({.exit_code = 128 + asked, .signal = asked, .pid = 0, .asked_to_end = asked, .elapsed_ns = 0});
  return recorded && result->failed.empty() && !result->tables.empty() ? printed : kExitFailure;
}

}  // namespace

Command add_sweep(CLI::App& app, const std::vector<std::string>& program) {
  auto options = std::make_shared<Options>();
  options->program = program;
  CLI::App* command =
      app.add_subcommand("sweep", "Record a program on several inputs and numbers of workers, and write a run table");
  add_program(*command,
              ". In the arguments {n} stands for the value of --set n=..., and {p} for the number of workers");
  command
      ->add_option(
          "--set", options->set,
          "A parameter and its values, as in n=1024,2048 or n=1024-16384:x2 (repeatable). The first parameter is "
          "the input size: numbers above 0")
      ->required()
      ->allow_extra_args(false)
      ->check(CLI::Validator(check<parse_campaign_parameter>, "NAME=VALUES"));
  command
      ->add_option(
          "--cores", options->cores,
          "Numbers of workers, as in 1,2,4-64:4 (default: 1, 2, 4, ... up to this machine's processors). 1 must be "
          "among them")
      ->check(CLI::Validator(check<parse_core_list>, "LIST"));
  command->add_option("--repeat", options->repeat, "Number of replicates: runs of each combination (default 3)")
      ->check(CLI::Range(1U, kMostRepeats));
  command
      ->add_option(
          "--out", options->out,
          "The campaign's folder (default: foretask-sweep-PROGRAM-TIME-PID). If it holds a campaign of the same "
          "command, its missing runs are recorded")
      ->check(CLI::Validator(check_not_empty, "FOLDER"));
  command->add_flag("--baseline", options->baseline,
                    "After each recorded run, run the program once unrecorded, on its own runtime");
  command->add_flag("--json", options->json, "Write JSON");
  command->footer(
      "The program's standard output goes to FOLDER/output, one file for each run. Its standard input is empty.");
  return {command, [options] { return run(*options); }};
}

}  // namespace foretask::cli
