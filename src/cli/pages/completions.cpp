// SPDX-License-Identifier: Apache-2.0
#include "cli/pages/command_words.hpp"

#include <fmt/format.h>

#include <string_view>

namespace foretask::cli {
namespace {

constexpr std::string_view kBashHead = R"(# SPDX-License-Identifier: Apache-2.0
# bash completion for foretask, made from its options.

_foretask_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2"); }

_foretask_paths() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$1" -- "$2")
}

# A program and its arguments begin at word $1.
_foretask_program() {
  if declare -F _command_offset >/dev/null; then
    _command_offset "$1"
  elif (($1 == COMP_CWORD)); then
    mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}")
  else
    _foretask_paths -f "${COMP_WORDS[COMP_CWORD]}"
  fi
}

_foretask() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command='' options='' i
  COMPREPLY=()
  # --option=value comes as three words.
  if [[ $current == '=' ]]; then
    current=''
  elif [[ $previous == '=' ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
)";

// Which command it is, and whether a program has begun.
constexpr std::string_view kWalk = R"(  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$command ${{COMP_WORDS[i]}}" in
      {commands})
        command+=${{command:+ }}${{COMP_WORDS[i]}} ;;
      {values})
        i=$((i + 1))
        if [[ ${{COMP_WORDS[i]}} == '=' ]]; then i=$((i + 1)); fi ;;
      {dashes})
        _foretask_program $((i + 1))
        return ;;
      {own})
        ;;
      {program})
        _foretask_program "$i"
        return ;;
    esac
  done
)";

using Patterns = std::vector<std::string>;

std::string one_of(const Patterns& patterns) { return fmt::format("{}", fmt::join(patterns, " | ")); }

std::string quoted(const std::string& command, const std::string& word) {
  return fmt::format("'{} {}'", command, word);
}

// The name within bash: without the program's.
std::string key_of(const CommandWords& command) {
  std::string key = command.name();
  return key.size() <= command.path.front().size() ? "" : key.substr(command.path.front().size() + 1);
}

std::string walk(const std::vector<const CommandWords*>& commands) {
  Patterns all, values, dashes, own, program;
  for (const CommandWords* const command : commands) {
    const std::string key = key_of(*command);
    for (const CommandWords& below : command->commands) all.push_back(quoted(key, below.path.back()));
    if (!command->runs_program()) continue;
    for (const OptionWords& option : command->options)
      for (const std::string& name : option.names)
        if (option.kind != ValueKind::kNone) values.push_back(quoted(key, name));
    dashes.push_back(quoted(key, "--"));
    own.push_back(fmt::format("'{} -'*", key));
    program.push_back(fmt::format("'{} '*", key));
  }
  return fmt::format(kWalk, fmt::arg("commands", one_of(all)), fmt::arg("values", one_of(values)),
                     fmt::arg("dashes", one_of(dashes)), fmt::arg("own", one_of(own)),
                     fmt::arg("program", one_of(program)));
}

std::string values(const std::vector<const CommandWords*>& commands) {
  Patterns files, folders, texts;
  std::string text = "  case \"$command $previous\" in\n";
  for (const CommandWords* const command : commands) {
    for (const OptionWords& option : command->options) {
      if (option.kind == ValueKind::kNone) continue;
      Patterns names;
      for (const std::string& name : option.names) names.push_back(quoted(key_of(*command), name));
      if (option.kind == ValueKind::kChoice) {
        text += fmt::format("    {})\n      _foretask_words '{}' \"$current\"\n      return ;;\n", one_of(names),
                            fmt::join(option.choices, " "));
        continue;
      }
      Patterns& others = option.kind == ValueKind::kFile ? files : option.kind == ValueKind::kFolder ? folders : texts;
      others.insert(others.end(), names.begin(), names.end());
    }
  }
  text += fmt::format("    {})\n      _foretask_paths -f \"$current\"\n      return ;;\n", one_of(files));
  text += fmt::format("    {})\n      _foretask_paths -d \"$current\"\n      return ;;\n", one_of(folders));
  text += fmt::format("    {})\n      return ;;\n  esac\n", one_of(texts));
  return text;
}

