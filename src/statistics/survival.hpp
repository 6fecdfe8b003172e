// SPDX-License-Identifier: Apache-2.0
// Times until an event, where some were cut short: those are only lower bounds. Any thread.
#pragma once

#include <cstdint>
#include <vector>

namespace foretask::statistics {

// One time, of the two groups that are compared.
struct ComparedTime {
  double time = 0;
  bool has_ended = false;  // the event came; else the time was cut short
  bool is_first_group = false;
};

// Events of the first group, and how many they would be, give or take, were both groups alike. Nothing is counted once
// all of one group are gone.
struct LogRank {
  double observed = 0;
  double expected = 0;
  double variance = 0;
};

// The log-rank test (Mantel 1966; Peto and Peto 1972), for which it does not matter what cuts times short. `times`: in
// ascending order. Linear.
[[nodiscard]] LogRank log_rank(const std::vector<ComparedTime>& times);

// The product-limit estimate (Kaplan and Meier 1958) of how times are distributed.
struct ProductLimit {
  std::vector<double> times;          // that ended, each once, ascending
  std::vector<double> probabilities;  // of each
  double beyond = 1;                  // of a time longer than every one that has ended
};

// What was cut short as another one ended had not ended by then. As many flags as times. O(n log n).
[[nodiscard]] ProductLimit product_limit(const std::vector<double>& times, const std::vector<std::uint8_t>& has_ended);

}  // namespace foretask::statistics
