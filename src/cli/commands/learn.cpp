// SPDX-License-Identifier: Apache-2.0
// foretask learn: becomes a program whose kernels' times are learned and stored.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/launch/launcher.hpp"
#include "cli/launch/recorder.hpp"

namespace foretask::cli {
namespace {

int run(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return wrong_usage("learn needs a program: foretask learn -- PROGRAM ARGUMENTS");
  const auto path = find_program(arguments.front());
  if (!path) return fail_to_start(path.error());
  auto recorder = Recorder::prepare(arguments, *path, HookMode::kLearn);
  if (!recorder) return fail(recorder.error());
  // A program that names its kernels itself is learned without the hook as well.
  if (!recorder->obstacle().empty())
    note(fmt::format("warning: {}. OpenMP tasks are not learned", recorder->obstacle()));
  if (const std::string doubt = recorder->doubt(); !doubt.empty()) note("warning: " + doubt);
  return fail_to_start(recorder->become(arguments));
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
