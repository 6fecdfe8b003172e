// SPDX-License-Identifier: Apache-2.0
#include "graph/reconstruction/reconstruction_state.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/huge_pages.hpp"

namespace foretask::graph {

ReconstructionState::ReconstructionState(std::size_t streams, const TraceCensus& census, std::size_t counters,
                                         std::int64_t last_ns, const std::vector<analysis::TeamCosts>& team_costs)
    : occupancy(census.workers, last_ns),
      idle(streams),
      writer(out, streams, census.events, occupancy),
      tasks(census, &StreamCensus::tasks),
      teams(census, &StreamCensus::regions),
      kernels(out),
      scopes(1),
      workers(streams),
      team_costs_(team_costs) {
  out.workers = census.workers;
  out.useful_of_worker.resize(streams);
  out.counters = CounterTable(static_cast<std::uint32_t>(counters));
  // Each strand has a predecessor or two; more grow as they come.
  const std::size_t edges = census.events + census.events / 2;
  base::reserve_on_huge_pages(out.edges.from, edges);
  base::reserve_on_huge_pages(out.edges.to, edges);
  base::reserve_on_huge_pages(out.edges.kind, edges);
  occupancy.start(0);
}

Frame* ReconstructionState::running_frame(std::uint32_t worker) {
  std::vector<Frame>& stack = workers[worker].stack;
  if (stack.empty()) {
    count_anomaly();
    return nullptr;
  }
  Frame& frame = stack.back();
  if (writer.current(worker) == kNoNode) {
    if (frame.state != FrameState::kLock && frame.state != FrameState::kBlocked && frame.state != FrameState::kChild)
      count_anomaly();
    uncount_ready(frame.task);
    open_strand(worker, frame.task, EdgeKind::kContinuation);
    frame.state = FrameState::kRunning;
  }
  return &frame;
}

// A damaged trace may claim any size.
std::uint32_t ReconstructionState::team_size(std::uint32_t worker) const {
  const std::uint32_t region = workers[worker].region();
  const auto most = static_cast<std::uint32_t>(workers.size());
  return region == kNone ? 1 : std::clamp(teams[region].team_size, 1U, most);
}

const analysis::TeamCosts& ReconstructionState::costs_of(std::uint32_t threads) {
  for (auto known = static_cast<std::uint32_t>(costs_by_size_.size()); known <= threads; ++known)
    costs_by_size_.push_back(analysis::team_costs(team_costs_, known));
  return costs_by_size_[threads];
}

void ReconstructionState::note_speed(std::uint32_t worker, std::int64_t gap_ns,
                                     std::int64_t analysis::TeamCosts::*calibrated) {
  if (team_costs_.empty()) return;
  // Less is lost in what a probe costs.
  constexpr std::int64_t kLeastNs = 10;
  const std::int64_t calibrated_ns = costs_of(team_size(worker)).*calibrated;
  if (calibrated_ns >= kLeastNs)
    workers[worker].speed.add(static_cast<double>(gap_ns), static_cast<double>(calibrated_ns));
}

void ReconstructionState::advance() {
  if (occupancy.is_at(now_ns)) return;
  const double before_ns = occupancy.elapsed_ns();
  occupancy.advance(now_ns);
  idle.add(occupancy.elapsed_ns() - before_ns, out.workers, occupancy.running(), occupancy.ready());
}

Idle ReconstructionState::idle_of(std::uint32_t worker) const {
  if (writer.current(worker) != kNoNode) return Idle::kRuns;
  const std::vector<Frame>& stack = workers[worker].stack;
  if (stack.empty()) return Idle::kOutside;
  const Frame& frame = stack.back();
  switch (frame.state) {
    case FrameState::kLock:
      return Idle::kLock;
    case FrameState::kBlocked:
      return Idle::kMessages;
    case FrameState::kBarrier:
    case FrameState::kRegion:
      return Idle::kBarrier;
    case FrameState::kRunning:
      return Idle::kOutside;
    default:
      return Idle::kTasks;
  }
}

void ReconstructionState::note_idle(std::uint32_t worker) {
  idle.set(worker, idle_of(worker), workers[worker].core_wait);
}

void ReconstructionState::set_starting(Region& region, std::uint32_t members) {
  // A damaged trace may claim more threads than it has.
  members = region.is_for_tasks ? 0 : std::min(members, static_cast<std::uint32_t>(workers.size()));
  idle.add_starting(std::int64_t{members} - region.starting);
  region.starting = members;
}

void ReconstructionState::blame(std::uint32_t worker, const TaskRecord& record, const StrandWriter::Closed& closed) {
  const double ns = idle.blame_ns() - workers[worker].blame_ns;
  if (!(ns > 0)) return;
  const auto add = [&](analysis::Cause cause, double part) {
    idle.add(cause, part * ns);
    kernels.add_lost(record.kernel, cause, part * ns);
  };
  const Frame* const frame = workers[worker].stack.empty() ? nullptr : &workers[worker].stack.back();
  const Region* const region = frame != nullptr && frame->region != kNone ? &teams[frame->region] : nullptr;
  const double length_ns = std::max(1.0, closed.with_runtime_ns);
  const double runtime = std::clamp(1 - static_cast<double>(closed.duration_ns) / length_ns, 0.0, 1.0);
  add(frame != nullptr && frame->share != kNone ? analysis::Cause::kRegionCosts : analysis::Cause::kTaskCosts, runtime);
  const bool is_of_team = frame != nullptr && tasks[frame->task].has(kImplicit);
  analysis::Cause cause = analysis::Cause::kCriticalPath;
  if (is_of_team && (region == nullptr || region->is_for_tasks || region->team_size < 2))
    cause = analysis::Cause::kSerial;
  else if (is_of_team && (!region->has_tasks || frame->share != kNone))
    cause = analysis::Cause::kImbalance;
  // What one thread alone waits for in the system, all wait for. At a loop's end they wait for its part of the loop.
  const double blocked =
      cause == analysis::Cause::kImbalance ? 0 : std::clamp(closed.blocked_ns / length_ns, 0.0, 1 - runtime);
  add(analysis::Cause::kBlocked, blocked);
  add(cause, 1 - runtime - blocked);
}

double ReconstructionState::charge_hand_outs(std::uint32_t worker, std::uint32_t chunks) {
  if (team_costs_.empty()) return 0;
  const double ns = static_cast<double>(costs_of(team_size(worker)).chunk_ns) * chunks;
  writer.charge_hand_outs(worker, ns);
  return ns;
}

void ReconstructionState::charge_dependences(std::uint32_t worker, std::uint32_t count) {
  WorkerState& at = workers[worker];
  std::vector<std::uint16_t>& known = out.dependences_of_task;
  if (known.size() <= at.last_created) known.resize(at.last_created + std::size_t{1}, 0);
  known[at.last_created] = static_cast<std::uint16_t>(std::min<std::uint32_t>(known[at.last_created] + count, 0xffff));
  at.created_dependences += count;
  if (!team_costs_.empty() && writer.current(worker) != kNoNode)
    charge(worker, static_cast<double>(costs_of(team_size(worker)).depend_ns) * count, at.speed.factor());
}

std::int64_t ReconstructionState::without_release_ns(std::uint32_t worker, std::int64_t gap_ns) {
  if (team_costs_.empty() || workers[worker].boundary != Boundary::kTask) return gap_ns;
  return std::max<std::int64_t>(0, gap_ns - costs_of(team_size(worker)).release_ns * workers[worker].ended_dependences);
}

void ReconstructionState::charge(std::uint32_t worker, double cost_ns, double factor) {
  writer.charge(worker, factor * cost_ns);
  out.calibrated_runtime_ns += cost_ns;
  out.charged_runtime_ns += factor * cost_ns;
}

double ReconstructionState::charge_subtree(std::uint32_t worker, double made, double waits) {
  if (team_costs_.empty() || made == 0) return 0;
  const auto within_ns = [&](std::uint32_t threads) {
    return analysis::task_costs(costs_of(threads), waits / made, has_parts(worker)).within_ns;
  };
  const double cost_ns = made * std::lerp(within_ns(team_size(worker)), within_ns(1), at_once_share(worker));
  charge(worker, cost_ns, 1);
  return cost_ns;
}

double ReconstructionState::net_at_end_ns(std::uint32_t worker) {
  const double end_ns = team_costs_.empty()
                            ? 0
                            : workers[worker].speed.factor() * static_cast<double>(costs_of(team_size(worker)).body_ns);
  return std::max(0.0, writer.net_ns(worker, now_ns) - end_ns);
}

NodeIndex ReconstructionState::open_strand(std::uint32_t worker, std::uint32_t task, EdgeKind kind, Boundary begin) {
  TaskRecord& record = tasks[task];
  const NodeIndex before = record.strand;
  Frame* const frame = workers[worker].stack.empty() ? nullptr : &workers[worker].stack.back();
  const bool is_frames = frame != nullptr && frame->task == task;
  record.strand = writer.open(worker, is_frames && frame->share != kNone ? frame->share : task, now_ns);
  if (is_frames && frame->phase != kNone)
    phase_strands.push_back({{record.strand, frame->thread, frame->loop}, frame->phase, frame->single});
  workers[worker].boundary = begin;
  if (begin == Boundary::kCreate) workers[worker].created_dependences = 0;
  workers[worker].running_ns = occupancy.running_ns();
  workers[worker].elapsed_ns = occupancy.elapsed_ns();
  workers[worker].blame_ns = idle.blame_ns();
  workers[worker].opening_edge = out.edges.size();
  if (before != kNoNode) out.edges.add(before, record.strand, kind);
  return record.strand;
}

NodeIndex ReconstructionState::close_strand(std::uint32_t worker, Boundary end, std::uint32_t threads) {
  if (!team_costs_.empty() && end != Boundary::kOther && writer.current(worker) != kNoNode) {
    const analysis::TeamCosts& costs = costs_of(threads != 0 ? threads : team_size(worker));
    double cost_ns = static_cast<double>(end == Boundary::kWait ? costs.wait_ns : costs.body_ns);
    if (end == Boundary::kCreate) {
      const auto create_ns = static_cast<double>(costs.create_ns);
      cost_ns = std::lerp(create_ns, static_cast<double>(costs_of(1).create_ns), at_once_share(worker));
    }
    charge(worker, cost_ns, workers[worker].speed.factor());
  }
  const StrandWriter::Closed closed = writer.close(worker, now_ns);
  if (closed.strand == kNoNode) return kNoNode;
  WorkerState& state = workers[worker];
  const Boundary begin = std::exchange(state.boundary, end);
  if (begin != Boundary::kOther && end != Boundary::kOther && is_in_full_team(worker)) {
    const std::int64_t ns = std::llround(closed.with_runtime_ns);
    if (begin != Boundary::kCreate || state.created_dependences == 0)
      out.runtime.strands[static_cast<std::size_t>(begin)][static_cast<std::size_t>(end)].add(ns);
    else if (end == Boundary::kCreate)
      out.runtime.creations[std::min(state.created_dependences, RuntimeTimes::kMostDependences)].add(ns);
  }
  if (!state.stack.empty()) {
    state.stack.back().running_ns += occupancy.running_ns() - state.running_ns;
    state.stack.back().elapsed_ns += occupancy.elapsed_ns() - state.elapsed_ns;
  }
  TaskRecord& record = tasks[out.strands.task[closed.strand]];
  blame(worker, record, closed);
  out.useful_of_worker[worker] += static_cast<double>(closed.duration_ns) - closed.blocked_ns;
  record.work_ns += closed.duration_ns;
  if (closed.blocked_ns > 0) kernels.add_blocked(record.kernel, closed.blocked_ns);
  // A thread that is told late that its region is over: the region's end has completed its implicit task.
  if (record.state == TaskState::kComplete) kernels.add_work(record.kernel, closed.duration_ns);
  return closed.strand;
}

bool ReconstructionState::discard_strand(std::uint32_t worker) {
  const NodeIndex strand = writer.current(worker);
  Frame& frame = workers[worker].stack.back();
  TaskRecord& record = tasks[frame.task];
  const std::size_t edge = workers[worker].opening_edge;
  if (strand == kNoNode || record.strand != strand || frame.share != kNone) return false;
  if (edge >= out.edges.size() || out.edges.to[edge] != strand) return false;
  const bool is_last = edge + 1 == out.edges.size() && strand + 1 == out.strands.size();
  const bool is_in_phase = frame.phase != kNone;
  if (is_in_phase && (!is_last || phase_strands.empty() || phase_strands.back().strand.node != strand)) return false;
  record.strand = out.edges.from[edge];
  if (is_in_phase) phase_strands.pop_back();
  if (is_last && writer.discard(worker, now_ns)) {
    out.edges.from.pop_back();
    out.edges.to.pop_back();
    out.edges.kind.pop_back();
  } else {
    // Others have begun meanwhile: a node of no worker and no length is left, which no edge leads to.
    dropped_edges.push_back(edge);
    writer.discard_in_place(worker, workers[worker].stack.front().task, now_ns);
  }
  return true;
}

void ReconstructionState::drop_edges() {
  if (dropped_edges.empty()) return;
  std::sort(dropped_edges.begin(), dropped_edges.end());
  EdgesByTarget& edges = out.edges;
  std::size_t kept = dropped_edges.front();
  auto next = dropped_edges.begin();
  for (std::size_t edge = kept; edge < edges.size(); ++edge) {
    if (next != dropped_edges.end() && *next == edge) {
      ++next;
      continue;
    }
    edges.from[kept] = edges.from[edge];
    edges.to[kept] = edges.to[edge];
    edges.kind[kept++] = edges.kind[edge];
  }
  edges.from.resize(kept);
  edges.to.resize(kept);
  edges.kind.resize(kept);
  dropped_edges.clear();
}

bool ReconstructionState::pause(std::uint32_t worker, FrameState state) {
  Frame* frame = running_frame(worker);
  if (!frame) return false;
  frame->paused_ns = now_ns;
  frame->paused_stood_ns = occupancy.stood_ns();
  frame->paused_strand = close_strand(worker);
  frame->state = state;
  note_idle(worker);
  return true;
}

NodeIndex ReconstructionState::end_pause(std::uint32_t worker, bool splits) {
  WorkerState& state = workers[worker];
  Frame& frame = state.stack.back();
  frame.state = FrameState::kRunning;
  const std::int64_t stood_ns = std::llround(occupancy.stood_ns() - frame.paused_stood_ns);
  const std::int64_t blocked_ns = now_ns - frame.paused_ns - stood_ns;
  out.blocked_ns += blocked_ns;
  if (frame.phase != kNone) blocked_of_phase[frame.phase] += blocked_ns;
  const NodeIndex strand = std::exchange(frame.paused_strand, kNoNode);
  const TaskRecord& record = tasks[frame.task];
  if (splits || strand == kNoNode || record.strand != strand)
    return open_strand(worker, frame.task, EdgeKind::kContinuation);
  tasks[out.strands.task[strand]].work_ns -= out.strands.duration_ns[strand];
  out.useful_of_worker[worker] -= static_cast<double>(out.strands.duration_ns[strand]);
  writer.reopen(worker, strand, frame.paused_ns, now_ns);
  state.running_ns = occupancy.running_ns();
  state.elapsed_ns = occupancy.elapsed_ns();
  state.blame_ns = idle.blame_ns();
  return kNoNode;
}

void ReconstructionState::end_thread(std::uint32_t worker) {
  WorkerState& state = workers[worker];
  close_strand(worker);
  writer.set_gives_way(worker, false);
  state.stack.clear();
  state.last_created = kNone;
  state.is_stolen_from = false;
}

std::uint32_t ReconstructionState::add_phase(std::uint32_t region) {
  // A damaged trace may claim more threads than it has.
  const auto streams = static_cast<std::uint32_t>(workers.size());
  phases.push_back({.threads = std::clamp(teams[region].team_size, 1U, std::max(1U, streams)),
                    .divides = !teams[region].is_for_tasks});
  region_of_phase.push_back(region);
  blocked_of_phase.push_back(0);
  return static_cast<std::uint32_t>(phases.size() - 1);
}

void ReconstructionState::spoil_phase(const Frame& frame) {
  if (frame.phase == kNone) return;
  phases[frame.phase].divides = false;
  teams[frame.region].is_spoiled = true;
}

void ReconstructionState::count_ready(std::uint32_t task) {
  TaskRecord& record = tasks[task];
  if (record.has(kCountedReady)) return;
  record.set(kCountedReady);
  occupancy.add_ready(1);
}

void ReconstructionState::uncount_ready(std::uint32_t task) {
  TaskRecord& record = tasks[task];
  if (!record.has(kCountedReady)) return;
  record.clear(kCountedReady);
  occupancy.add_ready(-1);
}

std::uint32_t ReconstructionState::add_scope(const Scope& scope) {
  scopes.push_back(scope);
  return static_cast<std::uint32_t>(scopes.size() - 1);
}

std::uint32_t ReconstructionState::scope_around(std::uint32_t task) const {
  std::uint32_t scope = tasks[task].scope;
  while (scope != kNone && scopes[scope].owner == task) scope = scopes[scope].outer;
  return scope;
}

void ReconstructionState::release(std::uint32_t task) {
  const TaskRecord& record = tasks[task];
  if (!releases_early || record.state != TaskState::kStarted || record.strand == kNoNode) return;
  const std::uint32_t worker = out.strands.worker[record.strand];
  if (writer.current(worker) != record.strand) return;
  released_[task] = close_strand(worker);
  open_strand(worker, task, EdgeKind::kContinuation);
}

void ReconstructionState::release_list(std::uint32_t first, std::uint32_t end) {
  for (std::uint32_t task = first; task != kNone && task != end; task = tasks[task].next_sibling) release(task);
}

NodeIndex ReconstructionState::strand_to_wait_for(std::uint32_t task) const {
  const TaskRecord& record = tasks[task];
  if (record.state == TaskState::kComplete || released_.empty()) return record.strand;
  const auto found = released_.find(task);
  return found == released_.end() ? record.strand : found->second;
}

std::int64_t ReconstructionState::join_list(std::uint32_t first, std::uint32_t end, NodeIndex into) {
  std::int64_t latest_ns = 0;
  for (std::uint32_t task = first; task != kNone && task != end; task = tasks[task].next_sibling) {
    const NodeIndex last = strand_to_wait_for(task);
    const bool is_over = tasks[task].state == TaskState::kComplete || last != tasks[task].strand;
    if (is_over && last < into) {
      out.edges.add(last, into, EdgeKind::kJoin);
      latest_ns = std::max(latest_ns, out.strands.end_ns[last]);
    } else if (releases_early) {
      late_tasks_.push_back({task, now_ns});
    } else {
      count_anomaly();  // elsewhere a task's end is stamped well before what waits for it can go on
    }
  }
  return latest_ns;
}

std::uint64_t ReconstructionState::contradicted_joins() const {
  // A processor may read its clock while it still waits for the word that tells of the task's end.
  constexpr std::int64_t kClockSlackNs = 1000;
  return static_cast<std::uint64_t>(std::ranges::count_if(late_tasks_, [this](const LateTask& late) {
    const TaskRecord& record = tasks[late.task];
    return record.state != TaskState::kComplete || record.strand == kNoNode ||
           out.strands.end_ns[record.strand] - late.wait_end_ns > kClockSlackNs;
  }));
}

std::int64_t ReconstructionState::join_orphans(std::uint32_t scope, NodeIndex into) {
  return join_list(std::exchange(scopes[scope].orphans, kNone), kNone, into);
}

}  // namespace foretask::graph
