// SPDX-License-Identifier: Apache-2.0
#include "simulate/machine/machine_layout.hpp"

#include <algorithm>

namespace foretask::simulate {
namespace {

constexpr std::size_t kMostClasses = 32;  // a bit each
constexpr std::uint64_t kMostWorkers = 16'000'000;

std::uint32_t class_number(const std::vector<std::string>& classes, const std::string& name) {
  return static_cast<std::uint32_t>(std::find(classes.begin(), classes.end(), name) - classes.begin());
}

// With the number of plain cores asked for.
std::vector<analysis::WorkerGroup> groups_of(const analysis::PlatformNode& node, std::uint32_t cores) {
  std::vector<analysis::WorkerGroup> groups = node.workers;
  if (cores == 0) return groups;
  const auto plain =
      std::find_if(groups.begin(), groups.end(), [](const auto& g) { return g.worker_class == analysis::kPlainCore; });
  if (plain != groups.end()) {
    plain->count = cores;
  } else {
    groups.insert(groups.begin(), {analysis::kPlainCore, cores});
  }
  return groups;
}

}  // namespace

std::vector<std::string> classes_of(const analysis::Platform& platform) {
  std::vector<std::string> classes;
  const auto add = [&classes](const std::string& name) {
    if (std::find(classes.begin(), classes.end(), name) == classes.end()) classes.push_back(name);
  };
  for (const analysis::PlatformNode& node : platform.nodes)
    for (const analysis::WorkerGroup& group : node.workers) add(group.worker_class);
  add(analysis::kPlainCore);
  return classes;
}

Result<MachineLayout> layout_of(const analysis::Platform& platform, std::uint32_t cores) {
  if (platform.nodes.empty()) return Error{"the platform has no node"};
  MachineLayout layout{.classes = classes_of(platform)};
  if (layout.classes.size() > kMostClasses)
    return Error{"the platform has more than " + std::to_string(kMostClasses) + " worker classes"};
  std::uint64_t workers = 0;
  for (std::uint32_t node = 0; node < platform.nodes.size(); ++node) {
    layout.pools_of_node.push_back(static_cast<std::uint32_t>(layout.pools.size()));
    const std::uint64_t before = workers;
    std::vector<std::uint32_t> seen;
    for (const analysis::WorkerGroup& group : groups_of(platform.nodes[node], cores)) {
      const std::uint32_t worker_class = class_number(layout.classes, group.worker_class);
      if (std::count(seen.begin(), seen.end(), worker_class) != 0)
        return Error{"node " + std::to_string(node) + " has the worker class '" + group.worker_class + "' twice"};
      seen.push_back(worker_class);
      if (group.count == 0) continue;
      workers += group.count;
      if (workers > kMostWorkers)
        return Error{"the platform has more than " + std::to_string(kMostWorkers) + " workers"};
      layout.pools.push_back({node, worker_class, static_cast<std::uint32_t>(workers - group.count), group.count});
      layout.pool_of_worker.resize(workers, static_cast<std::uint32_t>(layout.pools.size() - 1));
    }
    if (workers == before) return Error{"node " + std::to_string(node) + " has no worker"};
  }
  layout.pools_of_node.push_back(static_cast<std::uint32_t>(layout.pools.size()));
  return layout;
}

}  // namespace foretask::simulate
