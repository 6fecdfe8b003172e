// SPDX-License-Identifier: Apache-2.0
#include "report/short_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/module_offset.hpp"
#include "base/name_distance.hpp"
#include "base/region_name.hpp"
#include "report/plain_text.hpp"

namespace foretask::report {
namespace {

constexpr std::size_t kSuggestions = 3;

std::string_view function_part(std::string_view name) { return name.substr(0, name.find(" (")); }

// Whether a user who knows the source may call the kernel `wanted`.
bool is_called(const std::string& name, std::string_view wanted) {
  const NameParts parts = parts_of(name);
  const std::string plain = without_template_arguments(parts.function, "");
  return parts.function == wanted || without_template_arguments(parts.function, "<...>") == wanted || plain == wanted ||
         without_qualifiers(plain) == wanted ||
         (!parts.place.empty() &&
          (parts.place == wanted || name.substr(0, name.size() - parts.behind.size()) == wanted));
}

// The names nearest to `wanted`, nearest first; a part of a name counts as nearest of all.
std::vector<std::string> near_names(const std::vector<std::string>& names, std::string_view wanted) {
  std::set<std::pair<std::size_t, std::string>> ranked;
  const ShortNames shown(names, ShortNames::kSentenceColumns);
  for (const std::string& name : names) {
    const std::string plain = without_template_arguments(parts_of(name).function, "");
    std::size_t distance =
        std::min({base::name_distance(name, wanted), base::name_distance(function_part(name), wanted),
                  base::name_distance(without_qualifiers(plain), wanted)});
    if (!wanted.empty() && name.find(wanted) != std::string::npos) distance = 0;
    ranked.emplace(distance, name);
    if (ranked.size() > kSuggestions) ranked.erase(std::prev(ranked.end()));
  }
  std::vector<std::string> nearest;
  for (const auto& [distance, name] : ranked) nearest.push_back(shown.of(name));
  return nearest;
}

constexpr std::string_view kCut = "...";

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "file:line" or "module+0xoffset".
bool is_place(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  return (colon != std::string_view::npos && is_number(text.substr(colon + 1))) ||
         base::parse_module_offset(text).has_value();
}

// What follows the place: the kind of a kernel, and which one of several it is.
bool is_behind(std::string_view text) {
  if (const std::size_t number = text.rfind(" #");
      number != std::string_view::npos && is_number(text.substr(number + 2)))
    text = text.substr(0, number);
  constexpr std::array<std::string_view, 4> kKinds{"", base::kRegionSuffix, base::kLoopSuffix, base::kSectionsSuffix};
  return std::find(kKinds.begin(), kKinds.end(), text) != kKinds.end();
}

// The first or the last `letters` of the text.
std::string first_letters(std::string_view text, std::size_t letters) {
  std::size_t end = 0;
  while (end < text.size() && (letters > 0 || (text[end] & 0xC0) == 0x80))
    if ((text[end++] & 0xC0) != 0x80) --letters;
  return std::string(text.substr(0, end));
}
std::string last_letters(std::string_view text, std::size_t letters) {
  return std::string(text.substr(first_letters(text, width_of(text) - letters).size()));
}

// What a name has lost, each with all before it.
enum Level : int { kWhole, kNoArguments, kNoQualifiers, kNoFile, kNoEnd, kLevels };

std::string name_at(const std::string& name, int level, std::size_t columns) {
  if (level == kWhole) return name;
  const NameParts parts = parts_of(name);
  std::string function = without_template_arguments(parts.function, "<...>");
  std::string place(parts.place);
  if (const std::size_t end = place.find_last_of(":+"); level >= kNoFile && end != std::string::npos)
    place = std::string(kCut) + place.substr(end);
  if (level >= kNoQualifiers) function = without_qualifiers(function);
  const std::string rest = (place.empty() ? "" : " (" + place + ")") + std::string(parts.behind);
  if (level < kNoEnd || width_of(function) + width_of(rest) <= columns) return function + rest;
  // A name without a place may tell itself apart at its end.
  constexpr std::size_t kFewest = 8;
  const std::size_t room = std::max(columns - std::min(columns, width_of(rest) + kCut.size()), kFewest);
  if (width_of(function) <= room) return function + rest;
  const std::size_t end = place.empty() ? room / 2 : 0;
  return first_letters(function, room - end).append(kCut).append(last_letters(function, end)) + rest;
}

// Has lost no more than it has to.
std::string cut_name(const std::string& name, std::size_t columns) {
  int level = kWhole;
  std::string text = name;
  while (width_of(text) > columns && level + 1 < kLevels) text = name_at(name, ++level, columns);
  return text;
}

}  // namespace

NameParts parts_of(std::string_view name) {
  for (std::size_t close = name.rfind(')'); close != std::string_view::npos && close > 0;
       close = name.rfind(')', close - 1)) {
    const std::size_t open = name.rfind(" (", close);
    if (open == std::string_view::npos || !is_behind(name.substr(close + 1))) break;
    const std::string_view place = name.substr(open + 2, close - open - 2);
    if (is_place(place)) return {name.substr(0, open), place, name.substr(close + 1)};
  }
  return {name, {}, {}};
}

bool is_region(std::string_view name) { return parts_of(name).behind.starts_with(base::kRegionSuffix); }

std::string without_template_arguments(std::string_view function, std::string_view instead) {
  std::string result;
  std::size_t depth = 0;
  std::size_t first = 0;
  for (std::size_t at = 0; at < function.size(); ++at) {
    const char letter = function[at];
    const std::string_view before = function.substr(0, at);
    const bool is_of_operator = before.ends_with("operator") || before.ends_with("operator<") ||
                                before.ends_with("operator-") || before.ends_with("operator>");
    if (letter == '<' && !is_of_operator && depth++ == 0) first = at;
    const bool was_inside = depth > 0;
    if (letter == '>' && !is_of_operator && depth > 0 && !before.ends_with('-') && --depth == 0) {
      const std::string_view arguments = function.substr(first, at + 1 - first);
      result += arguments.size() <= instead.size() ? arguments : instead;
    }
    if (!was_inside) result += letter;
  }
  return depth == 0 ? result : std::string(function);
}

std::string_view without_qualifiers(std::string_view function) {
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at + 1 < function.size(); ++at) {
    if (std::string_view("<({").find(function[at]) != std::string_view::npos) ++depth;
    if (std::string_view(">)}").find(function[at]) != std::string_view::npos) --depth;
    // "f::{lambda#1}": a lambda is called after the function around it.
    if (depth == 0 && function.substr(at, 2) == "::" && !function.substr(at + 2).starts_with('{')) begin = at + 2;
  }
  return function.substr(begin);
}

