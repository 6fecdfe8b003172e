// SPDX-License-Identifier: Apache-2.0
// Starts a program and waits for it, for commands that run one more than once: same arguments, terminal and signals,
// and in the end the same status. What is run once takes this process over instead (program_image.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/launch/program_image.hpp"
#include "foretask/result.hpp"

namespace foretask::cli {

// The exit codes of a shell for a program that cannot be started.
inline constexpr int kExitNotExecutable = 126;
inline constexpr int kExitNotFound = 127;

struct ExitStatus {
  int exit_code = 0;
  int signal = 0;  // that killed the program; 0 where it exited
  int pid = 0;     // its process
  // The last of SIGHUP, SIGINT, SIGQUIT and SIGTERM that came to this process meanwhile, and to the program too; 0 for
  // none.
  int asked_to_end = 0;
  std::int64_t elapsed_ns = 0;  // from before its process was made until it was gone

  [[nodiscard]] bool has_failed() const noexcept { return exit_code != 0 || signal != 0; }
};

struct LaunchOptions {
  int output_fd = -1;               // the program's standard output; negative: this process' own
  bool has_input = true;            // this process' own, else nothing
  bool dies_with_launcher = false;  // killed where this process is, which then cannot pass anything on
};

// Runs `image` and waits. Signals sent to this process reach the program too, but for those that the program sends;
// those of a terminal do so anyway. The error is for a program that could not be started.
[[nodiscard]] Result<ExitStatus> launch(ProgramImage& image, const LaunchOptions& options = {});

// Says why a program could not be started, and gives the exit code of a shell for that.
int fail_to_start(const Error& error);

// Ends this process as the program ended: its exit code, or death by the same signal (without a core file of our own).
[[noreturn]] void end_like(const ExitStatus& status);

// What `work`, in a child of this process, writes to the descriptor that it gets; the error is for a child that cannot
// be had, or fails.
[[nodiscard]] Result<std::string> output_of_child(const std::function<void(int)>& work);

// What `path` writes to standard output with this environment, with standard error closed; the error is for a program
// that cannot be run, or fails.
[[nodiscard]] Result<std::string> output_of(const std::string& path, const std::vector<std::string>& arguments,
                                            ChildEnvironment& environment);

// Work that puts in order what it leaves when it is asked to end (Ctrl-C, SIGTERM, SIGHUP, SIGQUIT): the first request
// is kept, the second ends the process at once. Those that the user had ignored stay so. One thread; one object at a
// time.
class StopSignals {
 public:
  StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();

  // The signal that asked, those held back by launch() included; 0: none yet.
  [[nodiscard]] int requested();

  // A signal that came while a program ran (ExitStatus::asked_to_end); 0 for none.
  void take(int number);
};

}  // namespace foretask::cli
