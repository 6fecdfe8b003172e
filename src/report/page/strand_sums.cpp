// SPDX-License-Identifier: Apache-2.0
#include "report/page/strand_sums.hpp"

#include <algorithm>
#include <cmath>

namespace foretask::report {

void StrandSums::Kernel::add(double ns) noexcept {
  const double power = std::log2(std::max(ns, 1.0));
  ++counts[std::min(static_cast<std::size_t>(power * kBinsAPower), kBins - 1)];
  ++tasks;
}

StrandSums::StrandSums(const Timeline& timeline)
    : busy_ns(timeline.workers), kernels(timeline.graph.kernel_names.size()) {
  const analysis::TaskGraph& graph = timeline.graph;
  for (analysis::NodeIndex i = 0; i < graph.size(); ++i) {
    if (!graph.occupies_worker(i)) continue;
    const std::uint32_t worker = timeline.places(i).worker;
    if (worker < busy_ns.size()) busy_ns[worker] += graph.duration_ns[i];
    if (graph.task_of_node.empty()) kernels[graph.kernel[i]].add(static_cast<double>(graph.duration_ns[i]));
  }
  if (!graph.task_of_node.empty()) add_tasks(graph);
}

void StrandSums::add_tasks(const analysis::TaskGraph& graph) {
  constexpr float kCounted = -1;
  std::vector<float> task_ns(graph.parent_of_task.size());
  for (analysis::NodeIndex i = 0; i < graph.size(); ++i)
    if (graph.occupies_worker(i)) task_ns[graph.task_of_node[i]] += static_cast<float>(graph.duration_ns[i]);
  for (analysis::NodeIndex i = 0; i < graph.size(); ++i) {
    float& ns = task_ns[graph.task_of_node[i]];
    if (!graph.occupies_worker(i) || ns == kCounted) continue;
    kernels[graph.kernel[i]].add(ns);
    ns = kCounted;
  }
}

}  // namespace foretask::report
