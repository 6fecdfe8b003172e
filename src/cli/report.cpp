// SPDX-License-Identifier: Apache-2.0
// foretask report: what a recorded run showed.
#include <memory>
#include <string>

#include "cli/command.hpp"
#include "cli/input.hpp"
#include "report/run_report.hpp"

namespace foretask::cli {
namespace {

struct Options {
  std::string run;
  bool json = false;
};

int run(const Options& options) {
  const auto recorded = load_run(options.run);
  if (!recorded) return fail(recorded.error());
  const analysis::Report& report = recorded->report();
  return print_or_fail(options.json ? report::report_json(report) : report::report_text(report));
}

}  // namespace

Command add_report(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("report", "Say how a recorded run went: its parallelism and its kernels");
  command->add_option("RUN", options->run, "The folder of a recorded run")->required();
  command->add_flag("--json", options->json, "Write JSON");
  return {command, [options] { return run(*options); }};
}

}  // namespace foretask::cli
