// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string_view>

#include "cli/pages/completions.hpp"

namespace foretask::cli {
namespace {

constexpr std::string_view kHead = R"(# SPDX-License-Identifier: Apache-2.0
# fish completion for foretask, made from its options.

# The commands given so far are these, and no other.
function __foretask_is
    set -l words (commandline -opc)
    set -l given
    for word in $words[2..-1]
        string match -q -- '-*' $word; and break
        set -a given $word
        contains -- "$given" {commands}; or begin
            set -e given[-1]
            break
        end
    end
    test "$given" = "$argv"
end

complete -c foretask -f
)";

std::string quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

// Without the options' values, the words before the program are foretask's own name and the command's.
std::string program_words(const CommandWords& command) {
  std::string options;
  for (const OptionWords& option : command.options)
    for (const std::string& name : option.names)
      if (option.kind != ValueKind::kNone) options += " " + name;
  return fmt::format(" -x -a '(__fish_complete_subcommand --fcs-skip={}{})'", command.path.size(), options);
}

std::string value_words(const OptionWords& option) {
  switch (option.kind) {
    case ValueKind::kNone:
      return "";
    case ValueKind::kText:
      return " -x";
    case ValueKind::kChoice:
      return fmt::format(" -x -a {}", quoted(fmt::format("{}", fmt::join(option.choices, " "))));
    case ValueKind::kFile:
      return " -r -F";
    case ValueKind::kFolder:
      return " -x -a '(__fish_complete_directories)'";
    case ValueKind::kProgram:
      break;
  }
  return "";
}

}  // namespace

std::string fish_completion(const CommandWords& top) {
  const std::vector<const CommandWords*> commands = all_commands(top);
  const auto key_of = [](const CommandWords& command) {
    return std::vector<std::string>(command.path.begin() + 1, command.path.end());
  };
  std::string keys;
  for (const CommandWords* const command : commands)
    if (command->path.size() > 1)
      keys += (keys.empty() ? "" : " ") + quoted(fmt::format("{}", fmt::join(key_of(*command), " ")));
  std::string text(kHead);
  text.replace(text.find("{commands}"), std::string_view("{commands}").size(), keys);
  for (const CommandWords* const command : commands) {
    const std::string lead =
        "complete -c foretask -n " + quoted(fmt::format("__foretask_is {}", fmt::join(key_of(*command), " ")));
    for (const CommandWords& below : command->commands)
      text += fmt::format("{} -a {} -d {}\n", lead, below.path.back(), quoted(brief(below.help)));
    for (const OptionWords& option : command->options) {
      std::string names;
      for (const std::string& name : option.names)
        names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      text += fmt::format("{}{}{} -d {}\n", lead, names, value_words(option), quoted(brief(option.help)));
    }
    for (const OptionWords& place : command->places) {
      if (place.kind == ValueKind::kFile) text += lead + " -F\n";
      if (place.kind == ValueKind::kProgram) text += lead + program_words(*command) + "\n";
    }
  }
  return text;
}

}  // namespace foretask::cli
