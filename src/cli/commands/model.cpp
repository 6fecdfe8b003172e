// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/model.hpp"

#include <CLI/CLI.hpp>
#include <vector>

namespace foretask::cli {

Command add_model(CLI::App& app) {
  CLI::App* model = app.add_subcommand("model", "Model how long a kernel takes, from its parameters");
  model->require_subcommand(1);
  const std::vector<Command> commands{add_model_fit(*model), add_model_evaluate(*model), add_model_show(*model)};
  return {model, [commands] {
            for (const Command& command : commands)
              if (command.app->parsed()) return command.run();
            return kExitUsage;
          }};
}

}  // namespace foretask::cli
