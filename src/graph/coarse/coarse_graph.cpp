// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "base/huge_pages.hpp"
#include "base/memory.hpp"
#include "base/number_text.hpp"
#include "foretask/analysis/coarse_graph.hpp"
#include "foretask/analysis/task_graph.hpp"
#include "graph/coarse/calls.hpp"
#include "graph/task_graph_order.hpp"
#include "graph/team_shares.hpp"

namespace foretask::analysis {
namespace {

using graph::Calls;
using graph::CallTree;
using graph::saturated_sum;
using graph::worker_ns;

// A strand that is left: neighbouring strands of one task, and what they call.
struct CoarseStrand {
  std::uint32_t head = 0;  // its first and last one before; equal to each other where nothing was joined
  std::uint32_t tail = 0;
  std::int64_t duration_ns = 0;
};

enum Bound : std::uint8_t {
  kBegins = 1,     // something that is left comes before it, besides its own task
  kEnds = 2,       // it is before something that is left, besides its own task
  kContinues = 4,  // its own task comes before it
};

// Which strands of a recording become one where tasks become calls.
class CoarseStrands {
 public:
  // All must stay. O(strands + edges). Throws std::bad_alloc.
  CoarseStrands(const TaskGraph& graph, const CallTree& tree, const Calls& calls)
      : graph_(graph), tree_(tree), calls_(calls), bounds_(graph.size()), place_(graph.size(), kNoNode) {
    find_bounds();
    bound_dividing_phases();
    join_strands();
  }

  // In order of their first strands.
  [[nodiscard]] const std::vector<CoarseStrand>& all() const noexcept { return strands_; }
  // Where a strand is now: index into all(); kNoNode of a call's, and of what nobody waits for any more.
  [[nodiscard]] NodeIndex place(NodeIndex node) const noexcept { return place_[node]; }
  // Edges from calls to what is left, as strands before: from the one that calls. By that one.
  [[nodiscard]] const std::vector<std::pair<NodeIndex, NodeIndex>>& from_calls() const noexcept { return from_calls_; }

 private:
  void find_bounds() {
    for (NodeIndex node = 0; node < graph_.size(); ++node) {
      if (calls_.is_call(node)) {
        bound_edges_of_call(node);
      } else if (!calls_.is_settled(node)) {
        bound_edges_of(node);
      }
    }
    std::sort(from_calls_.begin(), from_calls_.end());
    from_calls_.erase(std::unique(from_calls_.begin(), from_calls_.end()), from_calls_.end());
  }

  void bound_edges_of(NodeIndex node) {
    bool continues = false;
    for (std::uint64_t e = graph_.first_successor[node]; e < graph_.first_successor[node + 1]; ++e) {
      const NodeIndex next = graph_.successors[e];
      if (!is_left(next)) continue;
      const bool is_own = graph_.edge_kind[e] == EdgeKind::kContinuation && !continues && !(bounds_[next] & kContinues);
      if (is_own) {
        bounds_[next] |= kContinues;
        continues = true;
      } else {
        bounds_[next] |= kBegins;
        bounds_[node] |= kEnds;
      }
    }
  }

  // Who waits for a call waits for the task that calls, or is that task itself. Not so what a dependence leads to: the
  // end of a detached task.
  void bound_edges_of_call(NodeIndex node) {
    for (std::uint64_t e = graph_.first_successor[node]; e < graph_.first_successor[node + 1]; ++e) {
      const NodeIndex next = graph_.successors[e];
      const NodeIndex caller = calls_.caller(graph_.task_of_node[node]);
      if (graph_.edge_kind[e] != EdgeKind::kDependence || !is_left(next) || comes_later(next, caller)) continue;
      from_calls_.emplace_back(caller, next);
      bounds_[next] |= kBegins;
      bounds_[caller] |= kEnds;
    }
  }

  // Its task is the one that calls, or is created by that one after the call.
  [[nodiscard]] bool comes_later(NodeIndex next, NodeIndex caller) const {
    const std::uint32_t task = graph_.task_of_node[caller];
    if (graph_.task_of_node[next] == task) return true;
    const NodeIndex creator = tree_.creator(graph_.task_of_node[next]);
    return creator != kNoNode && creator >= caller && graph_.task_of_node[creator] == task;
  }

  // What other numbers of threads divide stays as it was.
  void bound_dividing_phases() {
    for (const analysis::TeamPhase& phase : graph_.team.phases) {
      if (!phase.divides) continue;
      for (const TeamStrand& strand : graph::strands_of(graph_.team, phase)) bounds_[strand.node] |= kBegins;
    }
  }

