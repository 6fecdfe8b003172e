// SPDX-License-Identifier: Apache-2.0
#include "simulate/replay_memory.hpp"

#include <algorithm>
#include <string>

#include "base/available_memory.hpp"
#include "simulate/machine/machine_layout.hpp"

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
  return graph.size() * (node + schedule);
}

// `shared` bytes, and `each` for every replay at once.
Result<std::size_t> with_room(const analysis::TaskGraph& graph, std::uint64_t shared, std::uint64_t each,
                              std::size_t wanted) {
  if (shared + each * wanted <= kUnseenBytes) return wanted;
  const std::uint64_t available = base::available_memory_bytes();
  if (shared + each > available)
    return Error{"a replay of " + std::to_string(graph.size()) + " tasks needs about " +
                 base::gigabytes(static_cast<double>(shared + each)) + " of memory, but only " +
                 base::gigabytes(static_cast<double>(available)) + " is available"};
  return each == 0 ? wanted : std::min<std::size_t>(wanted, (available - shared) / each);
}

}  // namespace

Result<std::size_t> replays_with_room(const analysis::TaskGraph& graph, const analysis::SimulationOptions& options,
                                      std::size_t wanted) {
  return with_room(graph, 0, replay_bytes(graph, options), wanted);
}

Result<std::size_t> samplings_with_room(const analysis::TaskGraph& graph, const analysis::SimulationOptions& options,
                                        std::uint64_t makespans, std::size_t wanted) {
  const std::uint64_t own_graph = graph.size() * kGraphNode + graph.edge_count() * kGraphEdge +
                                  graph.class_durations.size() * sizeof(analysis::ClassDuration);
  return with_room(graph, graph.size() * kDrawnNode + makespans * sizeof(std::int64_t),
                   replay_bytes(graph, options) + own_graph, wanted);
}

}  // namespace foretask::simulate
