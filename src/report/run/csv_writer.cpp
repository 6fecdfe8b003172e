// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>
#include <string>
#include <vector>

#include "base/csv_field.hpp"
#include "report/timeline/graph_export.hpp"

namespace foretask::report {
void write_csv(const analysis::TaskGraph& graph, const Places& places, Output& output) {
  std::vector<std::string> kernels;
  for (const std::string& name : graph.kernel_names) kernels.push_back(base::csv_field(name));
  output.write(places ? "task,kernel,worker,begin_ns,end_ns,duration_ns\n" : "task,kernel,duration_ns\n");

  fmt::memory_buffer row;
  for (analysis::NodeIndex i = 0; i < graph.size() && !output.failed(); ++i) {
    row.clear();
    const auto out = std::back_inserter(row);
    if (!graph.task_of_node.empty()) {
      fmt::format_to(out, "{},", graph.task_of_node[i]);
    } else {
      fmt::format_to(out, "{},", graph.id.empty() ? std::int64_t{i} : graph.id[i]);
    }
    fmt::format_to(out, "{},", kernels[graph.kernel[i]]);
    if (places) {
      const analysis::StrandPlace place = places(i);
      if (place.worker != analysis::kNoWorker) fmt::format_to(out, "{}", place.worker);
      fmt::format_to(out, ",{},{},", place.begin_ns, place.end_ns);
    }
    if (graph.duration_ns[i] != analysis::kNoDuration) fmt::format_to(out, "{}", graph.duration_ns[i]);
    row.push_back('\n');
    output.write({row.data(), row.size()});
  }
}

}  // namespace foretask::report
