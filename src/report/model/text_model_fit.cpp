// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/model/model_fit.hpp"
#include "report/text.hpp"
#include "report/units.hpp"

namespace foretask::report {
namespace {

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

}  // namespace

std::string formula_text(const ModelFit& fit) {
  std::string text = fit.target + " =";
  for (std::size_t i = 0; i < fit.terms.size(); ++i) {
    const analysis::FittedTerm& term = fit.terms[i];
    const bool minus = std::signbit(term.coefficient);
    text += i == 0 ? (minus ? " -" : " ") : (minus ? " - " : " + ");
    text += fmt::format("{:.4g}", std::abs(term.coefficient));
    if (term.name != "1") text += " * " + term.name;
  }
  return text;
}

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

}  // namespace foretask::report
