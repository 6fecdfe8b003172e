// SPDX-License-Identifier: Apache-2.0
// An OpenMP runtime tells a tool neither the schedules nor the chunks of loops. The hook sees them where it stands in
// front of the functions by which compiled code asks for them. Where it comes first, other tools run beside it.
#pragma once

#include <string>

#include "cli/launch/child_environment.hpp"
#include "cli/launch/elf_program.hpp"

namespace foretask::cli {

// Has the hook preloaded where the program has an OpenMP runtime.
void show_loop_calls(const std::string& path, const ElfProgram& program, const std::string& hook,
                     ChildEnvironment& environment);

}  // namespace foretask::cli
