// SPDX-License-Identifier: Apache-2.0
#include "cli/options/value_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "cli/options/whole_number.hpp"

namespace foretask::cli {
namespace {

struct Range {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t step = 1;
  bool is_factor = false;
};

// Nothing where it is a value: "1e-5", "-3", "a-b".
std::optional<Range> parse_range(std::string_view part) {
  const std::size_t dash = part.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  Range range;
  const std::size_t colon = part.find(':', dash);
  const auto first = parse_whole(part.substr(0, dash));
  const auto last = parse_whole(part.substr(dash + 1, colon == std::string_view::npos ? colon : colon - dash - 1));
  if (!first || !last) return std::nullopt;
  range.first = *first;
  range.last = *last;
  if (colon == std::string_view::npos) return range;
  std::string_view step = part.substr(colon + 1);
  range.is_factor = step.starts_with('x');
  if (range.is_factor) step.remove_prefix(1);
  const auto number = parse_whole(step);
  if (!number) return std::nullopt;
  range.step = *number;
  return range;
}

std::string wrong(const Range& range) {
  if (range.last < range.first) return "the range runs backwards";
  if (!range.is_factor && range.step == 0) return "the step is 0";
  if (range.is_factor && range.step < 2) return "a factor must be 2 or more";
  if (range.is_factor && range.first == 0) return "a range with a factor cannot begin at 0";
  return {};
}

}  // namespace

Result<std::vector<std::string>> parse_value_list(std::string_view text) {
  std::vector<std::string> values;
  const auto add = [&values](std::string value) {
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(std::move(value));
    return values.size() <= kMaxValues;
  };
  const Error too_many{
      fmt::format("more than {} values: give a range a step, as in 10-5000:10 or 1-4096:x2", kMaxValues)};
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string_view part = text.substr(begin, comma - begin);
    begin = comma + 1;
    if (part.empty()) return Error{fmt::format("'{}': a value is empty", text)};
    const auto range = parse_range(part);
    if (!range) {
      if (!add(std::string(part))) return too_many;
      continue;
    }
    if (const std::string problem = wrong(*range); !problem.empty())
      return Error{fmt::format("'{}': {}", part, problem)};
    for (std::uint64_t value = range->first;;) {
      if (!add(std::to_string(value))) return too_many;
      const std::uint64_t room = range->last - value;
      if (range->is_factor ? value > range->last / range->step : range->step > room) break;
      value = range->is_factor ? value * range->step : value + range->step;
    }
  }
  return values;
}

}  // namespace foretask::cli
