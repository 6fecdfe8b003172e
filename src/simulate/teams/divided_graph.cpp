// SPDX-License-Identifier: Apache-2.0
#include "simulate/teams/divided_graph.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include "graph/task_graph_order.hpp"
#include "graph/team_shares.hpp"
#include "simulate/teams/phase_work.hpp"

namespace foretask::simulate {

using analysis::EdgeKind;
using analysis::kNoNode;
using analysis::NodeIndex;
using analysis::TaskGraph;
using analysis::TeamPhase;
using analysis::TeamStrand;
using analysis::TeamWork;

namespace {

constexpr std::uint32_t kNoPhase = 0xffffffffU;

// A phase that is divided, in the new graph.
struct Division {
  std::vector<NodeIndex> heads;        // what comes before the phase leads to each; empty: it has no place yet
  std::vector<NodeIndex> tails;        // what comes after the phase comes from each
  std::uint32_t first_task = kNoNode;  // of a recording: its threads' tasks, one behind the other
  std::uint32_t before = kNoPhase;     // of a recording: the divided phase that the same threads come from
  NodeIndex last_source = kNoNode;     // of a recording: the old node whose edge to it was seen last
};

// Of a recording each thread has a task, which goes on from one phase to the next. Of another graph a phase begins and
// ends with a node that needs no core: what the phase's tasks come after goes before all of its threads, and what comes
// after one of them after all. It starts at the latest release of its tasks, with their largest priority.
template <bool kRecording>
class Divider {
 public:
  Divider(const TaskGraph& graph, std::span<const std::int64_t> duration_ns, std::uint32_t threads,
          const LoopDealing& dealing, const std::vector<bool>& divides)
      : graph_(graph),
        duration_ns_(duration_ns),
        threads_(threads),
        dealing_(dealing),
        phase_of_(graph.size(), kNoPhase),
        divisions_(graph.team.phases.size()),
        place_(graph.size(), kNoNode) {
    for (std::uint32_t phase = 0; phase < divides.size(); ++phase) {
      if (!divides[phase]) continue;
      for (const TeamStrand& strand : graph::strands_of(graph.team, graph.team.phases[phase]))
        phase_of_[strand.node] = phase;
    }
  }

  TaskGraph run() {
    if constexpr (kRecording) find_threads_of_phases();
    place_nodes();
    if constexpr (!kRecording) number_nodes();
    for (NodeIndex node = 0; node < graph_.size(); ++node) add_edges_from(node);
    if (!out_.dependences_of_task.empty()) out_.dependences_of_task.resize(out_.parent_of_task.size(), 0);
    graph::set_edges(out_, std::move(edges_));
    if (graph_.edge_bytes.empty()) out_.edge_bytes = {};
    out_.kernel_names = graph_.kernel_names;
    for (const analysis::NodeSubtree& subtree : graph_.subtrees) {
      out_.subtrees.push_back(subtree);
      out_.subtrees.back().node = place_[subtree.node];
    }
    out_.team_start = graph_.team_start == kNoNode ? kNoNode : place_[graph_.team_start];
    return std::move(out_);
  }

 private:
  using Detail = std::conditional_t<kRecording, EdgeKind, std::uint64_t>;
  // From a node to the next one of its thread.
  static constexpr auto kOnward = static_cast<Detail>(kRecording ? static_cast<int>(EdgeKind::kContinuation) : 0);

  // What a new node has of the old ones.
  struct Traits {
    std::int64_t release_ns = 0;
    std::int64_t priority = 0;
    std::uint32_t node = 0;
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
    const std::vector<std::int64_t> hand_out_ns = hand_outs_of_nodes();
    out_.parent_of_task = graph_.parent_of_task;
    out_.task_is_untied = graph_.task_is_untied;
    out_.dependences_of_task = graph_.dependences_of_task;
    for (NodeIndex node = 0; node < graph_.size(); ++node) {
      const std::uint32_t phase = phase_of_[node];
      if (phase == kNoPhase) {
        place_[node] = add_node(graph_.kernel[node], duration_ns_[node] + hand_out_ns[node], traits_of(node),
                                graph_.cores.empty() ? std::uint8_t{1} : graph_.cores[node],
                                kRecording ? graph_.task_of_node[node] : 0);
      } else if (divisions_[phase].heads.empty()) {
        add_phase(graph_.team.phases[phase], divisions_[phase]);
      }
    }
  }

