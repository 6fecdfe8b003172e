// SPDX-License-Identifier: Apache-2.0
// foretask record: runs a program with the recorder in its OpenMP runtime.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/child_environment.hpp"
#include "cli/command.hpp"
#include "cli/elf_program.hpp"
#include "cli/hook_library.hpp"
#include "cli/launcher.hpp"
#include "cli/openmp_stand_in.hpp"
#include "cli/program_runtimes.hpp"
#include "cli/scratch_folder.hpp"
#include "foretask/analysis/run.hpp"

extern char** environ;

namespace foretask::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array kOptionsWithValue{"--out", "--param", "--counters", "--counter-sampling"};
constexpr std::size_t kMissingShown = 8;

struct Options {
  std::string out;
  std::vector<std::string> params;
  std::string counters;
  std::uint32_t counter_sampling = 0;  // 0: not given
  std::vector<std::string> program;
};

std::string check_param(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return fmt::format("'{}' is not NAME=VALUE", text);
  if (text.find('\n') != std::string::npos) return "a parameter is one line";
  return {};
}

// By trying: what access() says is not what every file system does.
Result<void> check_writable(const fs::path& folder) {
  std::string trial = (folder / "foretask-XXXXXX").string();
  if (::mkdtemp(trial.data()) != nullptr) {
    ::rmdir(trial.c_str());
    return {};
  }
  return Error{.what = "no recording can be written here", .path = folder.string(), .code = errno};
}

// Before the program starts: it should not run for an hour and leave nothing.
Result<std::string> check_out(const std::string& out) {
  std::error_code error;
  // Of several processes that were started together each has a folder of its own.
  const fs::path path = fs::absolute(analysis::rank_run_folder(out), error);
  if (fs::symlink_status(path, error).type() != fs::file_type::not_found)
    return Error{.what = "is there already: a recording is never overwritten", .path = analysis::rank_run_folder(out)};
  const fs::path parent = (path.has_filename() ? path : path.parent_path()).parent_path();
  if (const auto writable = check_writable(parent); !writable) return writable.error();
  return path.string();
}

Result<void> set_up(const Options& options, const ProgramRuntimes& runtimes, const std::string& scratch,
                    ChildEnvironment& environment) {
  const auto tool = find_hook_library(kOpenmpHook);
  if (!tool && !runtimes.foretask && !runtimes.mpi) return tool.error();
  const std::string* const inherited = environment.find("FORETASK_OUT");
  const std::string out = options.out.empty() && inherited != nullptr ? *inherited : options.out;
  if (!out.empty()) {
    const auto path = check_out(out);
    if (!path) return path.error();
    environment.set("FORETASK_OUT", *path);
  } else {
    // The program may change its working directory before its runtime starts.
    std::error_code error;
    const fs::path here = fs::current_path(error);
    if (error) return Error{.what = "cannot tell the working directory", .code = error.value()};
    if (const auto writable = check_writable(here); !writable) return writable;
    environment.set("FORETASK_FOLDER", here.string());
  }
  if (runtimes.mpi) {
    if (const auto hook = find_hook_library(kMpiHook)) {
      environment.prepend("LD_PRELOAD", *hook);
    } else {
      note("warning: messages between MPI processes are not recorded: " + hook.error().message());
    }
  }
  environment.set("FORETASK", "record");
  if (tool) {
    environment.set("OMP_TOOL", "enabled");
    environment.prepend("OMP_TOOL_LIBRARIES", *tool);
  }
  if (!options.params.empty()) environment.set("FORETASK_PARAMS", fmt::format("{}", fmt::join(options.params, "\n")));
  if (!options.counters.empty()) environment.set("FORETASK_COUNTERS", options.counters);
  if (options.counter_sampling != 0)
    environment.set("FORETASK_COUNTER_SAMPLING", std::to_string(options.counter_sampling));
  if (!scratch.empty()) environment.set("FORETASK_ANNOUNCE", scratch + "/announced");
  return {};
}

