// SPDX-License-Identifier: Apache-2.0
#include "distribution/random_loop.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "distribution/combine.hpp"
#include "distribution/composite_law.hpp"
#include "distribution/counted_law.hpp"
#include "distribution/family_law.hpp"
#include "distribution/log_odds.hpp"
#include "distribution/random_count.hpp"
#include "distribution/repeat.hpp"
#include "distribution/sum.hpp"
#include "distribution/tail_condition.hpp"

namespace foretask::distribution {

namespace {

constexpr double kMostSingle = 64;     // numbers up to it are looked at each by itself,
constexpr double kNarrowRange = 256;   // and all where they are within it of each other,
constexpr double kExactNumbers = 1e6;  // unless they are larger
constexpr double kTail = 34;           // log odds beyond which a number is too rare for a table
constexpr double kRare = 1e-13;

struct Number {
  double count = 0;
  double mass = 0;
};

// What `times` is rounded to.
struct Numbers {
  std::vector<Number> single;
  double from = 0;  // those from here on are looked at together
  double rest = 0;  // their mass
};

Numbers numbers_of(const Law& times) {
  const double first = std::max(0.0, std::round(times.quantile(-kTail)));
  const double last = std::max(first, std::round(times.quantile(kTail)));
  const bool narrow = last - first < kNarrowRange && first < kExactNumbers;
  Numbers numbers;
  numbers.from = narrow ? last + 1 : kMostSingle + 1;
  double before = -kInfinity;
  for (double count = first; count < numbers.from; ++count) {
    const bool end = narrow && count == last;
    const double z = end ? kInfinity : times.log_odds_below(count + 0.5);
    const double mass = mass_between(before, z);
    if (mass > 0) numbers.single.push_back({count, mass});
    before = std::max(before, z);
  }
  if (!narrow) numbers.rest = upper(before);
  return numbers;
}

}  // namespace

Value random_loop(const Value& times, const Value& body, const TablePtr& body_table, const Resolution& resolution) {
  const Cumulants total = compounded(count_cumulants(*times.law), body.cumulants);
  if (body.cumulants[1] == 0) {
    if (body.cumulants[0] == 0) return {make_family(Family::constant, 0), {0, 0, 0, 0}};
    if (times.depth < kMostDepth)
      return {count_law(times.law, body.cumulants[0]), total, {}, times.exact, times.depth + 1};
    return {count_law(tabulated_count(times.law), body.cumulants[0]), total, {}, times.exact, 1};
  }
  Numbers numbers = numbers_of(*times.law);
  std::erase_if(numbers.single, [](const Number& number) { return number.mass < kRare; });
  double mass = numbers.rest >= kRare ? numbers.rest : 0;
  for (const Number& number : numbers.single) mass += number.mass;
  std::vector<Component> parts;
  // Each from the one before, by what is between them.
  TablePtr sum;
  double summed = 0;
  const auto grow_to = [&](double count) {
    const TablePtr step =
        repeated_table(body_table, body.cumulants, static_cast<std::uint64_t>(count - summed), resolution);
    const Cumulants whole = repeated(body.cumulants, count);
    sum = sum == nullptr ? step : sum_of(*sum, *step, whole[0], whole[1], resolution);
    summed = count;
  };
  for (const Number& number : numbers.single) {
    if (number.count == 0) {
      parts.push_back({make_family(Family::constant, 0), number.mass / mass, nullptr});
      continue;
    }
    grow_to(number.count);
    parts.push_back({sum, number.mass / mass, [sum] { return sum; }});
  }
  if (numbers.rest >= kRare) {
    LawPtr many = counted_law(times.law, numbers.from, body.cumulants);
    if (many == nullptr) {  // no moments to know it by: by the numbers of a few shares of them
      constexpr int kShares = 24;
      const TailCondition rest(times.law->log_odds_below(numbers.from - 0.5));
      for (int i = 0; i < kShares; ++i) {
        const double f = (i + 0.5) / kShares;
        const double count = std::min(1e18, std::round(times.law->quantile(rest.outer(z_of(f, 1 - f)))));
        if (count > summed) grow_to(count);
        parts.push_back({sum, numbers.rest / mass / kShares, [sum] { return sum; }});
      }
    } else {
      parts.push_back({many, numbers.rest / mass, [many, resolution] { return tabulated(*many, resolution); }});
    }
  }
  if (parts.size() == 1) return {parts[0].law, total, {}, false, 0};
  const LawPtr law = mixture_of(parts, resolution);
  return {law, total, table_of(law), false, 0};
}

}  // namespace foretask::distribution
