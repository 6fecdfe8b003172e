// SPDX-License-Identifier: Apache-2.0
#include "model/fit/clusters.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace foretask::model {
namespace {

constexpr double kMemory = 64;  // samples that a group's means are of, so that they follow a change

using Rows = std::span<const std::size_t>;

// How many of the rows, which are by parameter, are in the lower cluster. The squares within are least where those
// between, sum(lower)^2 / lower + sum(upper)^2 / upper, are most; sums from the mean, so that little cancels.
std::size_t best_split(std::span<const double> x, Rows rows) {
  const std::size_t n = rows.size();
  const double range = x[rows.back()] - x[rows.front()];
  if (range == 0) return n;
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(n);
  const auto deviation = [&](std::size_t row) { return (x[row] - mean) / range; };  // its square is no overflow
  double total = 0;
  for (const std::size_t row : rows) total += deviation(row);
  double lower = 0;
  double most = -1;
  std::size_t split = n;
  for (std::size_t i = 1; i < n; ++i) {
    lower += deviation(rows[i - 1]);
    if (x[rows[i]] == x[rows[i - 1]]) continue;  // equal rows stay together
    const double upper = total - lower;
    const double between = lower * lower / static_cast<double>(i) + upper * upper / static_cast<double>(n - i);
    if (between > most) {
      most = between;
      split = i;
    }
  }
  return split;
}

Cluster cluster_of(std::span<const double> x, Rows rows) {
  Cluster cluster{.members = {rows.begin(), rows.end()}};
  std::sort(cluster.members.begin(), cluster.members.end());
  for (const std::size_t row : cluster.members) cluster.centroid += x[row];
  cluster.centroid /= static_cast<double>(rows.size());
  cluster.representative =
      *std::min_element(cluster.members.begin(), cluster.members.end(), [&](std::size_t a, std::size_t b) {
        return std::abs(x[a] - cluster.centroid) < std::abs(x[b] - cluster.centroid);
      });
  return cluster;
}

}  // namespace

std::vector<Cluster> split_in_two(std::span<const double> x) {
  if (x.empty()) return {};
  std::vector<std::size_t> rows(x.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  const std::size_t split = best_split(x, rows);
  std::vector<Cluster> clusters;
  for (const Rows part : {Rows(rows).first(split), Rows(rows).subspan(split)})
    if (!part.empty()) clusters.push_back(cluster_of(x, part));
  return clusters;
}

std::size_t OnlineClusters::nearest(double x) const noexcept {
  if (groups_[1].samples == 0) return 0;
  return std::abs(x - groups_[1].mean_x) < std::abs(x - groups_[0].mean_x) ? 1 : 0;
}

std::optional<double> OnlineClusters::predict(double x) const {
  if (groups_[0].samples == 0) return std::nullopt;
  return groups_[nearest(x)].mean_time;
}

void OnlineClusters::learn(double x, double time) {
  const bool starts_second = groups_[0].samples > 0 && groups_[1].samples == 0 && x != groups_[0].mean_x;
  Group& group = groups_[starts_second ? 1 : nearest(x)];
  group.samples = std::min(group.samples + 1, kMemory);
  group.mean_x += (x - group.mean_x) / group.samples;
  group.mean_time += (time - group.mean_time) / group.samples;
}

void OnlineClusters::rescale(double factor, double samples) {
  for (Group& group : groups_) {
    group.mean_time *= factor;
    group.samples = std::min(group.samples, samples);
  }
}

std::vector<double> OnlineClusters::state() const {
  std::vector<double> values;
  for (const Group& group : groups_) values.insert(values.end(), {group.samples, group.mean_x, group.mean_time});
  return values;
}

bool OnlineClusters::restore(std::span<const double> state) {
  std::array<Group, 2> groups;
  if (state.size() != 3 * groups.size()) return false;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    groups[i] = {std::min(state[3 * i], kMemory), state[3 * i + 1], state[3 * i + 2]};
    const bool is_empty = groups[i].samples == 0 && i > 0;
    const bool is_group = groups[i].samples > 0 && std::isfinite(groups[i].mean_x) && groups[i].mean_x >= 0 &&
                          std::isfinite(groups[i].mean_time) && groups[i].mean_time > 0;
    if (!is_empty && !is_group) return false;
  }
  groups_ = groups;
  return true;
}

std::vector<Point> OnlineClusters::groups() const {
  std::vector<Point> points;
  for (const Group& group : groups_)
    if (group.samples > 0) points.push_back({group.mean_x, group.mean_time});
  return points;
}

}  // namespace foretask::model
