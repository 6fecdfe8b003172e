// SPDX-License-Identifier: Apache-2.0
// What a program is linked with that a recording can begin in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/launch/child_environment.hpp"
#include "cli/launch/library_search.hpp"

namespace foretask::cli {

enum class Mpi : std::uint8_t { kNone, kOpenMpi, kMpich };  // kMpich: any library of MPICH's ABI

struct ProgramRuntimes {
  bool foretask = false;  // libforetask: the program annotates itself
  Mpi mpi = Mpi::kNone;
  std::string libmpi;  // its name, "libmpi.so.40"; empty: none
  std::string starpu;  // libstarpu's name, "libstarpu-1.3.so.9"; empty: none
  bool tbb = false;    // oneTBB
  // The file of GCC's OpenMP runtime. Empty: none, or LLVM's is loaded before it and answers its calls.
  std::string libgomp;
  bool libomp = false;  // LLVM's OpenMP runtime
};

// `libraries`: those that the program starts with.
[[nodiscard]] ProgramRuntimes runtimes_of(const std::vector<LoadedLibrary>& libraries);

// Whether the program, a library of it, or its libgomp is of before GCC 4.9. That ran a region's body in the program
// itself, between two calls: the hook for libgomp would see no region.
[[nodiscard]] bool is_of_old_gcc(const ProgramRuntimes& runtimes, const ElfProgram& program,
                                 const std::vector<LoadedLibrary>& libraries);

// Whose programs `path` starts, if it is a launcher of MPI programs.
[[nodiscard]] Mpi mpi_of_launcher(const std::string& path);
// Whose launcher has started this process.
[[nodiscard]] Mpi mpi_of_rank(const ChildEnvironment& environment);

}  // namespace foretask::cli
