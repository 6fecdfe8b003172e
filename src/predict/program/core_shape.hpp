// SPDX-License-Identifier: Apache-2.0
// How a part of a program's time depends on the workers p: a sum of given columns, as (p - 1) and (p - 1) / p, with
// coefficients of at least 0, fitted relative to the values. All subsets of one to four columns are held against the
// runs of the largest sizes, against all of them and fewer and fewer, and averaged by how well they do: the weight is
// exp(-score / 2), of a score that is -2 log of a Student t likelihood in which each run that is left out counts as one
// missed by two standard deviations (fitted_laws.hpp), and 1 more for each column. Const and thread safe.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "predict/growth/fitted_laws.hpp"
#include "predict/growth/size_levels.hpp"
#include "statistics/few_columns.hpp"

namespace foretask::predict {

// How far beyond the recorded numbers of workers what was fitted to them is believed.
// With two or more numbers of workers above one: as far again, in octaves, as the most are above one worker. A single
// number above one does not show how anything grows with p: any formula would go through it.
[[nodiscard]] inline double worker_reach(std::vector<double> workers) {
  workers = distinct(std::move(workers));
  const auto several = std::count_if(workers.begin(), workers.end(), [](double p) { return p > 1; });
  const double most = workers.empty() ? 1.0 : std::max(1.0, workers.back());
  return several >= 2 ? most * most : most;
}

class CoreShape {
 public:
  static constexpr int kMostColumns = 4;  // of one subset

  struct Question {
    Eigen::MatrixXd columns;    // a row a run
    Eigen::VectorXd values;     // 0 or more
    Eigen::VectorXd least;      // a value below it may be off as much as if it were that; 0: of values above 0
    std::vector<double> sizes;  // n of each run
    bool keep_first = false;    // the first column is in every subset
    double least_noise = 0;     // relative standard deviation of a value, at least; to be set, above 0
  };

  // Nothing where no subset fits: fewer than two runs, or columns that are 0. 20 ms for 500 runs and 6 columns.
  [[nodiscard]] static std::optional<CoreShape> find(const Question& question);

  [[nodiscard]] LogEstimate at(const Eigen::VectorXd& row) const;

  // Averaged over the subsets.
  [[nodiscard]] Eigen::VectorXd coefficients() const;

  // Standard deviation of a value around the best subset, relative to it.
  [[nodiscard]] double noise() const noexcept { return noise_; }

 private:
  using Fit = statistics::FewColumns<kMostColumns>;
  struct Candidate {
    std::vector<Eigen::Index> columns;
    Fit fit;
    double score = 0;
    double weight = 0;
  };
  class Search;

  std::vector<Candidate> candidates_;
  Eigen::Index column_count_ = 0;
  double noise_ = 0;
};

}  // namespace foretask::predict
