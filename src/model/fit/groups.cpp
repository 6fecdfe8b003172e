// SPDX-License-Identifier: Apache-2.0
#include "model/fit/groups.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "statistics/random.hpp"
#include "statistics/tails.hpp"

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

constexpr std::size_t kMostGroups = 16;
constexpr std::size_t kRowsAGroup = 20;
constexpr std::size_t kMostValues = 32;  // different ones that are a group each
constexpr std::size_t kFewestBlocks = 10;
constexpr double kUncorrelated = 0.1;
constexpr int kPermutations = 199;
// The middle window holds at most this share of what the emptier of the outer two does.
constexpr double kValley = 0.5;
constexpr double kValleyP = 1e-3;
constexpr double kSmallestMode = 0.02;  // of all rows

struct Sums {
  std::vector<double> rows;
  std::vector<double> total;
};

Sums sums_of(std::span<const double> y, const Groups& groups) {
  Sums sums{std::vector<double>(groups.count), std::vector<double>(groups.count)};
  for (std::size_t i = 0; i < y.size(); ++i) {
    ++sums.rows[groups.of_row[i]];
    sums.total[groups.of_row[i]] += y[i];
  }
  return sums;
}

// Of each row, that of its group.
std::vector<double> means_of(std::span<const double> y, const Groups& groups) {
  const Sums sums = sums_of(y, groups);
  std::vector<double> means(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) means[i] = sums.total[groups.of_row[i]] / sums.rows[groups.of_row[i]];
  return means;
}

double mean_of(std::span<const double> y) {
  return std::accumulate(y.begin(), y.end(), 0.0) / static_cast<double>(y.size());
}

// Sum of squares between the groups, about 0: y has none but its deviations.
double between(const Sums& sums) {
  double squares = 0;
  for (std::size_t group = 0; group < sums.rows.size(); ++group)
    if (sums.rows[group] > 0) squares += sums.total[group] * sums.total[group] / sums.rows[group];
  return squares;
}

// The first distance at which rows have next to nothing in common any more. `deviation` is about its mean.
std::size_t memory_of(std::span<const double> deviation) {
  double variance = 0;
  for (const double value : deviation) variance += value * value;
  const std::size_t most = deviation.size() / kFewestBlocks;
  for (std::size_t lag = 1; lag < most; lag += 1 + lag / 8) {
    double common = 0;
    for (std::size_t i = lag; i < deviation.size(); ++i) common += deviation[i] * deviation[i - lag];
    if (common < kUncorrelated * variance) return lag;
  }
  return std::max<std::size_t>(1, most);
}

struct Squares {
  double total = 0;
  double between = 0;
  double groups = 0;  // that are not empty
};

Squares squares_of(std::span<const double> y, const Groups& groups) {
  const double mean = mean_of(y);
  std::vector<double> deviation(y.size());
  Squares squares;
  for (std::size_t i = 0; i < y.size(); ++i) {
    deviation[i] = y[i] - mean;
    squares.total += deviation[i] * deviation[i];
  }
  const Sums sums = sums_of(deviation, groups);
  squares.between = std::min(between(sums), squares.total);
  squares.groups =
      static_cast<double>(std::count_if(sums.rows.begin(), sums.rows.end(), [](double rows) { return rows > 0; }));
  return squares;
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

Groups groups_by_value(std::span<const double> x) {
  Groups groups;
  groups.of_row.resize(x.size());
  if (x.empty()) return groups;
  std::vector<std::size_t> rows(x.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) { return x[a] != x[b] ? x[a] < x[b] : a < b; });
  std::size_t values = 1;
  for (std::size_t i = 1; i < rows.size(); ++i) values += x[rows[i]] != x[rows[i - 1]] ? 1 : 0;
  const bool each_value = values <= kMostValues && values * 3 <= x.size();
  const std::size_t wanted = std::clamp<std::size_t>(x.size() / kRowsAGroup, 2, kMostGroups);
  const std::size_t least = x.size() / wanted;
  std::size_t in_group = 0;
  std::uint32_t group = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool differs = i != 0 && x[rows[i]] != x[rows[i - 1]];
    if (differs && (each_value || in_group >= least)) {
      ++group;
      in_group = 0;
    }
    groups.of_row[rows[i]] = group;
    ++in_group;
  }
  groups.count = group + 1;
  return groups;
}

