// SPDX-License-Identifier: Apache-2.0
// What methods would have predicted for the rows of a table, in its order: the repeated row, the support points and the
// clusters of Grass et al. 2014, and foretask's own choice. docs/models.md has their rules.
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
  double predicted_total = 0;  // sum over all rows; measured rows as measured
  double actual_total = 0;
  double error_pct = 0;                 // 100 |1 - predicted_total / actual_total|
  double mape_pct = 0;                  // 100 times the mean of |predicted - actual| / actual, over rows with a time
                                        // above 0
  std::vector<std::size_t> chosen_ids;  // measured rows, from 0; those of clusters in the clusters' order
};

struct Evaluation {
  std::size_t rows = 0;
  std::vector<MethodEvaluation> methods;  // in the order of the argument
};

// `target` and `parameter` are columns. Errors: no such column, fewer than two rows, a negative time, only times of 0,
// a parameter that does not vary. A negative parameter is an error with support points and best. O(n log n). Thread
// safe.
[[nodiscard]] Result<Evaluation> evaluate_methods(const DataTable& table, std::string_view target,
                                                  std::string_view parameter,
                                                  const std::vector<EvaluationMethod>& methods);

}  // namespace foretask::analysis
