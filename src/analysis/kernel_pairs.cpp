// SPDX-License-Identifier: Apache-2.0
#include "analysis/kernel_pairs.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <string_view>

#include "base/module_offset.hpp"
#include "report/short_names.hpp"

namespace foretask::wiring {
namespace {

struct Place {
  std::string group;  // function, file and kind
  std::uint64_t line = 0;
};

// "f (a.cpp:3) loop" -> "f (a.cpp) loop", 3; "f (app+0x1f)" -> "f (app)", 31. The file without its folder: a copy of
// the source may lie elsewhere.
Place place_of(const std::string& name) {
  const report::NameParts parts = report::parts_of(name);
  if (parts.place.empty()) return {name};
  Place place;
  std::string_view file;
  if (const auto offset = base::parse_module_offset(parts.place)) {
    file = offset->module;
    place.line = offset->offset;
  } else {
    const std::size_t colon = parts.place.rfind(':');
    file = parts.place.substr(0, colon);
    const std::string_view line = parts.place.substr(colon + 1);
    std::from_chars(line.data(), line.data() + line.size(), place.line);
  }
  if (const std::size_t slash = file.rfind('/'); slash != std::string_view::npos) file.remove_prefix(slash + 1);
  place.group.append(parts.function).append(" (").append(file).append(")").append(parts.behind);
  return place;
}

// In the order of lines, then of names.
using Names = std::vector<std::pair<std::uint64_t, std::string>>;
struct Group {
  Names before;
  Names after;
};

void add_sorted(const std::vector<std::string>& names, Names Group::*side, std::map<std::string, Group>& groups) {
  for (const std::string& name : names) {
    const Place place = place_of(name);
    (groups[place.group].*side).emplace_back(place.line, name);
  }
  for (auto& [key, group] : groups) std::sort((group.*side).begin(), (group.*side).end());
}

// Both sorted.
void add_equal_names(const Group& group, std::vector<std::pair<std::string, std::string>>& pairs) {
  auto one = group.before.begin();
  auto other = group.after.begin();
  while (one != group.before.end() || other != group.after.end()) {
    const bool is_gone = other == group.after.end() || (one != group.before.end() && *one < *other);
    const bool is_new = !is_gone && (one == group.before.end() || *other < *one);
    pairs.emplace_back(is_new ? "" : one->second, is_gone ? "" : other->second);
    if (!is_new) ++one;
    if (!is_gone) ++other;
  }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> pair_kernels(const std::vector<std::string>& before,
                                                              const std::vector<std::string>& after) {
  std::map<std::string, Group> groups;
  add_sorted(before, &Group::before, groups);
  add_sorted(after, &Group::after, groups);
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& [key, group] : groups) {
    if (group.before.size() != group.after.size()) {
      add_equal_names(group, pairs);
      continue;
    }
    // Equal names stand at equal places where the sides have the same ones.
    for (std::size_t i = 0; i < group.before.size(); ++i)
      pairs.emplace_back(group.before[i].second, group.after[i].second);
  }
  return pairs;
}

}  // namespace foretask::wiring
