// SPDX-License-Identifier: Apache-2.0
// Where a continuous function of one variable is 0, to the last bits of a double. Any thread; some ten calls of the
// function.
#pragma once

#include <functional>
#include <optional>

namespace foretask::statistics {

// Between `low` and `high`, finite and low <= high, where `f` has different signs (Alefeld, Potra and Shi 1995,
// algorithm 748): of the narrowest interval found the end on the side of `high`, or an exact zero. Nothing where the
// signs are equal or one of the two values is NaN.
[[nodiscard]] std::optional<double> root_between(const std::function<double(double)>& f, double low, double high);

}  // namespace foretask::statistics
