// SPDX-License-Identifier: Apache-2.0
#include "cli/command.hpp"

#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <csignal>

#include "report/output.hpp"
#include "report/units.hpp"

namespace foretask::cli {
namespace {

// While it is there, a closed pipe and a full file (ulimit -f) are errors of the write and no signals. What the user
// set is given back: a recorded program inherits it.
class NoWriteSignals {
 public:
  NoWriteSignals() noexcept {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &ignore, &before_[i]);
  }
  NoWriteSignals(const NoWriteSignals&) = delete;
  NoWriteSignals& operator=(const NoWriteSignals&) = delete;
  ~NoWriteSignals() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
  }

 private:
  static constexpr std::array kSignals{SIGPIPE, SIGXFSZ};
  std::array<struct sigaction, kSignals.size()> before_{};
};

// Of the commands that run a program.
constexpr std::string_view kTune = "tune";  // its --json has a value
constexpr std::array<std::string_view, 4> kRunners{"record", "learn", "sweep", kTune};
constexpr std::array<std::string_view, 11> kOptionsWithValue{
    "--out",    "--param",   "--counters", "--counter-sampling", "--processes", "--set", "--cores",
    "--repeat", "--runtime", "--grain",    "--threads"};

iovec piece(std::string_view text) { return {const_cast<char*>(text.data()), text.size()}; }

// One write, so that lines of several processes do not mix.
void say(std::string_view lead, std::string_view text, std::string_view end) noexcept {
  const NoWriteSignals quiet;
  const std::array pieces{piece(lead), piece(text), piece(end)};
  (void)!::writev(STDERR_FILENO, pieces.data(), static_cast<int>(pieces.size()));
}

}  // namespace

int program_index(int argc, const char* const* argv) {
  if (argc < 2 || std::ranges::count(kRunners, std::string_view(argv[1])) == 0) return argc;
  for (int i = 2; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--" || argument.substr(0, 1) != "-") return i;
    if (std::ranges::count(kOptionsWithValue, argument) != 0 || (argument == "--json" && argv[1] == kTune)) ++i;
  }
  return argc;
}

int fail(std::string_view message) {
  say("foretask: error: ", message, "\n");
  return kExitFailure;
}

int fail(const Error& error) { return fail(error.message()); }

int wrong_usage(std::string_view message) {
  fail(message);
  return kExitUsage;
}

void note(std::string_view message) { say("foretask: ", message, "\n"); }

void draw(std::string_view text) { say("", text, ""); }

std::string check_not_empty(const std::string& text) { return text.empty() ? "the value is empty" : ""; }

std::function<std::string(const std::string&)> whole_number(std::uint64_t least, std::uint64_t most) {
  return [least, most](const std::string& text) {
    const auto number = report::parse_number<std::uint64_t>(text);
    if (number && *number >= least && *number <= most) return std::string{};
    return fmt::format("'{}' is not a whole number from {} to {}", text, least, most);
  };
}

void add_program(CLI::App& command, std::string_view more) {
  const std::string help = fmt::format("The program to run, followed by its arguments; -- may stand before it{}", more);
  command.add_option("PROGRAM", help)->type_name("ARGUMENTS...");
}

int print_or_fail(std::string_view text) {
  const auto printed = report::print(text);
  return printed ? kExitOk : fail(printed.error());
}

std::vector<Command> add_commands(CLI::App& app, const std::vector<std::string>& program, std::string_view asked) {
  app.description("Records task-parallel programs, and predicts how they would run on more cores and larger inputs.");
  app.require_subcommand(1);
  app.set_version_flag("--version", FORETASK_VERSION);
  if (asked == "record") return {add_record(app, program)};
  if (asked == "learn") return {add_learn(app, program)};
  if (asked == kTune) return {add_tune(app, program)};
  return {add_record(app, program), add_report(app),         add_diff(app),    add_simulate(app), add_whatif(app),
          add_export(app),          add_learn(app, program), add_model(app),   add_doctor(app),   add_merge(app),
          add_sweep(app, program),  add_tune(app, program),  add_predict(app), add_compose(app)};
}

}  // namespace foretask::cli
