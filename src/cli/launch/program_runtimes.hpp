// SPDX-License-Identifier: Apache-2.0
// What a program is linked with that a recording can begin in, besides an OpenMP runtime.
#pragma once

#include <string>

#include "cli/launch/child_environment.hpp"
#include "cli/launch/elf_program.hpp"

namespace foretask::cli {

struct ProgramRuntimes {
  bool foretask = false;  // libforetask: the program annotates itself
  bool mpi = false;       // Open MPI's libmpi, or the program is what starts MPI programs
  std::string libmpi;     // its name, "libmpi.so.40"; empty: none
  std::string starpu;     // libstarpu's name, "libstarpu-1.3.so.9"; empty: none
  std::string tbb;        // oneTBB's file; empty: none
  bool loads = false;     // it may load a library that brings oneTBB
};

// By what the program's own loader would give it; the program is not run.
[[nodiscard]] ProgramRuntimes runtimes_of(const std::string& path, const ElfProgram& program,
                                          ChildEnvironment& environment);

}  // namespace foretask::cli
