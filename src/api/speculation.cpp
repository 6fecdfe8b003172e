// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/speculation.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "api/run_impl.hpp"
#include "foretask/analysis/compose.hpp"
#include "foretask/analysis/distribution.hpp"

namespace foretask::analysis {
namespace {

constexpr std::size_t kPlace90 = 6;  // in kComposeQuantiles
static_assert(kComposeQuantiles[kPlace90] == 0.90);
constexpr double kFewFound = 20;  // below, a note
constexpr std::size_t kEnoughGroups = 20;
constexpr double kMostUnseen = 0.01;  // of first_of(N), which then is taken for what was seen
constexpr double kErrorsApart = 3;

// All searches of some groups.
struct Pool {
  std::vector<double> ns;
  std::vector<std::uint8_t> found;
  void add(const SearchGroup& group) {
    ns.insert(ns.end(), group.ns.begin(), group.ns.end());
    found.insert(found.end(), group.found.begin(), group.found.end());
  }
  [[nodiscard]] std::uint64_t solutions() const {
    return static_cast<std::uint64_t>(std::count(found.begin(), found.end(), 1));
  }
};

// The product-limit estimate's probability that a search takes longer than every recorded one that found a solution.
double unseen_share(const Pool& pool) {
  std::vector<std::size_t> order(pool.ns.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // What was cut short when another one found its solution had not found one by then.
  std::sort(order.begin(), order.end(), [&pool](std::size_t a, std::size_t b) {
    return pool.ns[a] != pool.ns[b] ? pool.ns[a] < pool.ns[b] : pool.found[a] > pool.found[b];
  });
  double share = 1;
  double at_risk = static_cast<double>(order.size());
  for (const std::size_t search : order) {
    if (pool.found[search] != 0) share *= 1 - 1 / at_risk;
    --at_risk;
  }
  return share;
}

Result<Composition> first_of(const Distribution& search, std::uint64_t n) {
  const auto first = Distribution::first_of(n, search);
  if (!first) return first.error();
  return compose(*first);
}

double error_of(const Composition& composition) { return composition.errors ? composition.errors->mean : 0; }

// NaN where the error is.
double low_of(double mean, double error) { return std::isnan(error) ? error : std::max(0.0, mean - 2 * error); }

std::uint32_t median_size(const std::vector<SearchGroup>& groups) {
  std::vector<std::size_t> sizes;
  for (const SearchGroup& group : groups)
    if (group.winner >= 0) sizes.push_back(group.ns.size());
  if (sizes.empty()) return 1;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return static_cast<std::uint32_t>(*middle);
}

// The winners' own times.
std::vector<double> winners_of(const std::vector<const SearchGroup*>& groups) {
  std::vector<double> times;
  for (const SearchGroup* group : groups)
    if (group->winner >= 0) times.push_back(group->ns[static_cast<std::size_t>(group->winner)]);
  return times;
}

struct Mean {
  double value = 0;
  double error = 0;
};

Mean mean_of(const std::vector<double>& values) {
  double mean = 0, squares = 0, count = 0;
  for (const double value : values) {
    const double delta = value - mean;
    mean += delta / ++count;
    squares += delta * (value - mean);
  }
  return {mean, count > 1 ? std::sqrt(squares / (count - 1) / count) : 0};
}

std::string percent(double ratio) { return std::to_string(std::lround(100 * std::abs(ratio - 1))) + " %"; }

// Groups of so many searches against what those of fewer say of that many. Those of more do not know: what takes longer
// than their winners was never seen.
void check_independence(const std::vector<SearchGroup>& groups, std::vector<std::string>& notes) {
  std::map<std::size_t, std::vector<const SearchGroup*>> by_size;
  for (const SearchGroup& group : groups)
    if (!group.ns.empty()) by_size[group.ns.size()].push_back(&group);
  bool is_checked = false;
  for (const auto& [size, own] : by_size) {
    const std::vector<double> times = winners_of(own);
    Pool fewer;
    for (const SearchGroup& group : groups)
      if (group.ns.size() < size) fewer.add(group);
    if (times.size() < kEnoughGroups || fewer.solutions() < kEnoughGroups) continue;
    const auto search = Distribution::of_censored_samples(fewer.ns, fewer.found);
    if (!search) continue;
    const auto expected = first_of(*search, size);
    if (!expected) continue;
    is_checked = true;
    const Mean recorded = mean_of(times);
    if (!std::isfinite(expected->mean) || !std::isfinite(error_of(*expected))) continue;
    if (std::abs(recorded.value - expected->mean) <= kErrorsApart * std::hypot(recorded.error, error_of(*expected)))
      continue;
    notes.push_back(
        "with " + std::to_string(size) + " searches at once the winner took " +
        percent(recorded.value / expected->mean) + (recorded.value > expected->mean ? " longer" : " less") +
        " than groups of fewer searches say of independent ones: the inputs differ in how hard they are, or "
        "the searches hinder each other");
  }
  if (!is_checked)
    notes.emplace_back(
        "taken for granted: searches are independent, and all inputs equally hard. Recordings with another number of "
        "searches at once would show it");
}

}  // namespace

void SpeculativeSearches::merge(const SpeculativeSearches& other) {
  workers = std::max(workers, other.workers);
  failed += other.failed;
  groups.insert(groups.end(), other.groups.begin(), other.groups.end());
}

std::vector<SpeculativeSearches> speculative_searches(const Run& run) {
  const Run::Impl& impl = Run::Impl::of(run);
  std::vector<SpeculativeSearches> all;
  for (const SpeculativeSection& section : impl.report.speculative)
    all.push_back({.section = section.name, .workers = impl.report.workers, .failed = 0, .groups = {}});
  for (const graph::SpeculativeGroup& group : impl.speculative_groups) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const SpeculativeSearches& one) {
      return one.section == impl.graph.kernel_names[group.kernel];
    });
    if (found == all.end()) continue;
    SearchGroup searches;
    for (const graph::SpeculativeMember& member : group.members) {
      if (member.kernel != group.kernel || member.end == graph::MemberEnd::kNeverRan) continue;
      const bool won = member.end == graph::MemberEnd::kWon;
      if (won) searches.winner = static_cast<std::int64_t>(searches.ns.size());
      searches.ns.push_back(static_cast<double>(member.work_ns));
      searches.found.push_back(won || member.end == graph::MemberEnd::kAlsoFound ? 1 : 0);
      found->failed += member.end == graph::MemberEnd::kEnded;
    }
    if (!searches.ns.empty()) found->groups.push_back(std::move(searches));
  }
  return all;
}

