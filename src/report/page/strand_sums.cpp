// SPDX-License-Identifier: Apache-2.0
#include "report/page/strand_sums.hpp"

#include <algorithm>
#include <cmath>

namespace foretask::report {

StrandSums::StrandSums(const Timeline& timeline)
    : busy_ns(timeline.workers), kernels(timeline.graph.kernel_names.size()) {
  const analysis::TaskGraph& graph = timeline.graph;
  for (analysis::NodeIndex i = 0; i < graph.size(); ++i) {
    if (!graph.occupies_worker(i)) continue;
    const std::uint32_t worker = timeline.places(i).worker;
    if (worker < busy_ns.size()) busy_ns[worker] += graph.duration_ns[i];
    Kernel& kernel = kernels[graph.kernel[i]];
    const double power = std::log2(static_cast<double>(std::max<std::int64_t>(graph.duration_ns[i], 1)));
    ++kernel.counts[std::min(static_cast<std::size_t>(power * kBinsAPower), kBins - 1)];
    ++kernel.strands;
  }
}

}  // namespace foretask::report
