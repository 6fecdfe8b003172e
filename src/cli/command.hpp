// SPDX-License-Identifier: Apache-2.0
// What the commands share: how one is added to the command line, and how an error is said.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "foretask/result.hpp"

namespace CLI {
class App;
}

namespace foretask::cli {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;

// A sub-command: its options belong to `app`, `run` does it and gives the exit code.
struct Command {
  CLI::App* app = nullptr;
  std::function<int()> run;
};

// `program` and its arguments were taken off the command line before it was parsed: they are passed on as they are.
[[nodiscard]] Command add_record(CLI::App& app, const std::vector<std::string>& program);
[[nodiscard]] Command add_learn(CLI::App& app, const std::vector<std::string>& program);
[[nodiscard]] Command add_tune(CLI::App& app, const std::vector<std::string>& program);
[[nodiscard]] Command add_sweep(CLI::App& app, const std::vector<std::string>& program);
[[nodiscard]] Command add_report(CLI::App& app);
[[nodiscard]] Command add_diff(CLI::App& app);
[[nodiscard]] Command add_simulate(CLI::App& app);
[[nodiscard]] Command add_whatif(CLI::App& app);
[[nodiscard]] Command add_export(CLI::App& app);
[[nodiscard]] Command add_merge(CLI::App& app);
[[nodiscard]] Command add_predict(CLI::App& app);
[[nodiscard]] Command add_compose(CLI::App& app);
[[nodiscard]] Command add_model(CLI::App& app);
[[nodiscard]] Command add_doctor(CLI::App& app);

// Gives `app` its description, --version and all commands; if `asked` starts a program, which waits for this, it alone.
[[nodiscard]] std::vector<Command> add_commands(CLI::App& app, const std::vector<std::string>& program,
                                                std::string_view asked = "");

// For CLI::Validator: what is wrong with a text, else nothing. That it is not empty; that it is a whole number of
// these, in decimal digits; that a parser, which gives a Result, takes it.
[[nodiscard]] std::string check_not_empty(const std::string& text);
[[nodiscard]] std::function<std::string(const std::string&)> whole_number(
    std::uint64_t least = 0, std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
template <auto parse>
[[nodiscard]] std::string check(const std::string& text) {
  const auto parsed = parse(text);
  return parsed ? std::string{} : parsed.error().message();
}

// PROGRAM and its arguments, of a command that runs one. For the help text alone: program_index() cuts them off.
// `more` goes behind the help's words.
void add_program(CLI::App& command, std::string_view more = {});

// Where, on the command line of `record`, `learn`, `tune` or `sweep`, its own options end: at "--" or at the program's
// name; argc elsewhere.
[[nodiscard]] int program_index(int argc, const char* const* argv);

// "foretask: error: ..." on standard error; gives kExitFailure. What standard error does not take is lost without a
// word, here and below: there is nowhere left to say so, and a recorded program's exit code counts for more.
int fail(std::string_view message);
int fail(const Error& error);
// The same; gives kExitUsage.
int wrong_usage(std::string_view message);

// "foretask: ..." on standard error.
void note(std::string_view message);

// `text` on standard error as it is.
void draw(std::string_view text);

// `text` to standard output; a closed pipe or a full disk is a failure.
[[nodiscard]] int print_or_fail(std::string_view text);

}  // namespace foretask::cli
