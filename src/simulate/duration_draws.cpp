// SPDX-License-Identifier: Apache-2.0
#include "simulate/duration_draws.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simulate/random_at.hpp"

namespace foretask::simulate {

using analysis::NodeIndex;
using analysis::TaskGraph;

namespace {

// Streams of a sample's random numbers.
enum Stream : std::uint64_t { kMember, kPopulation, kRatio, kCommon, kStreams };

std::int64_t times(std::int64_t duration_ns, double factor) noexcept {
  constexpr double kTooLarge = 9.2e18;
  const double product = static_cast<double>(duration_ns) * factor + 0.5;
  return product < kTooLarge ? static_cast<std::int64_t>(product) : std::numeric_limits<std::int64_t>::max();
}

}  // namespace

DurationDraws::DurationDraws(const TaskGraph& graph, const std::optional<analysis::RunSpread>& between_runs)
    : graph_(graph),
      strands_(graph),
      cells_(find_task_cells(graph, strands_)),
      noise_(between_runs ? CommonNoise::of(graph, *between_runs) : CommonNoise::of(graph, strands_, cells_)) {
  fill_rows();
  fill_pools();
  count_tasks();
}

void DurationDraws::fill_rows() {
  for (const TaskCell& cell : cells_.cells) {
    first_row_.push_back(rows_ns_.size());
    for (const std::uint32_t task : cells_.members_of(cell))
      for (const NodeIndex node : strands_.of(task)) rows_ns_.push_back(graph_.duration_ns[node]);
  }
}

void DurationDraws::fill_pools() {
  pools_.resize(graph_.kernel_names.size());
  std::vector<std::uint32_t> order(cells_.cells.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return cells_.cells[a].kernel < cells_.cells[b].kernel; });
  for (const std::uint32_t number : order) {
    const TaskCell& cell = cells_.cells[number];
    if (cell.size < kFewestOfCell) continue;
    double mean = 0;
    for (const std::uint32_t task : cells_.members_of(cell))
      mean += static_cast<double>(task_time_ns(graph_, strands_.of(task))) / cell.size;
    if (mean <= 0) continue;
    Pool& pool = pools_[cell.kernel];
    if (pool.size == 0) pool.first = static_cast<std::uint32_t>(ratios_.size());
    for (const std::uint32_t task : cells_.members_of(cell))
      ratios_.push_back(static_cast<float>(static_cast<double>(task_time_ns(graph_, strands_.of(task))) / mean));
    pool.size = static_cast<std::uint32_t>(ratios_.size()) - pool.first;
  }
}

void DurationDraws::count_tasks() {
  for (std::size_t task = 0; task < strands_.tasks(); ++task) {
    const auto nodes = strands_.of(task);
    if (nodes.empty()) continue;
    ++tasks_;
    if (cells_.cell_of_task[task] != kNoCell) continue;
    ++(pools_[graph_.kernel[nodes.front()]].size != 0 ? residual_ : kept_);
  }
}

// A member of the cell stands in, and all its strands. What the cell holds is drawn anew first, with replacement: the
// recorded tasks are themselves a sample, so that the next run is further from them than they from their own mean.
void DurationDraws::draw(std::uint64_t seed, std::uint32_t sample, std::span<std::int64_t> duration_ns) const {
  const auto stream = [&](Stream kind) { return RandomAt(seed, std::uint64_t{sample} * kStreams + kind); };
  const RandomAt member = stream(kMember);
  const RandomAt population = stream(kPopulation);
  const RandomAt ratio = stream(kRatio);
  std::copy(graph_.duration_ns.begin(), graph_.duration_ns.end(), duration_ns.begin());
  for (std::size_t task = 0; task < strands_.tasks(); ++task) {
    const std::uint32_t number = cells_.cell_of_task[task];
    if (number == kNoCell) {
      draw_residual(task, ratio, duration_ns);
      continue;
    }
    const TaskCell& cell = cells_.cells[number];
    const std::uint32_t place = member.below(cell.size, task);
    const std::uint32_t donor = population.below(cell.size, std::uint64_t{cell.first} + place);
    const auto nodes = strands_.of(task);
    const std::int64_t* const row = rows_ns_.data() + first_row_[number] + donor * nodes.size();
    for (std::size_t i = 0; i < nodes.size(); ++i) duration_ns[nodes[i]] = row[i];
  }
  if (!noise_.none()) apply_common(stream(kCommon), duration_ns);
}

void DurationDraws::draw_residual(std::size_t task, const RandomAt& random, std::span<std::int64_t> duration_ns) const {
  const auto nodes = strands_.of(task);
  if (nodes.empty()) return;
  const Pool& pool = pools_[graph_.kernel[nodes.front()]];
  if (pool.size == 0) return;
  const auto ratio = static_cast<double>(ratios_[pool.first + random.below(pool.size, task)]);
  for (const NodeIndex node : nodes) duration_ns[node] = times(graph_.duration_ns[node], ratio);
}

void DurationDraws::apply_common(const RandomAt& random, std::span<std::int64_t> duration_ns) const {
  const auto factors = noise_.factors(random);
  NodeIndex node = 0;
  for (std::size_t block = 0; block < factors.size(); ++block) {
    for (; node < noise_.ends()[block]; ++node) {
      const bool takes_time = duration_ns[node] > 0 && (graph_.cores.empty() || graph_.cores[node] != 0);
      if (takes_time) duration_ns[node] = times(duration_ns[node], factors[block]);
    }
  }
}

}  // namespace foretask::simulate