double adjusted_share(std::span<const double> y, const Groups& groups) {
  if (y.size() < 3) return 0;
  const Squares squares = squares_of(y, groups);
  const double n = static_cast<double>(y.size());
  if (squares.total <= 0 || n <= squares.groups) return 0;
  return 1 - (squares.total - squares.between) / (n - squares.groups) / (squares.total / (n - 1));
}

double share_p(std::span<const double> y, const Groups& groups) {
  if (y.size() < 3) return 1;
  const Squares squares = squares_of(y, groups);
  const double below = static_cast<double>(y.size()) - squares.groups;
  const double above = squares.groups - 1;
  if (above < 1 || below < 1 || squares.total <= 0) return 1;
  const double within = squares.total - squares.between;
  if (within <= squares.total * 1e-15) return 0;
  return statistics::f_tail(squares.between / above / (within / below), above, below);
}

double share_p_by_blocks(std::span<const double> y, const Groups& groups) {
  if (y.size() < 2 * kFewestBlocks || groups.count < 2) return 1;
  const double mean = mean_of(y);
  std::vector<double> deviation(y.begin(), y.end());
  for (double& value : deviation) value -= mean;
  const double seen = between(sums_of(deviation, groups));
  // What the groups are of has the memory of its groups' means of y, in which alone it matters.
  const std::vector<double> explained = means_of(deviation, groups);
  const std::size_t length = std::clamp<std::size_t>(2 * (std::min(memory_of(deviation), memory_of(explained)) - 1), 1,
                                                     y.size() / kFewestBlocks);
  const std::size_t blocks = y.size() / length;
  std::vector<std::size_t> order(blocks);
  std::iota(order.begin(), order.end(), std::size_t{0});
  statistics::Random random(1);
  std::vector<double> moved(y.size());
  int as_large = 1;
  for (int permutation = 0; permutation < kPermutations; ++permutation) {
    for (std::size_t i = blocks - 1; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
    std::size_t at = 0;
    for (const std::size_t block : order)
      for (std::size_t row = block * y.size() / blocks; row < (block + 1) * y.size() / blocks; ++row)
        moved[at++] = deviation[row];
    if (between(sums_of(moved, groups)) >= seen) ++as_large;
  }
  return static_cast<double>(as_large) / (kPermutations + 1);
}

std::vector<double> residuals_of(std::span<const double> y, const Groups& groups) {
  std::vector<double> residuals = means_of(y, groups);
  for (std::size_t i = 0; i < y.size(); ++i) residuals[i] = y[i] - residuals[i];
  return residuals;
}

TwoModes find_two_modes(std::span<const double> x) {
  TwoModes modes;
  const std::vector<Cluster> clusters = split_in_two(x);
  if (clusters.size() != 2) return modes;
  modes.groups.of_row.resize(x.size());
  modes.groups.count = 2;
  for (const std::size_t row : clusters[1].members) modes.groups.of_row[row] = 1;
  // Three windows of equal width, about the lower mean, about the upper one and between them. In a column with one mode
  // the middle one is no emptier than the emptier of the others: a row of either lies in it with a probability of 1/2
  // at least.
  const double low = clusters[0].centroid;
  const double width = (clusters[1].centroid - low) / 3;
  std::size_t lower = 0;
  std::size_t middle = 0;
  std::size_t upper = 0;
  for (const double value : x) {
    const double place = (value - low) / width;
    if (place >= -0.5 && place < 0.5) ++lower;
    if (place >= 1 && place < 2) ++middle;
    if (place >= 2.5 && place <= 3.5) ++upper;
  }
  const std::size_t outer = std::min(lower, upper);
  if (outer == 0) return modes;
  modes.p = statistics::binomial_lower_tail(static_cast<double>(middle), static_cast<double>(outer + middle), 0.5);
  const auto least = std::min(clusters[0].members.size(), clusters[1].members.size());
  modes.found = modes.p <= kValleyP && static_cast<double>(middle) <= kValley * static_cast<double>(outer) &&
                static_cast<double>(least) >= kSmallestMode * static_cast<double>(x.size());
  return modes;
}

}  // namespace foretask::model