Result<Speculation> speculate(const SpeculativeSearches& searches, const std::vector<std::uint32_t>& workers) {
  Pool pool;
  for (const SearchGroup& group : searches.groups) pool.add(group);
  Speculation result;
  result.section = searches.section;
  result.searches = pool.ns.size();
  result.found = pool.solutions();
  result.at_once = median_size(searches.groups);
  if (result.found < 2)
    return Error{"section '" + searches.section + "': fewer than two recorded searches found a solution"};
  std::vector<const SearchGroup*> all;
  for (const SearchGroup& group : searches.groups) all.push_back(&group);
  result.winner_ns = mean_of(winners_of(all)).value;
  const auto search = Distribution::of_censored_samples(pool.ns, pool.found);
  if (!search) return search.error();
  const auto recorded = first_of(*search, result.at_once);
  if (!recorded) return recorded.error();
  const double unseen = unseen_share(pool);
  bool is_any_cut = false;
  for (const std::uint32_t count : workers) {
    const bool is_cut = count < result.at_once && std::pow(unseen, count) > kMostUnseen;
    is_any_cut |= is_cut;
    const auto first = first_of(*search, count);
    if (!first) return first.error();
    result.rows.push_back({.workers = count,
                           .mean = first->mean,
                           .sd = first->sd,
                           .p90 = first->quantiles[kPlace90],
                           .low = low_of(first->mean, error_of(*first)),
                           .high = first->mean + 2 * error_of(*first),
                           .gain = first->mean > 0 ? recorded->mean / first->mean : 0,
                           .beyond_sample = first->beyond_sample,
                           .at_least = is_cut});
  }
  if (is_any_cut)
    result.notes.emplace_back(
        "what takes longer than the recorded winners was never seen: with few searches at once it takes longer than "
        "said here. Recordings with fewer at once would tell");
  if (static_cast<double>(result.found) < kFewFound)
    result.notes.push_back("only " + std::to_string(result.found) + " searches found a solution");
  if (searches.failed != 0)
    result.notes.push_back(std::to_string(searches.failed) +
                           " searches came to their end without a solution: they are taken for ones that might have "
                           "found one later");
  check_independence(searches.groups, result.notes);
  return result;
}

}  // namespace foretask::analysis
