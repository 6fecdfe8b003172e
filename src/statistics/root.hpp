// SPDX-License-Identifier: Apache-2.0
// Where a function of one variable is 0, or least. Any thread.
#pragma once

#include <functional>
#include <optional>

namespace foretask::statistics {

// To the last bits of a double, by some ten calls: between `low` and `high`, finite and low <= high, where the
// continuous `f` has different signs (Alefeld, Potra and Shi 1995,
// algorithm 748): of the narrowest interval found the end on the side of `high`, or an exact zero. Nothing where the
// signs are equal or one of the two values is NaN.
[[nodiscard]] std::optional<double> root_between(const std::function<double(double)>& f, double low, double high);

// Near the least value of `f` between `low` and `high`, which it falls to and rises from, by `sections` golden
// sections: each leaves 0.618 of the interval, and calls `f` once.
[[nodiscard]] double least_between(const std::function<double(double)>& f, double low, double high, int sections);

}  // namespace foretask::statistics
