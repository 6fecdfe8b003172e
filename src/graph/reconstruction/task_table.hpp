// SPDX-License-Identifier: Apache-2.0
// Tasks while a graph is reconstructed. Compact: 40 bytes a task.
#pragma once

#include <cstdint>

#include "graph/reconstruction/name_table.hpp"
#include "graph/reconstruction/recorded_graph.hpp"

namespace foretask::graph {

enum class TaskState : std::uint8_t { kUnknown, kCreated, kStarted, kDetached, kComplete };

enum TaskBit : std::uint16_t {
  kUntied = 1,
  kImplicit = 2,
  kFinal = 4,
  kParentWaits = 8,        // undeferred: the parent goes on only after it
  kCountedReady = 16,      // its next strand is in the count of ready strands
  kFulfilled = 32,         // its event came before the end of its body
  kWaitsForChildren = 64,  // in a taskwait
  kPseudo = 128,           // a taskwait with dependences, numbered as a task
  kInOneOrder = 256,       // its dependences hold among all such tasks, not among siblings
  kEmpty = 512,            // it has no body
  kLoose = 1024            // its parent's waits and groups do not wait for it
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
  std::uint8_t cancel = 0;  // CancelBit
  std::uint16_t bits = 0;

  [[nodiscard]] bool has(TaskBit bit) const noexcept { return (bits & bit) != 0; }
  void set(TaskBit bit) noexcept { bits = static_cast<std::uint16_t>(bits | bit); }
  void note(CancelBit bit) noexcept { cancel = static_cast<std::uint8_t>(cancel | bit); }
  [[nodiscard]] bool is(CancelBit bit) const noexcept { return (cancel & bit) != 0; }
  void clear(TaskBit bit) noexcept { bits = static_cast<std::uint16_t>(bits & ~bit); }
  // Of one that is not complete. In a damaged trace a task may have run that was never seen to start.
  [[nodiscard]] bool ran() const noexcept {
    return work_ns != 0 || ((state == TaskState::kStarted || state == TaskState::kDetached) && !has(kPseudo));
  }
};

using TaskTable = NameTable<TaskRecord>;

}  // namespace foretask::graph
