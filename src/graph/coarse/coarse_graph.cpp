// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/coarse_graph.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "base/available_memory.hpp"
#include "graph/coarse/call_tree.hpp"
#include "graph/coarse/calls.hpp"
#include "graph/coarse/coarse_strands.hpp"
#include "graph/coarse/coarse_writer.hpp"
#include "graph/coarse/cut_offs_to_try.hpp"

namespace foretask::analysis {
namespace {

using graph::CallTree;

// Less is not worth asking the system for.
constexpr double kUnseenBytes = 64 << 20;
// What is known of a task; what a cut-off takes of a task, and of a strand; what a strand and an edge take that are
// left.
constexpr double kTask = 18;
constexpr double kCallOrTask = 6;
constexpr double kStrand = 6;
constexpr double kStrandLeft = 45;
constexpr double kEdgeLeft = 5;

const char* const kNoMemory = "not enough memory for a graph with larger tasks";

Result<void> check_room(double bytes) {
  if (bytes < kUnseenBytes) return {};
  const auto free = static_cast<double>(base::available_memory_bytes());
  if (bytes <= free) return {};
  return Error{kNoMemory + (": it needs " + base::gigabytes(bytes)) + ", and " + base::gigabytes(free) + " are free"};
}

}  // namespace

struct CoarseGraphs::Impl {
  const TaskGraph& graph;
  CallTree tree;
};

CoarseGraphs::CoarseGraphs(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CoarseGraphs::CoarseGraphs(CoarseGraphs&&) noexcept = default;
CoarseGraphs& CoarseGraphs::operator=(CoarseGraphs&&) noexcept = default;
CoarseGraphs::~CoarseGraphs() = default;

Result<CoarseGraphs> CoarseGraphs::of(const TaskGraph& graph) {
  const double bytes = kTask * static_cast<double>(graph.parent_of_task.size()) + static_cast<double>(graph.size());
  if (auto enough = check_room(bytes); !enough) return enough.error();
  try {
    auto tree = CallTree::of(graph);
    if (!tree) return tree.error();
    return CoarseGraphs(std::unique_ptr<Impl>(new Impl{graph, *std::move(tree)}));
  } catch (const std::bad_alloc&) {
    return Error{kNoMemory};
  }
}

Result<CoarseGraph> CoarseGraphs::below(const CutOff& cut_off) const {
  const TaskGraph& graph = impl_->graph;
  const auto strands_before = static_cast<double>(graph.size());
  const double calls_bytes = kCallOrTask * static_cast<double>(graph.parent_of_task.size());
  if (auto enough = check_room(calls_bytes); !enough) return enough.error();
  try {
    const graph::Calls calls(graph, impl_->tree, cut_off);
    const double edges = kEdgeLeft * static_cast<double>(graph.edge_count()) / std::max(1.0, strands_before);
    const double bytes = kStrand * strands_before + (kStrandLeft + edges) * static_cast<double>(calls.strands_left());
    if (auto enough = check_room(bytes); !enough) return enough.error();
    const graph::CoarseStrands strands(graph, impl_->tree, calls);
    return CoarseGraph{.graph = graph::write_coarse_graph(graph, calls, strands),
                       .tasks = calls.tasks(),
                       .calls = calls.calls(),
                       .waiting = calls.waiting(),
                       .whole = calls.whole()};
  } catch (const std::bad_alloc&) {
    return Error{kNoMemory};
  }
}

std::uint64_t CoarseGraphs::tasks() const noexcept {
  std::uint64_t count = 0;
  for (std::uint32_t task = 0; task < impl_->graph.parent_of_task.size(); ++task)
    if (impl_->tree.is_explicit(task)) ++count;
  return count;
}

std::vector<CutOff> CoarseGraphs::grains_to_try() const { return graph::grains_to_try(impl_->graph, impl_->tree); }

std::vector<CutOff> CoarseGraphs::depths_to_try() const { return graph::depths_to_try(impl_->graph, impl_->tree); }

Result<CoarseGraph> coarsened(const TaskGraph& graph, const CutOff& cut_off) {
  const auto graphs = CoarseGraphs::of(graph);
  if (!graphs) return graphs.error();
  return graphs->below(cut_off);
}

}  // namespace foretask::analysis
