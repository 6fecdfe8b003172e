// SPDX-License-Identifier: Apache-2.0
#include "simulate/teams/divided_graph.hpp"

#include <algorithm>
#include <utility>

#include "graph/team_shares.hpp"
#include "simulate/teams/phase_work.hpp"

namespace foretask::simulate {

using analysis::EdgeKind;
using analysis::kNoNode;
using analysis::NodeIndex;
using analysis::TaskGraph;
using analysis::TeamPhase;
using analysis::TeamWork;

namespace {

// Of a phase that is divided.
struct Division {
  NodeIndex first = kNoNode;  // of its nodes in the new graph
  NodeIndex end = kNoNode;
  std::vector<NodeIndex> heads;  // one a thread
  std::vector<NodeIndex> tails;
  std::uint32_t first_task = kNoNode;  // its threads' tasks, one behind the other
  std::uint32_t before = kNoPhase;     // the divided phase that the same threads come from
  NodeIndex last_source = kNoNode;     // the old node whose edge to it was seen last
};

class Divider {
 public:
  Divider(const TaskGraph& graph, std::span<const std::int64_t> duration_ns, std::uint32_t threads,
          const LoopDealing& dealing, const std::vector<bool>& divides)
      : graph_(graph),
        duration_ns_(duration_ns),
        threads_(threads),
        dealing_(dealing),
        phase_of_(divided_phase_of_nodes(graph, divides)),
        divisions_(graph.team.phases.size()) {}

  TaskGraph run() {
    find_threads_of_phases();
    place_nodes();
    for (NodeIndex node = 0; node < graph_.size(); ++node) add_edges_from(node);
    arrange_edges();
    out_.kernel_names = graph_.kernel_names;
    out_.team_start = graph_.team_start == kNoNode ? kNoNode : place_[graph_.team_start];
    return std::move(out_);
  }

 private:
  struct Edge {
    NodeIndex from;
    NodeIndex to;
    EdgeKind kind;
  };

  // The same threads go from one phase to the next, as the tasks of the recorded ones do.
  void find_threads_of_phases() {
    for (NodeIndex node = 0; node < graph_.size(); ++node) {
      if (phase_of_[node] == kNoPhase) continue;
      for (std::uint64_t e = graph_.first_successor[node]; e < graph_.first_successor[node + 1]; ++e) {
        const std::uint32_t next = phase_of_[graph_.successors[e]];
        if (next != kNoPhase && next != phase_of_[node]) divisions_[next].before = phase_of_[node];
      }
    }
  }

  void place_nodes() {
    PhaseShares shares(graph_, duration_ns_, dealing_);
    const std::vector<std::int64_t> hand_out_ns = hand_outs_of_nodes();
    out_.parent_of_task = graph_.parent_of_task;
    out_.task_is_untied = graph_.task_is_untied;
    place_.resize(graph_.size(), kNoNode);
    for (NodeIndex node = 0; node < graph_.size(); ++node) {
      const std::uint32_t phase = phase_of_[node];
      if (phase == kNoPhase) {
        place_[node] = add_node(graph_.kernel[node], duration_ns_[node] + hand_out_ns[node], graph_.task_of_node[node],
                                graph_.cores.empty() ? std::uint8_t{1} : graph_.cores[node]);
      } else if (divisions_[phase].first == kNoNode) {
        add_phase(divisions_[phase], shares.divide(graph_.team.phases[phase], threads_));
      }
    }
  }

  // What nodes that stay as they are take besides, to be handed their chunks.
  [[nodiscard]] std::vector<std::int64_t> hand_outs_of_nodes() const {
    std::vector<std::int64_t> ns(graph_.size());
    if (dealing_.costs)
      for (const analysis::TeamStrand& strand : graph_.team.strands) ns[strand.node] = strand.hand_out_ns;
    return ns;
  }

  NodeIndex add_node(std::uint32_t kernel, std::int64_t duration_ns, std::uint32_t task, std::uint8_t cores) {
    out_.kernel.push_back(kernel);
    out_.duration_ns.push_back(duration_ns);
    out_.task_of_node.push_back(task);
    out_.cores.push_back(cores);
    return static_cast<NodeIndex>(out_.size() - 1);
  }

  void add_phase(Division& division, const std::vector<std::vector<PhaseShare>>& shares) {
    division.first = static_cast<NodeIndex>(out_.size());
    const bool goes_on = division.before != kNoPhase && divisions_[division.before].first_task != kNoNode;
    if (goes_on) {
      division.first_task = divisions_[division.before].first_task;
    } else {
      division.first_task = static_cast<std::uint32_t>(out_.parent_of_task.size());
      out_.parent_of_task.resize(out_.parent_of_task.size() + threads_, kNoNode);
      if (!out_.task_is_untied.empty()) out_.task_is_untied.resize(out_.parent_of_task.size(), 0);
    }
    for (std::uint32_t thread = 0; thread < threads_; ++thread) {
      NodeIndex last = kNoNode;
      for (const PhaseShare& share : shares[thread]) {
        const NodeIndex node = add_node(share.kernel, share.duration_ns, division.first_task + thread, 1);
        if (last == kNoNode) {
          division.heads.push_back(node);
        } else {
          edges_.push_back({last, node, EdgeKind::kContinuation});
        }
        last = node;
      }
      division.tails.push_back(last);
      if (goes_on)
        edges_.push_back({divisions_[division.before].tails[thread], division.heads.back(), EdgeKind::kContinuation});
    }
    division.end = static_cast<NodeIndex>(out_.size());
  }

