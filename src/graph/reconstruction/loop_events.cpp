// SPDX-License-Identifier: Apache-2.0
#include "graph/reconstruction/loop_events.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

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

LoopSchedule schedule_of(std::uint32_t recorded) {
  switch (recorded) {
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

}  // namespace

void LoopEvents::on_begin(std::uint32_t worker, const std::uint32_t* payload) {
  Frame* const frame = state_.running_frame(worker);
  if (!frame) return;
  if (!is_of_one(payload[2])) {
    begin_loop(worker, *frame, payload);
    return;
  }
  state_.close_strand(worker);
  frame->single = static_cast<std::uint32_t>(single_has_end_.size());
  single_has_end_.push_back(false);
  state_.open_strand(worker, frame->task, EdgeKind::kContinuation);
}

void LoopEvents::begin_loop(std::uint32_t worker, Frame& frame, const std::uint32_t* payload) {
  if (leave(frame)) ++state_.out.anomalies;
  state_.close_strand(worker);
  const bool sections = payload[2] == FORETASK_CONSTRUCT_SECTIONS;
  const std::uint32_t kernel =
      state_.kernels.number(sections ? KernelSite::Kind::kSections : KernelSite::Kind::kLoop, trace::u64_at(payload));
  const std::uint32_t share = state_.tasks.add();
  TaskRecord& record = state_.tasks[share];
  record.set(kImplicit);
  record.state = TaskState::kStarted;
  record.kernel = kernel;
  frame.share = share;
  frame.loop = instance_of(frame, payload, kernel);
  frame.chunks_since_ns = state_.running_clock_ns(worker);
  // Iterations in order, or a league's, do not go on side by side.
  const bool divides = (payload[3] & FORETASK_SCHEDULE_ORDERED) == 0 && payload[2] != FORETASK_CONSTRUCT_DISTRIBUTE;
  if (!divides) state_.spoil_phase(frame);
  state_.open_strand(worker, frame.task, EdgeKind::kContinuation);
}

// A team's members come to its loops in the same order.
std::uint32_t LoopEvents::instance_of(Frame& frame, const std::uint32_t* payload, std::uint32_t kernel) {
  std::uint32_t* known = nullptr;
  // A region that is over, in a damaged trace, has no members any more.
  if (frame.region != kNone && frame.member < state_.teams[frame.region].members.size()) {
    Region& region = state_.teams[frame.region];
    const std::uint32_t number = region.members[frame.member].loops_begun++;
    // One that comes later than its turn, in a damaged trace, finds another loop in its place.
    if (number >= region.loops.size()) region.loops.push_back(kNone);
    known = &region.loops[std::min<std::size_t>(number, region.loops.size() - 1)];
    if (*known != kNone) return *known;
  }
  const auto loop = static_cast<std::uint32_t>(team_.loops.size());
  TeamLoop& made = team_.loops.emplace_back();
  made.kernel = kernel;
  made.iterations = std::min(trace::u64_at(payload + 4), static_cast<std::uint64_t>(kMostIterations));
  made.chunk = std::min(trace::u64_at(payload + 6), static_cast<std::uint64_t>(kMostIterations));
  instances_.push_back({known ? frame.region : kNone, payload[3] & ~std::uint32_t{FORETASK_SCHEDULE_ORDERED}});
  if (known) *known = loop;
  return loop;
}

void LoopEvents::on_chunks(std::uint32_t worker, const std::uint32_t* payload) {
  Frame* const frame = state_.running_frame(worker);
  if (!frame) return;
  if (frame->loop == kNone) {
    ++state_.out.anomalies;
    return;
  }
  const std::int64_t first = bounded(trace::u64_at(payload + 3));
  const std::int64_t last = std::max(first, bounded(trace::u64_at(payload + 5)));
  const auto iterations = std::clamp<std::uint64_t>(trace::u64_at(payload + 1), 1, kMostIterations);
  const std::int64_t clock_ns = state_.running_clock_ns(worker);
  const auto weight = static_cast<double>(clock_ns - frame->chunks_since_ns);
  frame->chunks_since_ns = clock_ns;
  pieces_.push_back({frame->loop, std::max(1U, payload[0]), {frame->thread, first, last, iterations, weight}});
}

void LoopEvents::on_end(std::uint32_t worker) {
  Frame* const frame = state_.running_frame(worker);
  if (!frame) return;
  if (frame->single == kNone && frame->share == kNone) {
    ++state_.out.anomalies;
    return;
  }
  state_.close_strand(worker);
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
  state_.kernels.add_task(record.kernel, record.work_ns);
  // What its open strand, if any, still adds is added as a late thread's is.
  record.state = TaskState::kComplete;
  return true;
}

void LoopEvents::leave_cancelled(std::uint32_t worker, Frame& frame) {
  if (frame.share != kNone) {
    state_.close_strand(worker);
    state_.spoil_phase(frame);
    leave(frame);
    state_.open_strand(worker, frame.task, EdgeKind::kContinuation);
  }
  frame.single = kNone;
}

analysis::TeamWork LoopEvents::finish() {
  order_strands();
  group_by(
      pieces_, team_.loops.size(), [](const Piece& one) { return one.loop; },
      [this](std::size_t loop, std::uint64_t begin, std::uint64_t end) {
        team_.loops[loop].first_piece = begin;
        team_.loops[loop].end_piece = end;
      });
  for (std::uint32_t loop = 0; loop < instances_.size(); ++loop) {
    describe(loop);
    const auto begin = pieces_.begin();
    std::stable_sort(begin + static_cast<std::ptrdiff_t>(team_.loops[loop].first_piece),
                     begin + static_cast<std::ptrdiff_t>(team_.loops[loop].end_piece),
                     [](const Piece& a, const Piece& b) { return a.piece.thread < b.piece.thread; });
  }
  team_.pieces.reserve(pieces_.size());
  for (const Piece& one : pieces_) team_.pieces.push_back(one.piece);
  return std::move(team_);
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
  // A compiler whose static loops are seen leaves nothing else to divide, and a region of tasks has no loop unseen.
  std::vector<bool> is_seen(state_.teams.size(), false);
  for (const Instance& instance : instances_)
    if (instance.region != kNone && instance.schedule != FORETASK_SCHEDULE_UNKNOWN) is_seen[instance.region] = true;
  for (std::size_t number = 0; number < team_.phases.size(); ++number) {
    TeamPhase& phase = team_.phases[number];
    const std::uint32_t region = state_.region_of_phase[number];
    phase.rest_divides = !is_seen[region] && !state_.teams[region].is_spoiled;
    const auto begin = team_.strands.begin() + static_cast<std::ptrdiff_t>(phase.first_strand);
    const auto end = team_.strands.begin() + static_cast<std::ptrdiff_t>(phase.end_strand);
    const bool has_loop = std::any_of(begin, end, [](const TeamStrand& one) { return one.loop != analysis::kNoLoop; });
    std::int64_t work_ns = 0;
    for (auto one = begin; one != end; ++one) work_ns += state_.out.strands.duration_ns[one->node];
    const auto blocked_ns = static_cast<double>(state_.blocked_of_phase[number]);
    const bool is_contended = blocked_ns > kMuchBlocked * static_cast<double>(work_ns);
    phase.divides =
        phase.divides && !is_contended && !state_.teams[region].is_doubtful && (has_loop || phase.rest_divides);
  }
}

// GCC's programs do not say where a single ends: at the barrier, or before what all threads do next. Where the others
// are busy for as long, it is the latter; one thread alone is taken to show that.
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
  const double others = phase.threads > 1 ? others_ns / (phase.threads - 1) : open_ns;
  for (auto one = begin; one != end; ++one)
    one->strand.is_of_one = one->single != kNone && (single_has_end_[one->single] || others < 0.5 * open_ns);
}

