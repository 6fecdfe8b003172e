// SPDX-License-Identifier: Apache-2.0
#include "model/fit/term_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "statistics/orthonormal_basis.hpp"

namespace foretask::model {
namespace {

// Below this share of the target's sum of squares a residual is rounding, and explaining it is worth nothing.
constexpr double kRounding = 1e-24;
// A candidate of which the model explains all but this share of its sum of squares brings nothing new.
constexpr double kDependentShare = 1e-8;
// The criterion must fall by more, so that rounding never makes the search go round in circles.
constexpr double kStep = 1e-6;
constexpr double kNever = std::numeric_limits<double>::infinity();

Eigen::VectorXd taken(const Eigen::Ref<const Eigen::VectorXd>& values, const std::vector<Eigen::Index>& rows) {
  Eigen::VectorXd part(static_cast<Eigen::Index>(rows.size()));
  for (Eigen::Index i = 0; i < part.size(); ++i) part[i] = values[rows[static_cast<std::size_t>(i)]];
  return part;
}

using Basis = statistics::OrthonormalBasis;

class Search {
 public:
  Search(const Candidates& candidates, const Eigen::VectorXd& y, const Eigen::VectorXd& spread,
         const std::vector<bool>& use, double independent)
      : naming_(candidates.naming), independent_(independent) {
    std::vector<Eigen::Index> rows;
    for (std::size_t i = 0; i < use.size(); ++i)
      if (use[i]) rows.push_back(static_cast<Eigen::Index>(i));
    n_ = static_cast<double>(rows.size());
    weight_ = Eigen::VectorXd::Ones(static_cast<Eigen::Index>(rows.size()));
    if (spread.size() != 0) weight_ = taken(spread, rows).cwiseInverse();
    rows_ = std::move(rows);
    constant_ = weight_.normalized();
    y_ = centred(y);
    floor_ = kRounding * (y_.squaredNorm() + taken(y, rows_).cwiseProduct(weight_).squaredNorm());
    z_.resize(static_cast<Eigen::Index>(rows_.size()), candidates.values.cols());
    usable_.resize(static_cast<std::size_t>(z_.cols()));
    for (Eigen::Index j = 0; j < z_.cols(); ++j) {
      const double length = taken(candidates.values.col(j), rows_).cwiseProduct(weight_).stableNorm();
      z_.col(j) = centred(candidates.values.col(j));
      const double left = z_.col(j).stableNorm();
      usable_[static_cast<std::size_t>(j)] = left > 1e-7 * length;
      if (left > 0) z_.col(j) /= left;
    }
  }

  // Times 1 / spread, without what the constant explains.
  [[nodiscard]] Eigen::VectorXd centred(const Eigen::Ref<const Eigen::VectorXd>& values) const {
    Eigen::VectorXd part = taken(values, rows_).cwiseProduct(weight_);
    for (int pass = 0; pass < 2; ++pass) part -= constant_.dot(part) * constant_;
    return part;
  }

  [[nodiscard]] double value(double rss) const { return independent_ * n_ * std::log(std::max(rss, floor_) / n_); }
  [[nodiscard]] double cost(Eigen::Index term) const { return std::log(n_) + naming_[static_cast<std::size_t>(term)]; }

  // The best single addition to what `basis` spans; `without` is not to be added.
  [[nodiscard]] Addition best_of(const Basis& basis, Eigen::Index without = -1) const {
    const Eigen::VectorXd rest = basis.rest_of(y_);
    const double rss = rest.squaredNorm();
    const Eigen::VectorXd dots = z_.transpose() * rest;
    const Eigen::VectorXd covered = (basis.q().transpose() * z_).colwise().squaredNorm();
    Addition best;
    double best_gain = -kNever;
    for (Eigen::Index j = 0; j < z_.cols(); ++j) {
      const double left = 1 - covered[j];
      if (!usable_[static_cast<std::size_t>(j)] || j == without || left < kDependentShare) continue;
      const double explains = std::min(rss, dots[j] * dots[j] / left);
      const double gain = value(rss) - value(rss - explains) - cost(j);
      if (gain > best_gain) {
        best_gain = gain;
        best = {j, gain, rss > 0 ? explains / rss : 0};
      }
    }
    return best;
  }

