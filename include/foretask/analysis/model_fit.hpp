// SPDX-License-Identifier: Apache-2.0
// A kernel's time as a linear model of terms in its parameters. Terms are given, or searched for. Diagnostics and
// warnings judge the fit. Thread safe: a call only reads the table.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "foretask/analysis/data_table.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

struct FitOptions {
  std::string target;
  std::vector<std::string> parameters;  // empty: all columns but the target
  std::vector<std::string> terms;       // as `1`, `a`, `a*b`, `b^2`, `log(a)`, `a/b`; empty: a search
};

struct FittedTerm {
  std::string name;  // as given, or as in FitOptions::terms
  double coefficient = 0;
  double std_error = 0;
  double t = 0;
  double p = 0;    // two-sided
  double low = 0;  // of the 95 % confidence interval
  double high = 0;
};

// A term that cannot be computed, or depends on others, and why.
struct LeftOutTerm {
  std::string name;
  std::string reason;
};

// Standard deviation of a residual: constant, or proportional to the fitted value.
enum class Noise { kConstant, kProportional };

struct TestResult {
  double statistic = 0;
  double freedom = 0;
  double p = 1;
};

struct ExtremeRow {
  double value = 0;
  std::size_t row = 0;  // from 0
};

// Rows with similar fitted values.
struct FitBin {
  std::size_t rows = 0;
  double fitted = 0;    // mean
  double residual = 0;  // mean
  double spread = 0;    // standard deviation of the residuals
};

// The same terms fitted without the tenth of the rows with the largest fitted values, which then are predicted.
struct HoldOut {
  std::size_t rows = 0;
  double total_error_pct = 0;   // of the rows' sum
  double median_error_pct = 0;  // of absolute relative errors
  double spread_ratio = 0;      // root mean square residual of these rows / of the fitted rows
};

struct FitDiagnostics {
  std::optional<TestResult> normality;      // Jarque-Bera test of the residuals
  std::optional<TestResult> breusch_pagan;  // Koenker's studentized form, against the fitted values
  ExtremeRow max_leverage;
  ExtremeRow max_studentized;       // absolute value, externally studentized
  double serial_correlation = 0;    // of residuals of neighbouring rows
  double median_error_pct = 0;      // of absolute relative errors
  std::optional<HoldOut> hold_out;  // where there are enough rows
  std::vector<FitBin> residuals_by_fit;
  std::vector<std::size_t> outliers;  // rows, from 0; a search does not fit them
};

struct ModelFit {
  std::string target;
  std::vector<std::string> parameters;
  bool searched = false;
  std::size_t candidates = 0;  // terms that the search tried
  std::size_t rows = 0;        // of the table
  std::size_t n = 0;           // rows fitted to
  std::size_t freedom = 0;
  double r2 = 0;
  double adj_r2 = 0;
  double sigma = 0;  // residual standard error; a share of the fitted value where `weights` is kProportional
  double bic = 0;
  Noise weights = Noise::kConstant;  // given terms are fitted without weights
  std::vector<FittedTerm> terms;
  std::vector<LeftOutTerm> left_out;
  FitDiagnostics diagnostics;
  std::vector<std::string> warnings;
};

// Given terms: ordinary least squares over all rows, as R's lm(). A search weights the rows where noise is
// proportional, and leaves out outliers. Errors: a column that is missing or named twice; a term that is unreadable or
// given twice; not more rows than terms; a target whose squares are no doubles.
[[nodiscard]] Result<ModelFit> fit_model(const DataTable& table, const FitOptions& options);

// What the model says of each row. Errors: a term that the table has no column for, or that cannot be computed.
[[nodiscard]] Result<std::vector<double>> fitted_values(const ModelFit& fit, const DataTable& table);

// What is wrong with a term's text; empty: nothing.
[[nodiscard]] std::string check_term(const std::string& text);

}  // namespace foretask::analysis
