// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/loop_calls.hpp"

#include <string_view>

#include "cli/launch/shared_libraries.hpp"

namespace foretask::cli {
namespace {

bool is_runtime(std::string_view name) {
  return name.starts_with("libgomp.so") || name.starts_with("libomp") || name.starts_with("libiomp");
}

}  // namespace

void show_loop_calls(const std::string& path, const ElfProgram& program, const std::string& hook,
                     ChildEnvironment& environment) {
  const auto libraries = libraries_of(path, program, environment);
  if (find_library(libraries, is_runtime) != nullptr) preload(hook, libraries, environment);
}

}  // namespace foretask::cli
