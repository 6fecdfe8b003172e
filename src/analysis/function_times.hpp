// SPDX-License-Identifier: Apache-2.0
// In which functions each kernel's time went, by the samples of where its threads were.
#pragma once

#include <vector>

#include "foretask/analysis/run.hpp"
#include "graph/reconstruction/recorded_graph.hpp"
#include "symbols/symbols.hpp"

namespace foretask::wiring {

// By kernel of the graph, each most time first. The recorder's own code is left out. Linear in the sampled addresses.
[[nodiscard]] std::vector<std::vector<analysis::FunctionTime>> function_times(const graph::RecordedGraph& graph,
                                                                              symbols::SymbolResolver& resolver);

}  // namespace foretask::wiring
