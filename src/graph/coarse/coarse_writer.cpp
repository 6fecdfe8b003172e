// SPDX-License-Identifier: Apache-2.0
#include "graph/coarse/coarse_writer.hpp"

#include <algorithm>
#include <utility>

namespace foretask::graph {
namespace {

using analysis::EdgeKind;
using analysis::kNoNode;
using analysis::NodeIndex;
using analysis::TaskGraph;
using analysis::TeamWork;

class CoarseWriter {
 public:
  CoarseWriter(const TaskGraph& graph, const Calls& calls, const CoarseStrands& strands)
      : graph_(graph), calls_(calls), strands_(strands) {}

  TaskGraph write() {
    add_tasks();
    add_strands();
    add_edges();
    add_team();
    out_.kernel_names = graph_.kernel_names;
    out_.locks = graph_.locks;
    if (graph_.team_start != kNoNode) out_.team_start = strands_.place(graph_.team_start);
    return std::move(out_);
  }

 private:
  // Of a task that is left the parent is left as well.
  void add_tasks() {
    const bool has_untied = !graph_.task_is_untied.empty();
    new_task_.assign(graph_.parent_of_task.size(), kNoNode);
    for (std::uint32_t task = 0; task < graph_.parent_of_task.size(); ++task) {
      if (calls_.caller(task) != kNoNode) continue;
      new_task_[task] = static_cast<std::uint32_t>(out_.parent_of_task.size());
      const std::uint32_t parent = graph_.parent_of_task[task];
      out_.parent_of_task.push_back(parent == kNoNode ? kNoNode : new_task_[parent]);
      if (has_untied) out_.task_is_untied.push_back(graph_.task_is_untied[task]);
    }
  }

  void add_strands() {
    bool has_detached = false;
    const std::size_t count = strands_.all().size();
    out_.duration_ns.reserve(count);
    out_.kernel.reserve(count);
    out_.task_of_node.reserve(count);
    for (const CoarseStrand& one : strands_.all()) {
      out_.duration_ns.push_back(one.duration_ns);
      out_.kernel.push_back(graph_.kernel[one.head]);
      out_.task_of_node.push_back(new_task_[graph_.task_of_node[one.head]]);
      has_detached = has_detached || !graph_.occupies_worker(one.head);
    }
    if (!has_detached) return;
    out_.cores.reserve(count);
    for (const CoarseStrand& one : strands_.all()) out_.cores.push_back(graph_.cores[one.head]);
  }

  // All that leads out of a strand leads out of its last part.
  void add_edges() {
    out_.first_successor.reserve(strands_.all().size() + 1);
    out_.first_successor.push_back(0);
    for (const CoarseStrand& one : strands_.all()) {
      for (std::uint64_t e = graph_.first_successor[one.tail]; e < graph_.first_successor[one.tail + 1]; ++e)
        add_edge(graph_.successors[e], graph_.edge_kind[e]);
      add_edges_of_calls(one.tail);
      out_.first_successor.push_back(out_.successors.size());
    }
  }

  void add_edges_of_calls(NodeIndex caller) {
    const auto& edges = strands_.from_calls();
    if (edges.empty()) return;
    for (auto edge = std::lower_bound(edges.begin(), edges.end(), std::pair(caller, NodeIndex{0}));
         edge != edges.end() && edge->first == caller; ++edge)
      add_edge(edge->second, EdgeKind::kDependence);
  }

  void add_edge(NodeIndex to, EdgeKind kind) {
    if (strands_.place(to) == kNoNode) return;
    out_.successors.push_back(strands_.place(to));
    out_.edge_kind.push_back(kind);
  }

  // Strands that were joined are of one thread, and of one loop or none.
  void add_team() {
    TeamWork& team = out_.team;
    team.loops = graph_.team.loops;
    team.guided_halves = graph_.team.guided_halves;
    team.pieces = graph_.team.pieces;
    std::vector<std::int64_t> hand_out_ns(out_.size());
    for (const analysis::TeamStrand& strand : graph_.team.strands)
      if (const NodeIndex place = strands_.place(strand.node); place != kNoNode)
        hand_out_ns[place] += strand.hand_out_ns;
    for (analysis::TeamPhase phase : graph_.team.phases) {
      const std::uint64_t first = team.strands.size();
      for (std::uint64_t at = phase.first_strand; at < phase.end_strand; ++at) {
        analysis::TeamStrand strand = graph_.team.strands[at];
        const NodeIndex place = strands_.place(strand.node);
        if (place == kNoNode || strands_.all()[place].head != strand.node) continue;
        strand.node = place;
        strand.hand_out_ns = hand_out_ns[place];
        team.strands.push_back(strand);
      }
      phase.first_strand = first;
      phase.end_strand = team.strands.size();
      team.phases.push_back(phase);
    }
  }

  const TaskGraph& graph_;
  const Calls& calls_;
  const CoarseStrands& strands_;
  std::vector<std::uint32_t> new_task_;  // one a task before
  TaskGraph out_;
};

}  // namespace

TaskGraph write_coarse_graph(const TaskGraph& graph, const Calls& calls, const CoarseStrands& strands) {
  return CoarseWriter(graph, calls, strands).write();
}

}  // namespace foretask::graph
