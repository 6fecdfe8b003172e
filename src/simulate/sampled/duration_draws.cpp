// SPDX-License-Identifier: Apache-2.0
#include "simulate/sampled/duration_draws.hpp"

#include <algorithm>

#include "statistics/random.hpp"

namespace foretask::simulate {
namespace {

bool takes_time(const analysis::TaskGraph& graph, analysis::NodeIndex node) {
  return graph.duration_ns[node] >= 0 && graph.occupies_worker(node);
}

}  // namespace

DurationDraws::DurationDraws(const analysis::TaskGraph& graph)
    : graph_(graph), strands_(graph, takes_time), similar_(find_similar_tasks(graph, strands_)) {
  for (std::size_t task = 0; task < strands_.tasks(); ++task) {
    if (strands_.of(task).empty()) continue;
    ++tasks_;
    kept_ += similar_.of(task).empty() ? 1 : 0;
  }
}

void DurationDraws::draw(std::uint64_t seed, std::uint32_t sample, std::span<std::int64_t> duration_ns) const {
  const statistics::RandomAt random(seed, sample);
  std::copy(graph_.duration_ns.begin(), graph_.duration_ns.end(), duration_ns.begin());
  for (std::size_t task = 0; task < strands_.tasks(); ++task) {
    const auto similar = similar_.of(task);
    if (similar.empty()) continue;
    const auto nodes = strands_.of(task);
    const auto drawn = strands_.of(similar[random.below(static_cast<std::uint32_t>(similar.size()), task)]);
    for (std::size_t i = 0; i < nodes.size(); ++i) duration_ns[nodes[i]] = graph_.duration_ns[drawn[i]];
  }
}

}  // namespace foretask::simulate