  // What nodes that stay as they are take besides, to be handed their chunks.
  [[nodiscard]] std::vector<std::int64_t> hand_outs_of_nodes() const {
    std::vector<std::int64_t> ns(graph_.size());
    if (dealing_.costs != nullptr)
      for (const TeamStrand& strand : graph_.team.strands) ns[strand.node] = strand.hand_out_ns;
    return ns;
  }

  [[nodiscard]] Traits traits_of(NodeIndex node) const {
    return {.release_ns = graph_.release_ns.empty() ? 0 : graph_.release_ns[node],
            .priority = graph_.priority.empty() ? 0 : graph_.priority[node],
            .node = graph_.node.empty() ? 0 : graph_.node[node]};
  }

  NodeIndex add_node(std::uint32_t kernel, std::int64_t duration_ns, const Traits& traits, std::uint8_t cores,
                     std::uint32_t task) {
    out_.kernel.push_back(kernel);
    out_.duration_ns.push_back(duration_ns);
    out_.cores.push_back(cores);
    if constexpr (kRecording) out_.task_of_node.push_back(task);
    if (!graph_.release_ns.empty()) out_.release_ns.push_back(traits.release_ns);
    if (!graph_.priority.empty()) out_.priority.push_back(traits.priority);
    if (!graph_.node.empty()) out_.node.push_back(traits.node);
    return static_cast<NodeIndex>(out_.size() - 1);
  }

  void add_phase(const TeamPhase& phase, Division& division) {
    const std::span<const TeamStrand> strands = graph::strands_of(graph_.team, phase);
    const NodeIndex first = strands.front().node;
    Traits traits = traits_of(first);
    for (const TeamStrand& strand : strands) {
      const Traits one = traits_of(strand.node);
      traits.release_ns = std::max(traits.release_ns, one.release_ns);
      traits.priority = std::max(traits.priority, one.priority);
    }
    const auto add_end = [&] { return add_node(graph_.kernel[first], 0, traits, 0, 0); };
    std::vector<NodeIndex> last(threads_, kNoNode);  // what each thread's first node comes behind
    if constexpr (kRecording) {
      if (division.before != kNoPhase && divisions_[division.before].first_task != kNoNode)
        last = divisions_[division.before].tails;
      division.first_task = tasks_behind(division.before, graph_.parent_of_task[graph_.task_of_node[first]]);
    } else {
      division.heads = {add_end()};
      last.assign(threads_, division.heads.front());
    }
    const auto shares = phase_shares(graph_, duration_ns_, phase, threads_, dealing_);
    for (std::uint32_t thread = 0; thread < threads_; ++thread) {
      for (const PhaseShare& share : shares[thread]) {
        const NodeIndex node = add_node(share.kernel, share.duration_ns, traits, 1, division.first_task + thread);
        if (last[thread] != kNoNode) edges_.push_back({last[thread], node, kOnward});
        if (kRecording && &share == &shares[thread].front()) division.heads.push_back(node);
        last[thread] = node;
      }
    }
    division.tails = std::move(last);
    if constexpr (!kRecording) {
      const NodeIndex end = add_end();
      for (const NodeIndex tail : division.tails) edges_.push_back({tail, end, kOnward});
      division.tails = {end};
    }
  }

  // The first of the threads' tasks: those of the phase before, or new ones. Only a taskloop's have a parent.
  std::uint32_t tasks_behind(std::uint32_t before, std::uint32_t parent) {
    if (before != kNoPhase && divisions_[before].first_task != kNoNode) return divisions_[before].first_task;
    const auto first = static_cast<std::uint32_t>(out_.parent_of_task.size());
    out_.parent_of_task.resize(first + threads_, parent);
    if (!out_.task_is_untied.empty()) out_.task_is_untied.resize(out_.parent_of_task.size(), 0);
    return first;
  }

