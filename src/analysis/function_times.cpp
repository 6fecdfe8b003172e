// SPDX-License-Identifier: Apache-2.0
#include "analysis/function_times.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace foretask::wiring {

std::vector<std::vector<analysis::FunctionTime>> function_times(const graph::RecordedGraph& graph,
                                                                symbols::SymbolResolver& resolver) {
  std::vector<std::map<std::string, analysis::FunctionTime>> by_name(graph.kernels.size());
  for (const graph::CodeTime& code : graph.code_times) {
    if (resolver.is_recorder(code.address)) continue;
    analysis::FunctionTime& function = by_name[code.kernel][resolver.function(code.address)];
    function.samples += code.samples;
    function.time_ns += code.time_ns;
  }
  std::vector<std::vector<analysis::FunctionTime>> times(by_name.size());
  for (std::size_t kernel = 0; kernel < by_name.size(); ++kernel) {
    for (auto& [name, function] : by_name[kernel]) times[kernel].push_back({name, function.samples, function.time_ns});
    std::stable_sort(times[kernel].begin(), times[kernel].end(),
                     [](const auto& a, const auto& b) { return a.time_ns > b.time_ns; });
  }
  return times;
}

}  // namespace foretask::wiring
