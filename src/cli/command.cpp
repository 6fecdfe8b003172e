// SPDX-License-Identifier: Apache-2.0
#include "cli/command.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "report/output.hpp"

namespace foretask::cli {

int fail(std::string_view message) {
  fmt::print(stderr, "foretask: error: {}\n", message);
  return kExitFailure;
}

int fail(const Error& error) { return fail(error.message()); }

void note(std::string_view message) { fmt::print(stderr, "foretask: {}\n", message); }

int print_or_fail(std::string_view text) {
  const auto printed = report::print(text);
  return printed ? kExitOk : fail(printed.error());
}

}  // namespace foretask::cli
