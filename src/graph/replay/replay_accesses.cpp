// SPDX-License-Identifier: Apache-2.0
// The order of annotated tasks, by the ranges of memory that each of them touches.
#include "graph/replay/trace_replay.hpp"

namespace foretask::graph {
namespace {

constexpr std::uint32_t kAccessWords = 5;

std::uint64_t word64(const std::uint32_t* words) { return words[0] | static_cast<std::uint64_t>(words[1]) << 32; }

// As foretask_access_kind has it, which is a bit for a read and one for a write.
constexpr std::uint32_t kReads = 1;
constexpr std::uint32_t kWrites = 2;

}  // namespace

// Several events may speak of one task: they are taken together when it starts, which annotated tasks do at once.
void TraceReplay::on_accesses(std::uint32_t worker, const std::uint32_t* payload) {
  Worker& state = workers_[worker];
  if (state.last_created == kNone || tasks_[state.last_created].state != TaskState::kCreated) {
    ++out_.anomalies;
    return;
  }
  const std::uint32_t count = *payload++;
  for (std::uint32_t i = 0; i < count; ++i, payload += kAccessWords) {
    const std::uint64_t begin = word64(payload);
    const std::uint64_t end = begin + word64(payload + 2);
    const std::uint32_t kind = payload[4];
    // A range up to the last address ends at 0: it loses its last byte.
    if (end < begin) {
      state.accesses.push_back({begin, ~std::uint64_t{0}, (kind & kReads) != 0, (kind & kWrites) != 0});
    } else {
      state.accesses.push_back({begin, end, (kind & kReads) != 0, (kind & kWrites) != 0});
    }
  }
}

void TraceReplay::add_access_edges(std::uint32_t worker, std::uint32_t task, NodeIndex strand) {
  Worker& state = workers_[worker];
  if (state.accesses.empty() || state.last_created != task) return;
  for (const std::uint32_t before : ranges_.add(tasks_[task].parent, task, state.accesses)) {
    const NodeIndex last = tasks_[before].strand;
    // Annotated siblings run one after the other; in a damaged trace one may not have ended.
    if (tasks_[before].state == TaskState::kComplete && last < strand)
      out_.edges.add(last, strand, EdgeKind::kDependence);
    else
      ++out_.anomalies;
  }
  state.accesses.clear();
}

}  // namespace foretask::graph