// What stands in a place of its own, and sets `options` for what begins with a dash.
std::string places(const std::vector<const CommandWords*>& commands) {
  std::string text = "  case $command in\n";
  for (const CommandWords* const command : commands) {
    Patterns options, below;
    for (const OptionWords& option : command->options)
      options.insert(options.end(), option.names.begin(), option.names.end());
    for (const CommandWords& other : command->commands) below.push_back(other.path.back());
    text += fmt::format("    '{}')\n      options='{}'\n", key_of(*command), fmt::join(options, " "));
    if (!below.empty()) text += fmt::format("      _foretask_words '{}' \"$current\"\n", fmt::join(below, " "));
    if (command->runs_program()) text += "      if [[ $current != -* ]]; then _foretask_program \"$COMP_CWORD\"; fi\n";
    if (!command->places.empty() && command->places.back().kind == ValueKind::kFile)
      text += "      _foretask_paths -f \"$current\"\n";
    text += "      ;;\n";
  }
  return text + "  esac\n  if [[ $current == -* ]]; then _foretask_words \"$options\" \"$current\"; fi\n}\n";
}

constexpr std::string_view kFishHead = R"(# SPDX-License-Identifier: Apache-2.0
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

std::string quoted_for_fish(std::string_view text) {
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
      return fmt::format(" -x -a {}", quoted_for_fish(fmt::format("{}", fmt::join(option.choices, " "))));
    case ValueKind::kFile:
      return " -r -F";
    case ValueKind::kFolder:
      return " -x -a '(__fish_complete_directories)'";
    case ValueKind::kProgram:
      break;
  }
  return "";
}

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

std::string bash_completion(const CommandWords& top) {
  const std::vector<const CommandWords*> commands = all_commands(top);
  return std::string(kBashHead) + walk(commands) + values(commands) + places(commands) +
         "complete -F _foretask foretask\n";
}

std::string fish_completion(const CommandWords& top) {
  const std::vector<const CommandWords*> commands = all_commands(top);
  const auto key_of = [](const CommandWords& command) {
    return std::vector<std::string>(command.path.begin() + 1, command.path.end());
  };
  std::string keys;
  for (const CommandWords* const command : commands)
    if (command->path.size() > 1)
      keys += (keys.empty() ? "" : " ") + quoted_for_fish(fmt::format("{}", fmt::join(key_of(*command), " ")));
  std::string text(kFishHead);
  text.replace(text.find("{commands}"), std::string_view("{commands}").size(), keys);
  for (const CommandWords* const command : commands) {
    const std::string lead =
        "complete -c foretask -n " + quoted_for_fish(fmt::format("__foretask_is {}", fmt::join(key_of(*command), " ")));
    for (const CommandWords& below : command->commands)
      text += fmt::format("{} -a {} -d {}\n", lead, below.path.back(), quoted_for_fish(brief(below.help)));
    for (const OptionWords& option : command->options) {
      std::string names;
      for (const std::string& name : option.names)
        names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      text += fmt::format("{}{}{} -d {}\n", lead, names, value_words(option), quoted_for_fish(brief(option.help)));
    }
    for (const OptionWords& place : command->places) {
      if (place.kind == ValueKind::kFile) text += lead + " -F\n";
      if (place.kind == ValueKind::kProgram) text += lead + program_words(*command) + "\n";
    }
  }
  return text;
}

std::string zsh_completion(const CommandWords& top) {
  std::string text = "#compdef foretask\n# SPDX-License-Identifier: Apache-2.0\n# Made from foretask's options.\n\n";
  for (const CommandWords* const command : all_commands(top)) text += function_of(*command);
  // Loaded by the first completion, or read by a user.
  return text + "if [[ $funcstack[1] == _foretask ]]; then _foretask \"$@\"; else compdef _foretask foretask; fi\n";
}

}  // namespace foretask::cli
