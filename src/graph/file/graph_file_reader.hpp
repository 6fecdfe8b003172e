// SPDX-License-Identifier: Apache-2.0
// Task-graph files: from a text in memory, or streamed from a file or a pipe of any size.
#pragma once

#include <string>
#include <string_view>

#include "foretask/analysis/task_graph.hpp"

namespace foretask::graph {

// `path` is for messages alone.
[[nodiscard]] Result<analysis::TaskGraph> parse_task_graph(std::string_view text, const std::string& path);

}  // namespace foretask::graph
