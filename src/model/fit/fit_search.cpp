// SPDX-License-Identifier: Apache-2.0
#include "model/fit/fit_search.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "model/fit/noise.hpp"
#include "model/fit/term_search.hpp"

namespace foretask::model {
namespace {

using analysis::Noise;

constexpr std::size_t kMaxTerms = 16;
constexpr std::size_t kRowsPerTerm = 4;
// Rows with the same parameters say once how time depends on them.
constexpr std::size_t kPlacesPerTerm = 2;
constexpr double kFirstIndependent = 0.1;
constexpr int kMaxRounds = 6;
// The largest rows must be predicted better by more than this share without a term before it goes.
constexpr double kClearlyBetter = 0.95;
// Less noise than this share of the target is nothing to speak of.
constexpr double kNegligible = 1e-9;
// Noise is taken to be even unless the other kind is likelier by this much (Kass and Raftery's 'strong').
constexpr double kStrongEvidence = 6;

struct Hypothesis {
  std::vector<Eigen::Index> terms;
  RobustFit fit;
  double criterion = 0;  // comparable between kinds of noise
};

Eigen::MatrixXd columns_of(const Candidates& candidates, const std::vector<Eigen::Index>& terms) {
  Eigen::MatrixXd columns(candidates.values.rows(), static_cast<Eigen::Index>(terms.size()) + 1);
  columns.col(0).setOnes();
  for (std::size_t j = 0; j < terms.size(); ++j)
    columns.col(static_cast<Eigen::Index>(j) + 1) = candidates.values.col(terms[j]);
  return columns;
}

double criterion_of(const Candidates& candidates, const Hypothesis& hypothesis) {
  const double n = static_cast<double>(candidates.values.rows());
  double sum = hypothesis.fit.score + std::log(n);
  for (const Eigen::Index j : hypothesis.terms) sum += std::log(n) + candidates.naming[static_cast<std::size_t>(j)];
  return sum;
}

// n rows whose residuals follow each other with correlation r say as much of a mean as n (1 - r) / (1 + r) independent
// ones (Bartlett 1935, first order).
double independent_share(const RobustFit& fit) {
  constexpr double kMost = 0.95;
  const Eigen::VectorXd z = rows_of(fit.z, fit.use);
  const double correlation = std::min(serial_correlation(z), kMost);
  const double chance = 2 / std::sqrt(static_cast<double>(z.size()));
  return correlation < chance ? 1 : (1 - correlation) / (1 + correlation);
}

// Selection, then outliers and weights from the selected model, until the selection stays.
Result<Hypothesis> search_under(const Candidates& candidates, const Eigen::VectorXd& y, Noise noise,
                                Eigen::VectorXd spread, std::size_t max_terms, RowOrder order) {
  // A model that has taken up what disturbs rows together would not show it: it begins with few terms.
  double independent = order == RowOrder::kTime ? kFirstIndependent : 1;
  Hypothesis hypothesis;
  std::vector<bool> use(static_cast<std::size_t>(y.size()), true);
  for (int round = 0; round < kMaxRounds; ++round) {
    std::vector<Eigen::Index> terms = select_terms(candidates, y, spread, use, max_terms, independent);
    if (round > 0 && terms == hypothesis.terms) break;
    hypothesis.terms = std::move(terms);
    auto fit = robust_fit(columns_of(candidates, hypothesis.terms), y, noise, true);
    if (!fit) return fit.error();
    hypothesis.fit = std::move(*fit);
    use = hypothesis.fit.use;
    if (order == RowOrder::kTime) independent = independent_share(hypothesis.fit);
    spread = hypothesis.fit.spread;
  }
  hypothesis.criterion = criterion_of(candidates, hypothesis);
  return hypothesis;
}

// Drops terms without which the largest rows are predicted better from the smaller ones.
void drop_overfitted(const Candidates& candidates, const Eigen::VectorXd& y, Hypothesis& hypothesis,
                     std::vector<std::string>& notes) {
  while (!hypothesis.terms.empty()) {
    const auto now = predict_largest(columns_of(candidates, hypothesis.terms), y, hypothesis.fit, true);
    if (!now) return;
    double best = kClearlyBetter * now->mean_square;
    auto worst = hypothesis.terms.end();
    std::vector<Eigen::Index> kept;
    for (auto term = hypothesis.terms.begin(); term != hypothesis.terms.end(); ++term) {
      std::vector<Eigen::Index> others = hypothesis.terms;
      others.erase(others.begin() + (term - hypothesis.terms.begin()));
      const auto without = predict_largest(columns_of(candidates, others), y, hypothesis.fit, true);
      if (without && without->mean_square < best) {
        best = without->mean_square;
        worst = term;
        kept = std::move(others);
      }
    }
    if (worst == hypothesis.terms.end()) return;
    auto fit = robust_fit(columns_of(candidates, kept), y, hypothesis.fit.noise, true);
    if (!fit) return;
    notes.push_back(term_text(candidates.terms[static_cast<std::size_t>(*worst)]) +
                    " was dropped as overfitted: without it the smaller rows predict the largest ones better");
    hypothesis.terms = std::move(kept);
    hypothesis.fit = std::move(*fit);
  }
}

// Rows whose parameters differ.
std::size_t count_places(const analysis::DataTable& table, const std::vector<std::string>& parameters,
                         const std::vector<Eigen::Index>& rows) {
  std::set<std::vector<double>> places;
  for (const Eigen::Index row : rows) {
    std::vector<double> place;
    for (const std::string& name : parameters) place.push_back((*table.column(name))[static_cast<std::size_t>(row)]);
    places.insert(std::move(place));
  }
  return places.size();
}

}  // namespace

Result<FoundModel> search_model(const analysis::DataTable& table, const std::vector<std::string>& parameters,
                                const std::vector<double>& target, RowOrder order) {
  const std::vector<Eigen::Index> rows = search_rows(target.size(), parameters.size());
  const Candidates candidates = make_candidates(table, parameters, rows);
  Eigen::VectorXd y(static_cast<Eigen::Index>(rows.size()));
  for (Eigen::Index i = 0; i < y.size(); ++i)
    y[i] = target[static_cast<std::size_t>(rows[static_cast<std::size_t>(i)])];

  const std::size_t places = count_places(table, parameters, rows);
  const std::size_t max_terms = std::min({kMaxTerms, rows.size() / kRowsPerTerm, places / kPlacesPerTerm});
  auto best = search_under(candidates, y, Noise::kConstant, {}, max_terms, order);
  if (!best) return best.error();
  const bool exact = best->fit.fit.sigma <= kNegligible * y.cwiseAbs().maxCoeff();
  if (may_be_proportional(y) && !exact) {
    auto other = search_under(candidates, y, Noise::kProportional, first_spread(y, best->fit.fitted), max_terms, order);
    if (other && other->criterion < best->criterion - kStrongEvidence) best = std::move(other);
  }

  FoundModel found;
  drop_overfitted(candidates, y, *best, found.notes);
  found.noise = best->fit.noise;
  found.candidates = candidates.terms.size();
  found.terms.push_back(Term{});
  for (const Eigen::Index j : best->terms) found.terms.push_back(candidates.terms[static_cast<std::size_t>(j)]);
  if (candidates.degree < 3)
    found.notes.push_back("so many parameters: products were searched up to degree " +
                          std::to_string(candidates.degree) + " only");
  if (rows.size() < target.size())
    found.notes.push_back("terms were searched on " + std::to_string(rows.size()) + " of the " +
                          std::to_string(target.size()) + " rows, and fitted to all");
  return found;
}

}  // namespace foretask::model
