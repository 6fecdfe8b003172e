// SPDX-License-Identifier: Apache-2.0
// Creation sites to kernel numbers, and what each kernel's tasks took together.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/reconstruction/recorded_graph.hpp"

namespace foretask::graph {

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

  // A task of `kernel` that was added already worked a little longer.
  void add_work(std::uint32_t kernel, std::int64_t work_ns) {
    KernelTotals& totals = totals_[kernel];
    if (totals.count == 0) return add_task(kernel, work_ns);  // a damaged trace's
    totals.work_ns += work_ns;
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
