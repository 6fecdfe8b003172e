// SPDX-License-Identifier: Apache-2.0
// A program that is about to take a process over: its file, its arguments and its environment.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foretask/result.hpp"

namespace foretask::cli {

// The environment that a recorded program starts with, and the note by which the recorder inside it gives the user's
// own environment back before the program's children inherit it.
class ChildEnvironment {
 public:
  // A copy of `environment` ("NAME=VALUE", null at the end).
  explicit ChildEnvironment(const char* const* environment);

  [[nodiscard]] const std::string* find(std::string_view name) const;  // the value, or null

  // Every change is put down in FORETASK_LAUNCHER_VARS, a line each: NAME to remove it again, NAME=VALUE to restore.
  void set(const std::string& name, const std::string& value);
  // The same without a note: for the program and its children.
  void set_for_all(const std::string& name, const std::string& value);
  // "value", or "value:what was there".
  void prepend(const std::string& name, const std::string& value);
  // `file` is loaded before the program's libraries. LD_PRELOAD parts names at blanks: from a folder whose name has
  // one, the library is loaded by its name alone. `file` is absolute and has no colon.
  void preload(const std::string& file);

  // For execve, with the note; valid until the next change.
  [[nodiscard]] std::vector<char*> pointers();

  // The value's own bytes, for a value that is only known at the last moment. Of the last pointers().
  [[nodiscard]] char* value_of(std::string_view name);

 private:
  struct Variable {
    std::string name;
    std::string value;
  };
  Variable* lookup(std::string_view name);

  std::vector<Variable> variables_;
  std::string undo_;
  std::vector<std::string> assignments_;
};

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
