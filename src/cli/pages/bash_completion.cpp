// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string_view>

#include "cli/pages/completions.hpp"

namespace foretask::cli {
namespace {

constexpr std::string_view kHead = R"(# SPDX-License-Identifier: Apache-2.0
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

}  // namespace

std::string bash_completion(const CommandWords& top) {
  const std::vector<const CommandWords*> commands = all_commands(top);
  return std::string(kHead) + walk(commands) + values(commands) + places(commands) + "complete -F _foretask foretask\n";
}

}  // namespace foretask::cli
