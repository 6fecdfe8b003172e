// SPDX-License-Identifier: Apache-2.0
// A platform's workers, numbered: node by node, class by class.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foretask/analysis/platform.hpp"
#include "foretask/analysis/task_graph.hpp"
#include "foretask/result.hpp"

namespace foretask::simulate {

// Workers of one class on one node.
struct WorkerPool {
  std::uint32_t node = 0;
  std::uint32_t worker_class = 0;  // index into MachineLayout::classes
  std::uint32_t first = 0;         // worker
  std::uint32_t count = 0;
};

struct MachineLayout {
  std::vector<std::string> classes;
  std::vector<WorkerPool> pools;              // by node
  std::vector<std::uint32_t> pools_of_node;   // nodes + 1: where each node's pools begin
  std::vector<std::uint32_t> pool_of_worker;  // one a worker

  [[nodiscard]] std::uint32_t nodes() const noexcept { return static_cast<std::uint32_t>(pools_of_node.size() - 1); }
  [[nodiscard]] std::uint32_t workers() const noexcept { return static_cast<std::uint32_t>(pool_of_worker.size()); }
};

// The distinct classes of a platform in order of mention; plain cores are among them.
[[nodiscard]] std::vector<std::string> classes_of(const analysis::Platform& platform);

// `cores`: so many plain cores on every node instead of the platform's own; 0: as the platform says. Errors: no node,
// no worker, more workers than a replay can have, more than 32 classes, a class named twice on a node.
[[nodiscard]] Result<MachineLayout> layout_of(const analysis::Platform& platform, std::uint32_t cores);

}  // namespace foretask::simulate
