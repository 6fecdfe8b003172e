// SPDX-License-Identifier: Apache-2.0
#include "simulate/make_replayer.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "simulate/cores/durations.hpp"
#include "simulate/machine/machine_replay.hpp"
#include "simulate/prepared_replay.hpp"
#include "simulate/replay_grid.hpp"
#include "simulate/teams/divided_graph.hpp"
#include "simulate/teams/loop_shares.hpp"
#include "simulate/teams/phase_work.hpp"

namespace foretask::simulate {
namespace {

using analysis::kNoNode;
using analysis::NodeIndex;
using analysis::TaskGraph;
using analysis::TeamPhase;

class TaskDivider {
 public:
  TaskDivider(const TaskGraph& graph, std::span<const std::int64_t> duration_ns, std::uint32_t threads,
              const LoopDealing& dealing, const std::vector<bool>& divides)
      : graph_(graph),
        duration_ns_(duration_ns),
        threads_(threads),
        shares_(graph, duration_ns, dealing),
        phase_of_(divided_phase_of_nodes(graph, divides)) {}

  TaskGraph run() {
    place_nodes();
    number_nodes();
    for (NodeIndex node = 0; node < graph_.size(); ++node) add_edges_from(node);
    arrange_edges();
    out_.kernel_names = graph_.kernel_names;
    return std::move(out_);
  }

 private:
  struct Edge {
    NodeIndex from;
    NodeIndex to;
    std::uint64_t bytes;
  };

  // What a new node has of the old ones.
  struct Traits {
    std::int64_t release_ns = 0;
    std::int64_t priority = 0;
    std::uint32_t node = 0;
  };

  [[nodiscard]] Traits traits_of(NodeIndex node) const {
    return {.release_ns = graph_.release_ns.empty() ? 0 : graph_.release_ns[node],
            .priority = graph_.priority.empty() ? 0 : graph_.priority[node],
            .node = graph_.node.empty() ? 0 : graph_.node[node]};
  }

  NodeIndex add_node(std::uint32_t kernel, std::int64_t duration_ns, const Traits& traits, std::uint8_t cores) {
    out_.kernel.push_back(kernel);
    out_.duration_ns.push_back(duration_ns);
    out_.cores.push_back(cores);
    if (!graph_.release_ns.empty()) out_.release_ns.push_back(traits.release_ns);
    if (!graph_.priority.empty()) out_.priority.push_back(traits.priority);
    if (!graph_.node.empty()) out_.node.push_back(traits.node);
    return static_cast<NodeIndex>(out_.size() - 1);
  }

  void place_nodes() {
    first_.resize(graph_.size(), kNoNode);
    last_.resize(graph_.size(), kNoNode);
    for (NodeIndex node = 0; node < graph_.size(); ++node) {
      if (first_[node] != kNoNode) continue;
      if (phase_of_[node] != kNoPhase) {
        add_phase(graph_.team.phases[phase_of_[node]]);
      } else {
        first_[node] = add_node(graph_.kernel[node], duration_ns_[node], traits_of(node),
                                graph_.cores.empty() ? std::uint8_t{1} : graph_.cores[node]);
        last_[node] = first_[node];
      }
    }
  }

  void add_phase(const TeamPhase& phase) {
    const auto strands =
        std::span(graph_.team.strands).subspan(phase.first_strand, phase.end_strand - phase.first_strand);
    const NodeIndex kernel_node = strands.front().node;
    Traits traits = traits_of(kernel_node);
    for (const analysis::TeamStrand& strand : strands) {
      const Traits one = traits_of(strand.node);
      traits.release_ns = std::max(traits.release_ns, one.release_ns);
      traits.priority = std::max(traits.priority, one.priority);
    }
    const NodeIndex begin = add_node(graph_.kernel[kernel_node], 0, traits, 0);
    std::vector<NodeIndex> tails;
    for (const std::vector<PhaseShare>& of_thread : shares_.divide(phase, threads_)) {
      NodeIndex last = begin;
      for (const PhaseShare& share : of_thread) {
        const NodeIndex node = add_node(share.kernel, share.duration_ns, traits, 1);
        edges_.push_back({last, node, 0});
        last = node;
      }
      tails.push_back(last);
    }
    const NodeIndex end = add_node(graph_.kernel[kernel_node], 0, traits, 0);
    for (const NodeIndex tail : tails) edges_.push_back({tail, end, 0});
    for (const analysis::TeamStrand& strand : strands) {
      first_[strand.node] = begin;
      last_[strand.node] = end;
    }
  }

