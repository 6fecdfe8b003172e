// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/calibration.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/file.hpp"
#include "cli/command.hpp"
#include "cli/launch/elf_program.hpp"
#include "cli/launch/launcher.hpp"
#include "cli/launch/program_image.hpp"
#include "cli/launch/program_runtimes.hpp"
#include "cli/launch/recorder.hpp"
#include "cli/launch/scratch_folder.hpp"
#include "cli/options/lists.hpp"
#include "foretask/analysis/calibration.hpp"
#include "foretask/analysis/program_table.hpp"

extern char** environ;

namespace foretask::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kRepetitions = 5;
constexpr int kTreesARepetition = 4;

// The runtime and the recorder as they are by themselves, but for a limit on its threads, which programs have as well.
void forget_settings() {
  std::vector<std::string> names;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view variable = *at;
    const bool is_setting = variable.starts_with("OMP_") || variable.starts_with("KMP_") ||
                            variable.starts_with("GOMP_") || variable.starts_with("FORETASK_GRAIN_NS=");
    if (is_setting && !variable.starts_with("OMP_THREAD_LIMIT="))
      names.emplace_back(variable.substr(0, variable.find('=')));
  }
  for (const std::string& name : names) ::unsetenv(name.c_str());
}

// Threads that can run at once here: of a process bound to one processor, two take turns.
std::uint32_t most_threads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const bool is_known = ::sched_getaffinity(0, sizeof set, &set) == 0;
  std::uint32_t most = is_known ? static_cast<std::uint32_t>(CPU_COUNT(&set)) : std::thread::hardware_concurrency();
  if (const char* const text = std::getenv("OMP_THREAD_LIMIT")) {
    std::uint32_t limit = 0;
    const char* const begin = text + std::strspn(text, " \t");
    if (std::from_chars(begin, begin + std::strlen(begin), limit).ec == std::errc{} && limit > 0)
      most = std::min(most, limit);
  }
  return std::max(1U, most);
}

bool is_own(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && (status.st_uid == ::geteuid() || status.st_uid == 0) &&
         (status.st_mode & S_IWOTH) == 0;
}

// Has this process's programs load `file` where `program` asks for its runtime's library.
Result<void> give_library(const std::string& program, const std::string& runtime, const std::string& file,
                          const std::string& folder) {
  std::error_code error;
  const fs::path library = fs::canonical(file, error);
  const auto links = read_elf_links(program);
  if (!error) fs::create_directory(folder, error);
  if (error || !links) return Error{.what = "cannot be given to the calibration program", .path = file};
  for (const std::string& name : links->needed)
    if (name.starts_with(runtime) && !error) fs::create_symlink(library, folder + "/" + name, error);
  // Beside the file are libraries that it may need itself.
  std::string folders = folder + ":" + library.parent_path().string();
  if (const char* const before = std::getenv("LD_LIBRARY_PATH")) folders += std::string(":") + before;
  ::setenv("LD_LIBRARY_PATH", folders.c_str(), 1);
  return error ? Result<void>(Error{.what = "cannot make a link", .path = folder, .code = error.value()})
               : Result<void>();
}

void set_threads(ChildEnvironment& environment, std::uint32_t threads) {
  environment.set("OMP_NUM_THREADS", std::to_string(threads));
  // Linux may start a thread on the processor of another, and leave it there for some milliseconds.
  environment.set("OMP_PROC_BIND", "true");
}

enum class Grain { kNone, kUsual };

