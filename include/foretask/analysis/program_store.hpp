// SPDX-License-Identifier: Apache-2.0
// The store's earlier runs of a program, for FORETASK_PROGRESS (docs/progress.md) and foretask tune. Any thread.
#pragma once

#include <cstddef>
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

// The fewest workers on which no stored run of the program was slower than on more of them, by 2 %, on every input that
// was run on several numbers of workers. 0: more were seen to help, nothing is known, or a tuned run has found small
// tasks, without which the program gains otherwise.
[[nodiscard]] unsigned enough_workers(const std::string& home, const std::string& program);

// Forgets what tuned runs of the program (empty: of all programs) have found on this machine. Returns of how many
// programs there was something. Errors: no store, a file that cannot be removed.
[[nodiscard]] Result<std::size_t> forget_tuning(const std::string& home, const std::string& program);

}  // namespace foretask::analysis
