// SPDX-License-Identifier: Apache-2.0
#include "graph/reconstruction/task_events.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace foretask::graph {
namespace {

std::uint16_t bits_of(std::uint32_t flags) {
  std::uint16_t bits = 0;
  if (flags & FORETASK_TASK_UNTIED) bits |= kUntied;
  if (flags & FORETASK_TASK_FINAL) bits |= kFinal;
  if (flags & FORETASK_TASK_ONE_ORDER) bits |= kInOneOrder;
  if (flags & FORETASK_TASK_EMPTY) bits |= kEmpty;
  if (flags & FORETASK_TASK_LOOSE) bits |= kLoose;
  if (flags & FORETASK_TASK_OWN) bits |= kOwn;
  return bits;
}

// An event of its own says that it goes on.
bool waits_for_an_event(FrameState state) {
  return state == FrameState::kTaskwait || state == FrameState::kDependWait || state == FrameState::kGroup;
}

// The last one of the task; the end where there is none.
std::vector<Frame>::iterator find_frame(std::vector<Frame>& stack, std::uint32_t task) {
  const auto found =
      std::find_if(stack.rbegin(), stack.rend(), [task](const Frame& frame) { return frame.task == task; });
  return found == stack.rend() ? stack.end() : std::prev(found.base());
}

}  // namespace

// A team of one runs every task at once and says 'undeferred' of all of them: only one with if(0) and one within a
// final task are so by the program's will. Outside of regions nothing can run beside it.
bool TaskEvents::parent_waits(std::uint32_t worker, std::uint32_t parent, std::uint32_t flags) {
  if (!(flags & FORETASK_TASK_UNDEFERRED)) return false;
  if (flags & FORETASK_TASK_IF_CLAUSE) return true;
  const std::uint32_t region = state_.workers[worker].region();
  if (region == kNone || state_.teams[region].team_size != 1) return true;
  return (flags & FORETASK_TASK_FINAL) && state_.tasks[parent].has(kFinal);
}

void TaskEvents::on_create(std::uint32_t worker, std::uint64_t code, std::uint32_t flags, std::uint32_t adopter) {
  WorkerState& at = state_.workers[worker];
  const std::uint32_t task = state_.tasks.index(worker, at.next_task++);
  at.last_created = task;
  order_.forget_accesses(worker);
  const bool is_by_runtime =
      (flags & FORETASK_TASK_ONE_ORDER) && (at.stack.empty() || state_.writer.current(worker) == kNoNode);
  Frame* frame = is_by_runtime ? nullptr : state_.running_frame(worker);
  TaskRecord& record = state_.tasks[task];
  if (record.parent != kNone || record.has(kImplicit) || (frame && frame->task == task)) {
    // A number for the second time. The task is in its parent's list of children already, and stays in one list.
    return state_.count_anomaly();
  }
  // One that is complete before it is created, in a damaged trace, is counted already, under no name.
  if (record.state != TaskState::kComplete) record.kernel = state_.kernels.number(KernelSite::Kind::kTask, code);
  record.bits = static_cast<std::uint16_t>(record.bits | bits_of(flags));
  if (!frame) {
    record.state = TaskState::kCreated;
    if (is_by_runtime) adopt(adopter != kNone ? adopter : worker, task);
    if (is_by_runtime && !(flags & (FORETASK_TASK_HAS_DEPENDENCES | FORETASK_TASK_EMPTY))) state_.count_ready(task);
    return;
  }
  const std::uint32_t parent = frame->task;
  record.parent = parent;
  state_.spoil_phase(*frame);
  if (frame->region != kNone) state_.teams[frame->region].has_tasks = true;
  if ((flags & FORETASK_TASK_LOOP) != 0)
    if (const auto loop = state_.taskloop_of.find(parent); loop != state_.taskloop_of.end())
      state_.taskloops[loop->second].tasks.push_back(task);
  // Made by a task that splits a taskloop: the construct is known of that one only.
  if ((flags & FORETASK_TASK_LOOP) && code == 0) record.kernel = state_.tasks[parent].kernel;
  // It is none, or does nothing: no code is named for it.
  const bool has_no_code = (flags & FORETASK_TASK_WAIT) && code == 0;
  if (record.has(kEmpty) || has_no_code) record.kernel = state_.tasks[parent].kernel;
  if (flags & FORETASK_TASK_WAIT) {
    // A taskwait with dependences: the parent itself waits, until its end names this number.
    record.set(kPseudo);
    state_.close_strand(worker);
    frame->state = FrameState::kDependWait;
    return;
  }
  if (!record.has(kEmpty)) ++state_.out.create_task;
  const bool waits = parent_waits(worker, parent, flags);
  if (waits) record.set(kParentWaits);
  // The damaged trace in which a task starts before it is created keeps its strand.
  if (record.state == TaskState::kUnknown) {
    record.state = TaskState::kCreated;
    record.strand = state_.close_strand(worker, Boundary::kCreate, (flags & FORETASK_TASK_UNDEFERRED) != 0 ? 1 : 0);
    if ((flags & FORETASK_TASK_UNDEFERRED) == 0) at.at_once.make();
    if (waits) {
      frame->state = FrameState::kChild;
    } else {
      state_.open_strand(worker, parent, EdgeKind::kContinuation, Boundary::kCreate);
    }
  }
  add_child(parent, task);
  if (record.state == TaskState::kCreated && !(flags & (FORETASK_TASK_HAS_DEPENDENCES | FORETASK_TASK_EMPTY)))
    state_.count_ready(task);
}

