// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/model_fit.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <optional>
#include <utility>

#include "model/fit/diagnostics.hpp"
#include "model/fit/fit_search.hpp"
#include "model/fit/noise.hpp"
#include "model/fit/term.hpp"
#include "statistics/least_squares.hpp"
#include "statistics/quantile.hpp"
#include "statistics/tails.hpp"

namespace foretask::analysis {
namespace {

using model::RobustFit;
using model::Term;

constexpr double kConfidence = 0.95;
constexpr double kLargest = 1e150;  // its square is still a double

Result<std::vector<std::string>> parameters_of(const DataTable& table, const FitOptions& options) {
  if (table.column(options.target) == nullptr) return model::no_column(table, options.target);
  std::vector<std::string> parameters = options.parameters;
  if (parameters.empty()) {
    std::copy_if(table.names.begin(), table.names.end(), std::back_inserter(parameters),
                 [&options](const std::string& name) { return name != options.target; });
  }
  for (auto name = parameters.begin(); name != parameters.end(); ++name) {
    if (table.column(*name) == nullptr) return model::no_column(table, *name);
    if (*name == options.target) return Error{.what = "'" + *name + "' is the target and cannot be a parameter too"};
    if (std::find(parameters.begin(), name, *name) != name)
      return Error{.what = "the parameter '" + *name + "' is there twice"};
  }
  return parameters;
}

// Terms as the user wrote them.
struct NamedTerms {
  std::vector<Term> terms;
  std::vector<std::string> names;
};

Result<NamedTerms> named_terms(const DataTable& table, const FitOptions& options,
                               const std::vector<std::string>& parameters) {
  NamedTerms named;
  for (const std::string& text : options.terms) {
    auto term = model::parse_term(text);
    if (!term) return term.error();
    for (const model::Factor& factor : term->factors) {
      if (table.column(factor.parameter) == nullptr) return model::no_column(table, factor.parameter);
      if (std::find(parameters.begin(), parameters.end(), factor.parameter) == parameters.end())
        return Error{.what = "the term '" + text + "' uses '" + factor.parameter + "', which is not a parameter"};
    }
    for (const Term& other : named.terms)
      if (other.same_as(*term)) return Error{.what = "the term '" + text + "' is there twice"};
    named.terms.push_back(std::move(*term));
    named.names.push_back(text);
  }
  return named;
}

// The columns of the terms that can be had; the constant comes first, as a basis for telling what depends on what.
struct Design {
  std::vector<Term> terms;
  std::vector<std::size_t> places;  // of each among the terms named
  Eigen::MatrixXd columns;
  bool has_constant = false;

