// SPDX-License-Identifier: Apache-2.0
// What a program is linked with that a recording can begin in, besides an OpenMP runtime.
#pragma once

#include <string>
#include <vector>

#include "cli/launch/elf_program.hpp"
#include "cli/launch/library_search.hpp"

namespace foretask::cli {

struct ProgramRuntimes {
  bool foretask = false;  // libforetask: the program annotates itself
  bool mpi = false;       // an MPI library, or the program is what starts MPI programs
  bool mpich = false;     // that is of MPICH's ABI
  std::string libmpi;     // its name, "libmpi.so.40"; empty: none
  std::string starpu;     // libstarpu's name, "libstarpu-1.3.so.9"; empty: none
  bool tbb = false;       // oneTBB
  bool loads = false;     // it may load a library that brings oneTBB
};

// `libraries`: those that the program starts with.
[[nodiscard]] ProgramRuntimes runtimes_of(const std::string& path, const ElfProgram& program,
                                          const std::vector<LoadedLibrary>& libraries);

}  // namespace foretask::cli
