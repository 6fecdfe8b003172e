// SPDX-License-Identifier: Apache-2.0
#include "report/kernel_match.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/name_distance.hpp"
#include "report/short_names.hpp"

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

}  // namespace

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
