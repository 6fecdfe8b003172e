// SPDX-License-Identifier: Apache-2.0
// A recorded kernel as a table of observations: what models of its time, or of a counter, are fitted to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foretask/analysis/data_table.hpp"
#include "foretask/analysis/run.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

inline constexpr const char* kTimeColumn = "time";

struct KernelTable {
  // A row a task (or a sample, where the program measured the kernel and named no task of it), in the order of
  // creation: the parameters, the counters, and kTimeColumn in ns. A parameter that is called as another column has "
  // (parameter)" behind its name.
  DataTable table;
  std::vector<std::string> parameters;  // columns
  std::vector<std::string> counters;    // columns
  bool of_samples = false;
  std::uint64_t left_out = 0;  // rows without a value of some parameter or counter, or that did not end
};

// A kernel that has a table.
struct TableKernel {
  std::string name;
  std::uint64_t rows = 0;  // tasks or samples
  bool is_named = false;   // by the program, with or without parameters
};

// Most rows first, those that the program named before the others.
[[nodiscard]] std::vector<TableKernel> table_kernels(const Run& run);

// `name` is one of table_kernels(). A parameter or counter that no row has is no column. Linear in the run's strands.
// Errors: no such kernel; no row is complete.
[[nodiscard]] Result<KernelTable> kernel_table(const Run& run, const std::string& name);

}  // namespace foretask::analysis
