// SPDX-License-Identifier: Apache-2.0
// A distribution of times, and what programs make of it: one part after the other, one of several, all of many, the
// first of many. An expression is only built here; compose() (compose.hpp) works out what it is.
//
// A Distribution is an immutable handle: copies are cheap and share what they refer to, equal parts are worked out
// once. Thread safe. Parts of one expression are independent of each other, a part used twice included.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "foretask/analysis/gaussian_mixture.hpp"
#include "foretask/analysis/generalized_lambda.hpp"
#include "foretask/analysis/moments.hpp"
#include "foretask/analysis/sample_sketch.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

// Of one thing: copies, rounds of a loop.
inline constexpr std::uint64_t kMostCopies = 1'000'000'000'000'000'000;

class Distribution {
 public:
  // Known families. The errors are for a parameter that is not finite, or outside of what the family has; and so that
  // all that is made of them is a double: values beyond 1e50, spreads below 1e-50, a gamma's or weibull's shape that is
  // not from 0.01 to 1e6, a beta's not from 0.01 to 1e18, |mu| above 115, sigma above 20.
  [[nodiscard]] static Result<Distribution> constant(double value);
  [[nodiscard]] static Result<Distribution> uniform(double low, double high);    // low < high
  [[nodiscard]] static Result<Distribution> exponential(double mean);            // mean > 0
  [[nodiscard]] static Result<Distribution> normal(double mean, double sd);      // sd > 0
  [[nodiscard]] static Result<Distribution> lognormal(double mu, double sigma);  // exp of a normal(mu, sigma)
  [[nodiscard]] static Result<Distribution> gamma(double shape, double scale);
  [[nodiscard]] static Result<Distribution> weibull(double shape, double scale);
  [[nodiscard]] static Result<Distribution> beta(double a, double b);  // on [0, 1]

  // Measured times. Errors: none, one that is not finite or beyond 1e50, fewer than two.
  [[nodiscard]] static Result<Distribution> of_samples(std::vector<double> values);
  // As many of them were cut short before they ended: `ended[i]` is 0 where values[i] is only a lower bound. The
  // product-limit estimate (Kaplan and Meier 1958). Errors: also where none of them ended, or the sizes differ.
  [[nodiscard]] static Result<Distribution> of_censored_samples(std::vector<double> values,
                                                                std::vector<std::uint8_t> ended);
  [[nodiscard]] static Result<Distribution> of_sketch(const SampleSketch& sketch);

  // All that is known are four moments. Errors: one that is not finite, or beyond the families' limits (a skewness
  // beyond 1e3, a kurtosis beyond 1e12); a negative variance, kurtosis below skewness^2 + 1, which no distribution has.
  [[nodiscard]] static Result<Distribution> of_moments(const Moments& moments);
  [[nodiscard]] static Result<Distribution> of_lambda(const GeneralizedLambda& lambda);
  [[nodiscard]] static Result<Distribution> of_mixture(const GaussianMixture& mixture);

  // One after the other: the sum. At least one part.
  [[nodiscard]] static Result<Distribution> sequence(std::vector<Distribution> parts);
  // One of them, with these probabilities: each in [0, 1], and they sum to 1 within 1e-9.
  [[nodiscard]] static Result<Distribution> branch(std::vector<std::pair<double, Distribution>> cases);
  // `body` so many times one after the other, independent of each other. 0 times: no time.
  [[nodiscard]] static Result<Distribution> loop(std::uint64_t times, Distribution body);
  // A number of times that is a matter of chance too, rounded to whole numbers, 0 where it is negative.
  [[nodiscard]] static Result<Distribution> loop(Distribution times, Distribution body);
  // and-parallel: the last of `n` independent ones. n >= 1, up to kMostCopies. O(1) in n.
  [[nodiscard]] static Result<Distribution> all_of(std::uint64_t n, Distribution part);
  [[nodiscard]] static Result<Distribution> all_of(std::vector<Distribution> parts);
  // or-parallel: the first of them.
  [[nodiscard]] static Result<Distribution> first_of(std::uint64_t n, Distribution part);
  [[nodiscard]] static Result<Distribution> first_of(std::vector<Distribution> parts);
  // The rank-th of `n` to end, rank from 1.
  [[nodiscard]] static Result<Distribution> nth_of(std::uint64_t rank, std::uint64_t n, Distribution part);

  struct Node;  // the library's
  [[nodiscard]] const std::shared_ptr<const Node>& node() const noexcept { return node_; }
  explicit Distribution(std::shared_ptr<const Node> node) : node_(std::move(node)) {}

 private:
  std::shared_ptr<const Node> node_;
};

}  // namespace foretask::analysis
