// SPDX-License-Identifier: Apache-2.0
#include "model/fit/clusters.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace foretask::model {
namespace {

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

}  // namespace foretask::model