void TaskEvents::on_taken(std::uint32_t worker, std::uint64_t code, std::uint32_t within) {
  const std::uint32_t task = state_.tasks.index(worker, state_.workers[worker].next_task++);
  state_.workers[worker].last_created = task;
  TaskRecord& record = state_.tasks[task];
  if (record.parent != kNone || record.has(kImplicit) || record.state != TaskState::kUnknown)
    return state_.count_anomaly();  // a number for the second time
  record.kernel = state_.kernels.number(KernelSite::Kind::kTask, code);
  record.state = TaskState::kCreated;
  ++state_.out.create_task;
  std::uint32_t parent = state_.tasks[within].parent;
  while (parent != kNone && state_.tasks[parent].state == TaskState::kComplete) parent = state_.tasks[parent].parent;
  if (parent == kNone) return;
  record.parent = parent;
  record.strand = creating_strand(within);
  add_child(parent, task);
  state_.count_ready(task);
}

// The strand that has made a task. Looked for among the latest edges, as the task began a short while ago; kNoNode
// where it is not there.
NodeIndex TaskEvents::creating_strand(std::uint32_t task) const {
  constexpr std::size_t kMostEdges = 4096;
  const EdgesByTarget& edges = state_.out.edges;
  for (std::size_t i = edges.size(); i > 0 && edges.size() - i < kMostEdges; --i)
    if (edges.kind[i - 1] == EdgeKind::kCreate && state_.out.strands.task[edges.to[i - 1]] == task)
      return edges.from[i - 1];
  return kNoNode;
}

void TaskEvents::add_child(std::uint32_t parent, std::uint32_t task) {
  TaskRecord& record = state_.tasks[task];
  if (record.has(kLoose)) return;
  TaskRecord& creator = state_.tasks[parent];
  record.scope = creator.scope;
  record.next_sibling = creator.first_child;
  creator.first_child = task;
  if (record.state == TaskState::kComplete) return;
  if (record.scope != kNone) ++state_.scopes[record.scope].live;
  ++creator.live_children;
}

// The runtime creates it where no task runs.
void TaskEvents::adopt(std::uint32_t worker, std::uint32_t task) {
  const WorkerState& at = state_.workers[worker];
  TaskRecord& record = state_.tasks[task];
  if (!record.has(kEmpty)) ++state_.out.create_task;
  if (at.stack.empty()) return;
  record.parent = (record.has(kOwn) ? at.stack.front() : at.stack.back()).task;
  if (record.has(kEmpty)) record.kernel = state_.tasks[record.parent].kernel;
  add_child(record.parent, task);
}