  // The other tasks keep their ids; new nodes have larger ones, unless there is none.
  void number_nodes() {
    const auto id_of = [this](NodeIndex node) { return graph_.id.empty() ? std::int64_t{node} : graph_.id[node]; };
    std::int64_t highest = 0;
    for (NodeIndex node = 0; node < graph_.size(); ++node) highest = std::max(highest, id_of(node));
    if (highest >= std::numeric_limits<std::int64_t>::max() - static_cast<std::int64_t>(out_.size())) return;
    out_.id.resize(out_.size());
    for (std::int64_t& id : out_.id) id = ++highest;
    for (NodeIndex node = 0; node < graph_.size(); ++node)
      if (phase_of_[node] == kNoPhase) out_.id[place_[node]] = id_of(node);
  }

  // A recording's edges from a divided phase lead to the barrier behind it, or to what comes after the region: to both
  // from every thread. What its threads do next comes after the barrier as well.
  void add_edges_from(NodeIndex node) {
    const std::uint32_t phase = phase_of_[node];
    for (std::uint64_t e = graph_.first_successor[node]; e < graph_.first_successor[node + 1]; ++e) {
      const NodeIndex next = graph_.successors[e];
      const std::uint32_t next_phase = phase_of_[next];
      Detail detail{};
      if constexpr (kRecording) {
        detail = graph_.edge_kind[e];
        const bool is_continuation = detail == EdgeKind::kContinuation;
        if (phase != kNoPhase && (is_continuation || next_phase != kNoPhase)) continue;
        if (next_phase != kNoPhase && std::exchange(divisions_[next_phase].last_source, node) == node) continue;
        if (phase != kNoPhase || (next_phase != kNoPhase && is_continuation)) detail = EdgeKind::kJoin;
      } else {
        if (phase != kNoPhase && phase == next_phase) continue;
        if (!graph_.edge_bytes.empty()) detail = graph_.edge_bytes[e];
      }
      const auto froms = phase == kNoPhase ? std::span(&place_[node], 1) : std::span(divisions_[phase].tails);
      const auto tos = next_phase == kNoPhase ? std::span(&place_[next], 1) : std::span(divisions_[next_phase].heads);
      for (const NodeIndex from : froms)
        for (const NodeIndex to : tos) edges_.push_back({from, to, detail});
    }
  }

  const TaskGraph& graph_;
  std::span<const std::int64_t> duration_ns_;
  std::uint32_t threads_;
  LoopDealing dealing_;
  std::vector<std::uint32_t> phase_of_;  // one an old node: the divided phase that it is in, or kNoPhase
  std::vector<Division> divisions_;      // one a phase
  std::vector<NodeIndex> place_;         // one an old node: where it is now; kNoNode of one in a divided phase
  std::vector<graph::Edge<Detail>> edges_;
  TaskGraph out_;
};

}  // namespace

std::vector<bool> phases_to_divide(const TeamWork& team, std::uint32_t threads,
                                   std::span<const analysis::LoopChange> loops) {
  const std::uint32_t widest = graph::widest_team(team);
  const auto has_change = [&](const TeamPhase& phase) {
    return std::ranges::any_of(graph::strands_of(team, phase), [&](const TeamStrand& strand) {
      return strand.loop != analysis::kNoLoop &&
             std::ranges::find(loops, team.loops[strand.loop].kernel, &analysis::LoopChange::kernel) != loops.end();
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

std::optional<TaskGraph> divided(const TaskGraph& graph, std::span<const std::int64_t> duration_ns,
                                 std::uint32_t threads, const LoopDealing& dealing) {
  const std::vector<bool> divides = phases_to_divide(graph.team, threads, dealing.changes);
  if (divides.empty()) return std::nullopt;
  if (graph.task_of_node.empty()) return Divider<false>(graph, duration_ns, threads, dealing, divides).run();
  return Divider<true>(graph, duration_ns, threads, dealing, divides).run();
}

}  // namespace foretask::simulate
