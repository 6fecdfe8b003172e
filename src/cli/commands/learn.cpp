// SPDX-License-Identifier: Apache-2.0
// foretask learn: becomes a program whose kernels' times are learned and stored.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/launch/child_environment.hpp"
#include "cli/launch/elf_program.hpp"
#include "cli/launch/hook_library.hpp"
#include "cli/launch/launcher.hpp"
#include "cli/launch/openmp_stand_in.hpp"
#include "cli/launch/program_image.hpp"

extern char** environ;

namespace foretask::cli {
namespace {

int run(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return wrong_usage("learn needs a program: foretask learn -- PROGRAM ARGUMENTS");
  const auto path = find_program(arguments.front());
  if (!path) return fail_to_start(path.error());
  ChildEnvironment environment(environ);
  const std::string others = other_openmp_tools(environment.find("OMP_TOOL_LIBRARIES"));
  // A program that names its kernels itself is learned without the hook as well.
  if (!others.empty()) {
    note(
        fmt::format("warning: OMP_TOOL_LIBRARIES names another tool ({}), and an OpenMP runtime loads only one. OpenMP "
                    "tasks are not learned; unset the variable to learn them",
                    others));
  } else if (const auto tool = find_hook_library(kOpenmpHook)) {
    environment.set("OMP_TOOL", "enabled");
    environment.set("OMP_TOOL_LIBRARIES", *tool);
    const auto inspected = read_elf_program(*path);
    static_cast<void>(prepare_stand_in(*path, inspected ? *inspected : ElfProgram{}, environment));
  }
  environment.set("FORETASK", "learn");
  environment.set("FORETASK_ANNOUNCE", "1");
  ProgramImage image(*path, arguments, environment);
  return fail_to_start(Error{.what = "cannot be run", .path = *path, .code = image.exec()});
}

}  // namespace

Command add_learn(CLI::App& app, const std::vector<std::string>& program) {
  auto arguments = std::make_shared<std::vector<std::string>>(program);
  CLI::App* command = app.add_subcommand("learn", "Run a program, learn how long its kernels take, and store that");
  add_program(*command);
  command->footer(
      "The program's output and exit code stay the same. Exit code 127: no such program; 126: it cannot be run.");
  return {command, [arguments] { return run(*arguments); }};
}

}  // namespace foretask::cli
