// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/baseline.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.hpp"
#include "cli/command.hpp"
#include "cli/launch/launcher.hpp"
#include "cli/launch/program_runtimes.hpp"
#include "foretask/analysis/baseline.hpp"
#include "report/sentences.hpp"

extern char** environ;

namespace foretask::cli {
namespace {

// The user's own, with as many workers as the recorded run had. What turns the library or the tool on is off: else the
// program would record itself.
ChildEnvironment own_environment(const Recorder& recorder) {
  ChildEnvironment environment(environ);
  for (const char* const name : {"FORETASK", "FORETASK_PROGRESS"})
    if (environment.find(name) != nullptr) environment.set_for_all(name, name == std::string("FORETASK") ? "off" : "0");
  if (const std::string* const workers = recorder.environment().find("OMP_NUM_THREADS"))
    environment.set_for_all("OMP_NUM_THREADS", *workers);
  return environment;
}

Result<ExitStatus> launch_unrecorded(const std::string& path, const std::vector<std::string>& command,
                                     ChildEnvironment environment, const BaselineOptions& options) {
  const base::FileDescriptor nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (!nowhere.is_open()) return Error{.what = "cannot be opened", .path = "/dev/null", .code = errno};
  if (options.input != nullptr) options.input->go_back();
  ProgramImage image(path, command, environment, LaunchNote::kNone);
  return launch(image, {.output_fd = nowhere.get(),
                        .has_input = options.input != nullptr,
                        .dies_with_launcher = options.dies_with_launcher});
}

// The program's OpenMP runtime; empty where it is not known.
std::string openmp_of(const ProgramRuntimes& runtimes) {
  if (runtimes.libomp) return kLlvmOpenmp;
  return runtimes.libgomp.empty() ? "" : kGccOpenmp;
}

analysis::LaunchedRun launched_run(const ExitStatus& status, const std::string& runtime) {
  return {runtime, status.elapsed_ns, status.signal != 0 ? 0 : status.exit_code, status.signal};
}

}  // namespace

InputPlace::InputPlace() noexcept : offset_(::lseek(STDIN_FILENO, 0, SEEK_CUR)) {}

void InputPlace::go_back() const noexcept {
  if (offset_ >= 0) ::lseek(STDIN_FILENO, offset_, SEEK_SET);
}

bool InputPlace::is_read_once() const noexcept {
  struct stat status {};
  return ::fstat(STDIN_FILENO, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

int add_baseline(const Recorder& recorder, const std::vector<std::string>& command, const RecordedRun& recorded,
                 const BaselineOptions& options) {
  const std::string runtime = openmp_of(recorder.runtimes());
  const auto own = launch_unrecorded(recorder.path(), command, own_environment(recorder), options);
  if (!own) {
    note(options.lead + "the program could not be run unrecorded: " + own.error().message());
    return 0;
  }
  if (own->asked_to_end != 0) return own->asked_to_end;
  const analysis::Baseline baseline{launched_run(*own, runtime), launched_run(recorded.status, runtime)};
  if (const auto noted = analysis::note_baseline(recorded.folders.front(), baseline); !noted)
    note(noted.error().message());
  if (options.says_differences || !baseline.own.ended_like(baseline.recorded))
    note(options.lead + report::baseline_words(baseline));
  return 0;
}

}  // namespace foretask::cli
