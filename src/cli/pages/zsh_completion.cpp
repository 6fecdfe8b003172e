// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string_view>

#include "cli/pages/completions.hpp"

namespace foretask::cli {
namespace {

// In a specification of _arguments between single quotes.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
      continue;
    }
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string action(const OptionWords& option) {
  switch (option.kind) {
    case ValueKind::kChoice:
      return fmt::format("({})", fmt::join(option.choices, " "));
    case ValueKind::kFile:
      return "_files";
    case ValueKind::kFolder:
      return "_files -/";
    case ValueKind::kProgram:
      return "_command_names -e";
    case ValueKind::kText:
    case ValueKind::kNone:
      break;
  }
  return " ";
}

std::string option_words(const OptionWords& option) {
  std::vector<std::string> names = option.names;
  const std::string not_beside = fmt::format("{}", fmt::join(option.excludes, " "));
  std::string alone = option.repeats ? "" : fmt::format("{}", fmt::join(names, " "));
  if (!not_beside.empty()) alone += (alone.empty() ? "" : " ") + not_beside;
  std::string value;
  if (option.kind != ValueKind::kNone) {
    value = fmt::format(":{}:{}", escaped(option.value), escaped(action(option)));
    for (std::string& name : names) name += name.starts_with("--") ? "=" : "+";
  }
  const std::string lead = (alone.empty() ? "" : "(" + alone + ")") + (option.repeats ? "*" : "");
  const std::string help = fmt::format("[{}]", escaped(brief(option.help)));
  if (names.size() == 1) return fmt::format("'{}{}{}{}'", lead, names.front(), help, value);
  return fmt::format("'{}'{{{}}}'{}{}'", lead, fmt::join(names, ","), help, value);
}

std::string function_of(const CommandWords& command) {
  const std::string name = command.name("_");
  std::string text = fmt::format("_{}() {{\n", name);
  if (!command.commands.empty()) {
    text += "  local curcontext=$curcontext state line\n  typeset -A opt_args\n  local -a commands=(\n";
    for (const CommandWords& below : command.commands)
      text += fmt::format("    '{}:{}'\n", below.path.back(), escaped(brief(below.help)));
    text += "  )\n";
  }
  text += command.commands.empty() ? "  _arguments -S" : "  _arguments -C -S";
  for (const OptionWords& option : command.options) text += " \\\n    " + option_words(option);
  for (const OptionWords& place : command.places) {
    if (place.kind == ValueKind::kProgram)
      text += fmt::format(" \\\n    '(-)1:{}:{}' \\\n    '*::arguments:_normal'", place.value, action(place));
    else
      text += fmt::format(" \\\n    '{}:{}:{}'",
                          place.repeats       ? "*"
                          : place.is_required ? "1"
                                              : ":",
                          place.value, escaped(action(place)));
  }
  if (!command.commands.empty()) {
    text += " \\\n    '1:command:->command' \\\n    '*::arguments:->arguments'\n  case $state in\n";
    text += "    command) _describe -t commands command commands ;;\n    arguments)\n      case $words[1] in\n";
    for (const CommandWords& below : command.commands)
      text += fmt::format("        {}) _{} ;;\n", below.path.back(), below.name("_"));
    text += "      esac ;;\n  esac";
  }
  return text + "\n}\n\n";
}

}  // namespace

std::string zsh_completion(const CommandWords& top) {
  std::string text = "#compdef foretask\n# SPDX-License-Identifier: Apache-2.0\n# Made from foretask's options.\n\n";
  for (const CommandWords* const command : all_commands(top)) text += function_of(*command);
  // Loaded by the first completion, or read by a user.
  return text + "if [[ $funcstack[1] == _foretask ]]; then _foretask \"$@\"; else compdef _foretask foretask; fi\n";
}

}  // namespace foretask::cli
