// SPDX-License-Identifier: Apache-2.0
#include "model/fit/diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/number_text.hpp"
#include "model/fit/term_search.hpp"
#include "statistics/tails.hpp"

namespace foretask::model {
namespace {

constexpr Eigen::Index kMinRowsForShape = 8;
constexpr std::size_t kBins = 10;

bool all_rounding(const Eigen::VectorXd& values) {
  return values.size() == 0 || !(values.maxCoeff() > values.minCoeff());
}

struct Shape {
  double skewness = 0;
  double excess_kurtosis = 0;
};

Shape shape_of(const Eigen::VectorXd& values) {
  if (all_rounding(values)) return {};
  const Eigen::ArrayXd away = values.array() - values.mean();
  const double variance = away.square().mean();
  const Eigen::ArrayXd z = away / std::sqrt(variance);
  return {.skewness = z.cube().mean(), .excess_kurtosis = z.square().square().mean() - 3};
}

using analysis::Noise;

// Less noise than this share of the target is nothing to speak of.
constexpr double kNegligible = 1e-9;
// A difference of criteria that leaves no doubt (Kass and Raftery's 'very strong').
constexpr double kNoDoubt = 10;
// Of what is left over, a term must explain as much to be called missing.
constexpr double kMissingShare = 0.05;
// Residuals this small, in percent, hide no parameter that would be worth finding.
constexpr double kMaterialErrorPct = 4;
constexpr double kSignificant = 0.05;
constexpr double kCertain = 1e-6;
constexpr std::size_t kRowsPerTerm = 5;
constexpr std::size_t kMinRows = 10;  // to say that something is missing
constexpr std::size_t kMaxListed = 8;
constexpr std::size_t kMaxColumnsToTry = 60;

std::string shown(double value) { return base::number_text(value, 3); }

std::string percent(double share) { return shown(100 * share) + " %"; }

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

class Advice {
 public:
  explicit Advice(const AdviceInput& input) : in_(input) {}

  std::vector<std::string> all() {
    left_out_terms();
    constant_parameters();
    if (is_exact()) {
      say("the terms give the target exactly: there is no noise, so the statistical tests have no meaning");
      return std::move(lines_);
    }
    proportional_noise();
    outliers();
    overfitted();
    if (!missing_term()) missing_parameter();
    return std::move(lines_);
  }

 private:
  void say(std::string line) { lines_.push_back(std::move(line)); }

  [[nodiscard]] bool is_exact() const {
    const double scale = in_.best.noise == Noise::kProportional ? 1 : in_.y.cwiseAbs().maxCoeff();
    return !(in_.best.fit.sigma > kNegligible * scale);
  }

  void left_out_terms() {
    for (const analysis::LeftOutTerm& term : in_.fit.left_out) say(term.name + " was left out: " + term.reason);
  }

  void constant_parameters() {
    if (in_.fit.rows < 2) return;
    std::vector<std::string> names;
    for (const std::string& name : in_.fit.parameters) {
      const std::vector<double>& column = *in_.table.column(name);
      if (std::all_of(column.begin(), column.end(), [&column](double x) { return x == column.front(); }))
        names.push_back(name);
    }
    if (!names.empty())
      say(listed(names) + (names.size() == 1 ? " does" : " do") +
          " not vary: the effect cannot be separated from the constant. Add rows with other values");
    if (in_.y.minCoeff() == in_.y.maxCoeff()) say(in_.fit.target + " does not vary: there is nothing to explain");
  }

  void proportional_noise() {
    if (in_.best.noise != Noise::kProportional || in_.better_by < kNoDoubt) return;
    const std::string amount =
        "the noise is proportional to " + in_.fit.target + " (about " + percent(in_.best.fit.sigma) + " of it): ";
    if (in_.fit.weights == Noise::kProportional) {
      say(amount + "rows were weighted by 1 / fit^2");
    } else {
      say(amount + "this fit gives all rows the same weight, so its standard errors and p-values are not reliable");
    }
  }

  void outliers() {
    const std::vector<std::size_t>& rows = in_.fit.diagnostics.outliers;
    if (rows.empty()) return;
    std::string line = rows.size() == 1 ? "1 row is an outlier" : std::to_string(rows.size()) + " rows are outliers";
    line += " (residual above 5 standard deviations): ";
    for (std::size_t i = 0; i < std::min(rows.size(), kMaxListed); ++i)
      line += (i == 0 ? "" : ", ") + std::to_string(rows[i]);
    if (rows.size() > kMaxListed) line += ", ...";
    line += " (counted from 0)";
    say(line + (in_.fit.searched ? "; left out of the fit" : "; they are in the fit"));
  }

