// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/program_image.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <utility>

namespace foretask::cli {
namespace {

constexpr std::string_view kUndoName = "FORETASK_LAUNCHER_VARS";

constexpr const char* kLaunchVariable = "FORETASK_LAUNCH_NS";
constexpr const char* kCommandVariable = "FORETASK_COMMAND";
constexpr const char* kErrorVariable = "FORETASK_STDERR";
// Digits of any 64-bit number, and of any process's.
constexpr int kTimeDigits = 20;
constexpr int kProcessDigits = 10;
// The kernel takes no variable of more than 128 KiB. A longer command is read from /proc by the recorder.
constexpr std::size_t kLongestCommand = 64 << 10;

int errno_of_candidate(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return errno;
  if (S_ISDIR(status.st_mode)) return EISDIR;
  return ::access(path.c_str(), X_OK) == 0 ? 0 : errno;
}

std::vector<char*> pointers_of(const std::vector<std::string>& arguments) {
  std::vector<char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::string with_length(const std::string& text) { return std::to_string(text.size()) + ":" + text; }

// Before what is said of the program alone (base/environment.hpp). Its process's number is filled in by exec().
std::string said_of(const std::string& path) { return std::string(kProcessDigits, '0') + " " + with_length(path); }

// "3:app2:-n" (base/environment.hpp).
std::string command_value(const std::vector<std::string>& arguments) {
  std::string text;
  for (const std::string& argument : arguments) text += with_length(argument);
  return text;
}

// "DEVICE:INODE", or "closed": standard error as the program starts with it. It may close it, and open a file of its
// own in its place.
std::string standard_error() {
  struct stat status {};
  if (::fstat(STDERR_FILENO, &status) != 0) return "closed";
  return std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino);
}

void put_digits(char* to, int digits, long long number) {
  for (int i = digits - 1; i >= 0; --i, number /= 10) to[i] = static_cast<char>('0' + number % 10);
}

}  // namespace

ChildEnvironment::ChildEnvironment(const char* const* environment) {
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view text = *environment;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    const std::string_view name = text.substr(0, equals);
    // A launcher inside a launcher: its note is of no use to this program.
    if (name == kUndoName) continue;
    variables_.push_back({std::string(name), std::string(text.substr(equals + 1))});
  }
}

ChildEnvironment::Variable* ChildEnvironment::lookup(std::string_view name) {
  const auto found =
      std::find_if(variables_.begin(), variables_.end(), [name](const Variable& v) { return v.name == name; });
  return found == variables_.end() ? nullptr : &*found;
}

const std::string* ChildEnvironment::find(std::string_view name) const {
  const Variable* const variable = const_cast<ChildEnvironment*>(this)->lookup(name);
  return variable == nullptr ? nullptr : &variable->value;
}

void ChildEnvironment::set(const std::string& name, const std::string& value) {
  Variable* const variable = lookup(name);
  const bool noted = ("\n" + undo_).find("\n" + name + "\n") != std::string::npos ||
                     ("\n" + undo_).find("\n" + name + "=") != std::string::npos;
  if (!noted) {
    undo_ += name;
    // A value of several lines cannot be told in the note: the variable is removed then.
    if (variable != nullptr && variable->value.find('\n') == std::string::npos) undo_ += "=" + variable->value;
    undo_ += "\n";
  }
  set_for_all(name, value);
}

void ChildEnvironment::set_for_all(const std::string& name, const std::string& value) {
  if (Variable* const variable = lookup(name)) {
    variable->value = value;
  } else {
    variables_.push_back({name, value});
  }
}

void ChildEnvironment::prepend(const std::string& name, const std::string& value) {
  const std::string* const old = find(name);
  set(name, old == nullptr || old->empty() ? value : value + ":" + *old);
}

void ChildEnvironment::preload(const std::string& file) {
  if (file.find(' ') == std::string::npos) return prepend("LD_PRELOAD", file);
  const std::size_t slash = file.rfind('/');
  prepend("LD_LIBRARY_PATH", file.substr(0, slash));
  prepend("LD_PRELOAD", file.substr(slash + 1));
}