  void keep(const std::vector<Eigen::Index>& kept) {
    Design part{.columns = Eigen::MatrixXd(columns.rows(), static_cast<Eigen::Index>(kept.size())),
                .has_constant = has_constant};
    for (const Eigen::Index j : kept) {
      part.columns.col(static_cast<Eigen::Index>(part.terms.size())) = columns.col(j);
      part.terms.push_back(terms[static_cast<std::size_t>(j)]);
      part.places.push_back(places[static_cast<std::size_t>(j)]);
    }
    *this = std::move(part);
  }
};

Design design_of(const DataTable& table, const NamedTerms& named, std::vector<LeftOutTerm>& left_out) {
  std::vector<std::size_t> order(named.terms.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_partition(order.begin(), order.end(), [&named](std::size_t i) { return named.terms[i].is_constant(); });
  Design design;
  design.columns.resize(static_cast<Eigen::Index>(table.rows()), static_cast<Eigen::Index>(order.size()));
  for (const std::size_t i : order) {
    const auto values = model::term_values(named.terms[i], table);
    if (!values) {
      left_out.push_back({named.names[i], values.error().what});
      continue;
    }
    design.columns.col(static_cast<Eigen::Index>(design.terms.size())) =
        Eigen::Map<const Eigen::VectorXd>(values->data(), static_cast<Eigen::Index>(values->size()));
    design.has_constant = design.has_constant || named.terms[i].is_constant();
    design.terms.push_back(named.terms[i]);
    design.places.push_back(i);
  }
  design.columns.conservativeResize(Eigen::NoChange, static_cast<Eigen::Index>(design.terms.size()));
  return design;
}

// R's summary.lm(): coefficients in the order in which the terms were named.
void write_coefficients(const statistics::LeastSquares& fit, const Design& design, const NamedTerms& named,
                        ModelFit& result) {
  const double quantile = statistics::student_t_two_sided_quantile(kConfidence, fit.freedom);
  std::vector<std::pair<std::size_t, FittedTerm>> terms;
  for (std::size_t j = 0; j < fit.kept.size(); ++j) {
    const auto at = static_cast<Eigen::Index>(j);
    const std::size_t place = design.places[static_cast<std::size_t>(fit.kept[j])];
    FittedTerm term{.name = named.names[place], .coefficient = fit.coefficients[at]};
    term.std_error = fit.sigma * fit.unscaled_errors[at];
    term.t = term.coefficient / term.std_error;
    term.p = statistics::student_t_two_sided(term.t, fit.freedom);
    term.low = term.coefficient - quantile * term.std_error;
    term.high = term.coefficient + quantile * term.std_error;
    terms.emplace_back(place, std::move(term));
  }
  std::sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [place, term] : terms) result.terms.push_back(std::move(term));
}

void write_summary(const statistics::LeastSquares& fit, const Eigen::VectorXd& spread, bool has_constant,
                   ModelFit& result) {
  const double n = static_cast<double>(fit.residuals.size());
  const double total = fit.explained + fit.rss;
  result.n = static_cast<std::size_t>(fit.residuals.size());
  result.freedom = static_cast<std::size_t>(fit.freedom);
  result.r2 = total > 0 ? fit.explained / total : 0;
  result.adj_r2 = 1 - (1 - result.r2) * (n - (has_constant ? 1 : 0)) / fit.freedom;
  result.sigma = fit.sigma;
  double minus_two_log_likelihood = n * (std::log(2 * std::numbers::pi) + std::log(fit.rss / n) + 1);
  if (spread.size() != 0) minus_two_log_likelihood += 2 * spread.array().log().sum();
  result.bic = minus_two_log_likelihood + (static_cast<double>(fit.kept.size()) + 1) * std::log(n);
}

std::vector<std::size_t> row_numbers(const std::vector<bool>& use, bool wanted) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < use.size(); ++i)
    if (use[i] == wanted) rows.push_back(i);
  return rows;
}

ExtremeRow largest(const Eigen::VectorXd& values, const std::vector<std::size_t>& rows) {
  if (values.size() == 0) return {};
  Eigen::Index at = 0;
  const double value = values.cwiseAbs().maxCoeff(&at);
  return {.value = value, .row = rows[static_cast<std::size_t>(at)]};
}

double median_error_pct(const Eigen::VectorXd& fitted, const Eigen::VectorXd& y) {
  std::vector<double> errors;
  for (Eigen::Index i = 0; i < y.size(); ++i)
    if (y[i] != 0) errors.push_back(100 * std::abs(fitted[i] / y[i] - 1));
  return statistics::median(std::move(errors));
}

// `rows`: which of the table's rows were fitted to.
void write_diagnostics(const statistics::LeastSquares& fit, const Eigen::VectorXd& y, const std::vector<bool>& use,
                       ModelFit& result) {
  FitDiagnostics& diagnostics = result.diagnostics;
  const std::vector<std::size_t> rows = row_numbers(use, true);
  diagnostics.normality = model::normality(fit.residuals);
  diagnostics.breusch_pagan = model::breusch_pagan(fit.fitted, fit.residuals);
  diagnostics.max_leverage = largest(fit.leverage, rows);
  diagnostics.max_studentized = largest(model::studentized(fit), rows);
  diagnostics.serial_correlation = model::serial_correlation(fit.residuals);
  const Eigen::VectorXd used_y = model::rows_of(y, use);
  diagnostics.median_error_pct = median_error_pct(fit.fitted, used_y);
  diagnostics.residuals_by_fit = model::bins_by_fit(fit.fitted, used_y - fit.fitted);
}

// The fit under the likelier kind of noise, or under the one that a search has settled on; `better_by` is how much
// likelier it is than the other.
Result<RobustFit> fit_with_noise(const Design& design, const Eigen::VectorXd& y, std::optional<Noise> settled,
                                 double& better_by) {
  auto best = model::robust_fit(design.columns, y, settled.value_or(Noise::kConstant), design.has_constant);
  if (!best || !model::may_be_proportional(y)) return best;
  const Noise other_noise = best->noise == Noise::kConstant ? Noise::kProportional : Noise::kConstant;
  auto other = model::robust_fit(design.columns, y, other_noise, design.has_constant);
  if (!other) return best;
  better_by = other->score - best->score;
  if (settled || better_by > 0) return best;
  better_by = -better_by;
  return other;
}

}  // namespace

