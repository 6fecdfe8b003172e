// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/calibration.hpp"

#include <fmt/format.h>

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cli/command.hpp"
#include "cli/launch/child_environment.hpp"
#include "cli/launch/elf_program.hpp"
#include "cli/launch/hook_library.hpp"
#include "cli/launch/launcher.hpp"
#include "cli/launch/recorder.hpp"
#include "cli/launch/scratch_folder.hpp"
#include "foretask/analysis/calibration.hpp"
#include "foretask/analysis/run.hpp"

extern char** environ;

namespace foretask::cli {
namespace {

constexpr int kRepetitions = 5;

// The runtime as it is by itself, but for a limit on its threads, which programs have as well.
void forget_settings() {
  std::vector<std::string> names;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view variable = *at;
    const bool is_setting =
        variable.starts_with("OMP_") || variable.starts_with("KMP_") || variable.starts_with("GOMP_");
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

std::vector<std::uint32_t> team_sizes() {
  const std::uint32_t processors = most_threads();
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t size = 1; size < processors; size *= 2) sizes.push_back(size);
  sizes.push_back(processors);
  return sizes;
}

Result<void> record(const std::string& program, const std::string& runtime, std::uint32_t threads,
                    const std::string& folder) {
  auto recorder = Recorder::prepare(program, program, HookMode::kRecord, runtime == kOnetbb ? "auto" : runtime);
  if (!recorder) return recorder.error();
  if (!recorder->obstacle().empty()) return Error{.what = recorder->obstacle()};
  if (const auto ready = recorder->record_into(folder); !ready) return ready.error();
  recorder->environment().set("OMP_NUM_THREADS", std::to_string(threads));
  // Linux may start a thread on the processor of another, and leave it there for some milliseconds.
  recorder->environment().set("OMP_PROC_BIND", "true");
  recorder->environment().set("FORETASK_SAMPLES", "0");
  const auto recorded = recorder->run({program, std::to_string(threads)});
  if (!recorded) return recorded.error();
  if (recorded->status.exit_code != 0 || recorded->status.signal != 0)
    return Error{.what = "the calibration program failed", .path = program};
  if (recorded->folders.empty()) return Error{.what = "the calibration program was not recorded", .path = program};
  return {};
}

}  // namespace

Result<analysis::RuntimeCosts> calibrate(const std::string& runtime) {
  const auto program = find_hook_library("foretask/" + runtime + "_calibration");
  if (!program) return program.error();
  auto scratch = ScratchFolder::create();
  if (!scratch) return scratch.error();
  forget_settings();
  std::vector<std::string> folders;
  // Each repetition goes through all sizes, so that the machine's drift does not look like the team's size.
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    for (const std::uint32_t threads : team_sizes()) {
      folders.push_back(fmt::format("{}/{}.{}", scratch->path(), threads, repetition));
      if (const auto recorded = record(*program, runtime, threads, folders.back()); !recorded) return recorded.error();
    }
  }
  auto costs = analysis::runtime_costs_of(folders);
  if (costs) costs->tried_threads = team_sizes().back();
  return costs;
}

void calibrate_once(const TaskRuntime& runtime) {
  const char* const wanted = std::getenv("FORETASK_CALIBRATE");
  if (runtime.file.empty() || (wanted != nullptr && std::string_view(wanted) == "0")) return;
  const auto library = read_elf_program(runtime.file);
  if (!library || library->build_id.empty()) return;
  const auto stored = analysis::stored_runtime_costs(library->build_id);
  if (stored && stored->tried_threads >= most_threads()) return;
  if (analysis::rank_run_folder("run") != "run") return;
  // By a process of its own: what it changes in the environment must not reach the program.
  const bool is_openmp = runtime.name != kOnetbb;
  note(fmt::format("measuring what {} own work takes here, once (foretask doctor --calibrate --runtime {})",
                   is_openmp ? "the OpenMP runtime's" : "oneTBB's", runtime.name));
  ChildEnvironment environment(environ);
  if (const auto done =
          output_of("/proc/self/exe", {"foretask", "doctor", "--calibrate", "--runtime", runtime.name}, environment);
      !done)
    note(
        fmt::format("warning: that cannot be measured, so that little is known of other numbers of threads. foretask "
                    "doctor --calibrate --runtime {} says why",
                    runtime.name));
}

}  // namespace foretask::cli
