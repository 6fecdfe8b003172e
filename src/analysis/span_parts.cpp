// SPDX-License-Identifier: Apache-2.0
#include "analysis/span_parts.hpp"

#include <algorithm>

namespace foretask::wiring {

SpanParts::SpanParts(const graph::Path& path, const std::vector<std::int64_t>& duration_ns,
                     const std::vector<std::int64_t>& weight_ns)
    : is_on_path_(duration_ns.size()) {
  for (const graph::NodeIndex node : path.nodes) {
    is_on_path_[node] = true;
    if (weight_ns[node] != duration_ns[node]) lighter_.emplace_back(node, weight_ns[node]);
  }
  std::sort(lighter_.begin(), lighter_.end());
}

std::int64_t SpanParts::of(graph::NodeIndex strand, std::int64_t duration_ns) const {
  if (!is_on_path_[strand]) return 0;
  const auto found = std::lower_bound(lighter_.begin(), lighter_.end(), strand,
                                      [](const auto& one, graph::NodeIndex node) { return one.first < node; });
  return found != lighter_.end() && found->first == strand ? found->second : duration_ns;
}

}  // namespace foretask::wiring
