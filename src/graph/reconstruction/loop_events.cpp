// SPDX-License-Identifier: Apache-2.0
#include "graph/reconstruction/loop_events.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <utility>

#include "graph/team_shares.hpp"
#include "trace/event_table.hpp"

namespace foretask::graph {
namespace {

using analysis::LoopSchedule;
using analysis::TeamLoop;
using analysis::TeamPhase;
using analysis::TeamStrand;

// What a damaged trace may claim of a loop; sums of a few such numbers still fit.
constexpr std::int64_t kMostIterations = std::int64_t{1} << 60;
// Of a phase's work: threads that wait for locks longer than this are in each other's way, and more would be more so.
constexpr double kMuchBlocked = 0.05;

bool is_of_one(std::uint32_t construct) {
  return construct == FORETASK_CONSTRUCT_SINGLE || construct == FORETASK_CONSTRUCT_MASKED;
}

std::int64_t bounded(std::uint64_t word) {
  return std::clamp(static_cast<std::int64_t>(word), -kMostIterations, kMostIterations);
}

// Puts `items` in order of a number that each has, below `numbers`; those of one number stay in theirs. `begin_of`
// is told where each number's begin.
template <typename Item, typename NumberOf, typename BeginOf>
void group_by(std::vector<Item>& items, std::size_t numbers, NumberOf number_of, BeginOf begin_of) {
  std::vector<std::uint64_t> place(numbers + 1, 0);
  for (const Item& item : items) ++place[number_of(item) + 1];
  for (std::size_t number = 0; number < numbers; ++number) {
    place[number + 1] += place[number];
    begin_of(number, place[number], place[number + 1]);
  }
  std::vector<Item> ordered(items.size());
  for (Item& item : items) ordered[place[number_of(item)]++] = std::move(item);
  items = std::move(ordered);
}

KernelSite::Kind kind_of(const std::uint32_t* payload) {
  return payload[2] == FORETASK_CONSTRUCT_SECTIONS ? KernelSite::Kind::kSections : KernelSite::Kind::kLoop;
}

// `recorded`: a foretask_schedule, without FORETASK_SCHEDULE_ORDERED.
LoopSchedule schedule_of(std::uint32_t recorded) {
  switch (recorded & ~std::uint32_t{FORETASK_SCHEDULE_UNNUMBERED}) {
    case FORETASK_SCHEDULE_STATIC_CHUNKED:
      return LoopSchedule::kStaticChunked;
    case FORETASK_SCHEDULE_DYNAMIC:
      return LoopSchedule::kDynamic;
    case FORETASK_SCHEDULE_GUIDED:
    case FORETASK_SCHEDULE_AUTO:  // as LLVM's runtime does it
      return LoopSchedule::kGuided;
    default:
      return LoopSchedule::kStatic;
  }
}

// Whether iterations are numbered from 0 on, as Clang's programs say.
bool is_numbered(std::uint32_t schedule) {
  return schedule != FORETASK_SCHEDULE_UNKNOWN && (schedule & FORETASK_SCHEDULE_UNNUMBERED) == 0;
}

// From the lowest that was seen on.
void number_from_lowest(std::span<RecordedPiece> pieces) {
  std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
  for (const RecordedPiece& one : pieces) lowest = std::min(lowest, one.piece.first);
  for (RecordedPiece& one : pieces) {
    one.piece.first -= lowest;
    one.piece.last -= lowest;
  }
}

// The schedule of a loop that only its chunks tell: equal ones are dealt out in turn, the last may be smaller; else
// they are guided, and one chunk says nothing. Iterations are numbered from 0 on.
void infer_schedule(std::span<const RecordedPiece> pieces, TeamLoop& loop) {
  loop.is_schedule_known = false;
  if (pieces.empty()) return;
  std::int64_t highest = 0;
  std::uint64_t least = kMostIterations;
  std::uint64_t most = 1;
  for (const RecordedPiece& one : pieces) {
    highest = std::max(highest, one.piece.last);
    const std::uint64_t size = (one.piece.iterations + one.chunks - 1) / one.chunks;
    least = std::min(least, size);
    most = std::max(most, size);
  }
  // LLVM's runtime gives a thread that is alone all of it at once.
  if (most >= loop.iterations) return;
  // A block for each thread: static, by schedule(runtime).
  std::set<std::uint32_t> threads;
  for (const RecordedPiece& one : pieces) threads.insert(one.piece.thread);
  const bool one_each =
      std::all_of(pieces.begin(), pieces.end(), [](const RecordedPiece& one) { return one.chunks == 1; }) &&
      threads.size() == pieces.size();
  if (one_each && most - least <= 1 && threads.size() > 1) {
    loop.is_schedule_known = true;
    return;
  }
  const auto small = std::count_if(pieces.begin(), pieces.end(), [&](const RecordedPiece& one) {
    return one.piece.last != highest && 4 * (one.piece.iterations / one.chunks) < 3 * most;
  });
  loop.schedule = small != 0 ? LoopSchedule::kGuided : LoopSchedule::kDynamic;
  loop.chunk = small != 0 ? least : most;
}

}  // namespace

void LoopEvents::on_begin(std::uint32_t worker, const std::uint32_t* payload) {
  Frame* const frame = state_.running_frame(worker);
  if (!frame) return;
  if (payload[2] == FORETASK_CONSTRUCT_TASKLOOP) return begin_taskloop(worker, *frame, payload);
  if (!is_of_one(payload[2])) return begin_loop(worker, *frame, payload);
  state_.close_strand(worker);
  frame->single = static_cast<std::uint32_t>(single_has_end_.size());
  single_has_end_.push_back(false);
  state_.open_strand(worker, frame->task, EdgeKind::kContinuation);
}

void LoopEvents::begin_taskloop(std::uint32_t worker, const Frame& frame, const std::uint32_t* payload) {
  state_.taskloop_of.erase(frame.task);
  // One that is met outside of regions, or whose creator waits for each task, is none of a team's work.
  if (payload[3] != FORETASK_SCHEDULE_AUTO || state_.workers[worker].region() == kNone) return;
  state_.taskloop_of[frame.task] = static_cast<std::uint32_t>(state_.taskloops.size());
  const auto iterations = std::min(trace::u64_at(payload + 4), static_cast<std::uint64_t>(kMostIterations));
  state_.taskloops.push_back({.threads = state_.team_size(worker), .iterations = iterations, .tasks = {}});
}

void LoopEvents::begin_loop(std::uint32_t worker, Frame& frame, const std::uint32_t* payload) {
  if (leave(frame)) state_.count_anomaly();
  state_.close_strand(worker);
  state_.writer.forget_hand_outs(worker);
  const std::uint32_t share = state_.tasks.add();
  TaskRecord& record = state_.tasks[share];
  record.set(kImplicit);
  record.state = TaskState::kStarted;
  frame.share = share;
  frame.loop = instance_of(frame, payload);
  const std::uint64_t code = trace::u64_at(payload);
  record.kernel = code != 0 ? state_.kernels.number(kind_of(payload), code) : team_.loops[frame.loop].kernel;
  if (code == 0 && record.kernel == unplaced_kernel(kind_of(payload))) unplaced_.push_back({share, frame.loop});
  frame.chunks_since_ns = state_.running_clock_ns(worker);
  // Iterations in order, or a league's, do not go on side by side.
  const bool divides = (payload[3] & FORETASK_SCHEDULE_ORDERED) == 0 && payload[2] != FORETASK_CONSTRUCT_DISTRIBUTE;
  if (!divides) state_.spoil_phase(frame);
  state_.open_strand(worker, frame.task, EdgeKind::kContinuation);
}

// A team's members come to its loops in the same order.
std::uint32_t LoopEvents::instance_of(Frame& frame, const std::uint32_t* payload) {
  std::uint32_t* known = nullptr;
  // A region that is over, in a damaged trace, has no members any more.
  if (frame.region != kNone && frame.member < state_.teams[frame.region].members.size()) {
    Region& region = state_.teams[frame.region];
    const std::uint32_t number = region.members[frame.member].loops_begun++;
    // One that comes later than its turn, in a damaged trace, finds another loop in its place.
    if (number >= region.loops.size()) region.loops.push_back(kNone);
    known = &region.loops[std::min<std::size_t>(number, region.loops.size() - 1)];
    if (*known != kNone) {
      learn_of(*known, payload);
      return *known;
    }
  }
  const auto loop = static_cast<std::uint32_t>(team_.loops.size());
  TeamLoop& made = team_.loops.emplace_back();
  made.kernel = unplaced_kernel(kind_of(payload));
  made.iterations = std::min(trace::u64_at(payload + 4), static_cast<std::uint64_t>(kMostIterations));
  instances_.push_back({.region = known ? frame.region : kNone, .kind = kind_of(payload)});
  if (known) *known = loop;
  learn_of(loop, payload);
  return loop;
}

// Of a region that GCC made together with its loop, only the thread that forks says where that is, and its schedule.
void LoopEvents::learn_of(std::uint32_t loop, const std::uint32_t* payload) {
  TeamLoop& known = team_.loops[loop];
  Instance& instance = instances_[loop];
  const std::uint64_t code = trace::u64_at(payload);
  if (code != 0 && known.kernel == unplaced_kernel(instance.kind))
    known.kernel = state_.kernels.number(instance.kind, code);
  if (instance.schedule != FORETASK_SCHEDULE_UNKNOWN) return;
  instance.schedule = payload[3] & ~std::uint32_t{FORETASK_SCHEDULE_ORDERED};
  known.chunk = std::min(trace::u64_at(payload + 6), static_cast<std::uint64_t>(kMostIterations));
}

void LoopEvents::on_chunks(std::uint32_t worker, const std::uint32_t* payload) {
  Frame* const frame = state_.running_frame(worker);
  if (!frame) return;
  if (frame->loop == kNone) return state_.count_anomaly();
  const std::int64_t first = bounded(trace::u64_at(payload + 3));
  const std::int64_t last = std::max(first, bounded(trace::u64_at(payload + 5)));
  const auto iterations = std::clamp<std::uint64_t>(trace::u64_at(payload + 1), 1, kMostIterations);
  const std::int64_t clock_ns = state_.running_clock_ns(worker);
  const std::uint32_t chunks = std::max(1U, payload[0]);
  double weight = static_cast<double>(clock_ns - frame->chunks_since_ns);
  frame->chunks_since_ns = clock_ns;
  // A thread that is alone is given all of it at once.
  if (frame->phase != kNone && hands_out(schedule_of(instances_[frame->loop].schedule)) &&
      state_.team_size(worker) > 1) {
    team_.loops[frame->loop].hand_outs += chunks;
    weight = std::max(0.0, weight - state_.charge_hand_outs(worker, chunks));
  }
  pieces_.push_back({frame->loop, chunks, {frame->thread, first, last, iterations, weight}});
}

void LoopEvents::on_end(std::uint32_t worker) {
  Frame* const frame = state_.running_frame(worker);
  if (!frame) return;
  if (frame->single == kNone && frame->share == kNone) return state_.count_anomaly();
  state_.close_strand(worker);
  state_.writer.forget_hand_outs(worker);
  if (frame->single != kNone) {
    single_has_end_[std::exchange(frame->single, kNone)] = true;
  } else {
    leave(*frame);
  }
  state_.open_strand(worker, frame->task, EdgeKind::kContinuation);
}

void LoopEvents::on_ordered(std::uint32_t worker) {
  const std::vector<Frame>& stack = state_.workers[worker].stack;
  if (!stack.empty()) state_.spoil_phase(stack.back());
}

bool LoopEvents::leave(Frame& frame) {
  frame.single = kNone;
  frame.loop = kNone;
  const std::uint32_t share = std::exchange(frame.share, kNone);
  if (share == kNone) return false;
  TaskRecord& record = state_.tasks[share];
  // A share whose kernel is not known yet is counted at the end, as those that are not complete are.
  if (state_.out.kernels[record.kernel].code == 0) return true;
  state_.kernels.add_task(record.kernel, record.work_ns);
  // What its open strand, if any, still adds is added as a late thread's is.
  record.state = TaskState::kComplete;
  return true;
}

void LoopEvents::leave_cancelled(std::uint32_t worker, Frame& frame) {
  if (frame.share != kNone) {
    state_.close_strand(worker);
    state_.spoil_phase(frame);
    team_.loops[frame.loop].is_cut = true;
    leave(frame);
    state_.open_strand(worker, frame.task, EdgeKind::kContinuation);
  }
  frame.single = kNone;
}

// Loops of which no thread says where they are get their region's place.
void LoopEvents::place_shares() {
  for (std::uint32_t loop = 0; loop < instances_.size(); ++loop) {
    const Instance& instance = instances_[loop];
    if (instance.region == kNone || team_.loops[loop].kernel != unplaced_kernel(instance.kind)) continue;
    const std::uint64_t code = state_.out.kernels[state_.teams[instance.region].kernel].code;
    team_.loops[loop].kernel = state_.kernels.number(instance.kind, code);
  }
  for (const UnplacedShare& one : unplaced_) state_.tasks[one.share].kernel = team_.loops[one.loop].kernel;
}

// What the program's end found its threads in.
void LoopEvents::cut_unfinished() {
  for (const WorkerState& worker : state_.workers) {
    for (const Frame& frame : worker.stack) {
      if (frame.share == kNone) continue;
      state_.spoil_phase(frame);
      team_.loops[frame.loop].is_cut = true;
    }
  }
}

analysis::TeamWork LoopEvents::finish() {
  place_shares();
  cut_unfinished();
  order_strands();
  place_hand_outs();
  group_by(
      pieces_, team_.loops.size(), [](const RecordedPiece& one) { return one.loop; },
      [this](std::size_t loop, std::uint64_t begin, std::uint64_t end) {
        team_.loops[loop].first_piece = begin;
        team_.loops[loop].end_piece = end;
      });
  for (std::uint32_t loop = 0; loop < instances_.size(); ++loop) describe(loop);
  team_.pieces.reserve(pieces_.size());
  for (const RecordedPiece& one : pieces_) team_.pieces.push_back(one.piece);
  place_taskloops();
  return std::move(team_);
}

void LoopEvents::place_hand_outs() {
  std::vector<StrandWriter::HandOut> taken = state_.writer.hand_outs();
  if (taken.empty()) return;
  std::stable_sort(taken.begin(), taken.end(), [](const auto& a, const auto& b) { return a.strand < b.strand; });
  for (TeamStrand& one : team_.strands) {
    auto next = std::ranges::lower_bound(taken, one.node, {}, &StrandWriter::HandOut::strand);
    double ns = 0;
    for (; next != taken.end() && next->strand == one.node; ++next) ns += next->ns;
    one.hand_out_ns = std::llround(ns);
  }
}

// A taskloop whose tasks are one strand each becomes a phase with a loop, which has a piece for each task. One task for
// each thread: the loop is static. More: the threads take one after another, and the loop is guided.
void LoopEvents::place_taskloops() {
  if (state_.taskloops.empty()) return;
  std::vector<std::uint8_t> strands(state_.tasks.size(), 0);
  for (const std::uint32_t task : state_.out.strands.task) strands[task] = strands[task] == 0 ? 1 : 2;
  for (const analysis::NodeSubtree& subtree : state_.out.subtrees) strands[state_.out.strands.task[subtree.node]] = 2;
  for (const auto& [threads, iterations, tasks] : state_.taskloops) {
    const bool is_plain = std::all_of(tasks.begin(), tasks.end(), [&](std::uint32_t task) {
      const TaskRecord& record = state_.tasks[task];
      return strands[task] == 1 && record.state == TaskState::kComplete && record.cancel == 0 &&
             !record.has(kParentWaits);
    });
    if (tasks.empty() || !is_plain || iterations < tasks.size()) continue;
    const auto begin_of = [n = tasks.size(), all = iterations](std::uint64_t i) {
      return static_cast<std::int64_t>(i * (all / n) + std::min<std::uint64_t>(i, all % n));
    };
    const auto loop = static_cast<std::uint32_t>(team_.loops.size());
    const std::uint64_t at = team_.strands.size();
    team_.phases.push_back(
        {.threads = threads, .rest_divides = false, .first_strand = at, .end_strand = at + tasks.size()});
    for (std::uint32_t thread = 0; thread < std::min<std::size_t>(threads, tasks.size()); ++thread) {
      for (std::size_t i = thread; i < tasks.size(); i += threads) {
        const NodeIndex node = state_.tasks[tasks[i]].strand;
        const std::int64_t size = begin_of(i + 1) - begin_of(i);
        team_.strands.push_back({.node = node, .thread = thread, .loop = loop});
        const auto weight = static_cast<double>(state_.out.strands.duration_ns[node]);
        team_.pieces.push_back({thread, begin_of(i), begin_of(i + 1) - 1, static_cast<std::uint64_t>(size), weight});
      }
    }
    team_.loops.push_back({.kernel = state_.tasks[tasks.front()].kernel,
                           .schedule = tasks.size() > threads ? LoopSchedule::kGuided : LoopSchedule::kStatic,
                           .iterations = iterations,
                           .is_taskloop = true,
                           .first_piece = team_.pieces.size() - tasks.size(),
                           .end_piece = team_.pieces.size()});
  }
}

void LoopEvents::order_strands() {
  team_.phases = std::move(state_.phases);
  group_by(
      state_.phase_strands, team_.phases.size(), [](const PhaseStrand& one) { return one.phase; },
      [this](std::size_t phase, std::uint64_t begin, std::uint64_t end) {
        team_.phases[phase].first_strand = begin;
        team_.phases[phase].end_strand = end;
      });
  for (const TeamPhase& phase : team_.phases) find_singles(phase);
  team_.strands.reserve(state_.phase_strands.size());
  for (const PhaseStrand& one : state_.phase_strands) team_.strands.push_back(one.strand);
  state_.phase_strands = {};
  // A compiler whose static loops are seen leaves nothing else to divide, and a region of tasks has no loop unseen. Of
  // loops whose iterations are not numbered from 0 the compiler is GCC.
  std::vector<bool> is_seen(state_.teams.size(), false);
  for (const Instance& instance : instances_)
    if (instance.region != kNone && is_numbered(instance.schedule)) is_seen[instance.region] = true;
  for (std::size_t number = 0; number < team_.phases.size(); ++number) {
    TeamPhase& phase = team_.phases[number];
    const std::uint32_t region = state_.region_of_phase[number];
    phase.region = region;
    phase.rest_divides = !is_seen[region] && !state_.teams[region].is_spoiled && !state_.teams[region].is_for_tasks;
    bool has_loop = false;
    std::int64_t work_ns = 0;
    for (const TeamStrand& one : strands_of(team_, phase)) {
      has_loop = has_loop || one.loop != analysis::kNoLoop;
      work_ns += state_.out.strands.duration_ns[one.node];
    }
    const auto blocked_ns = static_cast<double>(state_.blocked_of_phase[number]);
    const bool is_contended = blocked_ns > kMuchBlocked * static_cast<double>(work_ns);
    phase.divides =
        phase.divides && !is_contended && !state_.teams[region].is_doubtful && (has_loop || phase.rest_divides);
  }
}

// GCC's programs do not say where a single ends: at the barrier, or before what all threads do next. Where the others
// are busy for as long, it is the latter. One thread alone does not show it, and what follows may be a static loop: it
// counts as other code of the phase.
void LoopEvents::find_singles(const TeamPhase& phase) {
  const auto begin = state_.phase_strands.begin() + static_cast<std::ptrdiff_t>(phase.first_strand);
  const auto end = state_.phase_strands.begin() + static_cast<std::ptrdiff_t>(phase.end_strand);
  double open_ns = 0;
  double others_ns = 0;
  for (auto one = begin; one != end; ++one) {
    const auto ns = static_cast<double>(state_.out.strands.duration_ns[one->strand.node]);
    if (one->single != kNone && !single_has_end_[one->single]) {
      open_ns += ns;
    } else if (one->single == kNone && one->strand.loop == analysis::kNoLoop) {
      others_ns += ns;
    }
  }
  const bool ends_at_barrier = phase.threads > 1 && others_ns / (phase.threads - 1) < 0.5 * open_ns;
  for (auto one = begin; one != end; ++one)
    one->strand.is_of_one = one->single != kNone && (single_has_end_[one->single] || ends_at_barrier);
}

void LoopEvents::describe(std::uint32_t index) {
  TeamLoop& loop = team_.loops[index];
  const std::uint32_t schedule = instances_[index].schedule;
  loop.schedule = schedule_of(schedule);
  const std::span<RecordedPiece> pieces(pieces_.data() + loop.first_piece, loop.end_piece - loop.first_piece);
  std::ranges::stable_sort(pieces, {}, [](const RecordedPiece& one) { return one.piece.thread; });
  if (!is_numbered(schedule)) number_from_lowest(pieces);
  if (schedule == FORETASK_SCHEDULE_UNKNOWN) infer_schedule(pieces, loop);
  if (!loop.is_cut || pieces.empty()) return;
  loop.iterations = 0;
  for (const RecordedPiece& one : pieces) loop.iterations += one.piece.iterations;
}

}  // namespace foretask::graph
