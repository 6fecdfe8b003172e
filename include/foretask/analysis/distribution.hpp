// SPDX-License-Identifier: Apache-2.0
// A distribution of times, and what programs make of it: sums, branches, the last of many, the first of many.
// Expressions are only built here; compose() (compose.hpp) works them out.
//
// A Distribution is an immutable handle. Copies are cheap and share their parts; equal parts are worked out once.
// Thread safe. All parts of an expression are independent, even a part used twice.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "foretask/analysis/gaussian_mixture.hpp"
#include "foretask/analysis/generalized_lambda.hpp"
#include "foretask/analysis/moments.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

// The most copies, and rounds of a loop.
inline constexpr std::uint64_t kMostCopies = 1'000'000'000'000'000'000;

class Distribution {
 public:
  // Known families. Errors: a parameter that is not finite or outside of its family's range; and limits that keep all
  // results within doubles. These are: values beyond 1e50, spreads below 1e-50, |mu| above 115, sigma above 20; a shape
  // not from 0.01 (weibull 0.04) to 1e6, for beta not from 0.01 to 1e18.
  [[nodiscard]] static Result<Distribution> constant(double value);
  [[nodiscard]] static Result<Distribution> uniform(double low, double high);    // low < high
  [[nodiscard]] static Result<Distribution> exponential(double mean);            // mean > 0
  [[nodiscard]] static Result<Distribution> normal(double mean, double sd);      // sd > 0
  [[nodiscard]] static Result<Distribution> lognormal(double mu, double sigma);  // exp of a normal(mu, sigma)
  [[nodiscard]] static Result<Distribution> gamma(double shape, double scale);
  [[nodiscard]] static Result<Distribution> weibull(double shape, double scale);
  [[nodiscard]] static Result<Distribution> beta(double a, double b);  // on [0, 1]

  // Measured times. Errors: fewer than two; one that is not finite, or beyond 1e50.
  [[nodiscard]] static Result<Distribution> of_samples(std::vector<double> values);
  // Some of them were cut short: where `ended[i]` is 0, values[i] is a lower bound. The product-limit estimate (Kaplan
  // and Meier 1958). Errors: also where none ended, or the sizes differ.
  [[nodiscard]] static Result<Distribution> of_censored_samples(std::vector<double> values,
                                                                std::vector<std::uint8_t> ended);

  // Only four moments are known. Errors: one that is not finite, or beyond the families' limits; a skewness beyond 1e3,
  // a kurtosis beyond 1e12; a negative variance; a kurtosis below skewness^2 + 1, which no distribution has.
  [[nodiscard]] static Result<Distribution> of_moments(const Moments& moments);
  [[nodiscard]] static Result<Distribution> of_lambda(const GeneralizedLambda& lambda);
  [[nodiscard]] static Result<Distribution> of_mixture(const GaussianMixture& mixture);

  // One after the other: the sum. At least one part.
  [[nodiscard]] static Result<Distribution> sequence(std::vector<Distribution> parts);
  // One of them, by probabilities in [0, 1] whose sum is 1 within 1e-9.
  [[nodiscard]] static Result<Distribution> branch(std::vector<std::pair<double, Distribution>> cases);
  // The sum of `times` independent copies of `body`, at most kMostCopies. 0 times: the constant 0.
  [[nodiscard]] static Result<Distribution> loop(std::uint64_t times, Distribution body);
  // The same for a random number of times, rounded to a whole number, 0 where negative.
  [[nodiscard]] static Result<Distribution> loop(Distribution times, Distribution body);
  // and-parallel: the last of `n` independent copies, 1 to kMostCopies; or of different parts. O(1) in n.
  [[nodiscard]] static Result<Distribution> all_of(std::uint64_t n, Distribution part);
  [[nodiscard]] static Result<Distribution> all_of(std::vector<Distribution> parts);
  // or-parallel: the first of them.
  [[nodiscard]] static Result<Distribution> first_of(std::uint64_t n, Distribution part);
  [[nodiscard]] static Result<Distribution> first_of(std::vector<Distribution> parts);
  // The rank-th of `n` to end; rank from 1.
  [[nodiscard]] static Result<Distribution> nth_of(std::uint64_t rank, std::uint64_t n, Distribution part);

  struct Node;  // the library's
  [[nodiscard]] const std::shared_ptr<const Node>& node() const noexcept { return node_; }
  explicit Distribution(std::shared_ptr<const Node> node) : node_(std::move(node)) {}

 private:
  std::shared_ptr<const Node> node_;
};

}  // namespace foretask::analysis
