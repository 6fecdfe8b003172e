// SPDX-License-Identifier: Apache-2.0
#include "graph/file/graph_file_teams.hpp"

#include <algorithm>
#include <span>
#include <unordered_map>

#include "graph/task_graph_order.hpp"
#include "graph/team_shares.hpp"

namespace foretask::graph {

using analysis::kNoLoop;
using analysis::LoopPiece;
using analysis::NodeIndex;
using analysis::TaskGraph;
using analysis::TeamPhase;

namespace {

// Phases and loops of a task-graph file, from what its lines say: which tasks share a loop and a phase, and whether
// they agree on it. All that is given must stay.
class GraphFilePhases {
 public:
  GraphFilePhases(std::span<const TeamEntry> entries, std::span<const FileLoopShare> shares,
                  std::span<const analysis::LoopPiece> pieces)
      : entries_(entries), shares_(shares), pieces_(pieces) {}

  // False where something is wrong: problem() says what.
  [[nodiscard]] bool make(TaskGraph& graph) {
    if (!find_loops(graph) || !check_pieces() || !find_phases() || !check_phases()) return false;
    write_loops(graph);
    write_phases(graph);
    return true;
  }

  [[nodiscard]] const std::optional<GraphFileTeams::Problem>& problem() const noexcept { return problem_; }

 private:
  // What the shares of a loop say of it together.
  struct Loop {
    analysis::NodeIndex first_task = 0;
    std::optional<std::int64_t> phase;
    std::optional<FileSchedule> schedule;
    std::optional<std::int64_t> iterations;
    std::optional<std::uint32_t> own_phase;  // index: of a loop that says none
    std::uint64_t pieces = 0;
  };

  struct Phase {
    analysis::NodeIndex first_task = 0;
    std::int64_t threads = 0;  // as given
    std::int64_t highest_thread = 0;
    analysis::NodeIndex highest_task = 0;  // that names it
    bool has_loop = false;
    std::optional<bool> rest_divides;
    std::uint64_t strands = 0;
  };

  bool fail(NodeIndex task, std::string what) {
    problem_ = GraphFileTeams::Problem{std::move(what), task};
    return false;
  }

  // Each share of a loop may say what holds for all of it, or leave that to another.
  template <typename Value>
  bool agree(std::optional<Value>& all, const std::optional<Value>& one, const TeamEntry& entry, const char* what) {
    if (!all) all = one;
    return !one || *all == *one || fail(entry.task, std::string("an earlier share of the loop has another ") + what);
  }

  bool find_loops(const TaskGraph& graph) {
    std::unordered_map<std::int64_t, std::uint32_t> by_number;
    loop_of_share_.resize(shares_.size());
    for (const TeamEntry& entry : entries_) {
      if (entry.share == kNoLoop) continue;
      const FileLoopShare& share = shares_[entry.share];
      auto index = static_cast<std::uint32_t>(loops_.size());
      if (share.number) index = by_number.try_emplace(*share.number, index).first->second;
      if (index == loops_.size()) loops_.push_back({.first_task = entry.task});
      loop_of_share_[entry.share] = index;
      Loop& loop = loops_[index];
      if (graph.kernel[entry.task] != graph.kernel[loop.first_task])
        return fail(entry.task, "an earlier share of the loop has another kernel");
      loop.pieces += share.end_piece - share.first_piece;
      if (!agree(loop.phase, entry.phase, entry, "phase") || !agree(loop.schedule, share.schedule, entry, "schedule") ||
          !agree(loop.iterations, share.iterations, entry, "number of iterations"))
        return false;
    }
    const auto without = std::ranges::find_if(loops_, [](const Loop& loop) { return !loop.iterations.has_value(); });
    return without == loops_.end() || fail(without->first_task, "the loop has no iterations");
  }

