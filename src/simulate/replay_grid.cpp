// SPDX-License-Identifier: Apache-2.0
#include "simulate/replay_grid.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/memory.hpp"
#include "graph/team_shares.hpp"
#include "simulate/machine/machine.hpp"
#include "simulate/make_replayer.hpp"
#include "simulate/teams/divided_graph.hpp"

namespace foretask::simulate {
namespace {

using analysis::Policy;

// Less is not worth asking the system for.
constexpr std::uint64_t kUnseenBytes = std::uint64_t{64} << 20;

// Of a node, in bytes: divided durations (8), predecessor counts twice (2); under critical-path levels (8) while they
// are sorted (16), then ranks (8) and the compact table (8); elsewhere a queue's or a deque's place.
constexpr std::uint64_t kListNode = 30;
constexpr std::uint64_t kCriticalPathNode = 44;
constexpr std::uint64_t kStealingNode = 40;
// What a queue of the team has besides: two places of each task, its wait, and who made it ready.
constexpr std::uint64_t kTeamQueueNode = 25;
// On a platform: orders, levels, events; a time for each class comes on top. HEFT has ranks, a worker, a start and an
// end of each, and the edges the other way round.
constexpr std::uint64_t kMachineNode = 80;
constexpr std::uint64_t kHeftNode = 60;
constexpr std::uint64_t kHeftEdge = 16;
// What draws of times share: strands by task and similar tasks, at most a sort of all on the way.
constexpr std::uint64_t kDrawnNode = 40;
// A graph of one's own: the arrays that most graphs have.
constexpr std::uint64_t kGraphNode = 40;
constexpr std::uint64_t kGraphEdge = 13;
// What a strand of a thread of a divided phase takes, with its edges, while that graph is made and replayed.
constexpr std::uint64_t kDividedStrand = 160;

// What one replay takes beside the graph at its most, in bytes; an estimate, a little above.
std::uint64_t replay_bytes(const analysis::TaskGraph& graph, const analysis::SimulationOptions& options) {
  const std::uint64_t schedule = options.keep_schedule ? sizeof(analysis::ScheduledNode) : 0;
  if (options.platform || options.policy == Policy::kHeft) {
    const std::uint64_t classes = options.platform ? classes_of(*options.platform).size() : 1;
    const bool plans = options.policy == Policy::kHeft;
    return graph.size() * (kMachineNode + 8 * classes + schedule + (plans ? kHeftNode : 0)) +
           graph.edge_count() * (plans ? kHeftEdge : 0);
  }
  const std::uint64_t node = options.policy == Policy::kCriticalPath   ? kCriticalPathNode
                             : options.policy == Policy::kWorkStealing ? kStealingNode
                                                                       : kListNode;
  const bool has_team_queue =
      options.policy == Policy::kWorkStealing && options.costs.rules.queue == analysis::RuntimeRules::Queue::kTeam;
  return graph.size() * (node + schedule + (has_team_queue ? kTeamQueueNode : 0));
}

// Where the largest graph among the grid's is that of phases divided among cores.
struct Division {
  std::uint64_t phases = 0;
  std::uint64_t strands = 0;  // of each thread: the phases' loops, and what is outside of them
  std::uint32_t cores = 0;