std::vector<char*> ChildEnvironment::pointers() {
  assignments_.clear();
  for (const Variable& variable : variables_) assignments_.push_back(variable.name + "=" + variable.value);
  if (!undo_.empty()) assignments_.push_back(std::string(kUndoName) + "=" + undo_ + std::string(kUndoName));
  std::vector<char*> pointers;
  for (std::string& assignment : assignments_) pointers.push_back(assignment.data());
  pointers.push_back(nullptr);
  return pointers;
}

char* ChildEnvironment::value_of(std::string_view name) {
  for (std::string& assignment : assignments_) {
    if (assignment.size() > name.size() && assignment[name.size()] == '=' &&
        std::string_view(assignment).substr(0, name.size()) == name)
      return assignment.data() + name.size() + 1;
  }
  return nullptr;
}

Result<std::string> find_program(const std::string& program) {
  if (program.find('/') != std::string::npos) {
    const int error = errno_of_candidate(program);
    if (error == 0) return program;
    return Error{.what = "cannot be run", .path = program, .code = error};
  }
  const char* const variable = std::getenv("PATH");
  std::string_view folders = variable != nullptr ? variable : "/usr/local/bin:/usr/bin:/bin";
  int seen = ENOENT;
  while (!program.empty()) {
    const std::string_view folder = folders.substr(0, folders.find(':'));
    // An empty entry is the working directory.
    const std::string path = folder.empty() ? "./" + program : std::string(folder) + "/" + program;
    const int error = errno_of_candidate(path);
    if (error == 0) return path;
    if (error == EACCES) seen = EACCES;
    if (folder.size() == folders.size()) break;
    folders.remove_prefix(folder.size() + 1);
  }
  if (seen == ENOENT) return Error{.what = "no such program in PATH", .path = program, .code = ENOENT};
  return Error{.what = "cannot be run", .path = program, .code = seen};
}

ProgramImage::ProgramImage(std::string path, std::vector<std::string> arguments, ChildEnvironment& environment,
                           LaunchNote note)
    : path_(std::move(path)), arguments_(std::move(arguments)), environment_(environment) {
  shell_arguments_ = {"sh", path_};
  if (!arguments_.empty()) shell_arguments_.insert(shell_arguments_.end(), arguments_.begin() + 1, arguments_.end());
  argv_ = pointers_of(arguments_);
  shell_argv_ = pointers_of(shell_arguments_);
  if (note != LaunchNote::kNone) {
    environment_.set(kErrorVariable, said_of(path_) + standard_error());
    if (note == LaunchNote::kForRecorder) environment_.set(kLaunchVariable, std::string(kTimeDigits, '0'));
    std::string command = said_of(path_) + command_value(arguments_);
    environment_.set(kCommandVariable, command.size() <= kLongestCommand ? std::move(command) : std::string());
  }
  envp_ = environment_.pointers();
  if (note != LaunchNote::kNone) {
    if (note == LaunchNote::kForRecorder) launch_value_ = environment_.value_of(kLaunchVariable);
    command_value_ = environment_.value_of(kCommandVariable);
    error_value_ = environment_.value_of(kErrorVariable);
  }
}

// What holds for this process alone, and not for those that it starts.
void ProgramImage::fill_in_note() {
  if (*command_value_ != '\0') put_digits(command_value_, kProcessDigits, ::getpid());
  put_digits(error_value_, kProcessDigits, ::getpid());
  if (launch_value_ == nullptr) return;
  std::timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  put_digits(launch_value_, kTimeDigits,
             static_cast<long long>(now.tv_sec) * 1'000'000'000 + static_cast<long long>(now.tv_nsec));
}

int ProgramImage::exec() {
  if (error_value_ != nullptr) fill_in_note();
  ::execve(path_.c_str(), argv_.data(), envp_.data());
  // As execvp: a file that is neither ELF nor #! is the shell's.
  if (errno == ENOEXEC) ::execve("/bin/sh", shell_argv_.data(), envp_.data());
  return errno;
}

}  // namespace foretask::cli
