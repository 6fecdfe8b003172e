// SPDX-License-Identifier: Apache-2.0
#include "distribution/fit/generalized_pareto.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "distribution/family/univariate.hpp"

namespace foretask::distribution {
namespace {

// Likelihood over theta = -shape/scale with the shape that is best for it, and what else follows from theta.
class Profile {
 public:
  Profile(const std::vector<double>& x, const std::vector<double>& weights) : x_(x), weights_(weights) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      total_ += weight(i);
      mean_ += weight(i) * x[i];
    }
    mean_ /= total_;
    // Weights that are shares, not counts, stand for as many as there are values.
    count_ = std::max(total_, static_cast<double>(x.size()));
  }

  double weight(std::size_t i) const { return weights_.empty() ? 1 : weights_[i]; }
  double total() const { return total_; }
  double count() const { return count_; }
  double mean() const { return mean_; }

  double shape(double theta) const {
    double sum = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) sum += weight(i) * std::log1p(-theta * x_[i]);
    return sum / total_;
  }

  double log_likelihood(double theta) const {
    const double shape_here = shape(theta);
    const double scale = is_exponential(theta) ? mean_ : -shape_here / theta;
    return -count_ * (std::log(scale) + shape_here + 1);
  }

  // So near 0 that shape / theta has no digits.
  bool is_exponential(double theta) const { return std::fabs(theta) * mean_ < 1e-9; }

 private:
  const std::vector<double>& x_;
  const std::vector<double>& weights_;
  double total_ = 0;
  double mean_ = 0;
  double count_ = 0;
};

double first_quartile(const std::vector<double>& x, const Profile& profile) {
  double below = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    below += profile.weight(i);
    if (below >= profile.total() / 4 && x[i] > 0) return x[i];
  }
  return x.back();
}

}  // namespace

double GeneralizedPareto::excess(double depth) const noexcept {
  if (std::fabs(shape * depth) < 1e-12) return scale * depth;
  return scale * std::expm1(shape * depth) / shape;
}

double GeneralizedPareto::depth(double y) const noexcept {
  const double ratio = y / scale;
  if (std::fabs(shape * ratio) < 1e-12) return ratio;
  return shape * ratio <= -1 ? kInfinity : std::log1p(shape * ratio) / shape;
}

GeneralizedPareto fit_generalized_pareto(const std::vector<double>& excesses, const std::vector<double>& weights) {
  const Profile profile(excesses, weights);
  const auto points = static_cast<std::size_t>(20 + std::sqrt(profile.count()));
  const double quartile = first_quartile(excesses, profile);
  std::vector<double> theta(points);
  std::vector<double> likelihood(points);
  for (std::size_t j = 0; j < points; ++j) {
    const double ratio = static_cast<double>(points) / (static_cast<double>(j) + 0.5);
    theta[j] = 1 / excesses.back() + (1 - std::sqrt(ratio)) / (3 * quartile);
    likelihood[j] = profile.log_likelihood(theta[j]);
  }
  const double best = *std::max_element(likelihood.begin(), likelihood.end());
  double sum = 0;
  double mean_theta = 0;
  for (std::size_t j = 0; j < points; ++j) {
    const double share = std::exp(likelihood[j] - best);
    sum += share;
    mean_theta += share * theta[j];
  }
  mean_theta /= sum;
  if (profile.is_exponential(mean_theta)) return {0, profile.mean()};
  // How likely the exponential distribution is beside this one: one parameter less.
  const double gain = profile.log_likelihood(mean_theta) - profile.log_likelihood(0) - std::log(profile.count()) / 2;
  const double trust = 1 / (1 + std::exp(-gain));
  const double shape = profile.shape(mean_theta);
  return {trust * shape, trust * (-shape / mean_theta) + (1 - trust) * profile.mean()};
}

}  // namespace foretask::distribution