  void number_nodes() {
    const auto id_of = [this](NodeIndex node) { return graph_.id.empty() ? std::int64_t{node} : graph_.id[node]; };
    std::int64_t highest = 0;
    for (NodeIndex node = 0; node < graph_.size(); ++node) highest = std::max(highest, id_of(node));
    if (highest >= std::numeric_limits<std::int64_t>::max() - static_cast<std::int64_t>(out_.size())) return;
    out_.id.resize(out_.size());
    for (std::int64_t& id : out_.id) id = ++highest;
    for (NodeIndex node = 0; node < graph_.size(); ++node)
      if (phase_of_[node] == kNoPhase) out_.id[first_[node]] = id_of(node);
  }

  void add_edges_from(NodeIndex node) {
    for (std::uint64_t e = graph_.first_successor[node]; e < graph_.first_successor[node + 1]; ++e) {
      const NodeIndex next = graph_.successors[e];
      if (phase_of_[node] != kNoPhase && phase_of_[node] == phase_of_[next]) continue;
      edges_.push_back({last_[node], first_[next], graph_.edge_bytes.empty() ? 0 : graph_.edge_bytes[e]});
    }
  }

  // By source, each once, with the bytes of all that it stands for.
  void arrange_edges() {
    std::stable_sort(edges_.begin(), edges_.end(),
                     [](const Edge& a, const Edge& b) { return a.from != b.from ? a.from < b.from : a.to < b.to; });
    out_.first_successor.assign(out_.size() + 1, 0);
    for (std::size_t at = 0; at < edges_.size(); ++at) {
      const Edge& edge = edges_[at];
      const bool is_again = at != 0 && edges_[at - 1].from == edge.from && edges_[at - 1].to == edge.to;
      if (!is_again) {
        ++out_.first_successor[edge.from + 1];
        out_.successors.push_back(edge.to);
      }
      if (graph_.edge_bytes.empty()) continue;
      if (!is_again) out_.edge_bytes.push_back(0);
      constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();  // all that a file can say
      out_.edge_bytes.back() = std::min(kMost, out_.edge_bytes.back() + edge.bytes);
    }
    for (std::size_t node = 0; node < out_.size(); ++node) out_.first_successor[node + 1] += out_.first_successor[node];
  }

  const TaskGraph& graph_;
  std::span<const std::int64_t> duration_ns_;
  std::uint32_t threads_;
  PhaseShares shares_;
  std::vector<std::uint32_t> phase_of_;  // one an old node: the divided one that it is in
  std::vector<NodeIndex> first_;         // one an old node: what comes before it leads there
  std::vector<NodeIndex> last_;          // one an old node: what comes after it comes from there
  std::vector<Edge> edges_;
  TaskGraph out_;
};

// As divide_teams() (divided_graph.hpp), of a graph that no recording made. A phase begins and ends with a node that
// needs no core: what the phase's tasks come after goes before all of its threads, and what comes after one of them
// after all. It starts at the latest release of its tasks, with their largest priority. The other tasks keep their ids;
// new nodes have larger ones, unless there is none. O(nodes + edges + phases * threads), time and memory.
TaskGraph divide_tasks(const TaskGraph& graph, std::span<const std::int64_t> duration_ns, std::uint32_t threads,
                       const LoopDealing& dealing, const std::vector<bool>& divides) {
  return TaskDivider(graph, duration_ns, threads, dealing, divides).run();
}

std::optional<analysis::TaskGraph> divided(const analysis::TaskGraph& graph, std::span<const std::int64_t> duration_ns,
                                           std::uint32_t cores, const LoopDealing& dealing) {
  const std::vector<bool> divides = phases_to_divide(graph.team, cores, dealing.changes);
  if (divides.empty()) return std::nullopt;
  if (graph.task_of_node.empty()) return divide_tasks(graph, duration_ns, cores, dealing, divides);
  return divide_teams(graph, duration_ns, cores, dealing, divides);
}

// Replays of a recording with teams: on each number of cores the graph that so many threads would have made.
class DividedReplay final : public Replayer {
 public:
  // For identical cores. Errors: PreparedReplay::of()'s.
  [[nodiscard]] static Result<std::unique_ptr<Replayer>> of(const analysis::TaskGraph& graph,
                                                            const analysis::SimulationOptions& options) {
    auto durations = durations_in_force(graph, options);
    if (!durations) return durations.error();
    return std::unique_ptr<Replayer>(new DividedReplay(graph, options, std::move(durations).value()));
  }

