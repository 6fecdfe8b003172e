// SPDX-License-Identifier: Apache-2.0
// Completion of foretask's command line.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/command_words.hpp"

namespace foretask::cli {
namespace {

using Words = std::vector<std::string>;

bool contains(const Words& words, const std::string& word) { return std::ranges::count(words, word) != 0; }

// The words of the line, with --option=value as two words.
Words split_values(int argc, const char* const* argv) {
  Words words;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string_view::npos;
    words.emplace_back(word.substr(0, equals));
    if (equals != std::string_view::npos) words.emplace_back(word.substr(equals + 1));
  }
  return words;
}

std::string candidate(const std::string& word, const std::string& help) {
  return fmt::format("{}\t{}\n", word, brief(help));
}

std::string values_of(const OptionWords& option) {
  if (option.kind == ValueKind::kChoice) return fmt::format("{}\n", fmt::join(option.choices, "\n"));
  if (option.kind == ValueKind::kFile) return ":files\n";
  return option.kind == ValueKind::kFolder ? ":folders\n" : "";
}

// The options that may stand beside the words that are given.
std::string options_of(const CommandWords& command, const Words& given) {
  const auto is_given = [&given](const std::string& name) { return contains(given, name); };
  std::string text;
  for (const OptionWords& option : command.options) {
    if (!option.repeats && std::ranges::any_of(option.names, is_given)) continue;
    if (std::ranges::any_of(option.excludes, is_given)) continue;
    for (const std::string& name : option.names) {
      const bool has_value = option.kind != ValueKind::kNone && name.starts_with("--");
      text += candidate(name + (has_value ? "=" : ""), option.help);
    }
  }
  return text;
}

std::string program_at(int word) { return fmt::format(":program {}\n", word); }

std::string candidates(int argc, const char* const* argv) {
  const int last = argc - 1;
  if (const int own = program_index(last, argv); own < last)
    return program_at(std::string_view(argv[own]) == "--" ? own + 1 : own);

  const CommandWords top = read_commands();
  const CommandWords* command = &top;
  const OptionWords* open = nullptr;  // the option whose value comes next
  Words given = split_values(argc, argv);
  const std::string current = given.empty() ? "" : given.back();
  if (!given.empty()) given.pop_back();
  for (const std::string& word : given) {
    if (open != nullptr) {
      open = nullptr;
      continue;
    }
    const auto below = std::ranges::find(command->commands, word, [](const auto& other) { return other.path.back(); });
    if (below != command->commands.end()) command = &*below;
    for (const OptionWords& option : command->options)
      if (option.kind != ValueKind::kNone && contains(option.names, word)) open = &option;
  }

  if (open != nullptr) return values_of(*open);
  if (current.starts_with('-')) return options_of(*command, given);
  if (command->runs_program()) return program_at(last);
  std::string text = command->places.empty() ? "" : values_of(command->places.back());
  for (const CommandWords& below : command->commands) text += candidate(below.path.back(), below.help);
  return text;
}

}  // namespace

int print_candidates(int argc, const char* const* argv) { return print_or_fail(candidates(argc, argv)); }

}  // namespace foretask::cli
