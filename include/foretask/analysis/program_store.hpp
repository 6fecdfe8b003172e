// SPDX-License-Identifier: Apache-2.0
// What the store keeps of earlier runs of a program, which FORETASK_PROGRESS rests on (docs/progress.md).
#pragma once

#include <string>

#include "foretask/analysis/program_table.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

// Keeps the table's runs that are not kept yet, in ns, for the program and the machine that it names (no machine: this
// one), with its inputs and the name of its size; gives the file's path. `home`: the store's folder; empty: as
// foretask_save() finds it. Kernels are kept by their `code`, those without one in the program's total. Errors: no
// program, no runs, a run with a number that is negative or not finite, no folder, a file that cannot be written.
[[nodiscard]] Result<std::string> save_program_table(const std::string& home, const ProgramTable& table);

// The runs of the program (its executable's name) on this machine that the store has, newest first: those that say
// their n, of the newest one's build and other inputs. Kernels are named by their `code`. Errors: no folder, no runs.
[[nodiscard]] Result<ProgramTable> load_program_table(const std::string& home, const std::string& program);

}  // namespace foretask::analysis
