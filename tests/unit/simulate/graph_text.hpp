// SPDX-License-Identifier: Apache-2.0
// Graphs as a test writes them down: in the task-graph file's own words.
#pragma once

#include <stdexcept>
#include <string>

#include "foretask/analysis/task_graph.hpp"
#include "unit/base/temp_folder.hpp"

inline foretask::analysis::TaskGraph graph_of_text(const std::string& text) {
  const foretask::test::TempFolder folder;
  foretask::test::write_content(folder / "graph.jsonl", text);
  auto graph = foretask::analysis::read_task_graph(folder / "graph.jsonl");
  if (!graph) throw std::runtime_error(graph.error().message());
  return *std::move(graph);
}