Result<ModelFit> fit_model(const DataTable& table, const FitOptions& options) {
  auto parameters = parameters_of(table, options);
  if (!parameters) return parameters.error();
  const std::vector<double>& target = *table.column(options.target);
  const Eigen::VectorXd y = Eigen::Map<const Eigen::VectorXd>(target.data(), static_cast<Eigen::Index>(target.size()));
  ModelFit result{.target = options.target, .parameters = *parameters, .rows = target.size()};
  if (target.size() < 2) return Error{.what = "one row more than terms is needed, and there is only one row"};

  const double largest_target = y.cwiseAbs().maxCoeff();
  if (largest_target > kLargest || (largest_target > 0 && largest_target < 1 / kLargest))
    return Error{.what = "the squares of '" + options.target + "' are beyond what a double holds: change its unit"};

  auto named = named_terms(table, options, *parameters);
  if (!named) return named.error();
  std::vector<std::string> notes;
  if (named->terms.empty()) {
    auto found = model::search_model(table, *parameters, target);
    if (!found) return found.error();
    result.searched = true;
    result.candidates = found->candidates;
    result.weights = found->noise;
    notes = std::move(found->notes);
    named->terms = std::move(found->terms);
    for (const Term& term : named->terms) named->names.push_back(model::term_text(term));
  }
  Design design = design_of(table, *named, result.left_out);
  if (design.terms.empty())
    return Error{.what = "no term is left: " + result.left_out.front().name + ": " + result.left_out.front().reason};

  // Which terms depend on others is told from all rows, without weights.
  const auto plain = statistics::least_squares(design.columns, y, {}, design.has_constant);
  if (!plain) return plain.error();
  for (const Eigen::Index j : plain->dropped)
    result.left_out.push_back({named->names[design.places[static_cast<std::size_t>(j)]],
                               "it depends linearly on the terms before it (to 1e-7)"});
  design.keep(plain->kept);
  double better_by = 0;
  const auto best =
      fit_with_noise(design, y, result.searched ? std::optional<Noise>(result.weights) : std::nullopt, better_by);
  if (!best) return best.error();
  if (result.searched) {
    const Eigen::VectorXd spread =
        best->spread.size() == 0 ? Eigen::VectorXd() : Eigen::VectorXd(model::rows_of(best->spread, best->use));
    write_coefficients(best->fit, design, *named, result);
    write_summary(best->fit, spread, design.has_constant, result);
    write_diagnostics(best->fit, y, best->use, result);
  } else {
    const auto fit = statistics::least_squares(design.columns, y, {}, design.has_constant);
    if (!fit) return fit.error();
    write_coefficients(*fit, design, *named, result);
    write_summary(*fit, {}, design.has_constant, result);
    write_diagnostics(*fit, y, std::vector<bool>(target.size(), true), result);
  }
  result.diagnostics.outliers = row_numbers(best->use, false);
  if (const auto largest_rows = model::predict_largest(design.columns, y, *best, design.has_constant))
    result.diagnostics.hold_out = largest_rows->hold_out;
  result.warnings = model::advise({.table = table,
                                   .fit = result,
                                   .terms = design.terms,
                                   .columns = design.columns,
                                   .y = y,
                                   .best = *best,
                                   .better_by = better_by});
  result.warnings.insert(result.warnings.end(), notes.begin(), notes.end());
  return result;
}

Result<std::vector<double>> fitted_values(const ModelFit& fit, const DataTable& table) {
  std::vector<double> sums(table.rows());
  for (const FittedTerm& fitted : fit.terms) {
    const auto term = model::parse_term(fitted.name);
    if (!term) return term.error();
    const auto values = model::term_values(*term, table);
    if (!values) return values.error();
    for (std::size_t row = 0; row < sums.size(); ++row) sums[row] += fitted.coefficient * (*values)[row];
  }
  return sums;
}

std::string check_term(const std::string& text) {
  const auto term = model::parse_term(text);
  return term ? std::string{} : term.error().what;
}

}  // namespace foretask::analysis
