// SPDX-License-Identifier: Apache-2.0
// How much of a column's variance the groups of another one account for, and whether chance would do as well. Any
// thread; cold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace foretask::model {

// Several behaviours of one kernel (Grass et al. 2014, section 5.2): the rows fall into two groups by one parameter,
// and the time of the row nearest to a group's mean stands for the whole group.
struct Cluster {
  double centroid = 0;             // mean parameter
  std::size_t representative = 0;  // the member nearest to it, the earliest of equally near ones
  std::vector<std::size_t> members;
};

// 2-means in one dimension. Of all splits the one with the smallest sum of squares is taken, which no choice of initial
// centres can better. By centroid; one cluster where the parameter does not vary. O(n log n).
[[nodiscard]] std::vector<Cluster> split_in_two(std::span<const double> x);

struct Groups {
  std::vector<std::uint32_t> of_row;
  std::uint32_t count = 0;
};

// Rows with equal values where there are few different ones, else of neighbouring values, about as many rows in each.
[[nodiscard]] Groups groups_by_value(std::span<const double> x);

// 1 - (variance within the groups) / (variance of y), each by its degrees of freedom: 0 on average where the groups say
// nothing of y, negative where they say less.
[[nodiscard]] double adjusted_share(std::span<const double> y, const Groups& groups);

// P of a share as large, by the F distribution: for rows that are independent of each other.
[[nodiscard]] double share_p(std::span<const double> y, const Groups& groups);

// P of a share as large, by permutation: the rows of y are moved in blocks of neighbours, as long as y or the groups
// remember, so that what neighbours have in common anyway does not count. Not below 1/200.
[[nodiscard]] double share_p_by_blocks(std::span<const double> y, const Groups& groups);

// y without its groups' means.
[[nodiscard]] std::vector<double> residuals_of(std::span<const double> y, const Groups& groups);

// Two groups of a column with hardly anything between them.
struct TwoModes {
  bool found = false;
  Groups groups;
  double p = 1;  // of so deep a valley between the two in a column with one mode
};
[[nodiscard]] TwoModes find_two_modes(std::span<const double> x);

}  // namespace foretask::model
