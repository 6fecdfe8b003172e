// SPDX-License-Identifier: Apache-2.0
// An OpenMP runtime tells a tool neither the schedules nor the chunks of loops. The hook sees them where it stands in
// front of the functions by which compiled code asks for them.
#pragma once

#include <string>

#include "cli/launch/child_environment.hpp"
#include "cli/launch/elf_program.hpp"

namespace foretask::cli {

// Has the hook preloaded where the program, or a library of it, calls such functions.
void show_loop_calls(const std::string& path, const ElfProgram& program, const std::string& hook,
                     ChildEnvironment& environment);

}  // namespace foretask::cli
