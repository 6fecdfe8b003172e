// SPDX-License-Identifier: Apache-2.0
#include "cli/options/core_list.hpp"

#include <fmt/format.h>

#include <optional>
#include <unordered_set>

#include "cli/options/whole_number.hpp"

namespace foretask::cli {
namespace {

struct Range {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t step = 1;
};

std::optional<Range> parse_range(std::string_view part) {
  Range range;
  const std::size_t dash = part.find('-');
  const std::size_t colon = part.find(':');
  if (colon != std::string_view::npos) {
    const auto step = parse_whole(part.substr(colon + 1));
    if (!step || dash == std::string_view::npos || dash > colon) return std::nullopt;
    range.step = *step;
    part = part.substr(0, colon);
  }
  const auto first = parse_whole(part.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : parse_whole(part.substr(dash + 1));
  if (!first || !last) return std::nullopt;
  range.first = *first;
  range.last = *last;
  return range;
}

}  // namespace

Result<std::vector<std::uint32_t>> parse_core_list(std::string_view text) {
  std::vector<std::uint32_t> cores;
  std::unordered_set<std::uint32_t> seen;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string_view part = text.substr(begin, comma - begin);
    begin = comma + 1;

    const auto range = parse_range(part);
    if (!range)
      return Error{fmt::format("'{}' is not a number of cores: write 4, 1-8 or 4-64:4, separated by commas", part)};
    if (range->first == 0 || range->last == 0)
      return Error{fmt::format("'{}': a number of cores must be at least 1", part)};
    if (range->step == 0) return Error{fmt::format("'{}': the step is 0", part)};
    if (range->last < range->first) return Error{fmt::format("'{}': the range runs backwards", part)};
    if (range->last > kMaxCores) return Error{fmt::format("'{}': at most {} cores are possible", part, kMaxCores)};
    for (std::uint64_t count = range->first; count <= range->last; count += range->step) {
      if (!seen.insert(static_cast<std::uint32_t>(count)).second) continue;
      if (cores.size() == kMaxCoreCounts)
        return Error{
            fmt::format("more than {} numbers of cores: give a range a step, as in 1-100000:1000", kMaxCoreCounts)};
      cores.push_back(static_cast<std::uint32_t>(count));
    }
  }
  return cores;
}

}  // namespace foretask::cli
