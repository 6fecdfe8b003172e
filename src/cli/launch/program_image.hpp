// SPDX-License-Identifier: Apache-2.0
// A program that is about to take a process over: its file, its arguments and its environment.
#pragma once

#include <string>
#include <vector>

#include "cli/launch/child_environment.hpp"
#include "foretask/result.hpp"

namespace foretask::cli {

// Where execvp would find `program`. The error's code is an errno: EACCES for what is there and may not be run.
[[nodiscard]] Result<std::string> find_program(const std::string& program);

// Whether the environment says how the program was started: FORETASK_LAUNCH_NS, FORETASK_COMMAND, FORETASK_STDERR.
// kOfLaunch: as kForRecorder, but for FORETASK_LAUNCH_NS, which stays: the program is one of a launch under way.
enum class LaunchNote { kNone, kForRecorder, kOfLaunch };

class ProgramImage {
 public:
  // `path` as find_program() has it; `arguments` with the name first. The environment is changed by the note, which
  // only the last moment knows, and outlives this.
  ProgramImage(std::string path, std::vector<std::string> arguments, ChildEnvironment& environment,
               LaunchNote note = LaunchNote::kForRecorder);

  // This process becomes the program. Returns an errno where it cannot. Allocates nothing where it can: it may be
  // called between fork() and exec.
  [[nodiscard]] int exec();

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  void fill_in_note();

  std::string path_;
  std::vector<std::string> arguments_;
  std::vector<std::string> shell_arguments_;
  ChildEnvironment& environment_;
  std::vector<char*> argv_;
  std::vector<char*> shell_argv_;
  std::vector<char*> envp_;
  char* launch_value_ = nullptr;  // this and the next two: null if it is not noted
  char* command_value_ = nullptr;
  char* error_value_ = nullptr;
};

}  // namespace foretask::cli
