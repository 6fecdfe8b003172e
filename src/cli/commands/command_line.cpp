// SPDX-License-Identifier: Apache-2.0
// The commands, in the order of the help text.
#include <CLI/CLI.hpp>

#include "cli/command.hpp"

namespace foretask::cli {

std::vector<Command> add_commands(CLI::App& app, const std::vector<std::string>& program) {
  app.description("Records task-parallel programs, and predicts how they would run on more cores and larger inputs.");
  app.require_subcommand(1);
  app.set_version_flag("--version", FORETASK_VERSION);
  return {add_record(app, program), add_report(app),         add_diff(app),   add_simulate(app), add_whatif(app),
          add_export(app),          add_learn(app, program), add_model(app),  add_doctor(app),   add_merge(app),
          add_sweep(app, program),  add_predict(app),        add_compose(app)};
}

}  // namespace foretask::cli
