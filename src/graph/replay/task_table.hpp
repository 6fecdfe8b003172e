// SPDX-License-Identifier: Apache-2.0
// Tasks and the scopes that wait for them, while a trace is replayed. Compact: 40 bytes a task.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/huge_pages.hpp"
#include "graph/replay/recorded_graph.hpp"
#include "graph/replay/trace_census.hpp"

namespace foretask::graph {

inline constexpr std::uint32_t kNone = 0xffffffffU;

enum class TaskState : std::uint8_t { kUnknown, kCreated, kStarted, kDetached, kComplete };

enum TaskBit : std::uint8_t {
  kUntied = 1,
  kImplicit = 2,
  kFinal = 4,
  kParentWaits = 8,        // undeferred: the parent goes on only after it
  kCountedReady = 16,      // its next strand is in the count of ready strands
  kFulfilled = 32,         // its event came before the end of its body
  kWaitsForChildren = 64,  // in a taskwait
  kPseudo = 128            // a taskwait with dependences, numbered as a task
};

enum CancelBit : std::uint8_t {
  kAsksForCancel = 1,   // of its taskgroup
  kFindsCancelled = 2,  // and goes to its end
  kEndsCancelled = 4,   // it ran, and its group was cancelled when it ended
  kDiscarded = 8        // before it started
};

struct TaskRecord {
  std::int64_t work_ns = 0;
  std::uint32_t kernel = 0;
  std::uint32_t parent = kNone;
  std::uint32_t strand = kNoNode;      // before its start the strand that created it, then its latest
  std::uint32_t first_child = kNone;   // of those that no taskwait has joined
  std::uint32_t next_sibling = kNone;  // in the list it is in: its parent's or a scope's
  std::uint32_t scope = kNone;         // the innermost taskgroup or region whose end waits for it
  std::uint32_t live_children = 0;
  TaskState state = TaskState::kUnknown;
  std::uint8_t bits = 0;
  std::uint8_t cancel = 0;  // CancelBit

  [[nodiscard]] bool has(TaskBit bit) const noexcept { return (bits & bit) != 0; }
  void set(TaskBit bit) noexcept { bits = static_cast<std::uint8_t>(bits | bit); }
  void note(CancelBit bit) noexcept { cancel = static_cast<std::uint8_t>(cancel | bit); }
  [[nodiscard]] bool is(CancelBit bit) const noexcept { return (cancel & bit) != 0; }
  void clear(TaskBit bit) noexcept { bits = static_cast<std::uint8_t>(bits & ~bit); }
  // Of one that is not complete. In a damaged trace a task may have run that was never seen to start.
  [[nodiscard]] bool ran() const noexcept {
    return work_ns != 0 || ((state == TaskState::kStarted || state == TaskState::kDetached) && !has(kPseudo));
  }
};

// A taskgroup or a parallel region: what its end waits for.
struct Scope {
  std::uint32_t outer = kNone;          // the scope around it
  std::uint32_t owner = kNone;          // the task that opened it
  std::uint32_t orphans = kNone;        // list of tasks whose parents are gone without having waited
  std::uint32_t children_mark = kNone;  // taskgroup: the owner's list of children when it was opened
  std::uint64_t live = 0;               // incomplete tasks in it
  bool waiting = false;                 // taskgroup: its owner has come to its end
  std::uint32_t group = kNone;          // taskgroup, where the trace says who cancels them: which
};

// Which task (stream, number) is which index. Indices are given in the order in which tasks are first heard of, which
// is that of their creation: a parent's is lower than its children's.
class TaskTable {
 public:
  explicit TaskTable(const TraceCensus& census) {
    std::uint64_t base = 0;
    for (const StreamCensus& stream : census.streams) {
      bases_.push_back(base);
      counts_.push_back(stream.tasks);
      base += stream.tasks;
    }
    base::reserve_on_huge_pages(indices_, base);
    indices_.assign(base, kNone);
    base::reserve_on_huge_pages(records_, base);
  }

  [[nodiscard]] std::uint32_t index(std::uint32_t stream, std::uint32_t number) {
    std::uint32_t* index = nullptr;
    if (stream < counts_.size() && number < counts_[stream]) [[likely]] {
      index = &indices_[bases_[stream] + number];
    } else {
      // The census did not see its creation: it was lost.
      index = &strays_.try_emplace(static_cast<std::uint64_t>(stream) << 32 | number, kNone).first->second;
    }
    if (*index == kNone) {
      *index = static_cast<std::uint32_t>(records_.size());
      records_.emplace_back();
    }
    return *index;
  }

  TaskRecord& operator[](std::uint32_t index) noexcept { return records_[index]; }
  [[nodiscard]] std::size_t size() const noexcept { return records_.size(); }
  [[nodiscard]] std::vector<TaskRecord>& records() noexcept { return records_; }

 private:
  std::vector<TaskRecord> records_;
  std::vector<std::uint32_t> indices_;
  std::vector<std::uint64_t> bases_;
  std::vector<std::uint32_t> counts_;
  std::unordered_map<std::uint64_t, std::uint32_t> strays_;
};

}  // namespace foretask::graph
