// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/speculation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "foretask/analysis/compose.hpp"
#include "foretask/analysis/distribution.hpp"
#include "foretask/analysis/moments.hpp"
#include "statistics/survival.hpp"

namespace foretask::analysis {
namespace {

constexpr std::size_t kPlace90 = 6;  // in kComposeQuantiles
static_assert(kComposeQuantiles[kPlace90] == 0.90);
constexpr double kFewFound = 20;      // below, a note
constexpr double kMostUnseen = 0.01;  // of first_of(N), which then is taken for what was seen
// N searches of which the longest of G that found is the least are all longer than it with a probability of about E /
// G, where E is exponential with mean 1. E is above this once in 150 recordings.
constexpr double kUnseenByChance = 5;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// All searches of some groups.
struct Pool {
  std::vector<double> ns;
  std::vector<std::uint8_t> found;
};

Pool pool_of(const std::vector<SearchGroup>& groups) {
  Pool pool;
  for (const SearchGroup& group : groups) {
    pool.ns.insert(pool.ns.end(), group.ns.begin(), group.ns.end());
    pool.found.insert(pool.found.end(), group.found.begin(), group.found.end());
  }
  return pool;
}

Result<Composition> first_of(const Distribution& search, std::uint64_t n) {
  const auto first = Distribution::first_of(n, search);
  if (!first) return first.error();
  return compose(*first);
}

SpeculationPoint point_of(std::uint32_t workers, const Composition& first, double recorded_mean) {
  SpeculationPoint point;
  point.workers = workers;
  point.mean = first.mean;
  point.sd = first.sd;
  point.p90 = first.quantiles[kPlace90];
  // std::max(0, NaN) would be 0.
  const double error = first.errors ? first.errors->mean : kUnknown;
  point.low = std::isfinite(error) ? std::max(0.0, first.mean - 2 * error) : kUnknown;
  point.high = std::isfinite(error) ? first.mean + 2 * error : kUnknown;
  point.gain = first.mean > 0 ? recorded_mean / first.mean : kUnknown;
  point.beyond_sample = first.beyond_sample;
  return point;
}

// Of the groups in which a search won.
std::uint32_t median_at_once(const std::vector<SearchGroup>& groups) {
  std::vector<std::uint32_t> numbers;
  for (const SearchGroup& group : groups)
    if (group.winner >= 0) numbers.push_back(group.at_once);
  if (numbers.empty()) return 1;
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

double mean_of_winners(const std::vector<SearchGroup>& groups) {
  RunningMoments times;
  for (const SearchGroup& group : groups)
    if (group.winner >= 0) times.add(group.ns[static_cast<std::size_t>(group.winner)]);
  return times.moments().mean;
}

constexpr std::uint64_t kEnoughSolutions = 20;  // of either kind
constexpr double kErrorsApart = 3;
constexpr std::size_t kMostNumbers = 16;

struct Search {
  double ns = 0;
  bool found = false;
  std::uint32_t at_once = 0;
};

std::vector<Search> sorted_searches(const std::vector<SearchGroup>& groups) {
  std::vector<Search> searches;
  for (const SearchGroup& group : groups)
    for (std::size_t i = 0; i < group.ns.size(); ++i)
      searches.push_back({group.ns[i], group.found[i] != 0, group.at_once});
  std::sort(searches.begin(), searches.end(), [](const Search& a, const Search& b) { return a.ns < b.ns; });
  return searches;
}

// The numbers of searches at once for which most solutions are known, in ascending order.
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

// Searches that are independent of each other, on inputs that are equally hard, take as long whatever their number at
// once. This compares the searches with each number at once to all those with fewer, by the log-rank test: a note for
// each that is more than three standard errors off, or that nothing could be compared. O(n log n + n x numbers), at
// most 16 of these: the most frequent ones.
void check_independence(const std::vector<SearchGroup>& groups, std::vector<std::string>& notes) {
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

}  // namespace

Result<Speculation> speculate(const SpeculativeSearches& searches, const std::vector<std::uint32_t>& workers) {
  const Pool pool = pool_of(searches.groups);
  Speculation result;
  result.section = searches.section;
  result.searches = pool.ns.size();
  result.found = static_cast<std::uint64_t>(std::count(pool.found.begin(), pool.found.end(), 1));
  result.at_once = median_at_once(searches.groups);
  if (searches.is_divided)
    return Error{
        "section '" + searches.section +
        "': some of its tasks wait for others of their group, so they are parts of one search. For more workers, "
        "use foretask simulate"};
  if (result.found < 2)
    return Error{"section '" + searches.section + "': fewer than two recorded searches found a solution"};
  result.winner_ns = mean_of_winners(searches.groups);
  const auto search = Distribution::of_censored_samples(pool.ns, pool.found);
  if (!search) return search.error();
  const auto recorded = first_of(*search, result.at_once);
  if (!recorded) return recorded.error();
  const double unseen = statistics::product_limit(pool.ns, pool.found).beyond;
  const auto found = static_cast<double>(result.found);
  // Searches found solutions, so there are groups.
  const std::uint32_t least = std::ranges::min_element(searches.groups, {}, &SearchGroup::at_once)->at_once;
  bool is_any_cut = false;
  for (const std::uint32_t count : workers) {
    const auto first = first_of(*search, count);
    if (!first) return first.error();
    SpeculationPoint row = point_of(count, *first, recorded->mean);
    const double by_chance = count < least ? 0 : kUnseenByChance / found;
    row.at_least = std::pow(unseen, count) > std::max(kMostUnseen, by_chance);
    if (row.at_least) row.beyond_sample = false;  // what composes says of a lower bound too
    is_any_cut |= row.at_least;
    result.rows.push_back(row);
  }
  if (is_any_cut)
    result.notes.emplace_back(
        "times longer than the recorded winners' were never seen, so with few searches at once the true time is longer "
        "than shown. Record with fewer searches at once");
  if (found < kFewFound) result.notes.push_back("only " + std::to_string(result.found) + " searches found a solution");
  if (searches.failed != 0)
    result.notes.push_back(
        std::to_string(searches.failed) +
        " searches ended without a solution. They count as searches that could have found one later");
  check_independence(searches.groups, result.notes);
  return result;
}

}  // namespace foretask::analysis
