// SPDX-License-Identifier: Apache-2.0
#include "distribution/random_loop.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "distribution/combine.hpp"
#include "distribution/expectation.hpp"
#include "distribution/family_law.hpp"
#include "distribution/log_odds.hpp"
#include "distribution/repeat.hpp"
#include "distribution/samples_law.hpp"
#include "distribution/sum.hpp"

namespace foretask::distribution {

namespace {

constexpr double kMostNumbers = 64;      // of which each sum is worked out
constexpr double kMostExactMass = 4096;  // of which each probability is
constexpr double kTail = 30;             // log odds beyond which no number counts

struct Number {
  double count = 0;
  double mass = 0;
};

// Probabilities of the whole numbers that `law` is rounded to. Of very many: every some of them.
std::vector<Number> numbers_of(const Law& law) {
  const double first = std::max(0.0, std::round(law.quantile(-kTail)));
  const double last = std::max(first, std::round(law.quantile(kTail)));
  const double step = std::max(1.0, std::ceil((last - first) / kMostExactMass));
  std::vector<Number> numbers;
  double before = -kInfinity;
  for (double count = first; count <= last + step - 1; count += step) {
    const double z = count + step > last ? kInfinity : law.log_odds_below(count + step - 0.5);
    const double mass = mass_between(before, z);
    if (mass > 0) numbers.push_back({count + (step - 1) / 2, mass});
    before = std::max(before, z);
  }
  return numbers;
}

Cumulants cumulants_of_numbers(const std::vector<Number>& numbers) {
  std::vector<std::pair<double, Cumulants>> cases;
  cases.reserve(numbers.size());
  for (const Number& number : numbers) cases.push_back({number.mass, {number.count, 0, 0, 0}});
  return mixed(cases);
}

}  // namespace

Value random_loop(const Value& times, const Value& body, const TablePtr& body_table, const Resolution& resolution) {
  std::vector<Number> numbers = numbers_of(*times.law);
  const Cumulants n = cumulants_of_numbers(numbers);
  const Cumulants total = compounded(n, body.cumulants);
  // Too rare to be seen in a table.
  std::erase_if(numbers, [](const Number& number) { return number.mass < 1e-13; });
  const auto constant = [](double value) { return make_family(Family::constant, value); };
  std::vector<Component> parts;
  if (body.cumulants[1] == 0) {
    SampleSet set;
    for (const Number& number : numbers) {
      set.values.push_back(number.count * body.cumulants[0]);
      set.weights.push_back(number.mass);
    }
    if (body.cumulants[0] < 0) {
      std::reverse(set.values.begin(), set.values.end());
      std::reverse(set.weights.begin(), set.weights.end());
    }
    return {samples_law(set), total};
  }
  if (static_cast<double>(numbers.size()) <= kMostNumbers && numbers.back().count < 1e6) {
    // Each from the last one smaller, by what is between them.
    TablePtr sum;
    double summed = 0;
    for (const Number& number : numbers) {
      LawPtr law = constant(0);
      if (number.count >= 1) {
        const auto more = static_cast<std::uint64_t>(number.count - summed);
        const TablePtr step = repeated_table(body_table, body.cumulants, more, resolution);
        const Cumulants whole = repeated(body.cumulants, number.count);
        sum = sum == nullptr ? step : sum_of(*sum, *step, whole[0], whole[1], resolution);
        summed = number.count;
        law = sum;
      }
      parts.push_back({law, number.mass, [sum] { return sum; }});
    }
    double mass = 0;
    for (const Component& part : parts) mass += part.share;
    for (Component& part : parts) part.share /= mass;
    if (parts.size() == 1) return {parts[0].law, total, {}, false, 0};
    const LawPtr law = mixture_of(parts, total, resolution);
    return {law, total, std::dynamic_pointer_cast<const TableLaw>(law), false, 0};
  }
  const TablePtr scaled = tabulated(*times.law, resolution);
  if (!std::isfinite(total[1]) || !(body.cumulants[0] > 0)) return {scaled, total, scaled, false, 0};
  // (the number of times, not below 0) * mean + normal.
  std::vector<Knot> knots = scaled->knots();
  for (Knot& knot : knots) knot.x = std::max(0.0, knot.x) * body.cumulants[0];
  const TableLaw counted(std::move(knots), std::max(0.0, scaled->low()) * body.cumulants[0],
                         scaled->high() * body.cumulants[0]);
  const TablePtr noise =
      near_normal_table({0, n[0] * body.cumulants[1], 0, 0}, -kInfinity, kInfinity, resolution);
  const TablePtr sum = sum_of(counted, *noise, total[0], total[1], resolution);
  return {sum, total, sum, false, 0};
}

}  // namespace foretask::distribution
