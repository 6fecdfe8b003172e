// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/model/models.hpp"
#include "report/plain_text.hpp"
#include "report/units.hpp"

namespace foretask::report {
namespace {

using analysis::StoredModel;

constexpr std::size_t kShortVersion = 12;

std::string names_of(const StoredModel& stored) {
  std::string names;
  for (const analysis::ParameterRange& range : stored.parameters) names += (names.empty() ? "" : ", ") + range.name;
  return names.empty() ? "-" : names;
}

std::string version_of(const StoredModel& stored) {
  const bool is_hash = stored.code_version.find(' ') == std::string::npos;
  return is_hash ? stored.code_version.substr(0, kShortVersion) : stored.code_version;
}

// "3.2 n - 100", with `times` between a coefficient and its term.
template <typename Term>
std::string sum_text(const std::vector<Term>& terms, const char* times) {
  std::string sum;
  for (const Term& term : terms) {
    const bool minus = std::signbit(term.coefficient);
    sum += sum.empty() ? (minus ? "-" : "") : (minus ? " - " : " + ");
    sum += fmt::format("{:.4g}", std::abs(term.coefficient));
    if (term.name != "1") sum += times + term.name;
  }
  return sum;
}

const std::string& name_of(const StoredModel& stored) { return stored.code.empty() ? stored.kernel : stored.code; }

void write_table(Text& text, const analysis::StoreListing& listing) {
  std::size_t width = 6;
  for (const StoredModel& stored : listing.models) width = std::max(width, name_of(stored).size());
  width = std::min<std::size_t>(width, 40);
  add(text, "{:<{}}  {:<6}  {:>11}  {:<14}  {:>7}  {:<20}  {:<12}  {}\n", "kernel", width, "class", "samples", "model",
      "error", "saved", "code", "parameters");
  for (const StoredModel& stored : listing.models) {
    const bool known = !stored.models.empty();
    add(text, "{:<{}}  {:<6}  {:>11}  {:<14}  {:>7}  {:<20}  {:<12}  {}\n", name_of(stored), width, stored.worker_class,
        format_count(stored.samples), known ? stored.models.front().name : "-",
        known ? format_share(stored.models.front().error) : "-", stored.saved, version_of(stored), names_of(stored));
  }
}

void write_one(Text& text, const StoredModel& stored) {
  add(text, "{} on {}: {} samples, saved {}, code {}\n", name_of(stored), stored.worker_class,
      format_count(stored.samples), stored.saved, version_of(stored));
  for (const analysis::ParameterRange& range : stored.parameters)
    add(text, "  {} from {:.6g} to {:.6g}\n", range.name, range.smallest, range.largest);
  if (stored.changes > 0) add(text, "  lasting changes of its speed: {}\n", stored.changes);
  if (!stored.models.empty()) {
    add(text, "  model: {}, error {} of late. 95 % of times lie from {:+.1f} % to {:+.1f} % around its prediction.\n",
        stored.models.front().name, format_share(stored.models.front().error), 100 * (stored.low - 1),
        100 * (stored.high - 1));
    for (std::size_t i = 1; i < stored.models.size(); ++i)
      add(text, "{}{} {}", i == 1 ? "  other models: " : ", ", stored.models[i].name,
          format_share(stored.models[i].error));
    if (stored.models.size() > 1) add(text, "\n");
  }
  if (!stored.terms.empty()) add(text, "  linear: ns = {}\n", sum_text(stored.terms, " "));
  if (stored.tuples > 0) add(text, "  history: {} combinations of parameter values\n", format_count(stored.tuples));
  if (stored.prediction) {
    const analysis::StoredPrediction& prediction = *stored.prediction;
    add(text, "  predicted: {} ({} to {}), {}, by {}\n", format_ns(prediction.value_ns), format_ns(prediction.low_ns),
        format_ns(prediction.high_ns), prediction.status, prediction.model);
  }
}

using analysis::ModelFit;

// A test's p from which on nothing speaks against what it tests.
constexpr double kUnsuspicious = 0.01;

std::string chance(double p) { return p > 0 && p < 1e-4 ? fmt::format("{:.1e}", p) : fmt::format("{:.4f}", p); }

std::string noise(const ModelFit& fit) {
  if (fit.weights == analysis::Noise::kProportional)
    return fmt::format("The noise is proportional: {} of the fitted value.", format_share(fit.sigma));
  return fmt::format("The noise is {:.4g} at all fitted values.", fit.sigma);
}

std::string said(const std::optional<analysis::TestResult>& test, const char* unsuspicious, const char* suspicious) {
  if (!test) return "not tested";
  return fmt::format("{} (p = {})", test->p >= kUnsuspicious ? unsuspicious : suspicious, chance(test->p));
}

using analysis::EvaluationMethod;
using analysis::MethodEvaluation;

std::string format_pct(double pct) { return format_share(pct / 100); }

// What a method was allowed to see, without which its error says little.
std::string_view knows(EvaluationMethod method) {
  switch (method) {
    case EvaluationMethod::kFirst:
    case EvaluationMethod::kSecond:
      return "the time of one row";
    case EvaluationMethod::kSupportPoints:
      return "the times of the measured rows";
    case EvaluationMethod::kClusters:
      return "all parameters beforehand, the times of the measured rows";
    case EvaluationMethod::kBest:
      break;
  }
  return "each row's time, after predicting it";
}

}  // namespace

std::string model_store_text(const analysis::StoreListing& listing, bool one_kernel) {
  Text text;
  if (listing.models.empty()) {
    add(text, "Nothing is stored in {}. To learn kernel times, run: foretask learn -- PROGRAM\n", listing.folder);
  } else if (one_kernel) {
    for (std::size_t i = 0; i < listing.models.size(); ++i) {
      if (i > 0) add(text, "\n");
      write_one(text, listing.models[i]);
    }
  } else {
    write_table(text, listing);
    add(text,
        "\n{} in {}. error: mean of |predicted - measured| / measured over the latest samples, each predicted "
        "before it was learned.\n",
        format_count(listing.models.size(), "model", "models"), listing.folder);
  }
  for (const analysis::RefusedFile& file : listing.refused) add(text, "not read: {}: {}\n", file.path, file.reason);
  return fmt::to_string(text);
}

std::string formula_text(const ModelFit& fit) { return fit.target + " = " + sum_text(fit.terms, " * "); }

std::string model_fit_text(const ModelFit& fit) {
  Text text;
  add(text, "{}\n\n", formula_text(fit));
  add(text, "It explains {:.5g} % of the variation (adjusted {:.5g} %) over {}", 100 * fit.r2, 100 * fit.adj_r2,
      format_count(fit.n, "row", "rows"));
  if (fit.n != fit.rows) add(text, " of {}", format_count(fit.rows));
  add(text, ". Half of them are within {:.3g} %. {}\n", fit.diagnostics.median_error_pct, noise(fit));
  if (fit.searched) add(text, "The terms were chosen among {} candidates.\n", format_count(fit.candidates));

  std::size_t width = 4;
  for (const analysis::FittedTerm& term : fit.terms) width = std::max(width, term.name.size());
  add(text, "\n{:<{}}  {:>12}  {:>12}  {:>10}  {:>9}  {:>27}\n", "term", width, "coefficient", "std. error", "t", "p",
      "95 % interval");
  for (const analysis::FittedTerm& term : fit.terms) {
    add(text, "{:<{}}  {:>12.6g}  {:>12.4g}  {:>10.4g}  {:>9}  {:>27}\n", term.name, width, term.coefficient,
        term.std_error, term.t, chance(term.p), fmt::format("{:.6g} .. {:.6g}", term.low, term.high));
  }

  const analysis::FitDiagnostics& diagnostics = fit.diagnostics;
  add(text, "\n{:>12}  {:>12}  {:>12}  {:>8}\n", "fitted", "residual", "spread", "rows");
  for (const analysis::FitBin& bin : diagnostics.residuals_by_fit)
    add(text, "{:>12.4g}  {:>12.3g}  {:>12.4g}  {:>8}\n", bin.fitted, bin.residual, bin.spread, bin.rows);
  add(text, "residuals: {}; their spread {}\n",
      said(diagnostics.normality, "as from a normal distribution", "not from a normal distribution"),
      said(diagnostics.breusch_pagan, "does not change with the fitted value", "changes with the fitted value"));
  add(text, "largest leverage {:.3g} (row {}), largest studentized residual {:.3g} (row {})\n",
      diagnostics.max_leverage.value, diagnostics.max_leverage.row, diagnostics.max_studentized.value,
      diagnostics.max_studentized.row);
  if (const auto& held = diagnostics.hold_out) {
    add(text,
        "held out: a fit without the largest {} rows predicts them with a median error of {:.3g} % (their "
        "sum: {:.3g} %)\n",
        format_count(held->rows), held->median_error_pct, held->total_error_pct);
  }
  if (!fit.warnings.empty()) add(text, "\n");
  for (const std::string& warning : fit.warnings) add(text, "note: {}\n", warning);
  return fmt::to_string(text);
}

std::string evaluation_text(const std::string& file, const std::string& target, const std::string& parameter,
                            const analysis::Evaluation& evaluation) {
  std::vector<MethodEvaluation> methods = evaluation.methods;
  std::stable_sort(methods.begin(), methods.end(), [](auto& a, auto& b) { return a.error_pct < b.error_pct; });
  Text text;
  add(text, "{}: {}, {} by {}, {:.6g} in all\n\n", file, format_count(evaluation.rows, "row", "rows"), target,
      parameter, methods.front().actual_total);
  add(text, "{:<14}  {:>12}  {:>11}  {:>9}  {:>9}  {}\n", "method", "predicted", "total error", "row error", "measured",
      "knows");
  for (const MethodEvaluation& method : methods) {
    add(text, "{:<14}  {:>12.6g}  {:>11}  {:>9}  {:>9}  {}\n", analysis::method_name(method.method),
        method.predicted_total, format_pct(method.error_pct), format_pct(method.mape_pct),
        format_count(method.chosen_ids.size()), knows(method.method));
  }
  const MethodEvaluation& closest = methods.front();
  add(text, "\n{} comes closest: its error is {} of the total, and {} of a row on average.\n",
      analysis::method_name(closest.method), format_pct(closest.error_pct), format_pct(closest.mape_pct));
  return fmt::to_string(text);
}

}  // namespace foretask::report
