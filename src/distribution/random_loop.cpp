// SPDX-License-Identifier: Apache-2.0
#include "distribution/random_loop.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "distribution/combine.hpp"
#include "distribution/family_law.hpp"
#include "distribution/log_odds.hpp"
#include "distribution/random_count.hpp"
#include "distribution/repeat.hpp"
#include "distribution/sum.hpp"

namespace foretask::distribution {

namespace {

constexpr double kMostSingle = 64;  // numbers below are looked at each by itself, those above in bins
constexpr double kBinWidth = 0.01;  // of its first number
constexpr double kTail = 30;        // log odds beyond which no number is in the table

struct Number {
  Cumulants count{};  // of the numbers in a bin; their density is taken for straight
  double mass = 0;
};

// Probabilities of the whole numbers that `law` is rounded to.
std::vector<Number> numbers_of(const Law& law) {
  const double first = std::max(0.0, std::round(law.quantile(-kTail)));
  const double last = std::min(1e18, std::max(first, std::round(law.quantile(kTail))));
  std::vector<Number> numbers;
  double before = -kInfinity;
  for (double from = first; from <= last;) {
    double width = from < kMostSingle ? 1 : std::ceil(from * kBinWidth);
    if (last - first < 4 * kMostSingle) width = 1;
    const double z = from + width > last ? kInfinity : law.log_odds_below(from + width - 0.5);
    const double mass = mass_between(before, z);
    if (mass > 0) {
      const double w2 = width * width;
      Cumulants count{from + (width - 1) / 2, (w2 - 1) / 12, 0, -(w2 * w2 - 1) / 120};
      if (width > 1) {
        const double below = mass_between(before, law.log_odds_below(count[0]));
        const double off = std::clamp((1 - 2 * below / mass) * width / 3, -width / 3, width / 3);
        count[0] += off;
        count[1] = std::max(0.0, count[1] - off * off);
      }
      numbers.push_back({count, mass});
    }
    before = std::max(before, z);
    from += width;
  }
  return numbers;
}

}  // namespace

Value random_loop(const Value& times, const Value& body, const TablePtr& body_table, const Resolution& resolution) {
  const Cumulants total = compounded(count_cumulants(*times.law), body.cumulants);
  const auto constant = [](double value) { return make_family(Family::constant, value); };
  if (body.cumulants[1] == 0) {
    if (body.cumulants[0] == 0) return {constant(0), {0, 0, 0, 0}};
    return {count_law(times.law, body.cumulants[0]), total, {}, times.exact, times.depth + 1};
  }
  std::vector<Number> numbers = numbers_of(*times.law);
  // Too rare to be seen in a table.
  std::erase_if(numbers, [](const Number& number) { return number.mass < 1e-13; });
  std::vector<Component> parts;
  // Each from the one before, by what is between them; where there are many in one, normal but for the cumulants.
  TablePtr sum;
  double summed = 0;
  double mass = 0;
  for (const Number& number : numbers) mass += number.mass;
  for (const Number& number : numbers) {
    const double count = number.count[0];
    LawPtr law = constant(0);
    if (count > kMostSingle && (number.count[1] > 0 || count - summed > kMostSingle)) {
      const Cumulants whole = compounded(number.count, body.cumulants);
      const bool positive = body_table->low() >= 0;
      sum = std::isfinite(whole[3])
                ? near_normal_table(whole, positive ? 0 : -kInfinity, kInfinity, resolution)
                : repeated_table(body_table, body.cumulants, static_cast<std::uint64_t>(count), resolution);
      summed = count;
      law = sum;
    } else if (count >= 1) {
      const auto more = static_cast<std::uint64_t>(count - summed);
      const TablePtr step = repeated_table(body_table, body.cumulants, more, resolution);
      const Cumulants whole = repeated(body.cumulants, count);
      sum = sum == nullptr ? step : sum_of(*sum, *step, whole[0], whole[1], resolution);
      summed = count;
      law = sum;
    }
    parts.push_back({law, number.mass / mass, [sum] { return sum; }});
  }
  if (parts.size() == 1) return {parts[0].law, total, {}, false, 0};
  const LawPtr law = mixture_of(parts, resolution);
  return {law, total, std::dynamic_pointer_cast<const TableLaw>(law), false, 0};
}

}  // namespace foretask::distribution