  [[nodiscard]] std::uint64_t bytes() const noexcept { return strands * cores * kDividedStrand; }
};

// Of a phase: its loops, as far as they follow one another, and what is outside of them.
std::uint64_t strands_of_thread(const analysis::TeamWork& team, const analysis::TeamPhase& phase) {
  std::set<std::uint32_t> loops{analysis::kNoLoop};
  for (const analysis::TeamStrand& strand : graph::strands_of(team, phase)) loops.insert(strand.loop);
  return loops.size();
}

Division division(const analysis::TaskGraph& graph, std::uint32_t cores, const std::vector<bool>& divides) {
  Division result{.cores = cores};
  for (std::size_t phase = 0; phase < divides.size(); ++phase) {
    if (!divides[phase]) continue;
    ++result.phases;
    result.strands += strands_of_thread(graph.team, graph.team.phases[phase]);
  }
  return result;
}

Division largest_division(const analysis::TaskGraph& graph, std::span<const std::uint32_t> cores,
                          std::span<const analysis::LoopChange> loops) {
  const std::vector<analysis::TeamPhase>& phases = graph.team.phases;
  const bool is_of_any_size = std::ranges::any_of(phases, &analysis::TeamPhase::is_of_any_size);
  const std::uint32_t most = cores.empty() ? 0 : *std::max_element(cores.begin(), cores.end());
  if (most == 0) return {};
  // Each number of cores divides others: at most all.
  if (is_of_any_size) return division(graph, most, std::vector<bool>(phases.size(), true));
  // All numbers but the recorded one divide the same phases.
  const std::uint32_t widest = graph::widest_team(graph.team);
  Division largest;
  std::uint32_t others = 0;
  for (const std::uint32_t number : cores) {
    if (number != widest) others = std::max(others, number);
    if (number == widest) largest = division(graph, number, phases_to_divide(graph.team, number, loops));
  }
  if (others == 0) return largest;
  const Division of_others = division(graph, others, phases_to_divide(graph.team, others, loops));
  return of_others.bytes() >= largest.bytes() ? of_others : largest;
}

Division largest_division(const analysis::TaskGraph& graph, const analysis::SimulationOptions& options,
                          const analysis::ReplayGrid& grid) {
  if (!divides_loops(graph, options)) return {};
  std::vector<analysis::LoopChange> loops = options.loops;
  for (const analysis::Scenario& scenario : grid.scenarios)
    loops.insert(loops.end(), scenario.loops.begin(), scenario.loops.end());
  return largest_division(graph, grid.cores, loops);
}

// `shared` bytes, and `each` for every replay at once.
Result<std::size_t> with_room(const analysis::TaskGraph& graph, const Division& division, std::uint64_t shared,
                              std::uint64_t each, std::size_t wanted) {
  each += division.bytes();
  if (shared + each * wanted <= kUnseenBytes) return wanted;
  const std::uint64_t available = base::available_memory_bytes();
  if (shared + each > available)
    return Error{"a replay of " +
                 (division.phases == 0 ? std::to_string(graph.size()) + " tasks"
                                       : std::to_string(division.phases) + " parallel phases on " +
                                             std::to_string(division.cores) + " cores") +
                 " needs about " + base::gigabytes(static_cast<double>(shared + each)) + " of memory, but only " +
                 base::gigabytes(static_cast<double>(available)) + " is available"};
  return each == 0 ? wanted : std::min<std::size_t>(wanted, (available - shared) / each);
}

}  // namespace

Result<void> check_grid(const analysis::SimulationOptions& options, const analysis::ReplayGrid& grid) {
  if (grid.scenarios.empty() || grid.cores.empty())
    return Error{.what = "replays need a scenario and a number of cores"};
  if (!options.platform && std::find(grid.cores.begin(), grid.cores.end(), 0U) != grid.cores.end())
    return Error{.what = "a replay needs at least one core"};
  return {};
}

std::size_t threads_of(const analysis::ReplayGrid& grid) noexcept {
  return grid.threads != 0 ? grid.threads : std::max(1U, std::thread::hardware_concurrency());
}

analysis::SimulationOptions with_scenario(analysis::SimulationOptions options, const analysis::Scenario& scenario) {
  options.speedups.insert(options.speedups.end(), scenario.speedups.begin(), scenario.speedups.end());
  options.removed.insert(options.removed.end(), scenario.removed.begin(), scenario.removed.end());
  options.loops.insert(options.loops.end(), scenario.loops.begin(), scenario.loops.end());
  return options;
}

Result<std::size_t> replays_with_room(const analysis::TaskGraph& graph, const analysis::SimulationOptions& options,
                                      const analysis::ReplayGrid& grid, std::size_t wanted) {
  return with_room(graph, largest_division(graph, options, grid), 0, replay_bytes(graph, options), wanted);
}

Result<std::size_t> samplings_with_room(const analysis::TaskGraph& graph, const analysis::SimulationOptions& options,
                                        const analysis::ReplayGrid& grid, std::size_t wanted) {
  const std::uint64_t own_graph = graph.size() * kGraphNode + graph.edge_count() * kGraphEdge +
                                  graph.class_durations.size() * sizeof(analysis::ClassDuration);
  const std::uint64_t makespans = grid.scenarios.size() * grid.cores.size() * grid.replays;
  return with_room(graph, largest_division(graph, options, grid),
                   graph.size() * kDrawnNode + makespans * sizeof(std::int64_t),
                   replay_bytes(graph, options) + own_graph, wanted);
}

Result<void> check_room_to_divide(const analysis::TaskGraph& graph, std::uint32_t cores,
                                  std::span<const analysis::LoopChange> loops) {
  const auto room = with_room(graph, largest_division(graph, std::span(&cores, 1), loops), 0, 0, 1);
  if (!room) return room.error();
  return {};
}

}  // namespace foretask::simulate