  // In order of the first tasks.
  bool find_phases() {
    phase_of_entry_.reserve(entries_.size());
    for (const TeamEntry& entry : entries_) {
      const std::uint32_t index = phase_of(entry);
      if (index == phases_.size()) phases_.push_back({.first_task = entry.task});
      phase_of_entry_.push_back(index);
      if (!add_to_phase(entry, phases_[index])) return false;
    }
    return true;
  }

  // The one that the task says, or its loop does; else one of its loop, or of its own. A new one has the next index.
  std::uint32_t phase_of(const TeamEntry& entry) {
    const auto next = static_cast<std::uint32_t>(phases_.size());
    Loop* const loop = loop_of(entry);
    const std::optional<std::int64_t> number = entry.phase || loop == nullptr ? entry.phase : loop->phase;
    if (number) return phase_of_number_.try_emplace(*number, next).first->second;
    if (loop == nullptr) return next;
    if (!loop->own_phase) loop->own_phase = next;
    return *loop->own_phase;
  }

  bool add_to_phase(const TeamEntry& entry, Phase& phase) {
    ++phase.strands;
    if (entry.thread > phase.highest_thread) {
      phase.highest_thread = entry.thread;
      phase.highest_task = entry.task;
    }
    if (entry.threads != 0) {
      if (phase.threads != 0 && phase.threads != entry.threads)
        return fail(entry.task, "an earlier task of the phase has another number of threads");
      phase.threads = entry.threads;
    }
    if (entry.share != kNoLoop) {
      phase.has_loop = true;
    } else if (!entry.is_of_one) {
      if (phase.rest_divides && *phase.rest_divides != entry.divides)
        return fail(entry.task, "of the phase's tasks outside of loops some divide and some do not");
      phase.rest_divides = entry.divides;
    }
    return true;
  }

  bool check_phases() {
    for (const Phase& phase : phases_) {
      // What is done once may be all of it.
      if (!phase.has_loop && !phase.rest_divides.value_or(true))
        return fail(phase.first_task, "the task's phase has no loop, and nothing that divides");
      if (phase.threads != 0 && phase.threads <= phase.highest_thread)
        return fail(phase.highest_task, "the task's phase has " + std::to_string(phase.threads) +
                                            " threads, but a task of thread " + std::to_string(phase.highest_thread));
    }
    return true;
  }

  bool check_pieces() {
    std::vector<std::uint64_t> left;
    for (const Loop& loop : loops_) left.push_back(static_cast<std::uint64_t>(*loop.iterations));
    for (const TeamEntry& entry : entries_) {
      if (entry.share == kNoLoop) continue;
      const std::int64_t iterations = *loop_of(entry)->iterations;
      std::uint64_t& of_loop = left[loop_of_share_[entry.share]];
      const FileLoopShare& share = shares_[entry.share];
      for (std::uint64_t at = share.first_piece; iterations != 0 && at < share.end_piece; ++at) {
        if (pieces_[at].iterations > of_loop)
          return fail(entry.task, "the loop's pieces have more than its " + std::to_string(iterations) + " iterations");
        of_loop -= pieces_[at].iterations;
        if (pieces_[at].last >= iterations)
          return fail(entry.task, "the piece from " + std::to_string(pieces_[at].first) + " to " +
                                      std::to_string(pieces_[at].last) +
                                      " is not in the loop, whose iterations are 0 to " +
                                      std::to_string(iterations - 1));
      }
    }
    return true;
  }

  void write_loops(TaskGraph& graph) {
    analysis::TeamWork& team = graph.team;
    std::uint64_t pieces = 0;
    for (const Loop& loop : loops_) {
      const FileSchedule schedule = loop.schedule.value_or(FileSchedule{});
      team.loops.push_back({.kernel = graph.kernel[loop.first_task],
                            .schedule = schedule.named.schedule,
                            .is_schedule_known = schedule.is_known,
                            .chunk = schedule.named.chunk,
                            .iterations = static_cast<std::uint64_t>(*loop.iterations),
                            .first_piece = pieces,
                            .end_piece = pieces});
      pieces += loop.pieces;
    }
    team.pieces.resize(pieces);
    for (std::size_t share = 0; share < shares_.size(); ++share) {
      analysis::TeamLoop& loop = team.loops[loop_of_share_[share]];
      for (std::uint64_t at = shares_[share].first_piece; at < shares_[share].end_piece; ++at)
        team.pieces[loop.end_piece++] = pieces_[at];
    }
    for (const analysis::TeamLoop& loop : team.loops)
      std::ranges::stable_sort(std::span(team.pieces).subspan(loop.first_piece, loop.end_piece - loop.first_piece), {},
                               &LoopPiece::thread);
  }

