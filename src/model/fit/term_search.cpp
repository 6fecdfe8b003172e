// SPDX-License-Identifier: Apache-2.0
#include "model/fit/term_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "statistics/least_squares.hpp"
#include "statistics/random.hpp"

namespace foretask::model {
namespace {

constexpr std::size_t kMaxTerms = 2000;
constexpr std::size_t kMaxValues = 20'000'000;  // 160 MB
constexpr std::size_t kMaxRows = 20'000;
constexpr std::size_t kMinRows = 2'000;

// Terms of one kind share a prior: each kind has half the weight of the one before it, each term its kind's weight
// divided by how many there are. A search over more terms thus asks more of each (Chen and Chen's extended BIC), and a
// parameter itself is preferred to a power of it that explains as much.
enum class Kind { kLinear, kSquare, kCube, kLogarithm, kRatio };
constexpr int kKinds = 5;
constexpr double kKindBits[kKinds] = {1, 2, 3, 3, 4};

struct Named {
  Term term;
  Kind kind;
};

Factor of(const std::string& parameter, double exponent = 1, bool is_log = false) {
  return {.parameter = parameter, .exponent = exponent, .is_log = is_log};
}

// Products of `degree` factors that begin with the given ones.
void add_products(const std::vector<std::string>& parameters, std::size_t from, int degree,
                  std::vector<Factor>& factors, Kind kind, std::vector<Named>& terms) {
  if (degree == 0) {
    terms.push_back({Term{factors}, kind});
    return;
  }
  for (std::size_t i = from; i < parameters.size(); ++i) {
    for (int exponent = 1; exponent <= degree; ++exponent) {
      factors.push_back(of(parameters[i], exponent));
      add_products(parameters, i + 1, degree - exponent, factors, kind, terms);
      factors.pop_back();
    }
  }
}

std::vector<Named> all_terms(const std::vector<std::string>& parameters, int degree) {
  std::vector<Named> terms;
  std::vector<Factor> factors;
  for (int d = 1; d <= degree; ++d) add_products(parameters, 0, d, factors, static_cast<Kind>(d - 1), terms);
  for (const std::string& a : parameters) {
    terms.push_back({Term{{of(a, 1, true)}}, Kind::kLogarithm});
    if (degree < 2) continue;
    terms.push_back({Term{{of(a), of(a, 1, true)}}, Kind::kLogarithm});
    terms.push_back({Term{{of(a, -1)}}, Kind::kRatio});
    for (const std::string& b : parameters)
      if (a != b) terms.push_back({Term{{of(a), of(b, -1)}}, Kind::kRatio});
  }
  return terms;
}

// Of all_terms(), without making them.
std::size_t count_terms(std::size_t p, int degree) {
  std::size_t count = 2 * p;
  if (degree >= 2) count += p * (p + 1) / 2 + 2 * p + p * (p - 1);
  if (degree >= 3) count += p * (p + 1) * (p + 2) / 6;
  return count;
}

int affordable_degree(std::size_t parameters) {
  int degree = 3;
  while (degree > 1 && count_terms(parameters, degree) > kMaxTerms) --degree;
  return degree;
}

bool varies(const Eigen::VectorXd& values) {
  const double low = values.minCoeff();
  const double high = values.maxCoeff();
  return high - low > 1e-12 * std::max(std::abs(low), std::abs(high));
}

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

std::vector<Eigen::Index> search_rows(std::size_t rows, std::size_t parameters) {
  const std::size_t terms = std::max<std::size_t>(1, count_terms(parameters, affordable_degree(parameters)));
  const std::size_t wanted = std::min({rows, kMaxRows, std::max(kMinRows, kMaxValues / terms)});
  std::vector<Eigen::Index> chosen;
  chosen.reserve(wanted);
  statistics::Random random(1);
  for (std::size_t i = 0; i < rows; ++i)
    if (random.below(rows - i) < wanted - chosen.size()) chosen.push_back(static_cast<Eigen::Index>(i));
  return chosen;
}

Candidates make_candidates(const analysis::DataTable& table, const std::vector<std::string>& parameters,
                           const std::vector<Eigen::Index>& rows) {
  analysis::DataTable part;
  for (const std::string& name : parameters) {
    const std::vector<double>& column = *table.column(name);
    part.names.push_back(name);
    std::vector<double>& values = part.columns.emplace_back();
    values.reserve(rows.size());
    for (const Eigen::Index i : rows) values.push_back(column[static_cast<std::size_t>(i)]);
  }

  Candidates candidates;
  candidates.degree = affordable_degree(parameters.size());
  std::vector<Named> named = all_terms(parameters, candidates.degree);
  candidates.values.resize(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(named.size()));
  std::vector<Kind> kinds;
  double count_of[kKinds] = {};
  for (Named& one : named) {
    const auto values = term_values(one.term, part);
    if (!values) continue;
    const Eigen::Map<const Eigen::VectorXd> column(values->data(), static_cast<Eigen::Index>(values->size()));
    if (!varies(column)) continue;
    candidates.values.col(static_cast<Eigen::Index>(kinds.size())) = column;
    candidates.terms.push_back(std::move(one.term));
    kinds.push_back(one.kind);
    ++count_of[static_cast<int>(one.kind)];
  }
  candidates.values.conservativeResize(Eigen::NoChange, static_cast<Eigen::Index>(kinds.size()));
  for (const Kind kind : kinds) {
    const int k = static_cast<int>(kind);
    candidates.naming.push_back(2 * (std::log(count_of[k]) + kKindBits[k] * std::log(2.0)));
  }
  return candidates;
}

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
