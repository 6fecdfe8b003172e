// SPDX-License-Identifier: Apache-2.0
// GCC's libgomp loads no tool. LLVM's libomp does, and provides libgomp's entry points: it can stand in for one
// process. docs/command_line.md says how, and what the process' children inherit.
#pragma once

#include <string>
#include <vector>

#include "cli/launch/child_environment.hpp"
#include "cli/launch/elf_program.hpp"

namespace foretask::cli {

struct StandIn {
  enum class Outcome {
    kNotNeeded,   // no libgomp, or nothing known of the program's libraries
    kPrepared,    // `environment` now puts `libomp` in libgomp's place
    kNoLibomp,    // none is installed, or FORETASK_LIBOMP cannot be used
    kIncomplete,  // `libomp` lacks `missing`
  };
  Outcome outcome = Outcome::kNotNeeded;
  std::string libomp;
  std::vector<std::string> missing;  // "function@version", called by the program or a library of it
  bool has_openmp = false;           // the program starts with an OpenMP runtime of whatever kind
  std::string runtime;               // the LLVM runtime that it will run on: its own, or `libomp`; empty: none
};

// Changes `environment` when kPrepared only. Leaves a folder in the user's cache with a link to the runtime.
[[nodiscard]] StandIn prepare_stand_in(const std::string& path, const ElfProgram& program,
                                       ChildEnvironment& environment);

// What of `imports` that is asked of libgomp `libomp` has not, as "function@version".
[[nodiscard]] std::vector<std::string> missing_from(const ElfProgram& libomp, const std::vector<ElfSymbol>& imports);

}  // namespace foretask::cli
