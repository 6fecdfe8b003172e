// SPDX-License-Identifier: Apache-2.0
#include "graph/reconstruction/dependence_table.hpp"

#include "foretask/hook.h"

namespace foretask::graph {
namespace {

bool is_all_memory(std::uint32_t kind) {
  return kind == FORETASK_DEPENDENCE_OUT_ALL_MEMORY || kind == FORETASK_DEPENDENCE_INOUT_ALL_MEMORY;
}

// Tasks of one such set are not ordered among themselves.
bool is_set_kind(std::uint32_t kind) {
  return kind == FORETASK_DEPENDENCE_IN || kind == FORETASK_DEPENDENCE_MUTEXINOUTSET ||
         kind == FORETASK_DEPENDENCE_INOUTSET;
}

}  // namespace

DependentTask* DependenceTable::find(std::uint32_t task) {
  const auto found = tasks_.find(task);
  return found == tasks_.end() ? nullptr : &found->second;
}

SetId DependenceTable::new_set(bool exclusive) {
  sets_.emplace_back();
  sets_.back().exclusive = exclusive;
  return static_cast<SetId>(sets_.size() - 1);
}

void DependenceTable::join(DependentTask& dependent, std::uint32_t task, SetId id) {
  DependenceSet& set = sets_[id];
  set.members.push_back(task);
  ++set.incomplete;
  dependent.member_of.push_back(id);
}

// The newest member of a set that nothing waits for yet is none any more.
void DependenceTable::leave(DependentTask& dependent, SetId id) {
  DependenceSet& set = sets_[id];
  set.members.pop_back();
  --set.incomplete;
  std::erase(dependent.member_of, id);
}

bool DependenceTable::is_newest_of(std::uint32_t task, SetId id) const {
  return id != kNoSet && !sets_[id].members.empty() && sets_[id].members.back() == task;
}

void DependenceTable::wait_for(DependentTask& dependent, std::uint32_t task, SetId id) {
  if (id == kNoSet || sets_[id].members.empty()) return;
  DependenceSet& set = sets_[id];
  dependent.waits_for.push_back(id);
  ++set.users;
  if (set.incomplete == 0) return;
  set.waiters.push_back(task);
  ++dependent.unmet;
}

void DependenceTable::add_all_memory(Siblings& siblings, DependentTask& dependent, std::uint32_t task) {
  for (const auto& [address, state] : siblings.addresses) {
    if (is_newest_of(task, state.current)) leave(dependent, state.current);
    // Who is in the current set waits for what came before it.
    const bool in_order = state.current != kNoSet && !sets_[state.current].members.empty();
    const SetId last = in_order ? state.current : state.before != kNoSet ? state.before : state.last_out;
    if (!is_newest_of(task, last)) wait_for(dependent, task, last);
  }
  siblings.addresses.clear();
  siblings.all_memory = new_set(false);
  join(dependent, task, siblings.all_memory);
}

// A task that names an address in two ways is after all that came before it and before all that comes: as inout.
// True when it has named it before.
bool DependenceTable::add_again(Address& state, DependentTask& dependent, std::uint32_t task, std::uint32_t kind) {
  if (state.current == kNoSet) return is_newest_of(task, state.last_out);
  if (!is_newest_of(task, state.current)) return false;
  if (state.current_kind == kind) return true;
  leave(dependent, state.current);
  wait_for(dependent, task, state.current);
  state = {};
  state.last_out = new_set(false);
  join(dependent, task, state.last_out);
  return true;
}

void DependenceTable::add(std::uint32_t parent, std::uint32_t task, std::uint64_t address, std::uint32_t kind) {
  if (kind == FORETASK_DEPENDENCE_SOURCE || kind == FORETASK_DEPENDENCE_SINK) return;
  const auto [found, is_first] = tasks_.try_emplace(task);
  DependentTask& dependent = found->second;
  Siblings& siblings = siblings_[parent];
  if (dependent.is_complete || is_newest_of(task, siblings.all_memory)) return;
  if (is_first) wait_for(dependent, task, siblings.all_memory);
  if (is_all_memory(kind)) return add_all_memory(siblings, dependent, task);
  Address& state = siblings.addresses[address];
  if (add_again(state, dependent, task, kind)) return;
  if (!is_set_kind(kind)) {
    // out or inout: after the tasks since the last one, or after that one.
    wait_for(dependent, task, state.current != kNoSet ? state.current : state.last_out);
    state = {};
    state.last_out = new_set(false);
    join(dependent, task, state.last_out);
    return;
  }
  if (state.current == kNoSet || state.current_kind != kind) {
    state.before = state.current;
    state.current = new_set(kind == FORETASK_DEPENDENCE_MUTEXINOUTSET);
    state.current_kind = kind;
  }
  // A set after another kind of set waits for that one, which waits for the last out itself.
  wait_for(dependent, task, state.before != kNoSet ? state.before : state.last_out);
  join(dependent, task, state.current);
}

void DependenceTable::order(std::uint32_t earlier, bool earlier_is_complete, std::uint32_t later) {
  if (earlier == later) return;
  DependentTask& first = tasks_[earlier];
  if (earlier_is_complete) first.is_complete = true;
  if (first.own_set == kNoSet) {
    first.own_set = new_set(false);
    join(first, earlier, first.own_set);
    if (first.is_complete) --sets_[first.own_set].incomplete;
  }
  const SetId set = first.own_set;
  wait_for(tasks_[later], later, set);
}

}  // namespace foretask::graph
