// SPDX-License-Identifier: Apache-2.0
#include "cli/command_words.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <sstream>

#include "cli/command.hpp"

namespace foretask::cli {
namespace {

// CLI11 has "TEXT:FOLDER", "TEXT:{fifo,lifo}", "UINT:UINT in [1 - 9]", "TEXT:({word}) OR (FLOAT in [0 - 1])" or "TEXT".
void set_value(OptionWords& words, const std::string& type) {
  const std::size_t colon = type.find(':');
  words.value = colon == std::string::npos ? type : type.substr(colon + 1);
  words.kind = ValueKind::kText;
  const bool is_range = words.value.find(" in [") != std::string::npos;
  const std::size_t open = words.value.find('{');
  const std::size_t close = words.value.find('}');
  if (open != std::string::npos && close != std::string::npos && open < close) {
    words.kind = ValueKind::kChoice;
    std::istringstream list(words.value.substr(open + 1, close - open - 1));
    for (std::string choice; std::getline(list, choice, ',');) words.choices.push_back(choice);
    words.value = is_range ? "N" : "";
    for (std::size_t i = words.choices.size(); i-- > 0;)
      words.value.insert(0, words.choices[i] + (words.value.empty() ? "" : "|"));
  } else if (is_range) {
    words.value = "N";
  } else if (words.value.starts_with("FILE")) {
    words.kind = ValueKind::kFile;
  } else if (words.value == "FOLDER") {
    words.kind = ValueKind::kFolder;
  }
}

std::vector<std::string> names_of(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options) names.push_back(option->get_name());
  std::sort(names.begin(), names.end());  // the set's order is that of addresses
  return names;
}

OptionWords words_of(const CLI::Option& option) {
  OptionWords words;
  words.help = option.get_description();
  words.is_required = option.get_required();
  words.excludes = names_of(option.get_excludes());
  words.needs = names_of(option.get_needs());
  words.repeats = option.get_expected_max() == CLI::detail::expected_max_vector_size || option.get_type_size_max() > 1;
  if (option.nonpositional()) {
    for (const std::string& name : option.get_snames()) words.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) words.names.push_back("--" + name);
    if (const std::string type = option.get_type_name(); !type.empty()) set_value(words, type);  // else a flag
    return words;
  }
  const std::string name = option.get_name(true);
  words.names.push_back(name);
  words.value = name;
  words.kind = name == "PROGRAM"                                              ? ValueKind::kProgram
               : name == "FILE" || name == "INPUT" || name.starts_with("RUN") ? ValueKind::kFile
                                                                              : ValueKind::kText;
  return words;
}

CommandWords words_of(const CLI::App& app, std::vector<std::string> path) {
  CommandWords words;
  path.push_back(app.get_name());
  words.path = path;
  words.help = app.get_description();
  words.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options())
    (option->nonpositional() ? words.options : words.places).push_back(words_of(*option));
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    words.commands.push_back(words_of(*command, path));
  return words;
}

}  // namespace

std::string CommandWords::name(const std::string& separator) const {
  std::string joined;
  for (const std::string& word : path) joined += (joined.empty() ? "" : separator) + word;
  return joined;
}

bool CommandWords::runs_program() const { return !places.empty() && places.back().kind == ValueKind::kProgram; }

CommandWords read_commands() {
  CLI::App app{"", "foretask"};
  const auto commands = add_commands(app, {});
  return words_of(app, {});
}

std::vector<const CommandWords*> all_commands(const CommandWords& top) {
  std::vector<const CommandWords*> commands{&top};
  for (const CommandWords& command : top.commands) {
    const std::vector<const CommandWords*> below = all_commands(command);
    commands.insert(commands.end(), below.begin(), below.end());
  }
  return commands;
}

std::string brief(const std::string& text) {
  return text.substr(0, std::min({text.find("; "), text.find(" ("), text.find(". ")}));
}

}  // namespace foretask::cli