// A loop whose schedule only its chunks tell: equal ones are dealt out in turn, the last may be smaller; else they are
// guided, and one chunk says nothing. Its iterations are numbered from the lowest that was seen on.
void LoopEvents::infer_schedule(TeamLoop& loop) {
  const auto begin = pieces_.begin() + static_cast<std::ptrdiff_t>(loop.first_piece);
  const auto end = pieces_.begin() + static_cast<std::ptrdiff_t>(loop.end_piece);
  loop.is_schedule_known = false;
  if (begin == end) return;
  std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
  std::int64_t highest = std::numeric_limits<std::int64_t>::min();
  std::uint64_t least = kMostIterations;
  std::uint64_t most = 1;
  for (auto at = begin; at != end; ++at) {
    lowest = std::min(lowest, at->piece.first);
    highest = std::max(highest, at->piece.last);
    const std::uint64_t size = (at->piece.iterations + at->chunks - 1) / at->chunks;
    least = std::min(least, size);
    most = std::max(most, size);
  }
  for (auto at = begin; at != end; ++at) {
    at->piece.first -= lowest;
    at->piece.last -= lowest;
  }
  // LLVM's runtime gives a thread that is alone all of it at once.
  if (most >= loop.iterations) return;
  // A block for each thread: static, by schedule(runtime).
  std::set<std::uint32_t> threads;
  for (auto at = begin; at != end; ++at) threads.insert(at->piece.thread);
  const bool one_each = std::all_of(begin, end, [](const Piece& one) { return one.chunks == 1; }) &&
                        threads.size() == loop.end_piece - loop.first_piece;
  if (one_each && most - least <= 1 && threads.size() > 1) {
    loop.is_schedule_known = true;
    return;
  }
  const auto small = std::count_if(begin, end, [&](const Piece& one) {
    return one.piece.last != highest - lowest && 4 * (one.piece.iterations / one.chunks) < 3 * most;
  });
  loop.schedule = small != 0 ? LoopSchedule::kGuided : LoopSchedule::kDynamic;
  loop.chunk = small != 0 ? least : most;
}

void LoopEvents::describe(std::uint32_t index) {
  TeamLoop& loop = team_.loops[index];
  loop.schedule = schedule_of(instances_[index].schedule);
  if (instances_[index].schedule == FORETASK_SCHEDULE_UNKNOWN) infer_schedule(loop);
}

}  // namespace foretask::graph