void TaskEvents::note_gap(std::uint32_t worker, std::uint32_t task) {
  const std::int64_t idle_since = state_.writer.idle_since_ns(worker);
  const TaskRecord& record = state_.tasks[task];
  if (record.strand == kNoNode) return;
  const std::uint32_t deque = state_.out.strands.worker[record.strand];
  const bool stolen = deque != worker;
  const bool contended = !stolen && std::exchange(state_.workers[worker].is_stolen_from, false);
  if (stolen) state_.workers[deque].is_stolen_from = true;
  // A thread that waits for a core says nothing of the runtime.
  constexpr double kMuchWait = 0.1;
  if (idle_since < 0 || state_.workers[worker].core_wait > kMuchWait || !state_.is_in_full_team(worker)) return;
  const std::int64_t ready_since = std::max(state_.out.strands.end_ns[record.strand], order_.ready_ns(task));
  if (!stolen && ready_since > idle_since) return;
  const std::int64_t gap = state_.writer.gap_ns(worker, ready_since, state_.now_ns);
  RuntimeTimes& times = state_.out.runtime;
  const Boundary before = state_.workers[worker].boundary;
  if (stolen) {
    times.steal.add(state_.without_release_ns(worker, gap));
  } else if (before == Boundary::kCreate) {
    times.at_once.add(gap);
    state_.note_speed(worker, gap, &analysis::TeamCosts::at_once_ns);
  } else if (contended) {
    times.contended.add(state_.without_release_ns(worker, gap));
  } else if (before == Boundary::kTask) {
    const std::uint32_t dependences = state_.workers[worker].ended_dependences;
    times.ends[std::min(dependences, RuntimeTimes::kMostDependences)].add(gap);
    times.next.add(state_.without_release_ns(worker, gap));
  } else {
    times.dispatch.add(gap);
    state_.note_speed(worker, gap, &analysis::TeamCosts::dispatch_ns);
  }
}

void TaskEvents::start(std::uint32_t worker, std::uint32_t task, bool was_idle) {
  TaskRecord& record = state_.tasks[task];
  // Its creation was lost.
  if (record.state == TaskState::kUnknown) record.kernel = state_.kernels.number(KernelSite::Kind::kUnknown, 0);
  WorkerState& at = state_.workers[worker];
  if (runs_at_once(worker, task) && !record.has(kParentWaits) && state_.team_size(worker) > 1) at.at_once.run_at_once();
  if (was_idle) note_gap(worker, task);
  state_.uncount_ready(task);
  order_.make_join_nodes(task);
  at.stack.push_back({.task = task, .region = at.region()});
  record.state = TaskState::kStarted;
  ++state_.out.tasks;
  const NodeIndex strand = state_.open_strand(worker, task, EdgeKind::kCreate, Boundary::kTask);
  order_.add_edges(worker, task, strand);
}

// The task was created just now, and nothing has happened since. An untied one may have begun, and goes on at once.
bool TaskEvents::runs_at_once(std::uint32_t worker, std::uint32_t task) const {
  const WorkerState& at = state_.workers[worker];
  if (at.last_created != task || at.boundary != Boundary::kCreate) return false;
  const TaskRecord& record = state_.tasks[task];
  if (record.state == TaskState::kCreated) return true;
  // Its creator has done nothing since but to come back from it.
  constexpr std::int64_t kNothingNs = 1000;
  const NodeIndex strand = state_.writer.current(worker);
  return record.state == TaskState::kStarted && record.has(kUntied) && strand != kNoNode &&
         state_.now_ns - state_.out.strands.begin_ns[strand] <= kNothingNs;
}

// The running task is left for `next`: for its undeferred child it waits, else it could go on at once.
void TaskEvents::suspend_top(std::uint32_t worker, std::uint32_t next) {
  WorkerState& at = state_.workers[worker];
  if (at.stack.empty() || state_.writer.current(worker) == kNoNode) return;
  const bool is_at_once = runs_at_once(worker, next);
  // An untied task leaves its worker as if it had ended, and begins anew where it goes on.
  TaskRecord& left = state_.tasks[at.stack.back().task];
  const bool is_switch = !is_at_once && left.has(kUntied);
  if (left.has(kUntied) && state_.tasks[next].state == TaskState::kStarted) left.set(kHasParts);
  at.ended_dependences = 0;
  if (!is_at_once || !state_.discard_strand(worker))
    state_.close_strand(worker, is_switch ? Boundary::kTask : Boundary::kOther);
  Frame& frame = at.stack.back();
  state_.spoil_phase(frame);
  const TaskRecord& record = state_.tasks[next];
  const bool waits = record.state == TaskState::kCreated && record.has(kParentWaits) && record.parent == frame.task;
  frame.state = waits ? FrameState::kChild : FrameState::kReady;
  if (!waits) state_.count_ready(frame.task);
}

