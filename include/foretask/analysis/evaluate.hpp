// SPDX-License-Identifier: Apache-2.0
// What methods of predicting a kernel's time would have said of a table's rows, in the table's order: the repeated row,
// the support points and the clusters of Grass et al. 2014, and foretask's own choice. docs/models.md has their rules.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foretask/analysis/data_table.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

enum class EvaluationMethod { kFirst, kSecond, kSupportPoints, kClusters, kBest };

inline constexpr std::array kEvaluationMethods{EvaluationMethod::kFirst, EvaluationMethod::kSecond,
                                               EvaluationMethod::kSupportPoints, EvaluationMethod::kClusters,
                                               EvaluationMethod::kBest};

// "first", "second", "support-points", "kmeans", "best".
[[nodiscard]] std::string_view method_name(EvaluationMethod method) noexcept;

[[nodiscard]] std::optional<EvaluationMethod> method_from_name(std::string_view name) noexcept;

struct MethodEvaluation {
  EvaluationMethod method = EvaluationMethod::kBest;
  double predicted_total = 0;  // sum over all rows; a measured row counts as it was measured
  double actual_total = 0;
  double error_pct = 0;                 // |1 - predicted_total / actual_total|
  double mape_pct = 0;                  // mean of |predicted - actual| / actual over the rows that took any time
  std::vector<std::size_t> chosen_ids;  // rows that were measured and not predicted, from 0; of clusters in their order
};

struct Evaluation {
  std::size_t rows = 0;
  std::vector<MethodEvaluation> methods;  // as asked for
};

// `target` and `parameter` are columns. At least two rows; a parameter that varies, and no negative one for support
// points and best; times of 0 or more, not all of them 0. O(n log n) time; memory for the rows.
[[nodiscard]] Result<Evaluation> evaluate_methods(const DataTable& table, std::string_view target,
                                                  std::string_view parameter,
                                                  const std::vector<EvaluationMethod>& methods);

}  // namespace foretask::analysis
