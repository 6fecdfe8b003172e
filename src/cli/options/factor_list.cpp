// SPDX-License-Identifier: Apache-2.0
#include "cli/options/factor_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace foretask::cli {

Result<std::vector<double>> parse_factor_list(std::string_view text) {
  std::vector<double> factors;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string_view part = text.substr(begin, comma - begin);
    begin = comma + 1;
    double factor = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), factor);
    if (part.empty() || error != std::errc{} || end != part.data() + part.size() || std::isnan(factor))
      return Error{fmt::format("'{}' is not a factor: write 2 or 2,100, separated by commas", part)};
    if (factor <= 0)
      return Error{fmt::format("'{}': a factor must be above 0. For a kernel that takes no time use --remove", part)};
    if (factor > kMaxFactor || factor < 1 / kMaxFactor)
      return Error{fmt::format("'{}': a factor must be from {:g} to {:g}", part, 1 / kMaxFactor, kMaxFactor)};
    if (std::find(factors.begin(), factors.end(), factor) == factors.end()) factors.push_back(factor);
  }
  return factors;
}

}  // namespace foretask::cli