// What the program writes to standard output, a line at most, recorded.
Result<std::string> record(const std::vector<std::string>& command, std::uint32_t threads, const std::string& folder,
                           Grain grain) {
  const std::string& program = command.front();
  auto recorder = Recorder::prepare({program}, program);
  if (!recorder) return recorder.error();
  if (!recorder->obstacle().empty()) return Error{.what = recorder->obstacle()};
  if (const auto ready = recorder->record_into(folder); !ready) return ready.error();
  set_threads(recorder->environment(), threads);
  recorder->environment().set("FORETASK_SAMPLES", "0");
  if (grain == Grain::kNone) recorder->environment().set("FORETASK_GRAIN_NS", "0");
  const std::string output = folder + ".txt";
  const base::FileDescriptor file(::open(output.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  if (!file.is_open()) return Error{.what = "cannot be written", .path = output, .code = errno};
  const auto recorded = recorder->run(command, {.output_fd = file.get()});
  if (!recorded) return recorded.error();
  if (recorded->status.exit_code != 0 || recorded->status.signal != 0)
    return Error{.what = "the calibration program failed", .path = program};
  if (recorded->folders.empty()) return Error{.what = "the calibration program was not recorded", .path = program};
  std::string line;
  std::getline(std::ifstream(output) >> std::ws, line);
  return line;
}

// The program's trees on one thread, by themselves and recorded as programs are.
Result<void> run_trees(const std::string& program, const std::string& folder, std::vector<analysis::TreeRun>& runs) {
  const std::vector<std::string> command{program, "1", "trees"};
  for (const std::string& recording : {std::string(), folder}) {
    ChildEnvironment environment(environ);
    set_threads(environment, 1);
    const Result<std::string> output =
        recording.empty() ? output_of(program, command, environment) : record(command, 1, recording, Grain::kUsual);
    if (!output) return output.error();
    analysis::TreeRun run{.recording = recording};
    if (std::sscanf(output->c_str(), "%lf", &run.task_ns) != 1)
      return Error{.what = "the calibration program said nothing of its trees", .path = program};
    runs.push_back(std::move(run));
  }
  return {};
}

}  // namespace

Result<analysis::RuntimeCosts> calibrate(const std::string& runtime, const std::string& file) {
  const auto program = find_hook_library("foretask/" + runtime + "_calibration");
  if (!program) return program.error();
  auto scratch = ScratchFolder::create();
  if (!scratch) return scratch.error();
  forget_settings();
  if (!file.empty())
    if (const auto given = give_library(*program, runtime, file, scratch->path() + "/lib"); !given)
      return given.error();
  std::vector<std::string> folders;
  std::vector<analysis::TreeRun> trees;
  // Each repetition goes through all sizes, so that the machine's drift does not look like the team's size.
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    for (const std::uint32_t threads : doubled_up_to(most_threads())) {
      folders.push_back(fmt::format("{}/{}.{}", scratch->path(), threads, repetition));
      const auto recorded = record({*program, std::to_string(threads)}, threads, folders.back(), Grain::kNone);
      if (!recorded) return recorded.error();
    }
    // More often, for of these the fastest counts.
    for (int tree = 0; tree < kTreesARepetition; ++tree) {
      const std::string folder = fmt::format("{}/trees.{}.{}", scratch->path(), repetition, tree);
      if (const auto ran = run_trees(*program, folder, trees); !ran) return ran.error();
    }
  }
  auto costs = analysis::runtime_costs_of(folders, trees);
  if (costs) costs->tried_threads = most_threads();
  return costs;
}

void calibrate_for(const std::vector<std::string>& folders) {
  const char* const wanted = std::getenv("FORETASK_CALIBRATE");
  if (wanted != nullptr && std::string_view(wanted) == "0") return;
  const auto recordings = analysis::recordings_in(folders);
  if (!recordings || recordings->empty()) return;
  const auto runtime = analysis::uncalibrated_runtime(recordings->front(), most_threads());
  if (!runtime || (runtime->is_elsewhere && runtime->tried_threads > 0)) return;
  const std::string what = runtime->name != kOnetbb ? "the OpenMP runtime's own work" : "oneTBB's own work";
  if (runtime->is_elsewhere) {
    note(
        fmt::format("what {} takes was not measured before this run was recorded, and cannot be measured here: the "
                    "recording is of another machine. Part of it counts as the program's work",
                    what));
    return;
  }
  if (read_build_id(runtime->file) != runtime->library) {
    note(
        fmt::format("what {} takes cannot be measured any more: {} is not the file that the program ran on. Part of "
                    "it counts as the program's work",
                    what, runtime->file));
    return;
  }
  // The library's code will run: it and the word for it must be this user's own, or the system's.
  if (!is_own(recordings->front() + "/run.json") || !is_own(runtime->file)) {
    note(fmt::format(
        "what {} takes is not measured: others may have written the recording, or {}. Part of it counts as the "
        "program's work",
        what, runtime->file));
    return;
  }
  note(fmt::format("measuring what {} takes here, once", what));
  // By a process of its own: what it changes in the environment must not reach this one.
  ChildEnvironment environment(environ);
  const std::vector<std::string> command{"foretask",    "doctor",    "--calibrate", "--runtime",
                                         runtime->name, "--library", runtime->file};
  if (!output_of("/proc/self/exe", command, environment))
    note(
        fmt::format("warning: that cannot be measured, so that little is known of other numbers of threads. foretask "
                    "doctor --calibrate --runtime {} --library {} says why",
                    runtime->name, runtime->file));
}

}  // namespace foretask::cli
