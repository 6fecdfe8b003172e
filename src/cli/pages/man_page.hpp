// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/pages/command_words.hpp"

namespace foretask::cli {

struct ManPageHead {
  std::string version;  // "0.1.0"
  std::string date;     // "2026-01-31"
};

// The page of one command for section 1, in man(7); `top` is the command line's, whose page lists the commands.
[[nodiscard]] std::string man_page(const CommandWords& command, const CommandWords& top, const ManPageHead& head);

}  // namespace foretask::cli
