// SPDX-License-Identifier: Apache-2.0
// The recordings of an MPI program's ranks as one task graph.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foretask/analysis/run.hpp"
#include "foretask/analysis/task_graph.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

struct MergedRuns {
  TaskGraph graph;  // a node's `node` is its rank, its kernels are known by their names, messages are edges with bytes
  std::uint32_t ranks = 0;
  std::uint64_t messages = 0;
  std::uint64_t message_bytes = 0;
  std::uint64_t collectives = 0;
  std::vector<std::string> warnings;  // the recordings' own, and sends that nobody received
};

// `folders`: one recording for each rank, in any order. The error says which ranks disagree or are missing.
[[nodiscard]] Result<MergedRuns> merge_runs(const std::vector<std::string>& folders, const OpenOptions& options = {});

}  // namespace foretask::analysis
