// SPDX-License-Identifier: Apache-2.0
#include "graph/file/graph_file_teams.hpp"

#include "graph/file/graph_file_phases.hpp"
#include "graph/task_graph_order.hpp"

namespace foretask::graph {

using analysis::NodeIndex;
using analysis::TaskGraph;
using analysis::TeamPhase;

namespace {

// Why the keys of one line do not go together; empty: they do.
std::string contradiction(const TeamLine& line, bool can_run) {
  if (line.has_loop && line.is_of_one) return "a share of a loop is not done once";
  if (line.has_loop && line.divides) return "a share of a loop divides by its schedule: leave out divides";
  if (line.is_of_one && line.divides) return "what is done once does not divide";
  if (line.is_of_one && !line.phase) return "what is done once needs a phase";
  if (!can_run) return "a task in a phase or a loop needs a duration and a core";
  return {};
}

// The graph in which each phase is one node, the first of its tasks.
TaskGraph with_phases_as_nodes(const TaskGraph& graph) {
  std::vector<NodeIndex> place(graph.size());
  for (NodeIndex node = 0; node < graph.size(); ++node) place[node] = node;
  for (const TeamPhase& phase : graph.team.phases)
    for (std::uint64_t at = phase.first_strand; at < phase.end_strand; ++at)
      place[graph.team.strands[at].node] = graph.team.strands[phase.first_strand].node;
  TaskGraph joined;
  joined.duration_ns.assign(graph.size(), 0);
  joined.first_successor.assign(graph.size() + 1, 0);
  const auto for_each_edge = [&](const auto& visit) {
    for (NodeIndex node = 0; node < graph.size(); ++node)
      for (std::uint64_t e = graph.first_successor[node]; e < graph.first_successor[node + 1]; ++e)
        if (place[graph.successors[e]] != place[node]) visit(place[node], place[graph.successors[e]]);
  };
  for_each_edge([&](NodeIndex from, NodeIndex) { ++joined.first_successor[from + 1]; });
  for (std::size_t i = 0; i < graph.size(); ++i) joined.first_successor[i + 1] += joined.first_successor[i];
  joined.successors.resize(joined.first_successor.back());
  std::vector<std::uint64_t> next(joined.first_successor.begin(), joined.first_successor.end() - 1);
  for_each_edge([&](NodeIndex from, NodeIndex to) { joined.successors[next[from]++] = to; });
  return joined;
}

}  // namespace

void GraphFileTeams::add(NodeIndex task, bool can_run, const TeamLine& line) {
  std::string problem = line.problem.empty() ? contradiction(line, can_run) : line.problem;
  if (!problem.empty() && !problem_) problem_ = Problem{std::move(problem), task};
  // Of a task outside of phases the other keys say nothing.
  if (!line.has_loop && !line.divides && !line.phase) return;
  is_divisible_ |= line.has_loop || line.divides;
  TeamEntry& entry = entries_.emplace_back(TeamEntry{.task = task,
                                                     .phase = line.phase,
                                                     .thread = static_cast<std::uint32_t>(line.thread),
                                                     .threads = static_cast<std::uint32_t>(line.threads),
                                                     .is_of_one = line.is_of_one,
                                                     .divides = line.divides});
  if (!line.has_loop) return;
  entry.share = static_cast<std::uint32_t>(shares_.size());
  FileLoopShare& share = shares_.emplace_back(FileLoopShare{.number = line.loop.number,
                                                            .schedule = line.loop.schedule,
                                                            .iterations = line.loop.iterations,
                                                            .first_piece = pieces_.size()});
  for (analysis::LoopPiece piece : line.loop.pieces) {
    piece.thread = entry.thread;
    pieces_.push_back(piece);
  }
  share.end_piece = pieces_.size();
}

std::optional<GraphFileTeams::Problem> GraphFileTeams::finish(TaskGraph& graph) {
  if (!is_divisible_) return std::nullopt;
  if (problem_) return problem_;
  GraphFilePhases phases(entries_, shares_, pieces_);
  if (!phases.make(graph)) return phases.problem();
  const NodeIndex task = node_on_cycle(with_phases_as_nodes(graph));
  if (task == analysis::kNoNode) return std::nullopt;
  return Problem{
      "a task waits for a part of a phase, and another part of the phase for that task: what comes after "
      "one of a phase's tasks comes after all of them",
      task};
}

}  // namespace foretask::graph