  // Errors: PreparedReplay's. Throws std::bad_alloc: whether there is room is to be asked before (replay_grid.hpp).
  [[nodiscard]] Result<analysis::SimulationResult> run(std::uint32_t cores, std::uint64_t seed) override {
    if (cores == 0) return Error{.what = "a replay needs at least one core"};
    if (cores != cores_ || !replay_) {
      replay_.reset();
      divided_.reset();
      divided_ = divided(graph_, durations_.ns, cores, {options_.loops, costs_of_chunks(options_)});
      analysis::SimulationOptions options = options_;
      if (divided_) {
        // Its durations have them already.
        options.speedups.clear();
        options.removed.clear();
      }
      auto replay = PreparedReplay::of(divided_ ? *divided_ : graph_, options);
      if (!replay) return replay.error();
      replay_ = *std::move(replay);
      cores_ = cores;
    }
    auto result = replay_->run(cores, seed);
    if (!result || !divided_) return result;
    // Of the durations in force, whoever has them.
    result->work_ns = durations_.work_ns;
    if (result->makespan_ns > 0) {
      const auto makespan = static_cast<double>(result->makespan_ns);
      result->speedup = static_cast<double>(result->work_ns) / makespan;
      result->utilization = static_cast<double>(durations_.worker_work_ns) / (makespan * cores);
    }
    return result;
  }

  [[nodiscard]] bool was_random() const noexcept override { return replay_ && replay_->was_random(); }

 private:
  DividedReplay(const analysis::TaskGraph& graph, const analysis::SimulationOptions& options, Durations durations)
      : graph_(graph), options_(options), durations_(std::move(durations)) {}

  const analysis::TaskGraph& graph_;
  analysis::SimulationOptions options_;
  Durations durations_;
  // Of the last run.
  std::uint32_t cores_ = 0;
  std::optional<analysis::TaskGraph> divided_;
  std::unique_ptr<Replayer> replay_;
};

// Replays of a graph with locks. Waits for locks are not replayed: each replay takes at least as long as the lock that
// is held longest.
class LockedReplay final : public Replayer {
 public:
  // Keeps `graph`.
  LockedReplay(const analysis::TaskGraph& graph, analysis::SimulationOptions options, std::unique_ptr<Replayer> replay)
      : graph_(graph), options_(std::move(options)), replay_(std::move(replay)) {}

  [[nodiscard]] Result<analysis::SimulationResult> run(std::uint32_t cores, std::uint64_t seed) override {
    auto result = replay_->run(cores, seed);
    if (!result) return result;
    const std::int64_t least_ns = analysis::lock_bound_ns(graph_, options_, cores);
    if (result->makespan_ns <= 0 || least_ns <= result->makespan_ns) return result;
    const double factor = static_cast<double>(result->makespan_ns) / static_cast<double>(least_ns);
    result->makespan_ns = least_ns;
    result->speedup *= factor;
    result->utilization *= factor;
    return result;
  }
  [[nodiscard]] bool was_random() const noexcept override { return replay_->was_random(); }

 private:
  const analysis::TaskGraph& graph_;
  const analysis::SimulationOptions options_;
  const std::unique_ptr<Replayer> replay_;
};

Result<std::unique_ptr<Replayer>> replayer_without_locks(const analysis::TaskGraph& graph,
                                                         const analysis::SimulationOptions& options) {
  if (divides_loops(graph, options)) return DividedReplay::of(graph, options);
  if (!options.loops.empty())
    return Error{"loops change their schedules only in replays that divide them (analysis::graph_on_cores())"};
  if (options.platform) return MachineReplay::of(graph, options);
  if (options.policy != analysis::Policy::kHeft) return PreparedReplay::of(graph, options);
  // Identical cores are a platform of one node, whose plain cores run() counts.
  analysis::SimulationOptions on_platform = options;
  on_platform.platform =
      std::make_shared<const analysis::Platform>(analysis::Platform{.nodes = {{}}, .any_node = true});
  return MachineReplay::of(graph, on_platform);
}

}  // namespace

bool divides_loops(const analysis::TaskGraph& graph, const analysis::SimulationOptions& options) noexcept {
  return !graph.team.phases.empty() && !options.keep_schedule && !options.platform &&
         options.policy != analysis::Policy::kHeft;
}

Result<std::unique_ptr<Replayer>> make_replayer(const analysis::TaskGraph& graph,
                                                const analysis::SimulationOptions& options) {
  auto replay = replayer_without_locks(graph, options);
  // The nodes of a schedule end when they end.
  if (!replay || graph.locks.empty() || options.keep_schedule) return replay;
  return std::unique_ptr<Replayer>(std::make_unique<LockedReplay>(graph, options, *std::move(replay)));
}

}  // namespace foretask::simulate

namespace foretask::analysis {

Result<std::optional<TaskGraph>> graph_on_cores(const TaskGraph& graph, std::uint32_t cores,
                                                const std::vector<LoopChange>& loops, const SchedulingCosts* costs) {
  try {
    if (auto enough = simulate::check_room_to_divide(graph, cores, loops); !enough) return enough.error();
    return simulate::divided(graph, graph.duration_ns, cores, {loops, costs});
  } catch (const std::bad_alloc&) {
    return Error{"not enough memory for the program's teams on " + std::to_string(cores) + " cores"};
  }
}

}  // namespace foretask::analysis
