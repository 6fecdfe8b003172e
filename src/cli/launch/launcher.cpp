// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/launcher.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <ctime>

#include "cli/command.hpp"

namespace foretask::cli {
namespace {

constexpr std::array kEnding{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
constexpr std::array kStopping{SIGTSTP, SIGTTIN, SIGTTOU};

volatile std::sig_atomic_t requested_signal = 0;
std::array<struct sigaction, kEnding.size()> before;

void give_back() noexcept {
  for (std::size_t i = 0; i < kEnding.size(); ++i) ::sigaction(kEnding[i], &before[i], nullptr);
}

void keep(int number) noexcept {
  requested_signal = number;
  give_back();
}

// While one lives, a child may be started and waited for whose end this process hears nothing of: the program that it
// becomes must not find the signal of a child that it never had.
class ChildSignal {
 public:
  ChildSignal() noexcept {
    sigset_t pending;
    ::sigemptyset(&child_ends_);
    ::sigaddset(&child_ends_, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &child_ends_, &before_);
    was_pending_ = ::sigpending(&pending) == 0 && ::sigismember(&pending, SIGCHLD) == 1;
  }
  ChildSignal(const ChildSignal&) = delete;
  ChildSignal& operator=(const ChildSignal&) = delete;
  ~ChildSignal() {
    constexpr timespec kNow{};
    if (!was_pending_) ::sigtimedwait(&child_ends_, nullptr, &kNow);
    restore_mask();
  }

  // In the child, at once.
  void restore_mask() const noexcept { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t child_ends_;
  sigset_t before_;
  bool was_pending_;
};

// Not the program's: its own end, and what a fault of this process raises.
constexpr std::array kOwn{SIGCHLD, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
// What a terminal sends, to the whole foreground group.
constexpr std::array kOfTerminal{SIGINT, SIGQUIT, SIGHUP, SIGCONT, SIGWINCH, SIGTSTP, SIGTTIN, SIGTTOU};

struct SignalState {
  sigset_t mask;
  struct sigaction on_child;
  struct sigaction on_pipe;
};

// As this process was started, which is what each program that it launches gets.
SignalState started_with() {
  static const SignalState state = [] {
    SignalState now{};
    sigprocmask(SIG_SETMASK, nullptr, &now.mask);
    sigaction(SIGCHLD, nullptr, &now.on_child);
    sigaction(SIGPIPE, nullptr, &now.on_pipe);
    return now;
  }();
  return state;
}

// Blocks what is waited for. A user's "ignore SIGCHLD" would take the program's status away from waitpid.
SignalState take_signals(sigset_t& waited) {
  sigfillset(&waited);
  for (const int number : kOwn) sigdelset(&waited, number);
  sigaddset(&waited, SIGCHLD);
  const SignalState before = started_with();
  sigprocmask(SIG_BLOCK, &waited, nullptr);
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &standard, nullptr);
  return before;
}

bool is_ignored(int number) {
  struct sigaction action {};
  return ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

// As the kernel would have it, had nobody taken the signal: a process of an orphaned group is not stopped.
void stop_by(int number) {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, number);
  ::raise(number);
  sigprocmask(SIG_UNBLOCK, &one, nullptr);
  sigprocmask(SIG_BLOCK, &one, nullptr);
}

// A terminal's signals (SI_KERNEL) reach the program without this: passing them on would send them twice. The kernel's
// others do not, such as that of an alarm set before this process became foretask. What the program sends its parent is
// not for itself.
void pass_on(pid_t program, const siginfo_t& info) {
  const int number = info.si_signo;
  if (info.si_code <= 0 && info.si_pid == program) return;
  if (info.si_code == SI_QUEUE) {
    ::sigqueue(program, number, info.si_value);
  } else if (info.si_code <= 0 || std::ranges::count(kOfTerminal, number) == 0) {
    ::kill(program, number);
  }
  // The shell sees the job stop.
  if (std::ranges::count(kStopping, number) != 0 && !is_ignored(number)) stop_by(number);
}

ExitStatus wait_for(pid_t program, const sigset_t& waited) {
  int asked_to_end = 0;
  for (;;) {
    int status = 0;
    const pid_t ended = ::waitpid(program, &status, WNOHANG);
    if (ended == program && WIFSIGNALED(status))
      return {128 + WTERMSIG(status), WTERMSIG(status), program, asked_to_end, 0};
    if (ended == program && WIFEXITED(status)) return {WEXITSTATUS(status), 0, program, asked_to_end, 0};
    if (ended < 0 && errno != EINTR) return {1, 0, program, asked_to_end, 0};
    siginfo_t info{};
    if (sigwaitinfo(&waited, &info) <= 0 || info.si_signo == SIGCHLD) continue;
    if (std::ranges::count(kEnding, info.si_signo) != 0 && !is_ignored(info.si_signo)) asked_to_end = info.si_signo;
    pass_on(program, info);
  }
}

// In the program's process, before it is one.
void apply(const LaunchOptions& options, pid_t launcher) {
  if (options.output_fd >= 0) ::dup2(options.output_fd, STDOUT_FILENO);
  if (!options.has_input)
    if (const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC); nothing >= 0) ::dup2(nothing, STDIN_FILENO);
  if (!options.dies_with_launcher) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != launcher) ::_exit(kExitNotFound);  // it was gone before that
}

}  // namespace

Result<ExitStatus> launch(ProgramImage& image, const LaunchOptions& options) {
  std::array<int, 2> failure{};
  if (::pipe2(failure.data(), O_CLOEXEC) != 0) return Error{.what = "cannot make a pipe", .code = errno};
  sigset_t waited;
  const SignalState before = take_signals(waited);
  const pid_t launcher = ::getpid();
  const auto start = std::chrono::steady_clock::now();
  const pid_t program = ::fork();
  if (program == 0) {
    apply(options, launcher);
    sigaction(SIGCHLD, &before.on_child, nullptr);
    sigaction(SIGPIPE, &before.on_pipe, nullptr);
    sigprocmask(SIG_SETMASK, &before.mask, nullptr);
    const int error = image.exec();
    (void)!::write(failure[1], &error, sizeof error);
    ::_exit(kExitNotFound);
  }
  const int fork_error = errno;
  ::close(failure[1]);
  if (program < 0) {
    ::close(failure[0]);
    return Error{.what = "cannot start a process", .path = image.path(), .code = fork_error};
  }
  int error = 0;
  ssize_t size = 0;
  do size = ::read(failure[0], &error, sizeof error);
  while (size < 0 && errno == EINTR);
  ::close(failure[0]);
  // From here on a closed terminal or pipe must not end this process before the program.
  ::signal(SIGPIPE, SIG_IGN);
  ExitStatus status = wait_for(program, waited);
  status.elapsed_ns = std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
  if (size == sizeof error) return Error{.what = "cannot be run", .path = image.path(), .code = error};
  return status;
}

int fail_to_start(const Error& error) {
  fail(error);
  return error.code == ENOENT ? kExitNotFound : kExitNotExecutable;
}

void end_like(const ExitStatus& status) {
  if (status.signal != 0) {
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    ::signal(status.signal, SIG_DFL);
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, status.signal);
    ::raise(status.signal);
    sigprocmask(SIG_UNBLOCK, &one, nullptr);
  }
  ::_exit(status.exit_code);
}

