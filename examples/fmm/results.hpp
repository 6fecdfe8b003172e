// SPDX-License-Identifier: Apache-2.0
// What became of the tasks: tables for `foretask model fit`, and predictions beside what was measured.
#pragma once

#include <string>
#include <vector>

#include "fmm/kernels.hpp"

namespace fmm {

// folder/KERNEL.csv, a row a task: the kernel's parameters and time_ns. Adds to the files that are there, so that
// several runs make one table. False, with a line on stderr, where a file cannot be written or has other columns.
bool write_tables(const std::string& folder, const Kernels& kernels, const std::vector<Task>& tasks);

// A line a kernel and one for all. Tasks that foretask could not predict are counted, and left out of the errors.
void print_predictions(const Kernels& kernels, const std::vector<Task>& tasks);

}  // namespace fmm
