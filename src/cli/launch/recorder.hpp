// SPDX-License-Identifier: Apache-2.0
// A program with the recorder, or the learner, in its OpenMP runtime, its MPI, its StarPU, its oneTBB or its
// annotations: looked at once, run as often as wanted.
#pragma once

#include <string>
#include <vector>

#include "cli/launch/elf_program.hpp"
#include "cli/launch/launcher.hpp"
#include "cli/launch/library_search.hpp"
#include "cli/launch/program_image.hpp"
#include "cli/launch/program_runtimes.hpp"
#include "foretask/result.hpp"

namespace foretask::cli {

// Where a recording is to go, checked before its program starts: the absolute path. Errors: it is there already, or the
// folder above cannot be written.
[[nodiscard]] Result<std::string> check_recording_folder(const std::string& out);

// What a run left behind.
struct RecordedRun {
  ExitStatus status;
  std::vector<std::string> folders;  // of the processes that were recorded; the first may be the program itself
};

enum class HookMode { kRecord, kLearn, kTune };

class Recorder {
 public:
  // `command` as the user gave it, `path` where find_program() has found its first word. The error is for hooks that
  // are not there.
  [[nodiscard]] static Result<Recorder> prepare(const std::vector<std::string>& command, const std::string& path,
                                                HookMode mode = HookMode::kRecord);

  // The program's; changes hold for the runs from now on.
  [[nodiscard]] ChildEnvironment& environment() noexcept { return environment_; }
  [[nodiscard]] const ChildEnvironment& environment() const noexcept { return environment_; }

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] const ProgramRuntimes& runtimes() const noexcept { return runtimes_; }

  // Empty: what the user's FORETASK_OUT says, else foretask-PROGRAM-TIME-PID in the working directory.
  [[nodiscard]] Result<void> record_into(const std::string& out);
  // Instead of record_into(): where another `foretask record` has started this one, the program becomes one of its
  // processes. False where none has.
  [[nodiscard]] bool join_launch();
  // NAME=VALUE each, kept with the recordings.
  void set_params(const std::vector<std::string>& params);

  // Loads what foretask tune loads, before all hooks.
  [[nodiscard]] Result<void> add_tuning();

  // What is known to stand in the way of a recording; empty where nothing does. Annotations may be recorded all the
  // same.
  [[nodiscard]] const std::string& obstacle() const noexcept { return obstacle_; }
  [[nodiscard]] bool is_annotated() const noexcept { return runtimes_.foretask; }

  // Runs the program, `command` with its name first, and waits; how it ended is put down in the recording, whose folder
  // was said to record_into(). The error is for a program that could not be started.
  [[nodiscard]] Result<RecordedRun> run(const std::vector<std::string>& command, const LaunchOptions& options = {});

  // This process becomes the program: to its parent and its terminal it is then what the program is. The recorder in it
  // says what was recorded. Returns where that cannot be.
  [[nodiscard]] Error become(const std::vector<std::string>& command);

  // Why it is doubtful beforehand that anything will be recorded; empty where it is not.
  [[nodiscard]] std::string doubt() const;
  // Why a program of which nothing was known to stand in the way left no recording; empty where that is not known.
  [[nodiscard]] std::string silence() const;

 private:
  Recorder(const std::vector<std::string>& command, std::string path, HookMode mode);

  // Of the program, or of those that it starts or loads later.
  void find_mpi(const std::vector<std::string>& command);

  [[nodiscard]] Result<void> add_hooks();
  // The hooks that have to be loaded before the program's OpenMP runtime. GCC's loads no tool; LLVM's does, but tells
  // it little of loops.
  void add_openmp();
  // A hook before the program's libraries, for `what`. False, and a warning: there is no such hook.
  bool preload(const Result<std::string>& hook, const std::string& what);
  // The hook `name` for a program that loads `library`; empty: it loads none itself. The error is also for a hook that
  // was built against another version of it.
  [[nodiscard]] Result<std::string> find_fitting_hook(const char* name, const std::string& library) const;
  [[nodiscard]] std::string find_obstacle() const;
  // The folders of all recordings that the launch's processes left: the one that record_into() was told, and others
  // beside it.
  [[nodiscard]] std::vector<std::string> recordings() const;

  // Whether it may become or start another program.
  [[nodiscard]] bool starts_programs() const;
  [[nodiscard]] bool loads_libraries() const;  // that it does not start with
  [[nodiscard]] bool learns() const noexcept { return mode_ == HookMode::kLearn; }
  [[nodiscard]] const char* done() const noexcept {
    return mode_ == HookMode::kTune ? "tuned" : learns() ? "learned" : "recorded";
  }

  std::string name_;
  std::string path_;
  HookMode mode_;
  ChildEnvironment environment_;
  ElfProgram program_;
  std::vector<LoadedLibrary> libraries_;  // that it starts with
  ProgramRuntimes runtimes_;
  LaunchNote note_ = LaunchNote::kForRecorder;
  std::string no_libgomp_hook_;  // why there is none; empty: it is here
  bool is_of_old_gcc_ = false;
  bool hook_is_inherited_ = false;  // what the program starts may be recorded, whatever compiler built it
  std::string obstacle_;
};

}  // namespace foretask::cli