// What is known before the start to stand in the way of a recording; empty where nothing does.
std::string obstacle(const std::string& name, const ElfProgram& program, const StandIn& stand_in) {
  if (program.kind == ElfProgram::Kind::kElf && !program.machine.empty())
    return fmt::format("{} is a {} program, and the recorder is not", name, program.machine);
  if (program.is_static())
    return fmt::format("{} is statically linked: an OpenMP runtime inside it cannot load the recorder", name);
  if (program.has_libgomp_inside)
    return fmt::format("{} holds a copy of libgomp: no other runtime can stand in for it", name);
  if (stand_in.outcome == StandIn::Outcome::kNoLibomp)
    return fmt::format(
        "{} uses GCC's OpenMP, which loads no recorder, and LLVM's, which can stand in for it, is not "
        "here: install libomp5 (Debian: apt install libomp-dev), or name it in FORETASK_LIBOMP",
        name);
  if (stand_in.outcome == StandIn::Outcome::kIncomplete) {
    const auto& missing = stand_in.missing;
    const std::size_t shown = std::min(missing.size(), kMissingShown);
    return fmt::format("{} calls functions of GCC's OpenMP that {} lacks: {}{}", name, stand_in.libomp,
                       fmt::join(missing.begin(), missing.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                       shown < missing.size() ? fmt::format(" and {} more", missing.size() - shown) : "");
  }
  return {};
}

// Why a program of which nothing was known to stand in the way left no recording.
std::string silence(const std::string& name, const ElfProgram& program, const ProgramRuntimes& runtimes,
                    const StandIn& stand_in) {
  if (program.kind == ElfProgram::Kind::kScript)
    return fmt::format("{} is a script ({}), and no program that it ran has an OpenMP runtime that loads a recorder",
                       name, program.interpreter);
  if (runtimes.mpi)
    return fmt::format("{}: no process of it came to MPI, or those that did could not begin a recording", name);
  if (runtimes.foretask) return fmt::format("{} came to none of its annotations", name);
  if (stand_in.has_openmp)
    return fmt::format("{} came to no use of OpenMP, or its runtime could not load the recorder", name);
  return fmt::format("{} loaded no OpenMP runtime that takes a recorder, and is not linked with libforetask", name);
}

std::vector<std::string> announced(const std::string& scratch) {
  std::vector<std::string> folders;
  std::ifstream in(scratch + "/announced");
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) folders.push_back(line);
  return folders;
}

// Groups of counters, a run of the program each; one, which may be empty, where there is nothing to part.
std::vector<std::string> counter_groups(const Options& options, const ChildEnvironment& environment) {
  const std::string* const inherited = environment.find("FORETASK_COUNTERS");
  const std::string list = options.counters.empty() && inherited != nullptr ? *inherited : options.counters;
  std::vector<std::string> groups;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(';', at), list.size());
    std::string group = list.substr(at, end - at);
    if (group.find_first_not_of(" \t,") != std::string::npos) groups.push_back(std::move(group));
    at = end + 1;
  }
  if (groups.empty()) groups.emplace_back();
  return groups;
}

// Where the folder has a name beforehand, so have those of the other groups.
Result<void> check_group_folders(const std::vector<std::string>& groups, const ChildEnvironment& environment) {
  if (groups.size() > analysis::kMostCounterRuns)
    return Error{.what = fmt::format("{} groups of counters are too many: {} at most", groups.size(),
                                     analysis::kMostCounterRuns)};
  const std::string* const out = environment.find("FORETASK_OUT");
  for (std::size_t group = 2; out != nullptr && group <= groups.size(); ++group)
    if (const auto path = check_out(analysis::counter_run_folder(*out, static_cast<std::uint32_t>(group))); !path)
      return path.error();
  return {};
}

void say_what_was_recorded(const std::vector<std::string>& folders, const ExitStatus& status, const StandIn& stand_in) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const analysis::ProgramEnd end{std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec, status.exit_code,
                                 status.signal, status.pid};
  // Of several recorded processes the first may be the program itself.
  if (!folders.empty())
    if (const auto noted = analysis::note_program_end(folders.front(), end); !noted) note(noted.error().message());
  for (const std::string& recorded : folders) {
    note(fmt::format("recorded into {}{}", recorded,
                     stand_in.outcome == StandIn::Outcome::kPrepared
                         ? fmt::format(" (on {}, in the place of GCC's OpenMP)", stand_in.libomp)
                         : ""));
  }
}

