// SPDX-License-Identifier: Apache-2.0
// The recordings of an MPI program's ranks as one task graph. Thread safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foretask/analysis/run.hpp"
#include "foretask/analysis/task_graph.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

struct MergedRuns {
  TaskGraph graph;  // `node` is the rank; kernels are joined by name; messages are edges with bytes
  std::uint32_t ranks = 0;
  std::uint64_t messages = 0;
  std::uint64_t message_bytes = 0;
  std::uint64_t collectives = 0;
  std::vector<std::string> warnings;  // the recordings' own, and of messages without their other end
};

// `folders`: one recording for each rank, in any order. Errors: Run::open()'s, ranks that are missing, twice, or of
// different runs.
[[nodiscard]] Result<MergedRuns> merge_runs(const std::vector<std::string>& folders, const OpenOptions& options = {});

}  // namespace foretask::analysis
