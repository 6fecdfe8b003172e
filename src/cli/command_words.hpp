// SPDX-License-Identifier: Apache-2.0
// The words of each command, its options and its arguments. Man pages are made from them, and the completer offers
// them.
#pragma once

#include <string>
#include <vector>

namespace foretask::cli {

// What may stand in the place of a value.
enum class ValueKind { kNone, kText, kChoice, kFile, kFolder, kProgram };

struct OptionWords {
  std::vector<std::string> names;  // "-o" and "--output"; of what has its place alone, "INPUT"
  ValueKind kind = ValueKind::kNone;
  std::string value;                 // "FILE"; empty for a flag
  std::vector<std::string> choices;  // of a kChoice
  std::string help;                  // without a full stop
  bool is_required = false;
  bool repeats = false;
  std::vector<std::string> excludes;  // names of options that it cannot stand beside
  std::vector<std::string> needs;     // names of those that it needs
};

struct CommandWords {
  std::vector<std::string> path;  // {"foretask", "model", "fit"}
  std::string help;
  std::string footer;
  std::vector<OptionWords> options;
  std::vector<OptionWords> places;  // arguments without a name, in order
  std::vector<CommandWords> commands;

  // "foretask model fit", with the separator between.
  [[nodiscard]] std::string name(const std::string& separator = " ") const;
  // Its last place is that of another program and its arguments.
  [[nodiscard]] bool runs_program() const;
};

// Of bin/foretask.
[[nodiscard]] CommandWords read_commands();

// `top` and all commands below it, each before its own.
[[nodiscard]] std::vector<const CommandWords*> all_commands(const CommandWords& top);

// The first thing that a text says, for lists: up to a semicolon or a bracket.
[[nodiscard]] std::string brief(const std::string& text);

// For the shells' completion scripts (src/cli/pages/completion.*), in completer.cpp.
// Prints what the last word may become. The words before it are those typed so far; argv[0] stands for foretask itself.
// A line is a candidate and, behind a tab, the first thing that its help says; "--format=" is an option with a value.
// The value of "--format=p" is offered alone, and a shell leaves out what does not match. Instead of candidates, a
// line may begin with a colon: ":files" and ":folders" for paths, and ":program N" where another program begins at word
// N. Gives the exit code.
[[nodiscard]] int print_candidates(int argc, const char* const* argv);

}  // namespace foretask::cli
