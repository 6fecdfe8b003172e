// SPDX-License-Identifier: Apache-2.0
// The runtimes that a program is linked with, in which a recording can begin, and their hooks' libraries.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/launch/library_search.hpp"
#include "cli/launch/program_image.hpp"
#include "foretask/result.hpp"

namespace foretask::cli {

// The names that options, recordings and the calibration programs have for the runtimes.
inline constexpr const char* kLlvmOpenmp = "libomp";
inline constexpr const char* kGccOpenmp = "libgomp";
inline constexpr const char* kOnetbb = "libtbb";

inline constexpr const char* kOpenmpHook = "libforetask_ompt.so";
inline constexpr const char* kGompHook = "libforetask_gomp.so";
inline constexpr const char* kTuneHook = "libforetask_tune.so";
inline constexpr const char* kMpiHook = "libforetask_mpi.so";      // Open MPI's
inline constexpr const char* kMpichHook = "libforetask_mpich.so";  // of MPICH's ABI
inline constexpr const char* kStarpuHook = "libforetask_starpu.so";
inline constexpr const char* kTbbHook = "libforetask_tbb.so";

// A hook beside this program: ../lib of a build or an installation. The error says where it is missing.
[[nodiscard]] Result<std::string> find_hook_library(const std::string& name);

// Of the variable that names the tools of OpenMP runtimes, OMP_TOOL_LIBRARIES, what is not this hook; empty: nothing. A
// runtime loads one tool alone. `list` may be null.
[[nodiscard]] std::string other_openmp_tools(const std::string* list);

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

// Whether the program or its libgomp is older than GCC 4.9. Older ones run a region's body in the program itself,
// between two calls: the hook for libgomp would see no region.
[[nodiscard]] bool is_of_old_gcc(const ProgramRuntimes& runtimes, const ElfProgram& program);

// Whose programs `path` starts, if it is a launcher of MPI programs.
[[nodiscard]] Mpi mpi_of_launcher(const std::string& path);
// Whose launcher has started this process.
[[nodiscard]] Mpi mpi_of_rank(const ChildEnvironment& environment);

}  // namespace foretask::cli
