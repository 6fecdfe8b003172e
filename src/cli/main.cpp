// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <csignal>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/command_words.hpp"

namespace foretask::cli {
namespace {

// A closed standard stream's number would be the next file's, and what is said would be written into that. What is put
// in its place fails as a closed one does, and is gone when a recorded program starts.
void occupy_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0) (void)!::open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

int run(int argc, char** argv) {
  // For the shells' completion scripts alone, so it is no command that --help lists.
  if (argc > 1 && std::string_view(argv[1]) == "__complete") return print_candidates(argc - 1, argv + 1);

  const int own = program_index(argc, argv);
  const bool dashes = own < argc && std::string_view(argv[own]) == "--";
  const std::vector<std::string> program(argv + own + (dashes ? 1 : 0), argv + argc);

  CLI::App app{"", "foretask"};
  const std::vector<Command> commands = add_commands(app, program, argc > 1 ? argv[1] : "");
  try {
    app.parse(own, argv);
  } catch (const CLI::Success& wanted) {  // --help, --version
    return print_or_fail(dynamic_cast<const CLI::CallForVersion*>(&wanted) != nullptr
                             ? std::string("foretask ") + wanted.what() + "\n"
                             : app.help());
  } catch (const CLI::ParseError& error) {
    const auto found = std::find_if(commands.begin(), commands.end(), [&](const Command& command) {
      return argc > 1 && command.app->get_name() == argv[1];
    });
    const bool is_command = found != commands.end();
    const bool is_option = argc > 1 && argv[1][0] == '-';
    std::string command;  // "model evaluate "
    if (is_command) {
      command = found->app->get_name() + " ";
      for (const CLI::App* part : found->app->get_subcommands()) command += part->get_name() + " ";
    }
    fail((is_command || is_option || argc < 2 ? error.what() : fmt::format("there is no command '{}'", argv[1])) +
         fmt::format(" (see foretask {}--help)", command));
    return kExitUsage;
  }
  for (const Command& command : commands)
    if (command.app->parsed()) return command.run();
  return kExitUsage;
}

}  // namespace
}  // namespace foretask::cli

int main(int argc, char** argv) {
  foretask::cli::occupy_standard_streams();
  // A closed pipe or a full file is then an error of the write, which is said and not silent. A recorded program has
  // what the user set.
  if (foretask::cli::program_index(argc, argv) == argc) {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
  }
  try {
    return foretask::cli::run(argc, argv);
  } catch (const std::exception& error) {  // no memory: nothing else throws
    return foretask::cli::fail(error.what());
  }
}