  // Edges from a divided phase lead to the barrier behind it, or to what comes after the region: to both from every
  // thread. What its threads do next comes after the barrier as well.
  void add_edges_from(NodeIndex node) {
    const std::uint32_t phase = phase_of_[node];
    for (std::uint64_t e = graph_.first_successor[node]; e < graph_.first_successor[node + 1]; ++e) {
      const NodeIndex next = graph_.successors[e];
      const EdgeKind kind = graph_.edge_kind[e];
      const std::uint32_t next_phase = phase_of_[next];
      if (phase != kNoPhase) {
        if (kind == EdgeKind::kContinuation || next_phase != kNoPhase) continue;
        for (const NodeIndex tail : divisions_[phase].tails) edges_.push_back({tail, place_[next], EdgeKind::kJoin});
      } else if (next_phase == kNoPhase) {
        edges_.push_back({place_[node], place_[next], kind});
      } else if (std::exchange(divisions_[next_phase].last_source, node) != node) {
        const EdgeKind into = kind == EdgeKind::kContinuation ? EdgeKind::kJoin : kind;
        for (const NodeIndex head : divisions_[next_phase].heads) edges_.push_back({place_[node], head, into});
      }
    }
  }

  // By source, each once.
  void arrange_edges() {
    std::stable_sort(edges_.begin(), edges_.end(),
                     [](const Edge& a, const Edge& b) { return a.from != b.from ? a.from < b.from : a.to < b.to; });
    const auto end = std::unique(edges_.begin(), edges_.end(),
                                 [](const Edge& a, const Edge& b) { return a.from == b.from && a.to == b.to; });
    edges_.erase(end, edges_.end());
    out_.first_successor.assign(out_.size() + 1, 0);
    out_.successors.reserve(edges_.size());
    out_.edge_kind.reserve(edges_.size());
    for (const Edge& edge : edges_) {
      ++out_.first_successor[edge.from + 1];
      out_.successors.push_back(edge.to);
      out_.edge_kind.push_back(edge.kind);
    }
    for (std::size_t node = 0; node < out_.size(); ++node) out_.first_successor[node + 1] += out_.first_successor[node];
  }

  const TaskGraph& graph_;
  std::span<const std::int64_t> duration_ns_;
  std::uint32_t threads_;
  LoopDealing dealing_;
  std::vector<std::uint32_t> phase_of_;  // one an old node
  std::vector<Division> divisions_;      // one a phase
  std::vector<NodeIndex> place_;         // one an old node: where it is now
  std::vector<Edge> edges_;
  TaskGraph out_;
};

}  // namespace

std::vector<std::uint32_t> divided_phase_of_nodes(const TaskGraph& graph, const std::vector<bool>& divides) {
  std::vector<std::uint32_t> phase_of(graph.size(), kNoPhase);
  for (std::uint32_t phase = 0; phase < divides.size(); ++phase) {
    if (!divides[phase]) continue;
    const TeamPhase& one = graph.team.phases[phase];
    for (std::uint64_t at = one.first_strand; at < one.end_strand; ++at) phase_of[graph.team.strands[at].node] = phase;
  }
  return phase_of;
}

std::vector<bool> phases_to_divide(const TeamWork& team, std::uint32_t threads,
                                   std::span<const analysis::LoopChange> loops) {
  const std::uint32_t widest = graph::widest_team(team);
  const auto has_change = [&](const TeamPhase& phase) {
    const auto begin = team.strands.begin() + static_cast<std::ptrdiff_t>(phase.first_strand);
    const auto end = team.strands.begin() + static_cast<std::ptrdiff_t>(phase.end_strand);
    return std::any_of(begin, end, [&](const analysis::TeamStrand& strand) {
      return strand.loop != analysis::kNoLoop &&
             std::any_of(loops.begin(), loops.end(), [&](const analysis::LoopChange& change) {
               return change.kernel == team.loops[strand.loop].kernel;
             });
    });
  };
  std::vector<bool> divides;
  bool any = false;
  for (const TeamPhase& phase : team.phases) {
    divides.push_back(graph::is_divided(phase, widest) && (phase.threads != threads || has_change(phase)));
    any = any || divides.back();
  }
  if (!any) divides.clear();
  return divides;
}

TaskGraph divide_teams(const TaskGraph& graph, std::span<const std::int64_t> duration_ns, std::uint32_t threads,
                       const LoopDealing& dealing, const std::vector<bool>& divides) {
  return Divider(graph, duration_ns, threads, dealing, divides).run();
}

}  // namespace foretask::simulate
