// SPDX-License-Identifier: Apache-2.0
// What the cancelled taskgroups of a recording come to, by the kernel that searches in them.
#pragma once

#include <string>
#include <vector>

#include "foretask/analysis/speculative_section.hpp"
#include "graph/reconstruction/recorded_graph.hpp"

namespace foretask::wiring {

// `names`: of the graph's kernels. Most work first. O(members).
[[nodiscard]] std::vector<analysis::SpeculativeSection> speculative_sections(const graph::RecordedGraph& graph,
                                                                             const std::vector<std::string>& names);

}  // namespace foretask::wiring
