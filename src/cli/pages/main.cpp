// SPDX-License-Identifier: Apache-2.0
// foretask_pages FOLDER: foretask's man pages and completions, made from its commands' options, as they lie below
// share/. Run by the build. SOURCE_DATE_EPOCH is the pages' date where it is set.
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "cli/command.hpp"
#include "cli/pages/command_words.hpp"
#include "cli/pages/completions.hpp"
#include "cli/pages/man_page.hpp"

namespace foretask::cli {
namespace {

std::string date() {
  std::time_t seconds = std::time(nullptr);
  if (const char* const fixed = std::getenv("SOURCE_DATE_EPOCH"); fixed != nullptr) {
    const std::string_view text = fixed;
    std::from_chars(text.data(), text.data() + text.size(), seconds);
  }
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char words[sizeof "2026-01-31"];
  std::strftime(words, sizeof words, "%Y-%m-%d", &parts);
  return words;
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file.exceptions(std::ios::failbit | std::ios::badbit);
  file << text << std::flush;
}

void write_pages(const std::filesystem::path& folder) {
  const CommandWords top = read_commands();
  const ManPageHead head{.version = FORETASK_VERSION, .date = date()};
  // What is left of a command that is no more would be installed.
  std::filesystem::remove_all(folder);
  for (const CommandWords* const command : all_commands(top))
    write(folder / "man/man1" / (command->name("-") + ".1"), man_page(*command, top, head));
  write(folder / "bash-completion/completions/foretask", bash_completion(top));
  write(folder / "zsh/site-functions/_foretask", zsh_completion(top));
  write(folder / "fish/vendor_completions.d/foretask.fish", fish_completion(top));
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
