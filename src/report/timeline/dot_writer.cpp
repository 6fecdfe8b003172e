// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "report/timeline/graph_export.hpp"
#include "report/units.hpp"

namespace foretask::report {
namespace {

// By EdgeKind: the arrow that a reader should follow first, dependences, is solid.
constexpr std::array<std::string_view, 4> kEdgeStyle{"", " [style=bold, color=gray60]", " [style=dashed, color=blue]",
                                                     " [style=dotted, color=darkgreen]"};

// For a quoted DOT string: a backslash starts an escape there, a raw line break would end up in the label.
std::string dot_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    if (c == '\n') {
      escaped += "\\n";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace

Result<void> write_dot(const analysis::TaskGraph& graph, std::size_t max_nodes, Output& output) {
  if (graph.size() > max_nodes) {
    return Error{fmt::format("the graph has {} nodes, more than a drawing shows: --max-nodes {} draws it all the same",
                             format_count(graph.size()), graph.size())};
  }
  std::vector<std::string> kernels;
  for (const std::string& name : graph.kernel_names) kernels.push_back(dot_text(name));

  output.write("digraph foretask {\n  rankdir=TB;\n  node [shape=box, fontname=\"sans-serif\"];\n");
  for (analysis::NodeIndex i = 0; i < graph.size(); ++i)
    add(output, "  n{} [label=\"{}\\n{}\"];\n", i, kernels[graph.kernel[i]],
        graph.duration_ns[i] == analysis::kNoDuration ? "not on a core" : format_ns(graph.duration_ns[i]));
  for (analysis::NodeIndex i = 0; i < graph.size(); ++i) {
    for (std::uint64_t edge = graph.first_successor[i]; edge < graph.first_successor[i + 1]; ++edge) {
      const auto kind = graph.edge_kind.empty() ? analysis::EdgeKind::kDependence : graph.edge_kind[edge];
      add(output, "  n{} -> n{}{};\n", i, graph.successors[edge], kEdgeStyle[static_cast<std::size_t>(kind)]);
    }
  }
  output.write("}\n");
  return {};
}

}  // namespace foretask::report
