// SPDX-License-Identifier: Apache-2.0
#include "graph/reconstruction/code_samples.hpp"

#include <algorithm>
#include <utility>

#include "graph/reconstruction/tables.hpp"

namespace foretask::graph {
namespace {

// A strand that waited for a lock goes on behind those that its worker ran meanwhile: as many are looked at.
constexpr std::size_t kMostNested = 8;

// The strand, of those of one worker in order of their starts, that ran at `time_ns`.
NodeIndex strand_at(const std::vector<NodeIndex>& strands, const StrandTable& table, std::int64_t time_ns) {
  auto after = std::ranges::upper_bound(strands, time_ns, {}, [&](NodeIndex strand) { return table.begin_ns[strand]; });
  for (std::size_t looked_at = 0; after != strands.begin() && looked_at < kMostNested; ++looked_at)
    if (table.end_ns[*--after] > time_ns) return *after;
  return kNoNode;
}

}  // namespace

void CodeSamples::begin_thread(std::uint32_t thread, std::uint32_t worker, std::int64_t now_ns) {
  threads_[thread].push_back({now_ns, worker});
}

std::uint32_t CodeSamples::worker_of(const CodeSample& sample) const {
  const auto found = threads_.find(sample.thread);
  if (found == threads_.end()) return kNone;
  std::uint32_t worker = found->first == main_thread_ ? found->second.front().worker : kNone;
  for (const Thread& thread : found->second)
    if (thread.begin_ns <= sample.time_ns) worker = thread.worker;
  return worker;
}

std::vector<CodeTime> CodeSamples::in_strands(const RecordedGraph& graph,
                                              const std::vector<TimeSpan>& not_counted) const {
  if (samples_.empty()) return {};
  std::map<std::uint32_t, std::vector<NodeIndex>> by_worker;
  for (const auto& [number, threads] : threads_)
    for (const Thread& thread : threads) by_worker.try_emplace(thread.worker);
  for (std::size_t strand = 0; strand < graph.strands.size(); ++strand) {
    if (graph.strands.cores[strand] == 0) continue;
    if (const auto found = by_worker.find(graph.strands.worker[strand]); found != by_worker.end())
      found->second.push_back(static_cast<NodeIndex>(strand));
  }
  std::map<std::pair<std::uint32_t, std::uint64_t>, CodeTime> times;
  for (const CodeSample& sample : samples_) {
    const auto is_around = [&](const TimeSpan& span) {
      return span.begin_ns <= sample.time_ns && sample.time_ns < span.end_ns;
    };
    if (std::ranges::any_of(not_counted, is_around)) continue;
    const auto strands = by_worker.find(worker_of(sample));
    if (strands == by_worker.end()) continue;
    const NodeIndex strand = strand_at(strands->second, graph.strands, sample.time_ns);
    if (strand == kNoNode) continue;
    const std::uint32_t kernel = graph.kernel_of_task[graph.strands.task[strand]];
    CodeTime& time = times[{kernel, sample.address}];
    ++time.samples;
    time.time_ns += sample.stands_for_ns;
  }
  std::vector<CodeTime> list;
  for (const auto& [place, time] : times) list.push_back({place.first, place.second, time.samples, time.time_ns});
  return list;
}

}  // namespace foretask::graph
