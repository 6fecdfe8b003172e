// SPDX-License-Identifier: Apache-2.0
// The launcher: a recorded program's arguments, output, signals and status are those of a run without it.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "integration/cli_command.hpp"

using namespace cli_test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

namespace {

std::vector<std::string> folders_in(const std::string& path) {
  std::vector<std::string> folders;
  for (const auto& entry : fs::directory_iterator(path))
    if (entry.is_directory()) folders.push_back(entry.path().filename().string());
  return folders;
}

// Starts `foretask record -- sh -c SCRIPT`, waits for the file `ready`, sends `signals` and waits for the end.
Outcome signalled(const Scratch& scratch, const std::string& script, const std::vector<int>& signals) {
  const pid_t launcher = ::fork();
  if (launcher == 0) {
    REQUIRE(::chdir(scratch.path().c_str()) == 0);
    (void)!std::freopen("stdout", "w", stdout);
    (void)!std::freopen("stderr", "w", stderr);
    ::execl(kForetask.c_str(), "foretask", "record", "--", "sh", "-c", script.c_str(), nullptr);
    ::_exit(127);
  }
  for (int i = 0; i < 500 && !fs::exists(scratch / "ready"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  for (const int signal : signals) {
    ::kill(launcher, signal);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  int status = 0;
  ::waitpid(launcher, &status, 0);
  return outcome_of(status, scratch);
}

}  // namespace

TEST_CASE("arguments are passed on exactly") {
  const Scratch scratch;
  const std::vector<std::string> arguments{"--help", "-n", "--", "--out", "", "a b", "*", "'", "$HOME", "\\", "-h"};
  for (const bool dashes : {true, false}) {
    std::vector<std::string> words{"record"};
    if (dashes) words.push_back("--");
    words.insert(words.end(), {"printf", "[%s]"});
    words.insert(words.end(), arguments.begin(), arguments.end());
    CHECK(foretask(scratch, words).out == "[--help][-n][--][--out][][a b][*]['][$HOME][\\][-h]");
  }
}

TEST_CASE("the program's exit code is the launcher's") {
  const Scratch scratch;
  for (const int code : {0, 1, 2, 42, 126, 127, 128, 255})
    CHECK(foretask(scratch, {"record", "--", "sh", "-c", "exit " + std::to_string(code)}).exit_code == code);
}

TEST_CASE("death by a signal is passed on as death by that signal") {
  const Scratch scratch;
  for (const int number : {SIGKILL, SIGTERM, SIGSEGV, SIGABRT, SIGINT, SIGPIPE, SIGUSR1}) {
    const Outcome outcome =
        foretask(scratch, {"record", "--", "sh", "-c", "kill -" + std::to_string(number) + " $$"}, "ulimit -c 0;");
    INFO(number << " " << outcome.err);
    CHECK(outcome.signal == number);
  }
}

TEST_CASE("signals sent to the launcher reach the program once") {
  const Scratch scratch;
  const Outcome outcome = signalled(scratch,
                                    "trap 'echo usr1' USR1; trap 'echo usr2' USR2; trap 'echo hup' HUP; "
                                    "trap 'echo term; exit 9' TERM; touch ready; while :; do sleep 0.02; done",
                                    {SIGUSR1, SIGUSR2, SIGHUP, SIGTERM});
  CHECK(outcome.out == "usr1\nusr2\nhup\nterm\n");
  CHECK(outcome.exit_code == 9);
}

TEST_CASE("every signal that can be caught is passed on") {
  std::vector<int> signals;
  std::string traps;
  std::string expected;
  for (int number = 1; number <= SIGRTMAX; ++number) {
    switch (number) {
      case SIGKILL:
      case SIGSTOP:
      case SIGCHLD:
      case SIGSEGV:
      case SIGBUS:
      case SIGFPE:
      case SIGILL:
      case SIGTRAP:
      case SIGSYS:
      case SIGABRT:
      case SIGTSTP:  // these stop the launcher, as a shell expects
      case SIGTTIN:
      case SIGTTOU:
        continue;
      default:
        if (number > SIGSYS && number < SIGRTMIN) continue;
    }
    // A few of the real-time signals stand for all.
    if (number > SIGRTMIN + 1 && number < SIGRTMAX) continue;
    signals.push_back(number);
    traps += "trap 'echo " + std::to_string(number) + "' " + std::to_string(number) + "; ";
    expected += std::to_string(number) + "\n";
  }
  const Scratch scratch;
  const Outcome outcome = signalled(
      scratch, "exec bash -c " + quoted(traps + "trap 'exit 9' USR2; touch ready; while :; do sleep 0.02; done"), [&] {
        std::vector<int> all = signals;
        all.erase(std::remove(all.begin(), all.end(), SIGUSR2), all.end());
        all.push_back(SIGUSR2);
        return all;
      }());
  const std::string last = std::to_string(SIGUSR2) + "\n";
  expected.erase(expected.find("\n" + last) + 1, last.size());
  CHECK(outcome.out == expected);
  CHECK(outcome.exit_code == 9);
}

TEST_CASE("an alarm set before foretask was started is the program's") {
  const Scratch scratch;
  if (run(scratch, {"perl", "-e", "exit 0"}).exit_code != 0) FORETASK_SKIP("perl sets the alarm, and is not here");
  const Outcome outcome =
      run(scratch, {"perl", "-e", "alarm 1; exec @ARGV", kForetask, "record", "--", "sh", "-c",
                    "trap 'echo alarm; exit 4' ALRM; for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.3; done"});
  CHECK(outcome.out == "alarm\n");
  CHECK(outcome.exit_code == 4);
}

TEST_CASE("streams that the user closed are closed in the program") {
  const Scratch scratch;
  const std::string list =
      " -- sh -c 'for i in 0 1 2; do [ -e /proc/$$/fd/$i ] && echo $i >>" + (scratch / "open") + "; done; exit 5'";
  for (const std::string closed : {"<&-", ">&-", "2>&-", "<&- >&- 2>&-"}) {
    INFO(closed);
    fs::remove(scratch / "open");
    CHECK(run(scratch, {"sh", "-c", quoted(kForetask) + " record" + list + " " + closed}).exit_code == 5);
    std::string left;
    for (const char* const stream : {"0", "1", "2"}) {
      const std::string redirection = *stream == '0' ? "<&-" : *stream == '1' ? ">&-" : "2>&-";
      const std::size_t at = (" " + closed).find(" " + redirection);
      if (at == std::string::npos) left += std::string(stream) + "\n";
    }
    CHECK(contents(scratch / "open") == left);
  }
}

TEST_CASE("a signal that the program does not handle ends both") {
  const Scratch scratch;
  const Outcome outcome = signalled(scratch, "touch ready; exec sleep 30", {SIGTERM});
  CHECK(outcome.signal == SIGTERM);
}

TEST_CASE("stop and continue are passed on") {
  const Scratch scratch;
  const Outcome outcome =
      signalled(scratch, "trap 'echo continued; exit 0' CONT; touch ready; while :; do sleep 0.02; done", {SIGCONT});
  CHECK(outcome.out == "continued\n");
}

TEST_CASE("the program has the user's signal dispositions and standard streams") {
  const Scratch scratch;
  const auto ignored = [&scratch](const std::string& before) {
    return run(scratch,
               {"sh", "-c", before + " exec " + quoted(kForetask) + " record -- grep SigIgn /proc/self/status"})
        .out;
  };
  const auto direct = [&scratch](const std::string& before) {
    return run(scratch, {"sh", "-c", before + " exec grep SigIgn /proc/self/status"}).out;
  };
  CHECK(ignored("") == direct(""));
  CHECK(ignored("trap '' HUP PIPE CHLD;") == direct("trap '' HUP PIPE CHLD;"));
  const std::string blocked = " -- grep SigBlk /proc/self/status";
  CHECK(run(scratch, {"sh", "-c", quoted(kForetask) + " record" + blocked}).out ==
        run(scratch, {"grep", "SigBlk", "/proc/self/status"}).out);
  CHECK(run(scratch, {"sh", "-c", "echo input | " + quoted(kForetask) + " record -- cat"}).out == "input\n");
}

TEST_CASE("a program that cannot be started is the shell's 127 or 126") {
  const Scratch scratch;
  const auto fails = [&scratch](const std::string& program, int code) {
    const Outcome outcome = foretask(scratch, {"record", "--", program});
    INFO(program << ": " << outcome.err);
    CHECK(outcome.exit_code == code);
    CHECK_THAT(outcome.err, StartsWith("foretask: error: ") && ContainsSubstring(program));
    CHECK(folders_in(scratch.path()).empty());
  };
  std::ofstream(scratch / "text") << "no program\n";
  std::ofstream(scratch / "orphan") << "#!/nonexistent/interpreter\n";
  fs::permissions(scratch / "orphan", fs::perms::owner_all);
  fails("no-such-program-anywhere", 127);
  fails("/nonexistent/program", 127);
  fails("./text", 126);
  fails("/tmp", 126);
  fails("./orphan", 127);
}

TEST_CASE("a file without a header is the shell's, as execvp has it") {
  const Scratch scratch;
  std::ofstream(scratch / "plain") << "echo \"$1\"; exit 3\n";
  fs::permissions(scratch / "plain", fs::perms::owner_all);
  const Outcome outcome = foretask(scratch, {"record", "./plain", "word"});
  CHECK(outcome.out == "word\n");
  CHECK(outcome.exit_code == 3);
}

TEST_CASE("a folder that is there, or cannot be made, is an error before the start") {
  const Scratch scratch;
  fs::create_directory(scratch / "there");
  for (const std::string out : {"there", "/nonexistent/folder/run", "/proc/run"}) {
    const Outcome outcome = foretask(scratch, {"record", "--out", out, "--", "touch", "ran"});
    INFO(out);
    CHECK(outcome.exit_code == 1);
    CHECK_THAT(outcome.err,
               StartsWith("foretask: error: ") && ContainsSubstring(out == "/proc/run" ? "/proc" : out.substr(0, 5)));
  }
  CHECK_FALSE(fs::exists(scratch / "ran"));
}

TEST_CASE("a program without OpenMP is told beforehand to leave no recording") {
  const Scratch scratch;
  const Outcome outcome = foretask(scratch, {"record", "--", "true"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err, StartsWith("foretask: warning: true is linked with no OpenMP runtime"));
}

TEST_CASE("a program that could have been recorded, and was not, says so once when it ends") {
  const Scratch scratch;
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"bash", "-c", "true; exit 3"}, {"env", "bash", "-c", "(exit 1); exit 3"}}) {
    std::vector<std::string> command{"record", "--"};
    command.insert(command.end(), words.begin(), words.end());
    const Outcome outcome = foretask(scratch, command);
    INFO(outcome.err);
    CHECK(outcome.exit_code == 3);
    CHECK(outcome.out.empty());
    CHECK_THAT(outcome.err, StartsWith("foretask: nothing was recorded: " + words.front()) &&
                                ContainsSubstring("reached no OpenMP construct"));
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  }
}

TEST_CASE("nothing is said to be unrecorded where a program behind another was recorded, with a name or without") {
  const Scratch scratch;
  const char* const program = "int main() {\n#pragma omp parallel\n  __asm__ volatile(\"\");\n}\n";
  if (std::string(FORETASK_GCC).empty() || !compile(scratch, FORETASK_GCC, "app", program, {"-fopenmp"}))
    FORETASK_SKIP("no GCC with OpenMP");
  for (const std::vector<std::string>& option : {std::vector<std::string>{}, {"--out", "run"}}) {
    std::vector<std::string> command{"record"};
    command.insert(command.end(), option.begin(), option.end());
    command.insert(command.end(), {"--", "bash", "-c", "./app; true; exit 3"});
    const Outcome outcome = foretask(scratch, command);
    CHECK(outcome.exit_code == 3);
    CHECK_THAT(outcome.err, StartsWith("foretask: recorded into "));
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    // The recording of before is not this one's.
    if (option.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (option.empty())
      CHECK_THAT(foretask(scratch, {"record", "--", "bash", "-c", "exit 0"}).err,
                 ContainsSubstring("nothing was recorded"));
  }
}

TEST_CASE("a program that goes on behind the one that foretask started is not said to be unrecorded") {
  const Scratch scratch;
  const Outcome outcome = foretask(scratch, {"record", "--", "bash", "-c", "sleep 1 & exit 0"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
}

TEST_CASE("a program with rights that its caller lacks is said to run unrecorded") {
  const Scratch scratch;
  const std::string path = scratch / "app";
  fs::copy_file(fs::canonical("/proc/self/exe"), path);
  if (::chown(path.c_str(), 65534, 65534) != 0 || ::chmod(path.c_str(), 04755) != 0)
    FORETASK_SKIP("only root can give away a file");
  const Outcome outcome = foretask(scratch, {"record", "--", "./app", "--list-tags", "no such test"});
  CHECK_THAT(outcome.err,
             ContainsSubstring("warning: ./app has rights that you lack") && ContainsSubstring("runs unrecorded"));
}

TEST_CASE("learn says beforehand why it may learn nothing, as record does") {
  const Scratch scratch;
  const Outcome outcome = foretask(scratch, {"learn", "--", "true"});
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.err, StartsWith("foretask: warning: true is linked with no OpenMP runtime") &&
                              ContainsSubstring("Nothing is learned, unless"));
}
