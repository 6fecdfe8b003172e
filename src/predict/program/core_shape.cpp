// SPDX-License-Identifier: Apache-2.0
#include "predict/program/core_shape.hpp"

#include <cmath>
#include <limits>

namespace foretask::predict {
namespace {

constexpr int kPasses = 2;      // of weights by the fitted values
constexpr double kAColumn = 1;  // a column's cost in the score

// Subsets of `count` columns of one to four, as bits; all with the first one where that is asked for.
std::vector<unsigned> subsets_of(Eigen::Index count, bool keep_first) {
  std::vector<unsigned> subsets;
  for (unsigned bits = 1; bits < 1U << static_cast<unsigned>(count); ++bits)
    if (__builtin_popcount(bits) <= CoreShape::kMostColumns && (!keep_first || (bits & 1U) != 0))
      subsets.push_back(bits);
  return subsets;
}

}  // namespace

class CoreShape::Search {
 public:
  explicit Search(const Question& question)
      : question_(question),
        order_(question.sizes.size()),
        subsets_(subsets_of(question.columns.cols(), question.keep_first)) {
    // The largest sizes first: a window is then the first rows.
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = static_cast<Eigen::Index>(i);
    std::stable_sort(order_.begin(), order_.end(), [&](Eigen::Index a, Eigen::Index b) {
      return question_.sizes[static_cast<std::size_t>(a)] > question_.sizes[static_cast<std::size_t>(b)];
    });
    for (std::size_t i = 0; i < order_.size(); ++i)
      if (i + 1 == order_.size() || size(i) != size(i + 1)) rows_of_sizes_.push_back(i + 1);
  }

  [[nodiscard]] std::optional<CoreShape> run() {
    if (order_.size() < 2) return std::nullopt;
    const std::size_t sizes = rows_of_sizes_.size();
    noise_ = std::max(noise_of(rows_of_sizes_[std::max<std::size_t>(1, (sizes + 2) / 3) - 1]), question_.least_noise);
    for (const std::size_t window : size_windows(sizes, std::min<std::size_t>(2, sizes))) {
      const std::size_t rows = rows_of_sizes_[window - 1];
      for (const unsigned subset : subsets_) hold(subset, rows);
    }
    if (found_.empty()) return std::nullopt;
    weigh(found_);
    CoreShape shape;
    shape.candidates_ = std::move(found_);
    shape.column_count_ = question_.columns.cols();
    shape.noise_ = noise_;
    return shape;
  }

 private:
  [[nodiscard]] double size(std::size_t place) const {
    return question_.sizes[static_cast<std::size_t>(order_[place])];
  }

  // The subset over the first `rows`, its residuals relative to the fitted values; false where it does not fit.
  [[nodiscard]] bool fit(unsigned subset, std::size_t rows, Candidate& candidate, Eigen::VectorXd& residuals) const {
    candidate.columns.clear();
    for (Eigen::Index column = 0; column < question_.columns.cols(); ++column)
      if ((subset >> static_cast<unsigned>(column) & 1U) != 0) candidate.columns.push_back(column);
    if (rows < candidate.columns.size()) return false;
    const std::vector<Eigen::Index> first(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(rows));
    const Eigen::VectorXd values = question_.values(first), least = question_.least(first);
    const Eigen::MatrixXd columns = question_.columns(first, candidate.columns);
    Eigen::VectorXd scale = values.cwiseMax(least), fitted;
    for (int pass = 0; pass < kPasses; ++pass) {
      Fit::Design design = columns.array().colwise() / scale.array();
      residuals = values.cwiseQuotient(scale);
      if (!candidate.fit.solve(design, residuals)) return false;
      if ((candidate.fit.coefficients.array() < 0).any()) return false;
      fitted = columns * candidate.fit.coefficients;
      scale = fitted.cwiseMax(least);
    }
    residuals = (values - fitted).cwiseQuotient(scale);
    return true;
  }

  // The smallest standard deviation of any subset over the first rows.
  [[nodiscard]] double noise_of(std::size_t rows) const {
    double least = std::numeric_limits<double>::infinity();
    Candidate candidate;
    Eigen::VectorXd residuals;
    for (const unsigned subset : subsets_) {
      if (!fit(subset, rows, candidate, residuals) || rows <= candidate.columns.size()) continue;
      least = std::min(least, residuals.squaredNorm() / static_cast<double>(rows - candidate.columns.size()));
    }
    return std::isfinite(least) ? std::sqrt(least) : 0;
  }

  void hold(unsigned subset, std::size_t rows) {
    Candidate candidate;
    Eigen::VectorXd residuals;
    if (!fit(subset, rows, candidate, residuals)) return;
    const double misses = residuals.squaredNorm() / (noise_ * noise_);
    candidate.score = window_score(misses, order_.size(), order_.size() - rows) +
                      kAColumn * static_cast<double>(candidate.columns.size());
    candidate.fit.covariance *= noise_ * noise_ * (kNoiseSamples + misses) /
                                (kNoiseSamples + static_cast<double>(rows - candidate.columns.size()));
    found_.push_back(std::move(candidate));
  }

  const Question& question_;
  std::vector<Eigen::Index> order_;
  std::vector<std::size_t> rows_of_sizes_;  // up to and with each size, largest first
  std::vector<unsigned> subsets_;
  std::vector<Candidate> found_;
  double noise_ = 0;
};

std::optional<CoreShape> CoreShape::find(const Question& question) { return Search(question).run(); }

LogEstimate CoreShape::at(const Eigen::VectorXd& row) const {
  double mean = 0, second = 0, own = 0;
  for (const Candidate& candidate : candidates_) {
    const auto count = static_cast<Eigen::Index>(candidate.columns.size());
    Fit::Vector of(count);
    for (Eigen::Index i = 0; i < count; ++i) of(i) = row(candidate.columns[static_cast<std::size_t>(i)]);
    const double value = candidate.fit.value(of);
    mean += candidate.weight * value;
    second += candidate.weight * value * value;
    own += candidate.weight * candidate.fit.variance(of);
  }
  if (!(mean > 0)) return {0, 0};
  return {mean, std::sqrt(std::max(second - mean * mean, 0.0) + own) / mean};
}

Eigen::VectorXd CoreShape::coefficients() const {
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(column_count_);
  for (const Candidate& candidate : candidates_)
    for (std::size_t i = 0; i < candidate.columns.size(); ++i)
      sum(candidate.columns[i]) += candidate.weight * candidate.fit.coefficients(static_cast<Eigen::Index>(i));
  return sum;
}

}  // namespace foretask::predict
