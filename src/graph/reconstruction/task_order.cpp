// SPDX-License-Identifier: Apache-2.0
#include "graph/reconstruction/task_order.hpp"

namespace foretask::graph {
namespace {

// A set of so many tasks that several wait for gets a node of its own.
constexpr std::size_t kLargeSet = 4;

constexpr std::uint32_t kDependenceWords = 3;
constexpr std::uint32_t kAccessWords = 5;

// As foretask_access_kind has it, which is a bit for a read and one for a write.
constexpr std::uint32_t kReads = 1;
constexpr std::uint32_t kWrites = 2;

}  // namespace

void TaskOrder::on_dependences(std::uint32_t worker, const std::uint32_t* payload) {
  const std::uint32_t task = state_.workers[worker].last_created;
  if (task == kNone) return state_.count_anomaly();
  const TaskRecord& record = state_.tasks[task];
  const std::uint32_t siblings = record.has(kInOneOrder) ? kNone : record.parent;
  const std::uint32_t count = *payload++;
  state_.charge_dependences(worker, count);
  for (std::uint32_t i = 0; i < count; ++i, payload += kDependenceWords) {
    if (payload[2] == FORETASK_DEPENDENCE_AFTER) {
      order_after(state_.tasks.index(payload[1] - 1, payload[0]), task);
    } else if (payload[2] == FORETASK_DEPENDENCE_GROUP) {
      order_after_group(state_.tasks.index(payload[1] - 1, payload[0]), task);
    } else if (payload[2] == FORETASK_DEPENDENCE_BEFORE) {
      const std::uint32_t later = state_.tasks.index(payload[1] - 1, payload[0]);
      order_after(task, later);
      count_if_ready(later);
    } else {
      dependences_.add(siblings, task, trace::u64_at(payload), payload[2]);
    }
  }
  count_if_ready(task);
}

void TaskOrder::order_after(std::uint32_t earlier, std::uint32_t later) {
  dependences_.order(earlier, state_.tasks[earlier].state == TaskState::kComplete, later);
}

// The group is the innermost one that its owner has begun and does not wait for. If there is none, it is the one that
// the owner waits for, as several tasks may wait for one group. If the owner has no group, the group is over, and its
// tasks are complete. The owner itself may be over: then its children in the group are among the orphans.
void TaskOrder::order_after_group(std::uint32_t owner, std::uint32_t later) {
  const auto is_owned = [&](std::uint32_t scope) { return scope != kNone && state_.scopes[scope].owner == owner; };
  const TaskRecord& record = state_.tasks[owner];
  std::uint32_t scope = record.scope;
  while (is_owned(scope) && state_.scopes[scope].waiting) scope = state_.scopes[scope].outer;
  if (!is_owned(scope)) scope = record.scope;
  if (!is_owned(scope)) return;
  const Scope& group = state_.scopes[scope];
  const auto order_after_list = [&](std::uint32_t first, std::uint32_t end) {
    for (std::uint32_t one = first; one != kNone && one != end; one = state_.tasks[one].next_sibling)
      if (state_.tasks[one].scope == scope) order_after(one, later);
  };
  order_after_list(record.first_child, group.children_mark);
  order_after_list(group.orphans, kNone);
}

// An empty task is never ready: it is over as soon as it could be.
void TaskOrder::count_if_ready(std::uint32_t task) {
  const TaskRecord& record = state_.tasks[task];
  if (record.state != TaskState::kCreated || record.has(kEmpty)) return;
  const DependentTask* dependent = dependences_.find(task);
  if (!dependent || dependent->unmet == 0) {
    state_.count_ready(task);
  } else {
    state_.uncount_ready(task);
  }
}

bool TaskOrder::is_met(std::uint32_t task) {
  const DependentTask* dependent = dependences_.find(task);
  return !dependent || dependent->unmet == 0;
}

// Several events may speak of one task: they are taken together when it starts, which annotated tasks do at once.
void TaskOrder::on_accesses(std::uint32_t worker, const std::uint32_t* payload) {
  const std::uint32_t task = state_.workers[worker].last_created;
  if (task == kNone || state_.tasks[task].state != TaskState::kCreated) return state_.count_anomaly();
  const std::uint32_t count = *payload++;
  for (std::uint32_t i = 0; i < count; ++i, payload += kAccessWords) {
    const std::uint64_t begin = trace::u64_at(payload);
    const std::uint64_t end = begin + trace::u64_at(payload + 2);
    // A range up to the last address ends at 0: it loses its last byte.
    accesses_[worker].push_back({.begin = begin,
                                 .end = end < begin ? ~std::uint64_t{0} : end,
                                 .reads = (payload[4] & kReads) != 0,
                                 .writes = (payload[4] & kWrites) != 0});
  }
}

void TaskOrder::make_join_nodes(std::uint32_t task) {
  const DependentTask* dependent = dependences_.find(task);
  if (!dependent) return;
  for (const SetId id : dependent->waits_for) {
    DependenceSet& set = dependences_.set(id);
    if (set.join_node != kNoNode || set.members.size() <= kLargeSet || set.users < 2 || set.incomplete != 0) continue;
    const std::uint32_t first = set.members.front();
    const std::uint32_t parent = state_.tasks[first].parent;
    set.join_node = state_.writer.add_node_of_no_worker(parent != kNone ? parent : first, state_.now_ns, state_.now_ns);
    for (const std::uint32_t member : set.members)
      state_.out.edges.add(state_.tasks[member].strand, set.join_node, EdgeKind::kDependence);
  }
}

void TaskOrder::add_edges(std::uint32_t worker, std::uint32_t task, NodeIndex strand) {
  add_dependence_edges(task, strand);
  if (!accesses_[worker].empty() && state_.workers[worker].last_created == task) add_access_edges(worker, task, strand);
}

void TaskOrder::release_awaited(std::uint32_t task) {
  const DependentTask* const dependent = dependences_.find(task);
  if (!dependent) return;
  for (const SetId id : dependent->waits_for)
    for (const std::uint32_t member : dependences_.set(id).members) state_.release(member);
}

void TaskOrder::add_dependence_edges(std::uint32_t task, NodeIndex strand) {
  DependentTask* dependent = dependences_.find(task);
  if (!dependent) return;
  EdgesByTarget& edges = state_.out.edges;
  for (const SetId id : dependent->waits_for) {
    DependenceSet& set = dependences_.set(id);
    if (set.join_node != kNoNode && set.join_node < strand) {
      edges.add(set.join_node, strand, EdgeKind::kDependence);
      continue;
    }
    for (const std::uint32_t member : set.members) {
      const NodeIndex last = state_.strand_to_wait_for(member);
      if (member != task && last < strand) edges.add(last, strand, EdgeKind::kDependence);
    }
  }
  for (const SetId id : dependent->member_of) {
    DependenceSet& set = dependences_.set(id);
    if (!set.exclusive) continue;
    // mutexinoutset: in any order, but one at a time; the recorded order stands for it. The one before is over, so that
    // its strand is its last.
    const std::uint32_t before = set.last_exclusive;
    if (before != kNone && before != task && state_.tasks[before].strand < strand)
      edges.add(state_.tasks[before].strand, strand, EdgeKind::kDependence);
    set.last_exclusive = task;
  }
}

void TaskOrder::add_access_edges(std::uint32_t worker, std::uint32_t task, NodeIndex strand) {
  for (const std::uint32_t before : ranges_.add(state_.tasks[task].parent, task, accesses_[worker])) {
    const TaskRecord& record = state_.tasks[before];
    // Annotated siblings run one after the other; in a damaged trace one may not have ended.
    if (record.state == TaskState::kComplete && record.strand < strand)
      state_.out.edges.add(record.strand, strand, EdgeKind::kDependence);
    else
      state_.count_anomaly();
  }
  accesses_[worker].clear();
}

void TaskOrder::complete(std::uint32_t task) {
  ranges_.forget(task);
  dependences_.complete(task, state_.now_ns, [this](std::uint32_t other) {
    const TaskRecord& record = state_.tasks[other];
    if (record.state != TaskState::kCreated) return;
    if (record.has(kEmpty)) {
      met_empty_.push_back(other);
    } else {
      state_.count_ready(other);
    }
  });
}

std::uint32_t TaskOrder::next_met_empty() {
  if (met_empty_.empty()) return kNone;
  const std::uint32_t task = met_empty_.back();
  met_empty_.pop_back();
  return task;
}

std::int64_t TaskOrder::ready_ns(std::uint32_t task) {
  const DependentTask* dependent = dependences_.find(task);
  return dependent ? dependent->ready_ns : 0;
}

}  // namespace foretask::graph