  void join_strands() {
    base::reserve_on_huge_pages(strands_, calls_.strands_left());  // at most: pages that are never touched cost nothing
    for (NodeIndex node = 0; node < graph_.size(); ++node) {
      if (calls_.is_call(node)) {
        CoarseStrand& caller = strands_[place_[calls_.caller(graph_.task_of_node[node])]];
        caller.duration_ns = saturated_sum(caller.duration_ns, worker_ns(graph_, node));
        continue;
      }
      if (calls_.is_settled(node)) continue;
      if (place_[node] == kNoNode) {
        place_[node] = static_cast<NodeIndex>(strands_.size());
        strands_.push_back({node, node, graph_.duration_ns[node]});
      } else {
        CoarseStrand& one = strands_[place_[node]];
        one.tail = node;
        one.duration_ns = saturated_sum(one.duration_ns, worker_ns(graph_, node));
      }
      for (std::uint64_t e = graph_.first_successor[node]; e < graph_.first_successor[node + 1]; ++e) {
        if (graph_.edge_kind[e] != EdgeKind::kContinuation || !goes_on_in(node, graph_.successors[e])) continue;
        place_[graph_.successors[e]] = place_[node];
        break;
      }
    }
  }

  [[nodiscard]] bool is_left(NodeIndex node) const { return !calls_.is_call(node) && !calls_.is_settled(node); }

  // The bounds of a task without calls stay: they cost what they did.
  [[nodiscard]] bool goes_on_in(NodeIndex node, NodeIndex next) const {
    const std::uint32_t task = graph_.task_of_node[node];
    return graph_.task_of_node[next] == task && calls_.has_calls(task) && !(bounds_[node] & kEnds) &&
           !(bounds_[next] & kBegins) && graph_.occupies_worker(node) && graph_.occupies_worker(next);
  }

