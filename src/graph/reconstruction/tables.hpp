// SPDX-License-Identifier: Apache-2.0
// Names, tasks and kernels while a graph is reconstructed.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/huge_pages.hpp"
#include "graph/reconstruction/recorded_graph.hpp"
#include "graph/reconstruction/trace_census.hpp"

namespace foretask::graph {

inline constexpr std::uint32_t kNone = 0xffffffffU;

// HOT: which name (stream, number) is which record, of tasks and of parallel regions. Indices are given in the order in
// which names are first heard of. For tasks that is the order of their creation: a parent's is lower than its
// children's.
template <typename Record>
class NameTable {
 public:
  // `count`: how many names each stream gives.
  NameTable(const TraceCensus& census, std::uint32_t StreamCensus::*count) {
    std::uint64_t base = 0;
    for (const StreamCensus& stream : census.streams) {
      bases_.push_back(base);
      counts_.push_back(stream.*count);
      base += stream.*count;
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

  // A record that has no name.
  [[nodiscard]] std::uint32_t add() {
    records_.emplace_back();
    return static_cast<std::uint32_t>(records_.size() - 1);
  }

  // Valid until the next index() or add().
  Record& operator[](std::uint32_t index) noexcept { return records_[index]; }
  const Record& operator[](std::uint32_t index) const noexcept { return records_[index]; }
  [[nodiscard]] std::size_t size() const noexcept { return records_.size(); }

 private:
  std::vector<Record> records_;
  std::vector<std::uint32_t> indices_;
  std::vector<std::uint64_t> bases_;
  std::vector<std::uint32_t> counts_;
  std::unordered_map<std::uint64_t, std::uint32_t> strays_;
};

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
  kLoose = 1024,           // its parent's waits and groups do not wait for it
  kOwn = 2048,             // nothing tells what it waited for
  kHasParts = 4096         // an untied one that has left its worker for a task that had begun
};

enum CancelBit : std::uint8_t {
  kAsksForCancel = 1,   // of its taskgroup
  kFindsCancelled = 2,  // and goes to its end
  kEndsCancelled = 4,   // it ran, and its group was cancelled when it ended
  kDiscarded = 8        // before it started
};

// Tasks while a graph is reconstructed. Compact: 40 bytes a task.
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

// Creation sites to kernel numbers, and what each kernel's tasks took together.
class KernelTable {
 public:
  explicit KernelTable(RecordedGraph& out) : sites_(out.kernels), totals_(out.kernel_totals) {}

  [[nodiscard]] std::uint32_t number(KernelSite::Kind kind, std::uint64_t code) {
    // Consecutive creations are mostly of one kernel.
    if (last_ < sites_.size() && sites_[last_].code == code && sites_[last_].kind == kind) return last_;
    const std::uint64_t key = code << 3 | static_cast<std::uint64_t>(kind);
    const auto [found, added] = numbers_.try_emplace(key, static_cast<std::uint32_t>(sites_.size()));
    if (added) {
      sites_.push_back({code, kind});
      totals_.emplace_back();
    }
    return last_ = found->second;
  }

  // Tasks that are created at `code` are of the kernel with the number `named`, where nothing else is said of them.
  void name_code(std::uint64_t code, std::uint32_t named) {
    numbers_[code << 3 | static_cast<std::uint64_t>(KernelSite::Kind::kTask)] = number(KernelSite::Kind::kNamed, named);
  }

  // A task of `kernel` took `work_ns` in all.
  void add_task(std::uint32_t kernel, std::int64_t work_ns) {
    KernelTotals& totals = totals_[kernel];
    ++totals.count;
    totals.work_ns += work_ns;
    totals.spread.add(static_cast<double>(work_ns));
  }

  // So many tasks of `kernel` took `work_ns` together; what each took is not known.
  void add_tasks(std::uint32_t kernel, std::uint64_t count, std::int64_t work_ns) {
    KernelTotals& totals = totals_[kernel];
    totals.count += count;
    totals.work_ns += work_ns;
    totals.spread.add(static_cast<double>(work_ns) / static_cast<double>(count), static_cast<double>(count));
  }

  // A task of `kernel` that was added already worked a little longer.
  void add_work(std::uint32_t kernel, std::int64_t work_ns) {
    KernelTotals& totals = totals_[kernel];
    if (totals.count == 0) return add_task(kernel, work_ns);  // a damaged trace's
    totals.work_ns += work_ns;
  }

  // Its tasks cost the other workers so much.
  void add_lost(std::uint32_t kernel, analysis::Cause cause, double ns) {
    if (kernel < totals_.size()) totals_[kernel].lost_ns[static_cast<std::size_t>(cause)] += ns;
  }
  // A region of it has ended, whose team cost so much to start and to join.
  void add_region(std::uint32_t kernel, double costs_ns) {
    if (kernel >= totals_.size()) return;
    ++totals_[kernel].regions;
    add_lost(kernel, analysis::Cause::kRegionCosts, costs_ns);
  }
  // Of its work so much was blocked in the system. A damaged trace's task may have no kernel.
  void add_blocked(std::uint32_t kernel, double ns) {
    if (kernel < totals_.size()) totals_[kernel].system_blocked_ns += ns;
  }

 private:
  std::vector<KernelSite>& sites_;
  std::vector<KernelTotals>& totals_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
  std::uint32_t last_ = 0;
};

// A task may be given its kernel after its creation: kernels that are left without any task are taken out.
inline void drop_kernels_without_tasks(RecordedGraph& graph) {
  std::vector<std::uint8_t> is_used(graph.kernels.size(), 0);
  for (const std::uint32_t kernel : graph.kernel_of_task) is_used[kernel] = 1;
  // A kernel may have tasks within subtrees alone.
  for (std::size_t kernel = 0; kernel < is_used.size(); ++kernel)
    if (graph.kernel_totals[kernel].count != 0) is_used[kernel] = 1;
  std::vector<std::uint32_t> place(graph.kernels.size(), 0);
  std::uint32_t kept = 0;
  graph.observations.resize(graph.kernels.size());
  for (std::uint32_t kernel = 0; kernel < is_used.size(); ++kernel) {
    if (!is_used[kernel]) continue;
    place[kernel] = kept;
    if (kept != kernel) {
      graph.kernels[kept] = graph.kernels[kernel];
      graph.kernel_totals[kept] = graph.kernel_totals[kernel];
      graph.observations[kept] = std::move(graph.observations[kernel]);
    }
    ++kept;
  }
  if (kept == is_used.size()) return;
  graph.kernels.resize(kept);
  graph.kernel_totals.resize(kept);
  graph.observations.resize(kept);
  for (std::uint32_t& kernel : graph.kernel_of_task) kernel = place[kernel];
  for (analysis::TeamLoop& loop : graph.team.loops) loop.kernel = place[loop.kernel];
  for (analysis::LockHold& hold : graph.locks) hold.kernel = place[hold.kernel];
}

}  // namespace foretask::graph