Result<std::string> output_of_child(const std::function<void(int)>& work) {
  std::array<int, 2> output{};
  if (::pipe2(output.data(), O_CLOEXEC) != 0) return Error{.what = "cannot make a pipe", .code = errno};
  const ChildSignal signal;
  const pid_t child = ::fork();
  if (child == 0) {
    signal.restore_mask();
    work(output[1]);
    ::_exit(0);
  }
  const int error = errno;
  ::close(output[1]);
  std::string text;
  std::array<char, 4096> block;
  for (ssize_t size = 0; child > 0 && (size = ::read(output[0], block.data(), block.size())) != 0;) {
    if (size > 0) text.append(block.data(), static_cast<std::size_t>(size));
    if (size < 0 && errno != EINTR) break;
  }
  ::close(output[0]);
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (child < 0) return Error{.what = "cannot start a process", .code = error};
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return Error{.what = "failed"};
  return text;
}

Result<std::string> output_of(const std::string& path, const std::vector<std::string>& arguments,
                              ChildEnvironment& environment) {
  ProgramImage image(path, arguments, environment, LaunchNote::kNone);
  auto text = output_of_child([&](int output) {
    const int nowhere = ::open("/dev/null", O_RDWR);
    ::dup2(nowhere, STDIN_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
    ::dup2(output, STDOUT_FILENO);
    (void)image.exec();
    ::_exit(kExitNotFound);
  });
  if (!text) return Error{.what = text.error().what, .path = path, .code = text.error().code};
  return text;
}

StopSignals::StopSignals() {
  requested_signal = 0;
  struct sigaction action {};
  action.sa_handler = keep;
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < kEnding.size(); ++i) {
    ::sigaction(kEnding[i], nullptr, &before[i]);
    if (before[i].sa_handler != SIG_IGN) ::sigaction(kEnding[i], &action, nullptr);
  }
}

StopSignals::~StopSignals() { give_back(); }

int StopSignals::requested() {
  sigset_t held_back;
  sigemptyset(&held_back);
  for (const int number : kEnding) sigaddset(&held_back, number);
  for (const int number : kStopping) sigaddset(&held_back, number);
  sigprocmask(SIG_UNBLOCK, &held_back, nullptr);
  return requested_signal;
}

void StopSignals::take(int number) {
  if (number != 0) keep(number);
}

}  // namespace foretask::cli