  void write_phases(TaskGraph& graph) const {
    analysis::TeamWork& team = graph.team;
    std::uint64_t strands = 0;
    for (const Phase& phase : phases_) {
      const std::int64_t threads = phase.threads != 0 ? phase.threads : phase.highest_thread + 1;
      team.phases.push_back({.threads = static_cast<std::uint32_t>(threads),
                             .region = static_cast<std::uint32_t>(team.phases.size()),
                             .rest_divides = phase.rest_divides.value_or(false),
                             .is_of_any_size = true,
                             .first_strand = strands,
                             .end_strand = strands});
      strands += phase.strands;
    }
    team.strands.resize(strands);
    for (std::size_t at = 0; at < entries_.size(); ++at) {
      const TeamEntry& entry = entries_[at];
      team.strands[team.phases[phase_of_entry_[at]].end_strand++] = {
          .node = entry.task,
          .thread = static_cast<std::uint32_t>(entry.thread),
          .loop = entry.share == kNoLoop ? kNoLoop : loop_of_share_[entry.share],
          .is_of_one = entry.is_of_one};
    }
  }

  [[nodiscard]] Loop* loop_of(const TeamEntry& entry) {
    return entry.share == analysis::kNoLoop ? nullptr : &loops_[loop_of_share_[entry.share]];
  }

  std::span<const TeamEntry> entries_;
  std::span<const FileLoopShare> shares_;
  std::span<const analysis::LoopPiece> pieces_;
  std::vector<Loop> loops_;
  std::vector<std::uint32_t> loop_of_share_;
  std::vector<Phase> phases_;
  std::unordered_map<std::int64_t, std::uint32_t> phase_of_number_;
  std::vector<std::uint32_t> phase_of_entry_;
  std::optional<GraphFileTeams::Problem> problem_;
};

// Why the keys of one line do not go together; empty: they do.
std::string contradiction(const TeamLine& line, bool can_run) {
  const TeamPlace& place = line.place;
  if (line.has_loop && place.is_of_one) return "a share of a loop is not done once";
  if (line.has_loop && place.divides) return "a share of a loop divides by its schedule: leave out divides";
  if (place.is_of_one && place.divides) return "what is done once does not divide";
  if (place.is_of_one && !place.phase) return "what is done once needs a phase";
  if (!can_run) return "a task in a phase or a loop needs a duration and a core";
  return {};
}

// The graph in which each phase is one node, the first of its tasks.
TaskGraph with_phases_as_nodes(const TaskGraph& graph) {
  std::vector<NodeIndex> place(graph.size());
  for (NodeIndex node = 0; node < graph.size(); ++node) place[node] = node;
  for (const TeamPhase& phase : graph.team.phases)
    for (const analysis::TeamStrand& strand : strands_of(graph.team, phase))
      place[strand.node] = graph.team.strands[phase.first_strand].node;
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
  if (!line.has_loop && !line.place.divides && !line.place.phase) return;
  is_divisible_ |= line.has_loop || line.place.divides;
  TeamEntry& entry = entries_.emplace_back(TeamEntry{line.place, task});
  if (!line.has_loop) return;
  entry.share = static_cast<std::uint32_t>(shares_.size());
  FileLoopShare& share = shares_.emplace_back(FileLoopShare{line.loop, pieces_.size()});
  for (LoopPiece piece : line.pieces) {
    piece.thread = static_cast<std::uint32_t>(entry.thread);
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
