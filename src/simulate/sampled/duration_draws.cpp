// SPDX-License-Identifier: Apache-2.0
#include "simulate/sampled/duration_draws.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace foretask::simulate {

using analysis::NodeIndex;
using analysis::TaskGraph;

namespace {

// Streams of a sample's random numbers.
enum Stream : std::uint64_t { kMember, kPopulation, kRatio, kStreams };

// To the nearest; not negative.
std::int64_t rounded(double ns) noexcept {
  constexpr double kTooLarge = 9.2e18;
  return ns < kTooLarge ? static_cast<std::int64_t>(ns + 0.5) : std::numeric_limits<std::int64_t>::max();
}

std::int64_t times(std::int64_t duration_ns, double factor) noexcept {
  return rounded(static_cast<double>(duration_ns) * factor);
}

}  // namespace

DurationDraws::DurationDraws(const TaskGraph& graph, Of kind)
    : graph_(graph), strands_(graph), cells_(find_task_cells(graph, strands_)), kind_(kind) {
  fill_laws();
  fill_rows();
  fill_pools();
  count_tasks();
}

void DurationDraws::fill_laws() {
  times_ns_.reserve(cells_.members.size());
  for (const std::uint32_t task : cells_.members)
    times_ns_.push_back(static_cast<double>(task_time_ns(graph_, strands_.of(task))));
  laws_.reserve(cells_.cells.size());
  for (const TaskCell& cell : cells_.cells)
    laws_.emplace_back(std::span<const double>(times_ns_).subspan(cell.first, cell.size));
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

// Where a task's time lies in its cell's law, in (0, size + 1). For a next run the population is drawn first: the
// recorded tasks are themselves a sample, so that the next run is further from them than they from their own mean. A
// member of the population is then moved by up to half an n-th of all, so that the longest of a run may be longer than
// that of the population; at both ends it is turned back, which leaves all places alike.
double DurationDraws::place_in(const TaskCell& cell, std::size_t task, const statistics::RandomAt& member,
                               const statistics::RandomAt& population) const noexcept {
  const double gaps = static_cast<double>(cell.size) + 1;
  if (kind_ == Of::kOneRun) return member.unit(task) * gaps;
  const statistics::RandomAt::Part chosen = member.part(cell.size, task);
  const double place = (population.unit(std::uint64_t{cell.first} + chosen.below) +
                        (chosen.rest - 0.5) / static_cast<double>(cell.size)) *
                       gaps;
  if (place < 0) return -place;
  return place > gaps ? 2 * gaps - place : place;
}

// The task nearest to the drawn time stands in, with all its strands.
void DurationDraws::draw(std::uint64_t seed, std::uint32_t sample, std::span<std::int64_t> duration_ns) const {
  const auto stream = [&](Stream kind) { return statistics::RandomAt(seed, std::uint64_t{sample} * kStreams + kind); };
  const statistics::RandomAt member = stream(kMember);
  const statistics::RandomAt population = stream(kPopulation);
  const statistics::RandomAt ratio = stream(kRatio);
  std::copy(graph_.duration_ns.begin(), graph_.duration_ns.end(), duration_ns.begin());
  for (std::size_t task = 0; task < strands_.tasks(); ++task) {
    const std::uint32_t number = cells_.cell_of_task[task];
    if (number == kNoCell) {
      draw_residual(task, ratio, duration_ns);
      continue;
    }
    const TaskCell& cell = cells_.cells[number];
    const auto sorted = std::span(times_ns_).subspan(cell.first, cell.size);
    const auto [time_ns, donor] = laws_[number].at(sorted, place_in(cell, task, member, population));
    const auto nodes = strands_.of(task);
    if (nodes.size() == 1) {
      duration_ns[nodes.front()] = rounded(time_ns);
      continue;
    }
    const std::int64_t* const row = rows_ns_.data() + first_row_[number] + donor * nodes.size();
    const double factor = sorted[donor] > 0 ? time_ns / sorted[donor] : 1;
    for (std::size_t i = 0; i < nodes.size(); ++i) duration_ns[nodes[i]] = times(row[i], factor);
  }
}

void DurationDraws::draw_residual(std::size_t task, const statistics::RandomAt& random,
                                  std::span<std::int64_t> duration_ns) const {
  const auto nodes = strands_.of(task);
  if (nodes.empty()) return;
  const Pool& pool = pools_[graph_.kernel[nodes.front()]];
  if (pool.size == 0) return;
  const auto ratio = static_cast<double>(ratios_[pool.first + random.below(pool.size, task)]);
  for (const NodeIndex node : nodes) duration_ns[node] = times(graph_.duration_ns[node], ratio);
}

}  // namespace foretask::simulate
