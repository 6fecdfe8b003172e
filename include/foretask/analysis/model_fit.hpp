// SPDX-License-Identifier: Apache-2.0
// A kernel's time as a linear model of terms in its parameters: named terms are fitted, or the terms are searched for;
// then the fit is examined and what is to be said about it put in words. Thread safe: a call only reads the table.
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
  std::vector<std::string> parameters;  // none: all columns but the target
  std::vector<std::string> terms;       // as `1`, `a`, `a*b`, `b^2`, `log(a)`, `a/b`; none: they are searched for
};

struct FittedTerm {
  std::string name;  // as given, or as FitOptions::terms would be
  double coefficient = 0;
  double std_error = 0;
  double t = 0;
  double p = 0;    // two-sided
  double low = 0;  // of the 95 % interval
  double high = 0;
};

// A term that could not be had or told from the others, and why.
struct LeftOutTerm {
  std::string name;
  std::string reason;
};

// A residual's standard deviation: the same for all rows, or a share of the fitted value.
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

// Rows of similar fitted values.
struct FitBin {
  std::size_t rows = 0;
  double fitted = 0;    // mean
  double residual = 0;  // mean
  double spread = 0;    // standard deviation of the residuals
};

// The same terms fitted without the tenth of the rows whose fitted values are largest, and asked for those.
struct HoldOut {
  std::size_t rows = 0;
  double total_error_pct = 0;   // of their sum
  double median_error_pct = 0;  // of the absolute relative errors
  double spread_ratio = 0;      // root mean square of their residuals / that of the rows fitted to
};

struct FitDiagnostics {
  std::optional<TestResult> normality;      // Jarque-Bera, of the residuals
  std::optional<TestResult> breusch_pagan;  // Koenker's studentized form, on the fitted values
  ExtremeRow max_leverage;
  ExtremeRow max_studentized;       // absolute value, externally studentized
  double serial_correlation = 0;    // of neighbouring rows' residuals
  double median_error_pct = 0;      // of the absolute relative errors
  std::optional<HoldOut> hold_out;  // where there are rows enough
  std::vector<FitBin> residuals_by_fit;
  std::vector<std::size_t> outliers;  // rows from 0; a search leaves them out of the fit
};

struct ModelFit {
  std::string target;
  std::vector<std::string> parameters;
  bool searched = false;
  std::size_t candidates = 0;  // that the search had
  std::size_t rows = 0;        // of the table
  std::size_t n = 0;           // rows fitted to
  std::size_t freedom = 0;
  double r2 = 0;
  double adj_r2 = 0;
  double sigma = 0;  // residual standard error; a share of the fitted value where `weights` is kProportional
  double bic = 0;
  Noise weights = Noise::kConstant;  // how the rows were weighted; named terms are fitted without weights
  std::vector<FittedTerm> terms;
  std::vector<LeftOutTerm> left_out;
  FitDiagnostics diagnostics;
  std::vector<std::string> warnings;
};

// Named terms: ordinary least squares over all rows, as R's lm(). A search weights the rows where the noise is
// proportional and leaves outliers out. Errors: a column that is not there or is named twice, terms that cannot be
// read, fewer rows than terms.
[[nodiscard]] Result<ModelFit> fit_model(const DataTable& table, const FitOptions& options);

// What is wrong with the text of a term, else nothing.
[[nodiscard]] std::string check_term(const std::string& text);

}  // namespace foretask::analysis
