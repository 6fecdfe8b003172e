// SPDX-License-Identifier: Apache-2.0
// foretask learn: runs a program whose kernels' times are learned and stored.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "cli/child_environment.hpp"
#include "cli/command.hpp"
#include "cli/elf_program.hpp"
#include "cli/hook_library.hpp"
#include "cli/launcher.hpp"
#include "cli/openmp_stand_in.hpp"
#include "cli/scratch_folder.hpp"

extern char** environ;

namespace foretask::cli {
namespace {

struct Learned {
  std::uint64_t samples = 0;
  std::uint64_t kernels = 0;
  std::uint64_t dropped = 0;
};

// A line a process that learned: samples, kernels, dropped samples.
Learned read_announced(const std::string& path) {
  Learned all;
  std::ifstream in(path);
  Learned one;
  while (in >> one.samples >> one.kernels >> one.dropped) {
    all.samples += one.samples;
    all.kernels += one.kernels;
    all.dropped += one.dropped;
  }
  return all;
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    fail("learn needs a program: foretask learn -- PROGRAM ARGUMENTS");
    return kExitUsage;
  }
  const auto path = find_program(arguments.front());
  if (!path) return fail_to_start(path.error());
  auto folder = ScratchFolder::create();
  const std::string scratch = folder ? folder->path() : std::string();
  ChildEnvironment environment(environ);
  // A program that names its kernels itself is learned without the hook as well.
  if (const auto tool = find_hook_library(kOpenmpHook)) {
    environment.set("OMP_TOOL", "enabled");
    environment.prepend("OMP_TOOL_LIBRARIES", *tool);
  }
  environment.set("FORETASK", "learn");
  if (!scratch.empty()) environment.set("FORETASK_ANNOUNCE", scratch + "/announced");
  const auto inspected = read_elf_program(*path);
  static_cast<void>(prepare_stand_in(*path, inspected ? *inspected : ElfProgram{}, scratch, environment));
  const auto status = launch(*path, arguments, environment, "FORETASK_LAUNCH_NS");
  if (!status) return fail_to_start(status.error());
  if (!scratch.empty()) {
    const Learned learned = read_announced(scratch + "/announced");
    if (learned.samples == 0) {
      note("nothing was learned: the program ran no OpenMP task on a runtime that loads a tool, and named no kernel");
    } else {
      note(fmt::format(
          "learned {} samples of {} kernels (foretask model show){}", learned.samples, learned.kernels,
          learned.dropped > 0 ? fmt::format("; {} samples were dropped, for want of time", learned.dropped) : ""));
    }
  }
  if (folder) folder->remove();  // end_like runs no destructor
  end_like(*status);
}

}  // namespace

Command add_learn(CLI::App& app, const std::vector<std::string>& program) {
  auto arguments = std::make_shared<std::vector<std::string>>(program);
  CLI::App* command = app.add_subcommand("learn", "Run a program, and learn and store how long its kernels take");
  // For the help text alone: program_index() cut them off.
  command->add_option("PROGRAM", "The program to run, with its arguments behind it; -- may stand before it")
      ->type_name("ARGUMENTS...");
  command->footer("The program's output and exit code are its own; 127: no such program, 126: it cannot be run.");
  return {command, [arguments] { return run(*arguments); }};
}

}  // namespace foretask::cli
