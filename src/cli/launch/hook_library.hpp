// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "foretask/result.hpp"

namespace foretask::cli {

inline constexpr const char* kOpenmpHook = "libforetask_ompt.so";
inline constexpr const char* kGompHook = "libforetask_gomp.so";
inline constexpr const char* kMpiHook = "libforetask_mpi.so";      // Open MPI's
inline constexpr const char* kMpichHook = "libforetask_mpich.so";  // of MPICH's ABI
inline constexpr const char* kStarpuHook = "libforetask_starpu.so";
inline constexpr const char* kTbbHook = "libforetask_tbb.so";

// A hook beside this program: ../lib of a build or an installation. The error says where it is missing.
[[nodiscard]] Result<std::string> find_hook_library(const std::string& name);

// Of the variable that names the tools of OpenMP runtimes, OMP_TOOL_LIBRARIES, what is not this hook; empty: nothing. A
// runtime loads one tool alone. `list` may be null.
[[nodiscard]] std::string other_openmp_tools(const std::string* list);

}  // namespace foretask::cli