  [[nodiscard]] Basis basis_of(const std::vector<Eigen::Index>& terms, Eigen::Index without = -1) const {
    Basis basis(z_.rows(), static_cast<Eigen::Index>(terms.size()));
    for (const Eigen::Index j : terms)
      if (j != without) basis.add(z_.col(j));
    return basis;
  }

  [[nodiscard]] double criterion(const std::vector<Eigen::Index>& terms, Eigen::Index without = -1) const {
    double sum = std::log(n_);
    for (const Eigen::Index j : terms)
      if (j != without) sum += cost(j);
    return sum + value(basis_of(terms, without).rest_of(y_).squaredNorm());
  }

  // Every step lowers the criterion of the terms themselves, so that there is an end: what best_of() promises of a
  // column that nearly depends on the others is not always had.
  std::vector<Eigen::Index> run(std::size_t max_terms) {
    // Of columns that nearly depend on each other a gain is known up to rounding only: what did not come true ends it.
    std::vector<Eigen::Index> before;
    for (double best = criterion(terms_); add(max_terms) || exchange();) {
      while (remove()) {
      }
      const double now = criterion(terms_);
      if (now > best - kStep) {
        terms_ = std::move(before);
        break;
      }
      best = now;
      before = terms_;
    }
    std::sort(terms_.begin(), terms_.end());
    return terms_;
  }

 private:
  bool add(std::size_t max_terms) {
    if (terms_.size() >= max_terms) return false;
    const Addition best = best_of(basis_of(terms_));
    if (best.term < 0 || best.gain < kStep) return false;
    const double now = criterion(terms_);
    terms_.push_back(best.term);
    if (criterion(terms_) < now - kStep) return true;
    terms_.pop_back();
    return false;
  }

  bool remove() {
    if (terms_.empty()) return false;
    const double now = criterion(terms_);
    double lowest = now - kStep;
    auto worst = terms_.end();
    for (auto term = terms_.begin(); term != terms_.end(); ++term) {
      const double without = criterion(terms_, *term);
      if (without < lowest) {
        lowest = without;
        worst = term;
      }
    }
    if (worst == terms_.end()) return false;
    terms_.erase(worst);
    return true;
  }

  bool exchange() {
    const double now = criterion(terms_);
    double lowest = now - kStep;
    std::size_t out = 0;
    Eigen::Index in = -1;
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      const Addition best = best_of(basis_of(terms_, terms_[i]), terms_[i]);
      if (best.term < 0) continue;
      const double then = criterion(terms_, terms_[i]) - best.gain;
      if (then < lowest) {
        lowest = then;
        out = i;
        in = best.term;
      }
    }
    if (in < 0) return false;
    const Eigen::Index before = std::exchange(terms_[out], in);
    if (criterion(terms_) < now - kStep) return true;
    terms_[out] = before;
    return false;
  }

  const std::vector<double>& naming_;
  double independent_;
  std::vector<Eigen::Index> rows_;
  double n_ = 0;
  double floor_ = 0;
  Eigen::VectorXd weight_;    // 1 / spread
  Eigen::VectorXd constant_;  // the constant's column, of length 1
  Eigen::VectorXd y_;
  Eigen::MatrixXd z_;  // the candidates' columns beside the constant, of length 1
  std::vector<bool> usable_;
  std::vector<Eigen::Index> terms_;
};

}  // namespace

std::vector<Eigen::Index> select_terms(const Candidates& candidates, const Eigen::VectorXd& y,
                                       const Eigen::VectorXd& spread, const std::vector<bool>& use,
                                       std::size_t max_terms, double independent) {
  return Search(candidates, y, spread, use, independent).run(max_terms);
}

Addition best_addition(const Candidates& candidates, const Eigen::VectorXd& y, const Eigen::VectorXd& spread,
                       const std::vector<bool>& use, const Eigen::MatrixXd& given) {
  const Search search(candidates, y, spread, use, 1);
  Basis basis(search.centred(y).size(), given.cols());
  for (Eigen::Index j = 0; j < given.cols(); ++j)
    if (given.col(j).minCoeff() < given.col(j).maxCoeff()) basis.add(search.centred(given.col(j)));
  return search.best_of(basis);
}

}  // namespace foretask::model
