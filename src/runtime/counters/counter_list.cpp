// SPDX-License-Identifier: Apache-2.0
// What does not depend on where counters come from.
#include <algorithm>

#include "base/number_text.hpp"
#include "runtime/counters/counter_source.hpp"

namespace foretask::runtime {
namespace {

// Without the blanks around it.
std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

std::uint32_t CounterSource::count() const noexcept {
  const auto& all = statuses();
  return static_cast<std::uint32_t>(
      std::count_if(all.begin(), all.end(), [](const trace::Counter& one) { return one.status == trace::kCounterOk; }));
}

std::string bare_counter_name(std::string_view name) {
  const std::size_t table = name.find("::");
  const std::size_t begin = table == std::string_view::npos ? 0 : table + 2;
  const std::size_t end = std::min(name.find(':', begin), name.size());
  std::string bare(name.substr(0, end));
  std::transform(bare.begin(), bare.end(), bare.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  constexpr std::string_view kPerf = "PERF::";
  if (bare.rfind(kPerf, 0) == 0) bare.erase(0, kPerf.size());
  return bare;
}

std::vector<std::vector<std::string>> parse_counter_groups(std::string_view list) {
  std::vector<std::vector<std::string>> groups;
  while (!list.empty()) {
    std::string_view rest = base::take_part(list, ';');
    std::vector<std::string> names;
    while (!rest.empty()) {
      const std::string_view name = trim(base::take_part(rest, ','));
      if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
    }
    if (!names.empty()) groups.push_back(std::move(names));
  }
  return groups;
}

}  // namespace foretask::runtime