void TaskEvents::on_switch(std::uint32_t worker, std::uint32_t task) {
  WorkerState& at = state_.workers[worker];
  if (!at.stack.empty() && at.stack.back().task == task && state_.writer.current(worker) != kNoNode) return;
  suspend_top(worker, task);
  const bool was_idle = state_.writer.idle_since_ns(worker) < state_.now_ns;
  const TaskRecord& record = state_.tasks[task];
  if (record.state == TaskState::kCreated || record.state == TaskState::kUnknown) return start(worker, task, was_idle);
  if (record.state == TaskState::kComplete) return state_.count_anomaly();
  // A suspended task goes on: one of this worker's stack, or one that another worker left.
  const auto found = find_frame(at.stack, task);
  if (found != at.stack.end()) {
    const Frame frame = *found;
    // What was left above it may go on anywhere. What waits there has another stack of calls than this one.
    at.stack.erase(
        std::remove_if(found, at.stack.end(),
                       [&](const Frame& above) { return above.task == task || !waits_for_an_event(above.state); }),
        at.stack.end());
    at.stack.push_back(frame);
    resume_top(worker);
    return;
  }
  if (was_idle) note_gap(worker, task);
  at.stack.push_back(take_frame(worker, task));
  if (waits_for_an_event(at.stack.back().state)) return;
  state_.uncount_ready(task);
  state_.open_strand(worker, task, EdgeKind::kContinuation);
}

// Off the stack of another worker that has left it; where there is none it is a new one.
Frame TaskEvents::take_frame(std::uint32_t worker, std::uint32_t task) {
  for (std::uint32_t other = 0; other < state_.workers.size(); ++other) {
    std::vector<Frame>& stack = state_.workers[other].stack;
    const auto found = find_frame(stack, task);
    if (found == stack.end() || (&*found == &stack.back() && state_.writer.current(other) != kNoNode)) continue;
    Frame frame = *found;
    stack.erase(found);
    if (!waits_for_an_event(frame.state)) frame.state = FrameState::kRunning;
    return frame;
  }
  return {.task = task, .region = state_.workers[worker].region()};
}

// The frame on top goes on, unless it waits for something whose end has an event of its own.
void TaskEvents::resume_top(std::uint32_t worker) {
  if (state_.workers[worker].stack.empty()) return;
  Frame& frame = state_.workers[worker].stack.back();
  if (frame.state != FrameState::kReady && frame.state != FrameState::kChild) return;
  state_.uncount_ready(frame.task);
  const Boundary begin = frame.state == FrameState::kReady ? Boundary::kCreate : Boundary::kOther;
  frame.state = FrameState::kRunning;
  state_.open_strand(worker, frame.task, EdgeKind::kContinuation, begin);
}

void TaskEvents::on_end(std::uint32_t worker, bool detached) {
  WorkerState& at = state_.workers[worker];
  Frame* frame = state_.running_frame(worker);
  if (!frame || frame->member != kNone) {
    // The end of an implicit task has an event of its own.
    if (frame) state_.count_anomaly();
    return;
  }
  const std::uint32_t task = frame->task;
  state_.close_strand(worker, Boundary::kTask);
  const std::vector<std::uint16_t>& dependences = state_.out.dependences_of_task;
  at.ended_dependences = !detached && task < dependences.size() ? dependences[task] : 0;
  facts_.observe(worker, *frame);
  TaskRecord& record = state_.tasks[task];
  if (detached && !record.has(kFulfilled)) {
    record.state = TaskState::kDetached;
  } else {
    complete(task);
  }
  at.stack.pop_back();
  if (at.stack.empty()) return;
  const bool join = at.stack.back().state == FrameState::kChild;
  // Others run on the worker while the child that its task waits for has dependences of its own.
  const TaskRecord& ended = state_.tasks[task];
  if (join && !(ended.has(kParentWaits) && ended.parent == at.stack.back().task)) return;
  resume_top(worker);
  if (join && state_.writer.current(worker) != kNoNode)
    state_.out.edges.add(state_.tasks[task].strand, state_.writer.current(worker), EdgeKind::kJoin);
}

