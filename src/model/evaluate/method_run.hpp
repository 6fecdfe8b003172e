// SPDX-License-Identifier: Apache-2.0
// What a method makes of rows in their order: what it predicts of each, and which ones it had to measure for that. A
// measured row is predicted as it was measured, where the method measures it in its turn.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace foretask::model {

struct MethodRun {
  std::vector<double> predicted;
  std::vector<std::size_t> measured;
};

// Parameters and times, finite and as many of one as of the other.
struct Rows {
  std::span<const double> x;
  std::span<const double> time;
};

// One row's time for all rows, those before it included.
[[nodiscard]] MethodRun run_row(const Rows& rows, std::size_t row);

// Knows the times of the rows that it chose, and nothing else. No parameter is negative.
[[nodiscard]] MethodRun run_support_points(const Rows& rows);

// Knows every row's parameter beforehand, and the times of the representatives.
[[nodiscard]] MethodRun run_clusters(const Rows& rows);

// Knows every row's time once the row has been predicted. No parameter is negative.
[[nodiscard]] MethodRun run_best(const Rows& rows);

}  // namespace foretask::model