  void overfitted() {
    const auto& kept = in_.terms;
    if (kept.size() > 1 && in_.fit.n < kRowsPerTerm * kept.size())
      say("overfitted: " + std::to_string(kept.size()) + " terms on " + std::to_string(in_.fit.n) +
          " rows. Use at least five rows per term");
    std::vector<std::string> idle;
    const statistics::LeastSquares& fit = in_.best.fit;
    for (std::size_t j = 0; j < fit.kept.size(); ++j) {
      const auto at = static_cast<Eigen::Index>(j);
      const Term& term = kept[static_cast<std::size_t>(fit.kept[j])];
      const double t = fit.coefficients[at] / (fit.sigma * fit.unscaled_errors[at]);
      if (!term.is_constant() && statistics::student_t_two_sided(t, fit.freedom) > kSignificant)
        idle.push_back(term_text(term));
    }
    if (!idle.empty() && !in_.fit.searched)
      say("overfitted: " + listed(idle) + (idle.size() == 1 ? " adds" : " add") +
          " nothing significant to the other terms (p > 0.05)");
    const auto& held = in_.fit.diagnostics.hold_out;
    if (held && held->spread_ratio > 2 && held->median_error_pct > 1)
      say("fitted to the smaller rows, the model predicts the largest tenth with an error of " +
          percent(held->median_error_pct / 100) + " (" + shown(held->spread_ratio) +
          " times its own error). It is overfitted, or a term is missing: do not extrapolate");
  }

  // A term of the table's columns that explains what is left over.
  bool missing_term() {
    std::vector<std::string> names;
    for (const std::string& name : in_.table.names)
      if (name != in_.fit.target) names.push_back(name);
    if (names.empty() || names.size() > kMaxColumnsToTry || in_.fit.n < kMinRows) return false;
    const std::vector<Eigen::Index> rows = search_rows(in_.fit.rows, names.size());
    const Candidates candidates = make_candidates(in_.table, names, rows);
    const auto count = static_cast<Eigen::Index>(rows.size());
    const bool weighted = in_.best.spread.size() != 0;
    Eigen::MatrixXd given(count, in_.columns.cols());
    Eigen::VectorXd y(count);
    Eigen::VectorXd spread(weighted ? count : 0);
    std::vector<bool> use(rows.size());
    for (Eigen::Index i = 0; i < count; ++i) {
      const Eigen::Index row = rows[static_cast<std::size_t>(i)];
      given.row(i) = in_.columns.row(row);
      y[i] = in_.y[row];
      if (weighted) spread[i] = in_.best.spread[row];
      use[static_cast<std::size_t>(i)] = in_.best.use[static_cast<std::size_t>(row)];
    }
    const Addition best = best_addition(candidates, y, spread, use, given);
    if (best.term < 0 || best.gain < kNoDoubt || best.explains < kMissingShare) return false;
    const Term& term = candidates.terms[static_cast<std::size_t>(best.term)];
    std::vector<std::string> unknown;
    for (const Factor& factor : term.factors)
      if (!is_in_model(factor.parameter)) unknown.push_back(factor.parameter);
    if (unknown.empty()) {
      say("a term seems to be missing: " + term_text(term) + " explains " + percent(best.explains) +
          " of the residuals");
    } else {
      say("a parameter seems to be missing: " + listed(unknown) +
          (unknown.size() == 1 ? " is not in the model, and explains " : " are not in the model, and explain ") +
          percent(best.explains) + " of the residuals (as " + term_text(term) + ")");
    }
    return true;
  }

  [[nodiscard]] bool is_in_model(const std::string& parameter) const {
    return std::any_of(in_.terms.begin(), in_.terms.end(), [&parameter](const Term& term) {
      return std::any_of(term.factors.begin(), term.factors.end(),
                         [&parameter](const Factor& factor) { return factor.parameter == parameter; });
    });
  }

