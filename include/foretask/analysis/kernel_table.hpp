// SPDX-License-Identifier: Apache-2.0
// A recorded kernel as a table, to fit models of its time or of a counter.
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
  // A row a task, in order of creation: parameters, counters, and kTimeColumn in ns. A row a sample where no task is of
  // this kernel. A parameter with another column's name gets " (parameter)" behind it.
  DataTable table;
  std::vector<std::string> parameters;  // columns
  std::vector<std::string> counters;    // columns
  bool of_samples = false;
  std::uint64_t left_out = 0;  // rows that lack a parameter or counter
};

// A kernel with a table.
struct TableKernel {
  std::string name;
  std::uint64_t rows = 0;               // tasks or samples
  bool is_named = false;                // the program named it
  std::vector<std::string> parameters;  // that it named for the kernel
};

// Named kernels first, then by rows, most first.
[[nodiscard]] std::vector<TableKernel> table_kernels(const Run& run);

// `name`: one of table_kernels(). Parameters and counters without any value are left out. Linear in the run's strands.
// Thread safe. Errors: no such kernel, no complete row.
[[nodiscard]] Result<KernelTable> kernel_table(const Run& run, const std::string& name);

}  // namespace foretask::analysis
