// SPDX-License-Identifier: Apache-2.0
// What has to hold of every table of a program's runs, wherever it comes from (program_table.cpp). Any thread.
#pragma once

#include <string>

#include "foretask/analysis/program_table.hpp"
#include "foretask/result.hpp"

namespace foretask::predict {

// In words what is wrong with the size of an input or a number of workers, else nothing.
[[nodiscard]] std::string wrong_size(double n);
[[nodiscard]] std::string wrong_workers(double p);

// At least two runs, one of them with p = 1; `path` is for the errors.
[[nodiscard]] Result<void> check_runs(const analysis::ProgramTable& table, const std::string& path);

// Adds what is odd and still usable to the table's warnings: work + delay + no_work is not p * time.
void warn_of_runs(analysis::ProgramTable& table);

}  // namespace foretask::predict
