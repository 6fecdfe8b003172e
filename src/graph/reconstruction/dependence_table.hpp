// SPDX-License-Identifier: Apache-2.0
// The order that depend clauses put sibling tasks in (OpenMP 5.1, section 2.19.11), from addresses and kinds in order
// of creation. Sets of tasks are shared between all that wait for them, so that a thousand readers before a thousand
// writers cost two thousand entries, not a million.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "graph/reconstruction/recorded_graph.hpp"

namespace foretask::graph {

using SetId = std::uint32_t;
inline constexpr SetId kNoSet = 0xffffffffU;

// Tasks that a later one waits for together.
struct DependenceSet {
  std::vector<std::uint32_t> members;
  std::vector<std::uint32_t> waiters;  // tasks, while a member is incomplete
  std::uint32_t incomplete = 0;
  std::uint32_t users = 0;
  NodeIndex join_node = kNoNode;               // stands for all members, made when a user of a large set starts
  std::uint32_t last_exclusive = 0xffffffffU;  // mutexinoutset: the member that began last
  bool exclusive = false;
};

// What a task with dependences waits for.
struct DependentTask {
  std::vector<SetId> waits_for;
  std::vector<SetId> member_of;
  std::uint32_t unmet = 0;
  std::int64_t ready_ns = 0;  // when the last of them was met
  SetId own_set = kNoSet;     // itself alone, for those that name it
  bool is_complete = false;
};

class DependenceTable {
 public:
  // `task`, a child of `parent`, depends on `address` in the way `kind` (foretask_dependence_kind).
  void add(std::uint32_t parent, std::uint32_t task, std::uint64_t address, std::uint32_t kind);
  // `later` comes after `earlier`, whose name it gives, or that gives its.
  void order(std::uint32_t earlier, bool earlier_is_complete, std::uint32_t later);

  // Null for a task without dependences.
  [[nodiscard]] DependentTask* find(std::uint32_t task);
  [[nodiscard]] DependenceSet& set(SetId id) { return sets_[id]; }

  // `task` is complete at `now_ns`; calls met(other task) for each that now waits for nothing more.
  template <typename Met>
  void complete(std::uint32_t task, std::int64_t now_ns, Met&& met) {
    DependentTask* dependent = find(task);
    if (!dependent || dependent->is_complete) return;
    for (const SetId id : dependent->member_of) {
      DependenceSet& members = sets_[id];
      if (--members.incomplete != 0) continue;
      for (const std::uint32_t waiter : members.waiters) {
        DependentTask& other = tasks_[waiter];
        if (--other.unmet != 0) continue;
        other.ready_ns = now_ns;
        met(waiter);
      }
      members.waiters.clear();
      members.waiters.shrink_to_fit();
    }
    dependent->is_complete = true;
  }

 private:
  struct Address {
    SetId last_out = kNoSet;  // the last out, inout
    SetId before = kNoSet;    // what the current set waits for: the set before it
    SetId current = kNoSet;   // tasks of one kind of set (in, mutexinoutset, inoutset)
    std::uint32_t current_kind = 0;
  };
  struct Siblings {
    std::unordered_map<std::uint64_t, Address> addresses;
    SetId all_memory = kNoSet;
  };

  [[nodiscard]] SetId new_set(bool exclusive);
  void join(DependentTask& dependent, std::uint32_t task, SetId id);
  void leave(DependentTask& dependent, SetId id);
  [[nodiscard]] bool is_newest_of(std::uint32_t task, SetId id) const;
  [[nodiscard]] bool add_again(Address& state, DependentTask& dependent, std::uint32_t task, std::uint32_t kind);
  void wait_for(DependentTask& dependent, std::uint32_t task, SetId id);
  void add_all_memory(Siblings& siblings, DependentTask& dependent, std::uint32_t task);

  std::unordered_map<std::uint32_t, Siblings> siblings_;
  std::unordered_map<std::uint32_t, DependentTask> tasks_;
  std::vector<DependenceSet> sets_;
};

}  // namespace foretask::graph
