// SPDX-License-Identifier: Apache-2.0
// GCC's libgomp loads no tool. A hook answers its calls, or LLVM's libomp, which loads tools and provides libgomp's
// entry points, stands in for it in one process. docs/command_line.md says how, and what the process' children inherit.
#pragma once

#include <string>
#include <vector>

#include "cli/launch/child_environment.hpp"
#include "cli/launch/elf_program.hpp"
#include "cli/launch/library_search.hpp"

namespace foretask::cli {

struct StandIn {
  enum class Outcome {
    kNotNeeded,   // no libgomp, or nothing known of the program's libraries
    kPrepared,    // `environment` now puts `libomp` in libgomp's place
    kNoLibomp,    // none is installed, or FORETASK_LIBOMP cannot be used
    kIncomplete,  // `libomp` lacks `missing`
    kNative,      // libgomp stays, and `environment` now puts the hook for it in front
    kTooOld,      // the program, or the libgomp in `libgomp`, is of before GCC 4.9: its regions are begun otherwise
  };
  Outcome outcome = Outcome::kNotNeeded;
  std::string libomp;
  std::string libgomp;
  std::vector<std::string> missing;  // "function@version", called by the program or a library of it
  bool is_inherited = false;         // kNative or not: the hook is in what the program starts as well
  bool has_openmp = false;           // the program starts with an OpenMP runtime of whatever kind
};

// `libraries`, here and below: those that the program in `path` starts with. Changes `environment` when kPrepared only.
// Leaves a folder in the user's cache with a link to the runtime.
[[nodiscard]] StandIn prepare_stand_in(const std::string& path, const ElfProgram& program,
                                       const std::vector<LoadedLibrary>& libraries, ChildEnvironment& environment);

// Has the hook in `library` answer libgomp's calls in the program and in what it starts. Nothing is done where the
// program holds LLVM's runtime as well, which has a hook of its own, or cannot be told anything. A program without
// OpenMP may load libgomp late, or start programs that have it.
[[nodiscard]] StandIn prepare_native(const ElfProgram& program, const std::vector<LoadedLibrary>& libraries,
                                     const std::string& library, ChildEnvironment& environment);

// What of `imports` that is asked of libgomp `libomp` has not, as "function@version".
[[nodiscard]] std::vector<std::string> missing_from(const ElfProgram& libomp, const std::vector<ElfSymbol>& imports);

}  // namespace foretask::cli