ShortNames::ShortNames(const std::vector<std::string>& names, std::size_t columns) {
  std::set<std::string> taken;
  std::vector<std::string> cut;
  for (const std::string& name : std::set<std::string>(names.begin(), names.end())) {
    if (width_of(one_line(name)) > columns) {
      cut.push_back(name);
    } else {
      taken.insert(short_[name] = one_line(name));
    }
  }
  are_cut_ = !cut.empty();
  for (const std::string& name : cut) {
    std::string text = cut_name(one_line(name), columns);
    for (int number = 2; !taken.insert(text).second; ++number) {
      const std::string behind = " #" + std::to_string(number);
      text = cut_name(one_line(name), columns - std::min(columns, behind.size())) + behind;
    }
    short_[name] = text;
  }
}

std::string ShortNames::of(const std::string& name) const {
  const auto found = short_.find(name);
  return found == short_.end() ? one_line(name) : found->second;
}

Result<std::vector<std::uint32_t>> match_kernels(const std::vector<std::string>& names, std::string_view wanted) {
  std::vector<std::uint32_t> full;
  std::vector<std::uint32_t> by_function;
  std::vector<std::uint32_t> by_part;
  const ShortNames in_tables(names);
  const ShortNames in_sentences(names, ShortNames::kSentenceColumns);
  for (std::uint32_t i = 0; i < names.size(); ++i) {
    if (names[i] == wanted || in_tables.of(names[i]) == wanted || in_sentences.of(names[i]) == wanted)
      full.push_back(i);
    if (function_part(names[i]) == wanted) by_function.push_back(i);
    if (is_called(names[i], wanted)) by_part.push_back(i);
  }
  for (std::vector<std::uint32_t>* const found : {&full, &by_function, &by_part})
    if (!found->empty()) return std::move(*found);
  if (names.empty()) return Error{fmt::format("no kernel is called '{}': the graph names none", wanted)};
  return Error{fmt::format("no kernel is called '{}'; {} {}", wanted,
                           names.size() <= kSuggestions ? "there are" : "near are",
                           fmt::join(near_names(names, wanted), ", "))};
}

}  // namespace foretask::report