  const analysis::TaskGraph& graph_;
  const CallTree& tree_;
  const Calls& calls_;
  base::PagedVector<std::uint8_t> bounds_;  // one a strand
  base::PagedVector<NodeIndex> place_;
  std::vector<CoarseStrand> strands_;
  std::vector<std::pair<NodeIndex, NodeIndex>> from_calls_;
};

// Writes the graph of the tasks and strands that are left.
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
      if (!graph_.dependences_of_task.empty()) out_.dependences_of_task.push_back(graph_.dependences_of_task[task]);
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
    for (const TeamStrand& strand : graph_.team.strands)
      if (const NodeIndex place = strands_.place(strand.node); place != kNoNode)
        hand_out_ns[place] += strand.hand_out_ns;
    for (TeamPhase phase : graph_.team.phases) {
      const std::uint64_t first = team.strands.size();
      for (TeamStrand strand : graph::strands_of(graph_.team, phase)) {
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

// Of the tasks that the cut-off before left, at most so many: another with nearly as many says nothing new.
constexpr double kFewer = 0.9;
constexpr std::uint64_t kFewestTasks = 2;

// Cut-offs, finest first, each with the tasks that it leaves, as far as these are calls by their size alone.
class Choice {
 public:
  explicit Choice(std::uint64_t tasks) : tasks_(tasks) {}

  void offer(const CutOff& cut_off, std::uint64_t tasks) {
    if (tasks < kFewestTasks || static_cast<double>(tasks) > kFewer * static_cast<double>(tasks_)) return;
    tasks_ = tasks;
    chosen_.push_back(cut_off);
  }
  [[nodiscard]] std::vector<CutOff> chosen() && { return std::move(chosen_); }

 private:
  std::uint64_t tasks_;  // that are left by the last one
  std::vector<CutOff> chosen_;
};

// 1, 2, 5, 10, ... us.
std::vector<std::int64_t> grains_up_to(std::int64_t largest_ns) {
  std::vector<std::int64_t> grains;
  for (std::int64_t decade = 1000; decade <= largest_ns && decade <= std::numeric_limits<std::int64_t>::max() / 10;
       decade *= 10)
    for (const std::int64_t digit : {1, 2, 5}) grains.push_back(digit * decade);
  return grains;
}

std::uint64_t tasks_within(const TaskGraph& graph) {
  std::uint64_t tasks = 0;
  for (const analysis::NodeSubtree& subtree : graph.subtrees) tasks += subtree.tasks;
  return tasks;
}

// Whether all tasks within subtrees become calls: which of them stay tasks cannot be told.
bool tells_enough(const TaskGraph& graph, const CutOff& cut_off, const Calls& calls) {
  if (graph.subtrees.empty()) return true;
  if (!cut_off.kernels.empty()) return false;
  return cut_off.grain_ns >= graph.grain_ns ||
         std::ranges::all_of(graph.subtrees, [&](const auto& subtree) { return calls.is_call(subtree.node); });
}

// As CoarseGraphs has them. `tree`: of the graph. Throws std::bad_alloc.
std::vector<CutOff> choose_grains(const TaskGraph& graph, const CallTree& tree) {
  std::vector<std::int64_t> sizes;
  for (std::uint32_t task = 0; task < graph.parent_of_task.size(); ++task)
    if (tree.is_explicit(task)) sizes.push_back(tree.subtree_ns(task));
  if (sizes.empty()) return {};
  const std::uint64_t all = sizes.size() + tasks_within(graph);
  std::int64_t finest_ns = 0;  // below it tasks within subtrees may be left
  for (const analysis::NodeSubtree& subtree : graph.subtrees)
    finest_ns = std::max(finest_ns, tree.subtree_ns(graph.task_of_node[subtree.node]) + 1);
  finest_ns = std::min(finest_ns, graph.grain_ns);
  const std::vector<std::int64_t> grains = grains_up_to(*std::max_element(sizes.begin(), sizes.end()));
  // One more for each grain: tasks that are smaller, and no smaller than the grain before.
  std::vector<std::uint64_t> smaller(grains.size() + 1, 0);
  for (const std::int64_t size : sizes)
    ++smaller[std::upper_bound(grains.begin(), grains.end(), size) - grains.begin()];
  Choice choice(all);
  std::uint64_t left = sizes.size();
  for (std::size_t i = 0; i < grains.size(); ++i) {
    left -= smaller[i];
    if (grains[i] >= finest_ns) choice.offer({.grain_ns = grains[i], .kernels = {}}, left);
  }
  return std::move(choice).chosen();
}

std::vector<CutOff> choose_depths(const TaskGraph& graph, const CallTree& tree) {
  std::vector<std::uint32_t> depth(graph.parent_of_task.size(), 0);
  std::vector<std::uint64_t> tasks;  // by depth
  for (std::uint32_t task = 0; task < depth.size(); ++task) {
    const std::uint32_t parent = graph.parent_of_task[task];
    if (parent == kNoNode) continue;
    depth[task] = depth[parent] + 1;
    if (!tree.is_explicit(task)) continue;
    if (tasks.size() <= depth[task]) tasks.resize(depth[task] + 1, 0);
    ++tasks[depth[task]];
  }
  auto told_apart = static_cast<std::uint32_t>(tasks.size());
  for (const analysis::NodeSubtree& subtree : graph.subtrees)
    told_apart = std::min(told_apart, depth[graph.task_of_node[subtree.node]]);
  std::uint64_t left = 0;
  for (const std::uint64_t count : tasks) left += count;
  Choice choice(left + tasks_within(graph));
  for (std::size_t deepest = tasks.size(); deepest-- > 1;) {
    if (deepest < told_apart || graph.subtrees.empty())
      choice.offer({.depth = static_cast<std::uint32_t>(deepest), .kernels = {}}, left);
    left -= tasks[deepest];
  }
  return std::move(choice).chosen();
}

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
    const Calls calls(graph, impl_->tree, cut_off);
    if (!tells_enough(graph, cut_off, calls))
      return Error{"tasks that took less than " + base::format_ns(static_cast<double>(graph.grain_ns)) +
                   " are not told apart in this recording: record with a finer --grain, or with --grain 0"};
    const double edges = kEdgeLeft * static_cast<double>(graph.edge_count()) / std::max(1.0, strands_before);
    const double bytes = kStrand * strands_before + (kStrandLeft + edges) * static_cast<double>(calls.strands_left());
    if (auto enough = check_room(bytes); !enough) return enough.error();
    const CoarseStrands strands(graph, impl_->tree, calls);
    return CoarseGraph{.graph = CoarseWriter(graph, calls, strands).write(),
                       .tasks = calls.tasks(),
                       .calls = calls.calls() + tasks_within(graph),
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
  return count + tasks_within(impl_->graph);
}

std::vector<CutOff> CoarseGraphs::grains_to_try() const { return choose_grains(impl_->graph, impl_->tree); }

std::vector<CutOff> CoarseGraphs::depths_to_try() const { return choose_depths(impl_->graph, impl_->tree); }

Result<CoarseGraph> coarsened(const TaskGraph& graph, const CutOff& cut_off) {
  const auto graphs = CoarseGraphs::of(graph);
  if (!graphs) return graphs.error();
  return graphs->below(cut_off);
}

}  // namespace foretask::analysis