void TaskEvents::on_subtree(std::uint32_t worker, const std::uint32_t* payload, std::span<const std::uint32_t> list,
                            const SubtreeProbes& probes, double ns_per_tick) {
  Frame* const frame = state_.running_frame(worker);
  if (!frame || frame->member != kNone) return state_.count_anomaly();
  const NodeIndex strand = state_.writer.current(worker);
  const double elapsed_ns = static_cast<double>(state_.now_ns - state_.out.strands.begin_ns[strand]);
  const double between_ns = payload[1] * ns_per_tick;
  const double tool_ns = payload[2] * ns_per_tick;
  std::uint64_t made = 0;
  for (std::size_t item = 0; item < list.size(); item += 4) made += list[item + 2];
  const double waits = static_cast<double>(payload[3]) + payload[4];
  const double seen_ns = elapsed_ns - between_ns - tool_ns;
  const double charged_ns = state_.charge_subtree(worker, static_cast<double>(made), waits);
  const double gaps_ns = std::max(0.0, between_ns - probes.between_ns);
  state_.writer.take_out_until(worker, tool_ns, state_.now_ns);
  state_.writer.take_out_until(worker, probes.within_ns + std::min(between_ns, probes.between_ns), state_.now_ns);
  state_.writer.take_gaps(worker, gaps_ns, state_.now_ns);
  // The part of the stamped time that is left without probes and the runtime: the same for each of its kernels.
  const double own = seen_ns > 0 ? state_.net_at_end_ns(worker) / seen_ns : 0;
  state_.out.subtrees.push_back(
      {.node = strand,
       .tasks = made,
       .waits = static_cast<std::uint64_t>(waits),
       .runtime_ns = std::llround(std::clamp(seen_ns - probes.within_ns, 0.0, charged_ns) + gaps_ns),
       .span_ns = std::llround(payload[0] * ns_per_tick * own),
       .at_once = state_.at_once_share(worker)});
  state_.workers[worker].boundary = Boundary::kOther;  // it is more than the runtime's time
  TaskRecord& record = state_.tasks[frame->task];
  for (std::size_t item = 0; item < list.size(); item += 4) {
    const std::uint64_t code = trace::u64_at(&list[item]);
    const std::int64_t work_ns = std::llround(list[item + 3] * ns_per_tick * own);
    if (list[item + 2] == 0) continue;  // a damaged trace's
    state_.kernels.add_tasks(state_.kernels.number(KernelSite::Kind::kTask, code), list[item + 2], work_ns);
    record.work_ns -= work_ns;
  }
  state_.out.tasks += made;
  state_.out.contracted_tasks += made;
  state_.out.counted_tasks += payload[5];
  state_.out.create_task += made;
  state_.out.wait_tasks += static_cast<std::uint64_t>(waits);
}

// libomp ends a task of a cancelled group so, whether its body was cut short or never ran.
void TaskEvents::on_cancel(std::uint32_t worker, std::uint32_t task) {
  const std::vector<Frame>& stack = state_.workers[worker].stack;
  if (!stack.empty() && stack.back().task == task) {
    state_.tasks[task].note(kEndsCancelled);
    on_end(worker, false);
  } else if (state_.tasks[task].state == TaskState::kCreated) {
    ++state_.out.cancelled_tasks;
    state_.tasks[task].note(kDiscarded);
    complete(task);
    const TaskRecord& record = state_.tasks[task];
    if (!stack.empty() && stack.back().task == record.parent && record.has(kParentWaits)) resume_top(worker);
  } else {
    state_.count_anomaly();
  }
}

void TaskEvents::on_fulfill(std::uint32_t worker, std::uint32_t task) {
  TaskRecord& record = state_.tasks[task];
  if (record.state == TaskState::kCreated && record.has(kEmpty)) {
    record.set(kFulfilled);
    if (order_.is_met(task)) is_of_suspended(worker, task) ? pass_resumed(worker, task) : pass_empty(task);
    pass_met_empty();
    return;
  }
  if (record.state == TaskState::kCreated || record.state == TaskState::kStarted) {
    record.set(kFulfilled);
    return;
  }
  if (record.state != TaskState::kDetached) return state_.count_anomaly();
  // Complete when its body and the strand that fulfils are over: a node that comes after both. A thread outside of
  // OpenMP fulfils when it likes: as long after the body as it was.
  const NodeIndex body = record.strand;
  const NodeIndex fulfiller = state_.close_strand(worker);
  const bool from_outside = fulfiller == kNoNode && body != kNoNode;
  const NodeIndex node = state_.writer.add_node_of_no_worker(
      task, from_outside ? state_.out.strands.end_ns[body] : state_.now_ns, state_.now_ns);
  if (body != kNoNode) state_.out.edges.add(body, node, EdgeKind::kJoin);
  if (fulfiller != kNoNode) state_.out.edges.add(fulfiller, node, EdgeKind::kDependence);
  record.strand = node;
  complete(task);
  if (fulfiller != kNoNode)
    state_.open_strand(worker, state_.workers[worker].stack.back().task, EdgeKind::kContinuation);
}

