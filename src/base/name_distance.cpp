// SPDX-License-Identifier: Apache-2.0
#include "base/name_distance.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace foretask::base {

std::size_t name_distance(std::string_view left, std::string_view right) {
  // One row of the usual table: row[j] is the distance of left's first i letters to right's first j.
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= left.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t replaced = diagonal + (left[i - 1] == right[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({replaced, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row.back();
}

}  // namespace foretask::base