int run(const Options& options) {
  if (options.program.empty()) {
    fail("record needs a program: foretask record [OPTIONS] -- PROGRAM ARGUMENTS");
    return kExitUsage;
  }
  const std::string& name = options.program.front();
  const auto path = find_program(name);
  if (!path) {
    fail(path.error());
    return path.error().code == ENOENT ? kExitNotFound : kExitNotExecutable;
  }
  // Without a scratch folder the run is recorded all the same; only its folder's name stays unknown.
  auto folder = ScratchFolder::create();
  const std::string scratch = folder ? folder->path() : std::string();
  ChildEnvironment environment(environ);
  const auto inspected = read_elf_program(*path);  // one that cannot be read may still be run
  const ElfProgram program = inspected ? *inspected : ElfProgram{};
  const ProgramRuntimes runtimes = runtimes_of(*path, program, environment);
  if (const auto ready = set_up(options, runtimes, scratch, environment); !ready) return fail(ready.error());
  const std::vector<std::string> groups = counter_groups(options, environment);
  if (const auto free = check_group_folders(groups, environment); !free) return fail(free.error());

  const StandIn stand_in = prepare_stand_in(*path, program, scratch, environment);
  const std::string reason = obstacle(name, program, stand_in);
  if (!reason.empty())
    note(fmt::format("warning: {}: {}", reason,
                     runtimes.foretask ? "its annotations alone are recorded" : "it runs unrecorded"));
  if (groups.size() > 1) note(fmt::format("the program runs {} times, once for each group of counters", groups.size()));

  ExitStatus first_failure;
  std::string first_folder;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    if (groups.size() > 1) environment.set("FORETASK_COUNTERS", groups[group]);
    if (group != 0) {
      environment.set("FORETASK_OUT",
                      analysis::counter_run_folder(first_folder, static_cast<std::uint32_t>(group + 1)));
      std::error_code ignored;
      fs::remove(scratch + "/announced", ignored);
    }
    const auto status = launch(*path, options.program, environment, "FORETASK_LAUNCH_NS");
    if (!status) {
      fail(status.error());
      return status.error().code == ENOENT ? kExitNotFound : kExitNotExecutable;
    }
    const auto folders = announced(scratch);
    say_what_was_recorded(folders, *status, stand_in);
    if (folders.empty() && reason.empty() && !scratch.empty())
      note(fmt::format("nothing was recorded: {}", silence(name, program, runtimes, stand_in)));
    if (first_failure.exit_code == 0 && first_failure.signal == 0) first_failure = *status;
    if (group == 0 && !folders.empty()) first_folder = folders.front();
    if (group != 0 && !folders.empty())
      if (const auto noted = analysis::note_counter_runs(first_folder, static_cast<std::uint32_t>(group + 1)); !noted)
        note(noted.error().message());
    // A signal is somebody's wish to end it, and without a recording there is nothing to add to.
    if (status->signal != 0 || folders.empty()) break;
  }
  if (folder) folder->remove();  // end_like runs no destructor
  end_like(first_failure);
}

}  // namespace

int program_index(int argc, const char* const* argv) {
  if (argc < 2 || (std::string_view(argv[1]) != "record" && std::string_view(argv[1]) != "learn")) return argc;
  for (int i = 2; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--" || argument.substr(0, 1) != "-") return i;
    for (const char* const option : kOptionsWithValue)
      if (argument == option) ++i;
  }
  return argc;
}

Command add_record(CLI::App& app, const std::vector<std::string>& program) {
  auto options = std::make_shared<Options>();
  options->program = program;
  CLI::App* command = app.add_subcommand("record", "Run a program and record its tasks");
  // For the help text alone: program_index() cut them off.
  command->add_option("PROGRAM", "The program to run, with its arguments behind it; -- may stand before it")
      ->type_name("ARGUMENTS...");
  command
      ->add_option("--out", options->out,
                   "The folder to record into; it must not exist (default: a name made of "
                   "program, time and process)")
      ->check(CLI::Validator(check_not_empty, "FOLDER"));
  command->add_option("--param", options->params, "NAME=VALUE, kept with the run (may be given again)")
      ->allow_extra_args(false)
      ->check(CLI::Validator(check_param, "NAME=VALUE"));
  command
      ->add_option("--counters", options->counters,
                   "PAPI's counters to read at task switches, as in PAPI_TOT_INS,PAPI_TOT_CYC; a semicolon begins "
                   "another group, for which the program is run again")
      ->check(CLI::Validator(check_not_empty, "LIST"));
  command->add_option("--counter-sampling", options->counter_sampling, "Count one task in so many (default: each)")
      ->check(CLI::Range(1U, 1U << 30));
  command->footer("The program's output and exit code are its own; 127: no such program, 126: it cannot be run.");
  return {command, [options] { return run(*options); }};
}

}  // namespace foretask::cli
