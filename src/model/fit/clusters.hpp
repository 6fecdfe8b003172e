// SPDX-License-Identifier: Apache-2.0
// Several behaviours of one kernel (Grass et al. 2014, section 5.2): the rows fall into two groups by one parameter,
// and the time of the row nearest to a group's mean stands for the whole group.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace foretask::model {

struct Cluster {
  double centroid = 0;             // mean parameter
  std::size_t representative = 0;  // the member nearest to it, the earliest of equally near ones
  std::vector<std::size_t> members;
};

// 2-means in one dimension. Of all splits the one with the smallest sum of squares is taken, which no choice of initial
// centres can better. By centroid; one cluster where the parameter does not vary. O(n log n).
[[nodiscard]] std::vector<Cluster> split_in_two(std::span<const double> x);

}  // namespace foretask::model
