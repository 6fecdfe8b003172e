// SPDX-License-Identifier: Apache-2.0
// Creation, start, suspension and end of tasks.
#include <algorithm>

#include "graph/replay/trace_replay.hpp"

namespace foretask::graph {
namespace {

// Enough for a median; the rest would only cost memory.
constexpr std::size_t kMaxGaps = 1 << 17;
// A set of so many tasks that several wait for gets a node of its own.
constexpr std::size_t kLargeSet = 4;

std::uint8_t bits_of(std::uint32_t flags) {
  std::uint8_t bits = 0;
  if (flags & FORETASK_TASK_UNTIED) bits |= kUntied;
  if (flags & FORETASK_TASK_FINAL) bits |= kFinal;
  return bits;
}

}  // namespace

// A team of one runs every task at once and says 'undeferred' of all of them: only one with if(0) and one within a
// final task are so by the program's will. Outside of regions nothing can run beside it.
bool TraceReplay::parent_waits(std::uint32_t worker, std::uint32_t parent, std::uint32_t flags) {
  if (!(flags & FORETASK_TASK_UNDEFERRED)) return false;
  if (flags & FORETASK_TASK_IF_CLAUSE) return true;
  const std::uint32_t region = workers_[worker].stack.back().region;
  if (region == kNone || teams_[region].team_size != 1) return true;
  return (flags & FORETASK_TASK_FINAL) && tasks_[parent].has(kFinal);
}

void TraceReplay::on_create(std::uint32_t worker, std::uint64_t code, std::uint32_t flags) {
  Worker& state = workers_[worker];
  const std::uint32_t task = tasks_.index(worker, state.next_task++);
  state.last_created = task;
  state.accesses.clear();
  Frame* frame = running_frame(worker);
  TaskRecord& record = tasks_[task];
  if (record.parent != kNone || record.has(kImplicit) || (frame && frame->task == task)) {
    // A number for the second time. The task is in its parent's list of children already, and stays in one list.
    ++out_.anomalies;
    return;
  }
  // One that is complete before it is created, in a damaged trace, is counted already, under no name.
  if (record.state != TaskState::kComplete) record.kernel = kernels_.number(KernelSite::Kind::kTask, code);
  record.bits = static_cast<std::uint8_t>(record.bits | bits_of(flags));
  if (!frame) {
    record.state = TaskState::kCreated;
    return;
  }
  const std::uint32_t parent = frame->task;
  record.parent = parent;
  // Made by a task that splits a taskloop: the construct is known of that one only.
  if ((flags & FORETASK_TASK_LOOP) && code == 0) record.kernel = tasks_[parent].kernel;
  if (flags & FORETASK_TASK_WAIT) {
    // A taskwait with dependences: the parent itself waits, until its end names this number.
    record.set(kPseudo);
    close_strand(worker);
    frame->state = FrameState::kDependWait;
    return;
  }
  ++out_.create_task;
  // The damaged trace in which a task starts before it is created keeps its strand.
  if (record.state == TaskState::kUnknown) {
    record.state = TaskState::kCreated;
    record.strand = close_strand(worker);
    open_after(worker, parent, EdgeKind::kContinuation);
  }
  TaskRecord& creator = tasks_[parent];
  record.scope = creator.scope;
  record.next_sibling = creator.first_child;
  creator.first_child = task;
  if (record.state != TaskState::kComplete) {
    if (record.scope != kNone) ++scopes_[record.scope].live;
    ++creator.live_children;
  }
  if (parent_waits(worker, parent, flags)) record.set(kParentWaits);
  if (record.state == TaskState::kCreated && !(flags & FORETASK_TASK_HAS_DEPENDENCES)) count_ready(task);
}

void TraceReplay::on_dependences(std::uint32_t worker, const std::uint32_t* payload) {
  const std::uint32_t task = workers_[worker].last_created;
  if (task == kNone) {
    ++out_.anomalies;
    return;
  }
  const std::uint32_t count = *payload++;
  for (std::uint32_t i = 0; i < count; ++i, payload += 3)
    dependences_.add(tasks_[task].parent, task, payload[0] | static_cast<std::uint64_t>(payload[1]) << 32, payload[2]);
  const DependentTask* dependent = dependences_.find(task);
  if (tasks_[task].state != TaskState::kCreated) return;
  if (!dependent || dependent->unmet == 0) {
    count_ready(task);
  } else {
    uncount_ready(task);
  }
}

void TraceReplay::add_dependence_edges(std::uint32_t task, NodeIndex strand) {
  DependentTask* dependent = dependences_.find(task);
  if (!dependent) return;
  for (const SetId id : dependent->waits_for) {
    DependenceSet& set = dependences_.set(id);
    if (set.join_node != kNoNode && set.join_node < strand) {
      out_.edges.add(set.join_node, strand, EdgeKind::kDependence);
      continue;
    }
    for (const std::uint32_t member : set.members)
      if (member != task && tasks_[member].strand < strand)
        out_.edges.add(tasks_[member].strand, strand, EdgeKind::kDependence);
  }
  for (const SetId id : dependent->member_of) {
    DependenceSet& set = dependences_.set(id);
    if (!set.exclusive) continue;
    // mutexinoutset: in any order, but one at a time; the recorded order stands for it. The one before is over, so that
    // its strand is its last.
    const std::uint32_t before = set.last_exclusive;
    if (before != kNone && before != task && tasks_[before].strand < strand)
      out_.edges.add(tasks_[before].strand, strand, EdgeKind::kDependence);
    set.last_exclusive = task;
  }
}

void TraceReplay::note_gap(std::uint32_t worker, std::uint32_t task) {
  const std::int64_t idle_since = writer_.idle_since_ns(worker);
  const TaskRecord& record = tasks_[task];
  if (idle_since < 0 || record.strand == kNoNode) return;
  std::int64_t ready_since = out_.strands.end_ns[record.strand];
  if (const DependentTask* dependent = dependences_.find(task))
    ready_since = std::max(ready_since, dependent->ready_ns);
  const bool stolen = out_.strands.worker[record.strand] != worker;
  const std::int64_t gap = now_ns_ - std::max(idle_since, ready_since);
  if (gap < 0 || (!stolen && ready_since > idle_since)) return;
  std::vector<std::int64_t>& gaps = stolen ? out_.gaps.stolen : out_.gaps.own;
  if (gaps.size() < kMaxGaps) gaps.push_back(gap);
}

void TraceReplay::start_task(std::uint32_t worker, std::uint32_t task, bool was_idle) {
  TaskRecord& record = tasks_[task];
  // Its creation was lost.
  if (record.state == TaskState::kUnknown) record.kernel = kernels_.number(KernelSite::Kind::kUnknown, 0);
  if (was_idle) note_gap(worker, task);
  uncount_ready(task);
  const std::uint32_t region = workers_[worker].stack.empty() ? kNone : workers_[worker].stack.back().region;
  if (dependences_.find(task)) {
    // Nodes that stand for large sets come before the strand that follows them.
    for (const SetId id : dependences_.find(task)->waits_for) {
      DependenceSet& set = dependences_.set(id);
      if (set.join_node != kNoNode || set.members.size() <= kLargeSet || set.users < 2 || set.incomplete != 0) continue;
      const std::uint32_t first = set.members.front();
      const std::uint32_t parent = tasks_[first].parent;
      set.join_node = writer_.add_node_of_no_worker(parent != kNone ? parent : first, now_ns_, now_ns_);
      for (const std::uint32_t member : set.members)
        out_.edges.add(tasks_[member].strand, set.join_node, EdgeKind::kDependence);
    }
  }
  workers_[worker].stack.push_back({task, region, kNone, FrameState::kRunning});
  record.state = TaskState::kStarted;
  ++out_.tasks;
  const NodeIndex strand = open_after(worker, task, EdgeKind::kCreate);
  add_dependence_edges(task, strand);
  add_access_edges(worker, task, strand);
}

// The running task is left for `next`: for its undeferred child it waits, else it could go on at once.
void TraceReplay::suspend_for_switch(std::uint32_t worker, std::uint32_t next) {
  Worker& state = workers_[worker];
  if (state.stack.empty() || writer_.current(worker) == kNoNode) return;
  close_strand(worker);
  Frame& frame = state.stack.back();
  const TaskRecord& record = tasks_[next];
  const bool waits = record.state == TaskState::kCreated && record.has(kParentWaits) && record.parent == frame.task;
  frame.state = waits ? FrameState::kChild : FrameState::kReady;
  if (!waits) count_ready(frame.task);
}

void TraceReplay::on_switch(std::uint32_t worker, std::uint32_t task) {
  Worker& state = workers_[worker];
  if (!state.stack.empty() && state.stack.back().task == task && writer_.current(worker) != kNoNode) return;
  const bool was_idle = writer_.current(worker) == kNoNode;
  suspend_for_switch(worker, task);
  const TaskRecord& record = tasks_[task];
  if (record.state == TaskState::kCreated || record.state == TaskState::kUnknown) {
    start_task(worker, task, was_idle);
    return;
  }
  if (record.state == TaskState::kComplete) {
    ++out_.anomalies;
    return;
  }
  // A suspended task goes on: one of this worker's stack, or an untied one that another worker left.
  const auto found =
      std::find_if(state.stack.rbegin(), state.stack.rend(), [task](const Frame& frame) { return frame.task == task; });
  if (found != state.stack.rend()) {
    state.stack.erase(found.base(), state.stack.end());
    resume_frame(worker);
    return;
  }
  uncount_ready(task);
  const std::uint32_t region = state.stack.empty() ? kNone : state.stack.back().region;
  state.stack.push_back({task, region, kNone, FrameState::kRunning});
  open_after(worker, task, EdgeKind::kContinuation);
}

// The frame on top goes on, unless it waits for something whose end has an event of its own.
void TraceReplay::resume_frame(std::uint32_t worker) {
  if (workers_[worker].stack.empty()) return;
  Frame& frame = workers_[worker].stack.back();
  if (frame.state != FrameState::kReady && frame.state != FrameState::kChild) return;
  uncount_ready(frame.task);
  frame.state = FrameState::kRunning;
  open_after(worker, frame.task, EdgeKind::kContinuation);
}

void TraceReplay::on_end(std::uint32_t worker, bool detached) {
  Worker& state = workers_[worker];
  Frame* frame = running_frame(worker);
  if (!frame || frame->member != kNone) {
    // The end of an implicit task has an event of its own.
    if (frame) ++out_.anomalies;
    return;
  }
  const std::uint32_t task = frame->task;
  close_strand(worker);
  observe(worker, *frame);
  TaskRecord& record = tasks_[task];
  if (detached && !record.has(kFulfilled)) {
    record.state = TaskState::kDetached;
  } else {
    complete(task);
  }
  state.stack.pop_back();
  if (state.stack.empty()) return;
  const bool join = state.stack.back().state == FrameState::kChild;
  resume_frame(worker);
  if (join && writer_.current(worker) != kNoNode)
    out_.edges.add(tasks_[task].strand, writer_.current(worker), EdgeKind::kJoin);
}

// libomp ends a task of a cancelled group so, whether its body was cut short or never ran.
void TraceReplay::on_cancel(std::uint32_t worker, std::uint32_t task) {
  const std::vector<Frame>& stack = workers_[worker].stack;
  if (!stack.empty() && stack.back().task == task) {
    tasks_[task].note(kEndsCancelled);
    has_cut_tasks_ = true;
    on_end(worker, false);
  } else if (tasks_[task].state == TaskState::kCreated) {
    ++out_.cancelled_tasks;
    tasks_[task].note(kDiscarded);
    complete(task);
  } else {
    ++out_.anomalies;
  }
}

void TraceReplay::on_fulfill(std::uint32_t worker, std::uint32_t task) {
  TaskRecord& record = tasks_[task];
  if (record.state == TaskState::kStarted) {
    record.set(kFulfilled);
    return;
  }
  if (record.state != TaskState::kDetached) {
    ++out_.anomalies;
    return;
  }
  // Complete when its body and the strand that fulfils are over: a node that comes after both. A thread outside of
  // OpenMP fulfils when it likes: as long after the body as it was.
  const NodeIndex body = record.strand;
  const NodeIndex fulfiller = close_strand(worker);
  const bool from_outside = fulfiller == kNoNode && body != kNoNode;
  const NodeIndex node =
      writer_.add_node_of_no_worker(task, from_outside ? out_.strands.end_ns[body] : now_ns_, now_ns_);
  if (body != kNoNode) out_.edges.add(body, node, EdgeKind::kJoin);
  if (fulfiller != kNoNode) out_.edges.add(fulfiller, node, EdgeKind::kDependence);
  record.strand = node;
  complete(task);
  if (fulfiller != kNoNode) open_after(worker, out_.strands.task[fulfiller], EdgeKind::kContinuation);
}

void TraceReplay::complete(std::uint32_t task) {
  TaskRecord& record = tasks_[task];
  if (record.ran()) kernels_.add_task(record.kernel, record.work_ns);
  record.state = TaskState::kComplete;
  uncount_ready(task);
  pass_on_children(task);
  ranges_.forget(task);
  if (record.has(kImplicit)) return;
  if (record.scope != kNone) {
    Scope& scope = scopes_[record.scope];
    if (scope.live != 0) --scope.live;
    if (scope.live == 0 && scope.waiting && scope.owner != kNone) count_ready(scope.owner);
  }
  if (record.parent != kNone) {
    TaskRecord& parent = tasks_[record.parent];
    if (parent.live_children != 0) --parent.live_children;
    if (parent.live_children == 0 && parent.has(kWaitsForChildren)) count_ready(record.parent);
  }
  dependences_.complete(task, now_ns_, [this](std::uint32_t other) {
    if (tasks_[other].state == TaskState::kCreated) count_ready(other);
  });
}

// Children that no taskwait has joined are waited for by the scope around them.
void TraceReplay::pass_on_children(std::uint32_t task) {
  TaskRecord& record = tasks_[task];
  std::uint32_t child = record.first_child;
  record.first_child = kNone;
  while (child != kNone) {
    TaskRecord& orphan = tasks_[child];
    const std::uint32_t next = orphan.next_sibling;
    Scope& scope = scopes_[orphan.scope == kNone ? 0 : orphan.scope];
    orphan.next_sibling = scope.orphans;
    scope.orphans = child;
    child = next;
  }
}

}  // namespace foretask::graph
