// SPDX-License-Identifier: Apache-2.0
#include "distribution/compose/random_loop.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "distribution/compose/combination.hpp"
#include "distribution/compose/counted_sum.hpp"
#include "distribution/compose/random_count.hpp"
#include "distribution/compose/sum_of_many.hpp"
#include "distribution/family/known_family.hpp"
#include "distribution/family/log_odds.hpp"

namespace foretask::distribution {

namespace {

constexpr double kNarrowRange = 256;  // of numbers that are looked at each by itself,
constexpr double kLargest = 1e6;      // unless they are larger
constexpr double kOfNoise = 0.4;      // of a sum's spread: what the next number may add to it
constexpr double kOfNumber = 0.1;     // of a number, at most
constexpr double kMostSummed = 1e18;

struct Number {
  double count = 0;  // one, or in the middle of some
  double mass = 0;
};

// Which numbers of parts are summed up by themselves, those beside each other together where their sums are alike.
// Those beyond log odds of `tail` are too rare for a table.
struct Numbers {
  std::vector<Number> single;
  double from = kInfinity;  // those from here on are left to counted_sum()
  double rest = 0;          // their mass
};

Numbers numbers_of(const Univariate& times, const Cumulants& body, double tail) {
  const double rare = std::exp(-tail);
  const double first = std::max(0.0, std::round(times.quantile(-tail)));
  const double last = std::max(first, std::round(times.quantile(tail)));
  const bool narrow = last - first < kNarrowRange && first < kLargest;
  const double least = least_count(body);
  const double noise = std::sqrt(body[1]) / std::fabs(body[0]);  // of one part, in parts
  Numbers numbers;
  double before = -kInfinity;
  double count = first;
  while (count <= last && (narrow || count < least)) {
    const double alike = std::min(kOfNoise * noise * std::sqrt(count), kOfNumber * count);
    // A power of two, so that few sums lead from one to the next.
    const double width = alike >= 2 && !narrow ? std::exp2(std::floor(std::log2(alike))) : 1;
    const bool end = count + width > last || count > kMostSummed;
    const double z = end ? kInfinity : times.log_odds_below(count + width - 0.5);
    const double mass = mass_between(before, z);
    if (mass >= rare) numbers.single.push_back({std::min(count + std::floor(width / 2), kMostSummed), mass});
    before = std::max(before, z);
    count += width;
    if (end) return numbers;
  }
  if (upper(before) >= rare) {
    numbers.from = count;
    numbers.rest = upper(before);
  }
  return numbers;
}

}  // namespace

Value random_loop(const Value& times, const Value& body, const TablePtr& body_table, const Precision& wanted) {
  const Cumulants total = compounded(count_cumulants(*times.dist), body.cumulants);
  if (body.cumulants[1] == 0) {
    if (body.cumulants[0] == 0) return {make_family(Family::constant, 0), {0, 0, 0, 0}};
    if (times.depth < kMostDepth)
      return {rounded_count(times.dist, body.cumulants[0]), total, {}, times.exact, times.depth + 1};
    return {rounded_count(tabulated_count(times.dist), body.cumulants[0]), total, {}, times.exact, 1};
  }
  const Numbers numbers = numbers_of(*times.dist, body.cumulants, wanted.end);
  constexpr std::size_t kManyNumbers = 50;  // of which none matters by itself
  const Precision precision = numbers.single.size() > kManyNumbers ? coarser(wanted) : wanted;
  double mass = numbers.rest;
  for (const Number& number : numbers.single) mass += number.mass;
  std::vector<Component> parts;
  RunningSum sums(body_table, body.cumulants, precision);
  for (const Number& number : numbers.single) {
    if (number.count == 0) {
      parts.push_back({make_family(Family::constant, 0), number.mass / mass, nullptr});
      continue;
    }
    const TablePtr sum = sums.up_to(static_cast<std::uint64_t>(number.count));
    parts.push_back({sum, number.mass / mass, [sum] { return sum; }});
  }
  if (numbers.rest > 0) {
    UnivariatePtr many = counted_sum(times.dist, numbers.from, body.cumulants);
    parts.push_back({many, numbers.rest / mass, [many, precision] { return tabulated(*many, precision); }});
  }
  if (parts.size() == 1) return {parts[0].x, total, {}, false, 0};
  const UnivariatePtr answer = branch_of(parts, precision);
  return {answer, total, table_of(answer), false, 0};
}

}  // namespace foretask::distribution