  // No known column explains what is left over, and yet it is not what noise looks like.
  void missing_parameter() {
    if (in_.fit.n < 50 || in_.fit.diagnostics.median_error_pct < kMaterialErrorPct) return;
    const Eigen::VectorXd z = rows_of(in_.best.z, in_.best.use);
    std::vector<std::string> signs;
    const auto normal = normality(z);
    const Shape shape = shape_of(z);
    if (normal && normal->p < kCertain && (std::abs(shape.skewness) > 0.5 || std::abs(shape.excess_kurtosis) > 0.7))
      signs.push_back("they are far from normal (skewness " + shown(shape.skewness) + ", excess kurtosis " +
                      shown(shape.excess_kurtosis) + ")");
    const auto spread = breusch_pagan(rows_of(in_.columns, in_.best.use), z);
    if (spread && spread->p < kCertain && spread->statistic > 0.03 * static_cast<double>(z.size()))
      signs.push_back("their spread changes with the parameters");
    const double serial = serial_correlation(z);
    if (std::abs(serial) > std::max(0.2, 4 / std::sqrt(static_cast<double>(z.size()))))
      signs.push_back("residuals of neighbouring rows are correlated (" + shown(serial) + ")");
    if (in_.best.heavy_tails) signs.push_back("many rows have large residuals");
    if (signs.empty()) return;
    say("a parameter seems to be missing: the residuals (median " + shown(in_.fit.diagnostics.median_error_pct) +
        " % of the time) are not random: " + listed(signs));
  }

  const AdviceInput& in_;
  std::vector<std::string> lines_;
};

}  // namespace

std::optional<analysis::TestResult> normality(const Eigen::VectorXd& residuals) {
  if (residuals.size() < kMinRowsForShape || all_rounding(residuals)) return std::nullopt;
  const Shape shape = shape_of(residuals);
  const double statistic = static_cast<double>(residuals.size()) / 6 *
                           (shape.skewness * shape.skewness + shape.excess_kurtosis * shape.excess_kurtosis / 4);
  return analysis::TestResult{.statistic = statistic, .freedom = 2, .p = statistics::chi_squared_tail(statistic, 2)};
}

std::optional<analysis::TestResult> breusch_pagan(const Eigen::MatrixXd& columns, const Eigen::VectorXd& residuals) {
  if (all_rounding(residuals)) return std::nullopt;
  Eigen::MatrixXd with_constant(columns.rows(), columns.cols() + 1);
  with_constant << Eigen::VectorXd::Ones(columns.rows()), columns;
  const Eigen::VectorXd squares = residuals.cwiseAbs2();
  const auto fit = statistics::least_squares(with_constant, squares / squares.maxCoeff(), {}, true);
  if (!fit || fit->kept.size() < 2) return std::nullopt;
  const double total = fit->explained + fit->rss;
  if (!(total > 0)) return std::nullopt;
  const double statistic = static_cast<double>(residuals.size()) * fit->explained / total;
  const auto freedom = static_cast<double>(fit->kept.size() - 1);
  return analysis::TestResult{
      .statistic = statistic, .freedom = freedom, .p = statistics::chi_squared_tail(statistic, freedom)};
}

Eigen::VectorXd studentized(const statistics::LeastSquares& fit) {
  if (fit.freedom < 2) return {};
  Eigen::VectorXd result(fit.residuals.size());
  for (Eigen::Index i = 0; i < result.size(); ++i) {
    const double free = 1 - fit.leverage[i];
    const double residual = fit.residuals[i];
    if (!(free > 1e-12)) {  // the row alone decides its fitted value
      result[i] = 0;
      continue;
    }
    const double others = std::max(0.0, (fit.rss - residual * residual / free) / (fit.freedom - 1));
    const double deviation = std::sqrt(others * free);
    result[i] = deviation > 0 ? residual / deviation : 0;
  }
  return result;
}

std::vector<analysis::FitBin> bins_by_fit(const Eigen::VectorXd& fitted, const Eigen::VectorXd& residuals) {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(fitted.size()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::sort(order.begin(), order.end(), [&fitted](Eigen::Index a, Eigen::Index b) { return fitted[a] < fitted[b]; });
  const std::size_t bins = std::min(kBins, order.size() / 2);
  std::vector<analysis::FitBin> result(bins);
  for (std::size_t b = 0; b < bins; ++b) {
    const std::size_t begin = b * order.size() / bins;
    const std::size_t end = (b + 1) * order.size() / bins;
    analysis::FitBin& bin = result[b];
    bin.rows = end - begin;
    const double rows = static_cast<double>(bin.rows);
    for (std::size_t i = begin; i < end; ++i) {
      bin.fitted += fitted[order[i]] / rows;
      bin.residual += residuals[order[i]] / rows;
    }
    for (std::size_t i = begin; i < end; ++i) bin.spread += std::pow(residuals[order[i]] - bin.residual, 2) / rows;
    bin.spread = std::sqrt(bin.spread);
  }
  return result;
}

std::vector<std::string> advise(const AdviceInput& input) { return Advice(input).all(); }

}  // namespace foretask::model