// Its creator waits for it alone, and another task than that, or a thread outside of tasks, fulfils it.
bool TaskEvents::is_of_suspended(std::uint32_t worker, std::uint32_t task) const {
  const TaskRecord& record = state_.tasks[task];
  if (record.has(kInOneOrder) || record.parent == kNone || record.strand == kNoNode) return false;
  const NodeIndex running = state_.writer.current(worker);
  return running == kNoNode || state_.out.strands.task[running] != record.parent;
}

// It comes after what fulfils it; of a thread outside of tasks as long after its creation as it did.
void TaskEvents::pass_resumed(std::uint32_t worker, std::uint32_t task) {
  TaskRecord& record = state_.tasks[task];
  const NodeIndex created = record.strand;
  const NodeIndex fulfiller = state_.close_strand(worker);
  const std::int64_t begin_ns = fulfiller == kNoNode ? state_.out.strands.end_ns[created] : state_.now_ns;
  const NodeIndex node = state_.writer.add_node_of_no_worker(record.parent, begin_ns, state_.now_ns);
  state_.out.edges.add(created, node, EdgeKind::kCreate);
  if (fulfiller != kNoNode) state_.out.edges.add(fulfiller, node, EdgeKind::kDependence);
  record.strand = node;
  finish(task);
  if (fulfiller != kNoNode)
    state_.open_strand(worker, state_.workers[worker].stack.back().task, EdgeKind::kContinuation);
}

// A node that comes after all that the empty task comes after; its creator's, as no task ran.
void TaskEvents::pass_empty(std::uint32_t task) {
  TaskRecord& record = state_.tasks[task];
  const std::uint32_t owner = record.parent != kNone ? record.parent : task;
  const NodeIndex node = state_.writer.add_node_of_no_worker(owner, state_.now_ns, state_.now_ns);
  if (record.strand != kNoNode) state_.out.edges.add(record.strand, node, EdgeKind::kCreate);
  order_.add_dependence_edges(task, node);
  record.strand = node;
  finish(task);
}

void TaskEvents::pass_met_empty() {
  for (std::uint32_t task = order_.next_met_empty(); task != kNone; task = order_.next_met_empty())
    if (state_.tasks[task].has(kFulfilled)) pass_empty(task);
}

void TaskEvents::complete(std::uint32_t task) {
  finish(task);
  pass_met_empty();
}

void TaskEvents::finish(std::uint32_t task) {
  TaskRecord& record = state_.tasks[task];
  if (record.ran()) state_.kernels.add_task(record.kernel, record.work_ns);
  record.state = TaskState::kComplete;
  state_.uncount_ready(task);
  pass_on_children(task);
  order_.complete(task);
  if (record.has(kImplicit)) return;
  if (const std::uint32_t around = state_.scope_around(task); around != kNone) {
    Scope& scope = state_.scopes[around];
    if (scope.live != 0) --scope.live;
    if (scope.live == 0 && scope.waiting && scope.owner != kNone) state_.count_ready(scope.owner);
  }
  if (record.parent != kNone && !record.has(kLoose)) {
    TaskRecord& parent = state_.tasks[record.parent];
    if (parent.live_children != 0) --parent.live_children;
    if (parent.live_children == 0 && parent.has(kWaitsForChildren)) state_.count_ready(record.parent);
  }
}

// Children that no taskwait has joined are waited for by the scope around them.
void TaskEvents::pass_on_children(std::uint32_t task) {
  TaskRecord& record = state_.tasks[task];
  std::uint32_t child = record.first_child;
  record.first_child = kNone;
  while (child != kNone) {
    TaskRecord& orphan = state_.tasks[child];
    const std::uint32_t next = orphan.next_sibling;
    const std::uint32_t around = state_.scope_around(child);
    Scope& scope = state_.scopes[around == kNone ? 0 : around];
    orphan.next_sibling = scope.orphans;
    scope.orphans = child;
    child = next;
  }
}

}  // namespace foretask::graph
