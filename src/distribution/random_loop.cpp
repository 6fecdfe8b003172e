// SPDX-License-Identifier: Apache-2.0
#include "distribution/random_loop.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "distribution/combine.hpp"
#include "distribution/composite_law.hpp"
#include "distribution/counted_law.hpp"
#include "distribution/expectation.hpp"
#include "distribution/family_law.hpp"
#include "distribution/log_odds.hpp"
#include "distribution/repeat.hpp"
#include "distribution/samples_law.hpp"
#include "distribution/sum.hpp"

namespace foretask::distribution {

namespace {

constexpr double kMostSingle = 64;     // numbers up to it are looked at each by itself,
constexpr double kNarrowRange = 256;   // and all where they are within it of each other,
constexpr double kFewSteps = 4096;     // or, of a constant body, within that,
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

Numbers numbers_of(const Law& times, bool constant_body) {
  const double first = std::max(0.0, std::round(times.quantile(-kTail)));
  const double last = std::max(first, std::round(times.quantile(kTail)));
  const bool narrow = last - first < (constant_body ? kFewSteps : kNarrowRange) && first < kExactNumbers;
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

// `times` given that it is at least `from`: its tail, stretched over all z.
class UpperPart final : public Law {
 public:
  UpperPart(const Law& times, double from) : times_(times), start_(times.log_odds_below(from - 0.5)) {}
  double quantile(double z) const override {
    if (start_ == -kInfinity) return times_.quantile(z);
    return times_.quantile(z_of(lower(start_) + lower(z) * upper(start_), upper(z) * upper(start_)));
  }
  double log_odds(double x) const override {
    const double z = times_.log_odds(x);
    return z > start_ ? z_of(mass_between(start_, z), upper(z)) : -kInfinity;
  }
  std::vector<Piece> pieces() const override {
    std::vector<Piece> pieces;
    for (const Piece& piece : times_.pieces())
      if (piece.end > start_) pieces.push_back({z_of(mass_between(start_, piece.end), upper(piece.end)), piece.atom});
    return pieces;
  }

 private:
  const Law& times_;
  double start_;
};

// Of the numbers looked at together. What rounding adds to smooth ones: Sheppard's corrections.
Cumulants cumulants_of_rest(const Law& times, double from) {
  const UpperPart part(times, from);
  Cumulants cumulants = cumulants_of_central(central_moments(part));
  const std::vector<Piece> pieces = part.pieces();
  if (std::none_of(pieces.begin(), pieces.end(), [](const Piece& piece) { return piece.atom; })) {
    cumulants[1] += 1.0 / 12;
    cumulants[3] -= 1.0 / 120;
  }
  return cumulants;
}

Cumulants cumulants_of_numbers(const Numbers& numbers, const Law& times) {
  std::vector<std::pair<double, Cumulants>> cases;
  cases.reserve(numbers.single.size() + 1);
  for (const Number& number : numbers.single) cases.emplace_back(number.mass, Cumulants{number.count, 0, 0, 0});
  if (numbers.rest > 0) cases.emplace_back(numbers.rest, cumulants_of_rest(times, numbers.from));
  return mixed(cases);
}

// A number of times a constant.
LawPtr steps_of(const Numbers& numbers, double each) {
  SampleSet set;
  for (const Number& number : numbers.single) {
    set.values.push_back(number.count * each);
    set.weights.push_back(number.mass);
  }
  if (each < 0) {
    std::reverse(set.values.begin(), set.values.end());
    std::reverse(set.weights.begin(), set.weights.end());
  }
  return samples_law(set);
}

}  // namespace

Value random_loop(const Value& times, const Value& body, const TablePtr& body_table, const Resolution& resolution) {
  const bool constant_body = body.cumulants[1] == 0;
  Numbers numbers = numbers_of(*times.law, constant_body);
  const Cumulants total = compounded(cumulants_of_numbers(numbers, *times.law), body.cumulants);
  if (constant_body && !(numbers.rest > 0)) return {steps_of(numbers, body.cumulants[0]), total};
  if (constant_body) return {counted_law(times.law, 0, body.cumulants), total, {}, false, 0};

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
      const UpperPart part(*times.law, numbers.from);
      for (int i = 0; i < kShares; ++i) {
        const double f = (i + 0.5) / kShares;
        const double count = std::min(1e18, std::round(part.quantile(z_of(f, 1 - f))));
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
