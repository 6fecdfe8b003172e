// SPDX-License-Identifier: Apache-2.0
#include "cli/options/lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "report/units.hpp"

namespace foretask::cli {
namespace {

using report::parse_number;

struct Range {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t step = 1;
  bool is_factor = false;
};

constexpr double kMaxTimeNs = 1e18;
constexpr std::uint32_t kMaxDepth = 1'000'000'000;

// "0.5ms" in ns.
std::optional<double> parse_time(std::string_view text) {
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  for (const auto& [unit, unit_ns] : kUnits) {
    if (!text.ends_with(unit)) continue;
    const auto number = parse_number<double>(text.substr(0, text.size() - unit.size()));
    if (number && std::isfinite(*number)) return *number * unit_ns;
  }
  return std::nullopt;
}

// Nothing where it is a value: "1e-5", "-3", "a-b".
std::optional<Range> parse_range(std::string_view part) {
  const std::size_t dash = part.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const std::size_t colon = std::min(part.find(':', dash), part.size());
  const auto first = parse_number<std::uint64_t>(part.substr(0, dash));
  const auto last = parse_number<std::uint64_t>(part.substr(dash + 1, colon - dash - 1));
  if (!first || !last) return std::nullopt;
  Range range{.first = *first, .last = *last};
  if (colon == part.size()) return range;
  std::string_view step = part.substr(colon + 1);
  range.is_factor = step.starts_with('x');
  if (range.is_factor) step.remove_prefix(1);
  const auto number = parse_number<std::uint64_t>(step);
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

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

Result<std::vector<std::string>> parse_value_list(std::string_view text) {
  std::vector<std::string> values;
  std::unordered_set<std::string> seen;
  const auto add = [&](const std::string& value) {
    if (seen.insert(value).second) values.push_back(value);
    return values.size() <= kMaxValues;
  };
  const Error too_many{
      fmt::format("more than {} values: give a range a step, as in 10-5000:10 or 1-4096:x2", kMaxValues)};
  for (const std::string& part : split(text)) {
    if (part.empty()) return Error{fmt::format("'{}': a value is empty", text)};
    const auto range = parse_range(part);
    if (!range) {
      if (!add(part)) return too_many;
      continue;
    }
    if (const std::string problem = wrong(*range); !problem.empty())
      return Error{fmt::format("'{}': {}", part, problem)};
    for (std::uint64_t value = range->first;;) {
      if (!add(std::to_string(value))) return too_many;
      if (range->is_factor ? value > range->last / range->step : range->step > range->last - value) break;
      value = range->is_factor ? value * range->step : value + range->step;
    }
  }
  return values;
}

Result<std::vector<std::uint32_t>> parse_core_list(std::string_view text) {
  const auto values = parse_value_list(text);
  if (!values) return values.error();
  std::vector<std::uint32_t> cores;
  for (const std::string& value : *values) {
    const auto count = parse_number<std::uint32_t>(value);
    if (!count)
      return Error{fmt::format("'{}' is not a number of cores: write 4, 1-8 or 4-64:4, separated by commas", value)};
    if (*count == 0) return Error{fmt::format("'{}': a number of cores must be at least 1", value)};
    if (*count > kMaxCores) return Error{fmt::format("'{}': at most {} cores are possible", value, kMaxCores)};
    if (std::find(cores.begin(), cores.end(), *count) == cores.end()) cores.push_back(*count);  // "1,01"
  }
  return cores;
}

Result<std::vector<double>> parse_factor_list(std::string_view text) {
  std::vector<double> factors;
  for (const std::string& part : split(text)) {
    const auto factor = parse_number<double>(part);
    if (!factor || std::isnan(*factor))
      return Error{fmt::format("'{}' is not a factor: write 2 or 2,100, separated by commas", part)};
    if (*factor <= 0)
      return Error{fmt::format("'{}': a factor must be above 0. For a kernel that takes no time use --remove", part)};
    if (*factor > kMaxFactor || *factor < 1 / kMaxFactor)
      return Error{fmt::format("'{}': a factor must be from {:g} to {:g}", part, 1 / kMaxFactor, kMaxFactor)};
    if (std::find(factors.begin(), factors.end(), *factor) == factors.end()) factors.push_back(*factor);
  }
  return factors;
}

Result<std::vector<std::int64_t>> parse_time_list(std::string_view text) {
  std::vector<std::int64_t> times;
  for (const std::string& part : split(text)) {
    const auto time_ns = parse_time(part);
    if (!time_ns)
      return Error{fmt::format("'{}' is not a time: write 500ns, 10us, 0.5ms or 1s, separated by commas", part)};
    if (*time_ns < 1 || *time_ns > kMaxTimeNs)
      return Error{fmt::format("'{}': a time must be from 1 ns to {:g} s", part, kMaxTimeNs * 1e-9)};
    const auto whole_ns = static_cast<std::int64_t>(std::llround(*time_ns));
    if (std::find(times.begin(), times.end(), whole_ns) == times.end()) times.push_back(whole_ns);
  }
  return times;
}

Result<std::vector<std::uint32_t>> parse_depth_list(std::string_view text) {
  const auto values = parse_value_list(text);
  if (!values) return values.error();
  std::vector<std::uint32_t> depths;
  for (const std::string& value : *values) {
    const auto depth = parse_number<std::uint32_t>(value);
    if (!depth || *depth > kMaxDepth)
      return Error{fmt::format("'{}' is not a depth: write 4 or 1-12, separated by commas", value)};
    if (std::find(depths.begin(), depths.end(), *depth) == depths.end()) depths.push_back(*depth);
  }
  return depths;
}

std::vector<std::uint32_t> doubled_up_to(std::uint32_t most) {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t number = 1; number < most; number *= 2) numbers.push_back(number);
  numbers.push_back(most);
  return numbers;
}

}  // namespace foretask::cli
