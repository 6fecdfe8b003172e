// SPDX-License-Identifier: Apache-2.0
// foretask_pages FOLDER: foretask's man pages, made from its commands' options, as they lie below share/. Run by the
// build. SOURCE_DATE_EPOCH is the pages' date where it is set.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "cli/command.hpp"
#include "cli/command_words.hpp"

namespace foretask::cli {
namespace {

constexpr std::size_t kWidth = 78;  // of the page's source

// What is no option: docs/command_line.md has the rest.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kVariables{
    {{"FORETASK",
      "learn, record or off, for programs that are linked with libforetask. off also forbids the learning that a "
      "program turns on itself."},
     {"FORETASK_HOME",
      "The store's folder. Default: $XDG_DATA_HOME/foretask, or ~/.local/share/foretask where that is not set."},
     {"FORETASK_PROGRESS", "1: a program that loads foretask shows its progress on standard error."}}};

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else if (c == '\'')
      result += "\\(aq";
    else if (c == '~')
      result += "\\(ti";
    else if (c == '^')
      result += "\\(ha";
    else
      result += c;
  }
  return result;
}

std::string bold(std::string_view text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

class Page {
 public:
  void line(std::string_view text) { fmt::format_to(std::back_inserter(text_), "{}\n", text); }
  void section(std::string_view title) { line(".SH " + std::string(title)); }

  // Words that become lines of the source, none of which looks like a request.
  void paragraph(std::string_view text) {
    std::string row;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find(' ', at), text.size());
      const std::string word = escaped(text.substr(at, end - at));
      at = end + 1;
      if (!row.empty() && row.size() + 1 + word.size() > kWidth) {
        line(row);
        row.clear();
      }
      row += row.empty() ? (word.starts_with('.') ? "\\&" : "") + word : " " + word;
    }
    if (!row.empty()) line(row);
  }
  void item(const std::string& tag, std::string_view text) {
    line(".TP");
    line(tag);
    paragraph(text);
  }

  [[nodiscard]] std::string text() const { return fmt::to_string(text_); }

 private:
  fmt::memory_buffer text_;
};

std::string sentence(std::string text) {
  if (!text.empty() && text.back() != '.') text += '.';
  return text;
}

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

std::string help_of(const OptionWords& option) {
  std::string help = sentence(option.help);
  if (option.is_required && !option.names.front().empty() && option.names.front().front() == '-') help += " Required.";
  if (!option.excludes.empty()) help += fmt::format(" Not together with {}.", joined(option.excludes, " or "));
  if (!option.needs.empty()) help += fmt::format(" Only with {}.", joined(option.needs, " and "));
  return help;
}

std::string tag_of(const OptionWords& option) {
  std::string tag;
  for (const std::string& name : option.names) tag += (tag.empty() ? "" : ", ") + bold(name);
  if (!option.value.empty()) tag += " " + italic(option.value);
  return tag;
}

std::string synopsis(const CommandWords& command) {
  std::string text = bold(command.name());
  if (!command.options.empty()) text += " [" + italic("OPTIONS") + "]";
  if (!command.commands.empty()) text += " " + italic("COMMAND");
  for (const OptionWords& place : command.places) {
    if (place.kind == ValueKind::kProgram) {
      text += " [" + bold("--") + "] " + italic(place.value) + " [" + italic("ARGUMENTS") + "]...";
      continue;
    }
    const std::string word = italic(place.value) + (place.repeats ? "..." : "");
    text += place.is_required ? " " + word : " [" + word + "]";
  }
  return text;
}

void write_exit_status(Page& page, const CommandWords& command) {
  page.section("EXIT STATUS");
  if (!command.runs_program()) page.item(bold("0"), "Success.");
  page.item(bold("1"), "Failure. A line on standard error has the reason.");
  page.item(bold("2"), "Wrong usage.");
}

void write_see_also(Page& page, const CommandWords& command, const CommandWords& top) {
  page.section("SEE ALSO");
  std::vector<std::string> names;
  const auto add = [&names](const CommandWords& other) { names.push_back(bold(other.name("-")) + "(1)"); };
  if (&command != &top) add(top);
  for (const CommandWords& below : command.commands) add(below);
  if (&command != &top && command.path.size() > 2)
    for (const CommandWords& first : top.commands)
      if (first.path[1] == command.path[1]) add(first);
  for (std::size_t i = 0; i < names.size(); ++i) page.line(names[i] + (i + 1 < names.size() ? "," : ""));
  page.line(".PP");
  page.paragraph("The documents in share/doc/foretask. Begin with docs/command_line.md.");
}

// The page of one command for section 1, in man(7); `top` is the command line's, whose page lists the commands. `date`:
// "2026-01-31".
std::string man_page(const CommandWords& command, const CommandWords& top, const std::string& date) {
  Page page;
  page.line(".\\\" Made from the command's options; SPDX-License-Identifier: Apache-2.0");
  page.line(
      fmt::format(".TH {} 1 {} \"foretask {}\" \"User Commands\"", upper(command.name("-")), date, FORETASK_VERSION));
  page.section("NAME");
  // One line without a full stop, as the index of pages has it.
  const std::string title = command.help.substr(0, command.help.find('.'));
  page.line(fmt::format("{} \\- {}", escaped(command.name("-")), escaped(title)));
  page.section("SYNOPSIS");
  page.line(synopsis(command));
  page.section("DESCRIPTION");
  page.paragraph(sentence(command.help));
  if (!command.footer.empty()) {
    page.line(".PP");
    page.paragraph(command.footer);
  }
  if (!command.commands.empty()) {
    page.section("COMMANDS");
    for (const CommandWords& below : command.commands) page.item(bold(below.name("-")) + "(1)", sentence(below.help));
  }
  if (!command.places.empty()) {
    page.section("ARGUMENTS");
    for (const OptionWords& place : command.places) page.item(italic(place.value), help_of(place));
  }
  page.section("OPTIONS");
  for (const OptionWords& option : command.options) page.item(tag_of(option), help_of(option));
  if (&command == &top) {
    page.section("ENVIRONMENT");
    for (const auto& [name, meaning] : kVariables) page.item(bold(name), meaning);
  }
  write_exit_status(page, command);
  write_see_also(page, command, top);
  return page.text();
}

std::string today() {
  std::time_t seconds = std::time(nullptr);
  if (const char* const fixed = std::getenv("SOURCE_DATE_EPOCH"); fixed != nullptr) {
    const std::string_view text = fixed;
    std::from_chars(text.data(), text.data() + text.size(), seconds);
  }
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return fmt::format("{:%Y-%m-%d}", parts);
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file.exceptions(std::ios::failbit | std::ios::badbit);
  file << text << std::flush;
}

void write_pages(const std::filesystem::path& folder) {
  const CommandWords top = read_commands();
  const std::string date = today();
  // The page of a command that is no more would be installed.
  std::filesystem::remove_all(folder / "man");
  for (const CommandWords* const command : all_commands(top))
    write(folder / "man/man1" / (command->name("-") + ".1"), man_page(*command, top, date));
}

}  // namespace
}  // namespace foretask::cli

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: foretask_pages FOLDER\n", stderr);
    return foretask::cli::kExitUsage;
  }
  try {
    foretask::cli::write_pages(argv[1]);
  } catch (const std::exception& error) {
    return foretask::cli::fail(error.what());
  }
  return foretask::cli::kExitOk;
}
