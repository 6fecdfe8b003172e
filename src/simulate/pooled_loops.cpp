// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/pooled_loops.hpp"

#include <algorithm>
#include <map>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include "base/memory.hpp"
#include "graph/team_shares.hpp"
#include "simulate/teams/pooled_pieces.hpp"

namespace foretask::analysis {
namespace {

using simulate::LoopExecution;

// Less is not worth asking the system for.
constexpr std::size_t kUnseenBytes = std::size_t{64} << 20;

// A recording's executions of loops. The graph must stay.
class Executions {
 public:
  explicit Executions(const TaskGraph& graph)
      : graph_(graph), shares_(graph.team, graph.duration_ns), of_loop_(graph.team.loops.size()) {
    for (std::size_t phase = 0; phase < graph.team.phases.size(); ++phase) {
      graph::for_each_loop(shares_.of_phase(phase), [&](std::uint32_t loop, std::span<const graph::TeamShare> shares) {
        if (loop != kNoLoop && of_loop_[loop].shares.empty())
          of_loop_[loop] = {shares, std::max(1U, graph.team.phases[phase].threads)};
      });
    }
    for (std::uint32_t loop = 0; loop < graph.team.loops.size(); ++loop) alike_[key_of(loop)].push_back(loop);
  }

  using Key = std::pair<std::string_view, std::uint64_t>;  // the loop's name, iterations
  [[nodiscard]] Key key_of(std::uint32_t loop) const {
    const TeamLoop& one = graph_.team.loops[loop];
    return {graph_.kernel_names[one.kernel], one.iterations};
  }

  [[nodiscard]] std::optional<LoopExecution> of(std::uint32_t loop) const {
    if (of_loop_[loop].shares.empty() || !graph::has_all_pieces(graph_.team, graph_.team.loops[loop]))
      return std::nullopt;
    const LoopExecution execution{graph_.team, loop, of_loop_[loop].shares, of_loop_[loop].threads};
    return execution;
  }

  [[nodiscard]] std::size_t count(const Key& key) const {
    const auto found = alike_.find(key);
    return found == alike_.end() ? 0 : found->second.size();
  }

  // The k-th of those that have this key.
  [[nodiscard]] std::optional<LoopExecution> of(const Key& key, std::size_t k) const { return of(alike_.at(key)[k]); }

 private:
  struct Shares {
    std::span<const graph::TeamShare> shares;
    std::uint32_t threads = 1;
  };

  const TaskGraph& graph_;
  graph::TeamShares shares_;
  std::vector<Shares> of_loop_;
  std::map<Key, std::vector<std::uint32_t>> alike_;  // loops in order of their starts
};

// Throws std::bad_alloc where memory is short. A vector that grows takes its old room and twice as much.
void append(std::vector<LoopPiece>& pieces, std::span<const LoopPiece> more) {
  const std::size_t wanted = pieces.size() + more.size();
  if (wanted > pieces.capacity()) {
    const std::size_t room = std::max(wanted, 2 * pieces.capacity());
    const std::size_t bytes = room * sizeof(LoopPiece);
    if (bytes > kUnseenBytes && bytes > base::available_memory_bytes()) throw std::bad_alloc();
    pieces.reserve(room);
  }
  pieces.insert(pieces.end(), more.begin(), more.end());
}

// The pieces of all loops of `graph`, and where each loop's begin.
struct Pieces {
  std::vector<LoopPiece> pieces;
  std::vector<std::uint64_t> first;  // one a loop, and the end
};

Pieces pool(const TaskGraph& graph, const std::vector<Executions>& others, std::vector<PooledRecording>& pooled) {
  const Executions own(graph);
  Pieces result;
  std::map<Executions::Key, std::size_t> seen;
  for (std::uint32_t loop = 0; loop < graph.team.loops.size(); ++loop) {
    const Executions::Key key = own.key_of(loop);
    const std::size_t k = seen[key]++;
    const std::optional<LoopExecution> execution = own.of(loop);
    std::vector<LoopExecution> partners;
    std::vector<std::size_t> matched;
    for (std::size_t i = 0; i < others.size(); ++i) {
      ++pooled[i].loops;
      // Where one has more executions, which is whose partner is not known.
      const bool has_partner = execution && others[i].count(key) == own.count(key);
      const auto partner = has_partner ? others[i].of(key, k) : std::nullopt;
      if (!partner) continue;
      ++pooled[i].matched;
      matched.push_back(i);
      partners.push_back(*partner);
    }
    result.first.push_back(result.pieces.size());
    const std::span<const LoopPiece> pieces = graph::pieces_of(graph.team, graph.team.loops[loop]);
    const std::vector<LoopPiece> finer =
        partners.empty() ? std::vector<LoopPiece>() : pooled_pieces(*execution, partners);
    if (finer.size() > pieces.size())
      for (const std::size_t i : matched) ++pooled[i].refined;
    append(result.pieces, finer.empty() ? pieces : finer);
  }
  result.first.push_back(result.pieces.size());
  return result;
}

}  // namespace

Result<std::vector<PooledRecording>> pool_loops(TaskGraph& graph, const std::vector<const TaskGraph*>& others) {
  try {
    std::vector<Executions> executions;
    executions.reserve(others.size());
    for (const TaskGraph* const other : others) executions.emplace_back(*other);
    std::vector<PooledRecording> pooled(others.size());
    Pieces pieces = pool(graph, executions, pooled);
    graph.team.pieces = std::move(pieces.pieces);
    for (std::size_t loop = 0; loop < graph.team.loops.size(); ++loop) {
      graph.team.loops[loop].first_piece = pieces.first[loop];
      graph.team.loops[loop].end_piece = pieces.first[loop + 1];
    }
    return pooled;
  } catch (const std::bad_alloc&) {
    return Error{.what = "not enough memory for the costs of the loops' iterations"};
  }
}

}  // namespace foretask::analysis
