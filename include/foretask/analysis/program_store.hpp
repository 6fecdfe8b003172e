// SPDX-License-Identifier: Apache-2.0
// The store's earlier runs of a program, for FORETASK_PROGRESS (docs/progress.md). Any thread.
#pragma once

#include <string>

#include "foretask/analysis/program_table.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

// Adds the table's runs that are not stored yet, in ns, under its program and machine (empty: this one). Returns the
// file's path. `home`: the store's folder; empty: as foretask_save(). Kernels are stored by `code`; those without one
// count in the total work. Errors: no program, no runs, a number that is negative or not finite, no store, a file that
// cannot be written.
[[nodiscard]] Result<std::string> save_program_table(const std::string& home, const ProgramTable& table);

// The runs of a program (its executable's name) on this machine, newest first. Only runs with an n, of the newest one's
// build and other inputs. Kernels are named by `code`. Errors: no store, no runs.
[[nodiscard]] Result<ProgramTable> load_program_table(const std::string& home, const std::string& program);

}  // namespace foretask::analysis
