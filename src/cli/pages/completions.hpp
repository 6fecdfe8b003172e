// SPDX-License-Identifier: Apache-2.0
// What shells complete on foretask's command line: a script for each shell, made of the commands' options.
#pragma once

#include <string>

#include "cli/pages/command_words.hpp"

namespace foretask::cli {

// For share/bash-completion/completions. With bash-completion, a program that is recorded completes as it does alone.
[[nodiscard]] std::string bash_completion(const CommandWords& top);

// For share/zsh/site-functions.
[[nodiscard]] std::string zsh_completion(const CommandWords& top);

// For share/fish/vendor_completions.d.
[[nodiscard]] std::string fish_completion(const CommandWords& top);

}  // namespace foretask::cli
