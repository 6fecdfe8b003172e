// SPDX-License-Identifier: Apache-2.0
#include "analysis/search_independence.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "statistics/survival.hpp"

namespace foretask::wiring {
namespace {

constexpr std::uint64_t kEnoughSolutions = 20;  // of either kind
constexpr double kErrorsApart = 3;
constexpr std::size_t kMostNumbers = 16;

struct Search {
  double ns = 0;
  bool found = false;
  std::uint32_t at_once = 0;
};

std::vector<Search> sorted_searches(const std::vector<analysis::SearchGroup>& groups) {
  std::vector<Search> searches;
  for (const analysis::SearchGroup& group : groups)
    for (std::size_t i = 0; i < group.ns.size(); ++i)
      searches.push_back({group.ns[i], group.found[i] != 0, group.at_once});
  std::sort(searches.begin(), searches.end(), [](const Search& a, const Search& b) { return a.ns < b.ns; });
  return searches;
}

// Those of which most solutions are known, least first.
std::vector<std::uint32_t> numbers_at_once(const std::vector<Search>& searches) {
  std::map<std::uint32_t, std::uint64_t> solutions;
  for (const Search& search : searches) solutions[search.at_once] += search.found;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> most;
  for (const auto& [number, count] : solutions)
    if (count >= kEnoughSolutions) most.emplace_back(count, number);
  std::sort(most.rbegin(), most.rend());
  if (most.size() > kMostNumbers) most.resize(kMostNumbers);
  std::vector<std::uint32_t> numbers;
  for (const auto& [count, number] : most) numbers.push_back(number);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace

void check_independence(const std::vector<analysis::SearchGroup>& groups, std::vector<std::string>& notes) {
  const std::vector<Search> searches = sorted_searches(groups);
  bool is_checked = false;
  for (const std::uint32_t number : numbers_at_once(searches)) {
    std::vector<statistics::ComparedTime> compared;
    std::uint64_t fewer_found = 0;
    for (const Search& search : searches) {
      if (search.at_once > number) continue;
      compared.push_back({search.ns, search.found, search.at_once == number});
      fewer_found += search.found && search.at_once < number;
    }
    if (fewer_found < kEnoughSolutions) continue;
    const statistics::LogRank count = statistics::log_rank(compared);
    if (!(count.variance > 0)) continue;
    is_checked = true;
    if (std::abs(count.observed - count.expected) <= kErrorsApart * std::sqrt(count.variance)) continue;
    notes.push_back("with " + std::to_string(number) + " searches at once " +
                    std::to_string(std::lround(count.observed)) + " solutions were found. Expected were " +
                    std::to_string(std::lround(count.expected)) +
                    ", by the searches with fewer at once. The inputs differ in difficulty, or the searches " +
                    (count.observed < count.expected ? "hinder" : "help") + " each other");
  }
  if (!is_checked)
    notes.emplace_back(
        "assumed, not tested: searches are independent, and all inputs are equally hard. To test it, record with "
        "another number of searches at once");
}

}  // namespace foretask::wiring
