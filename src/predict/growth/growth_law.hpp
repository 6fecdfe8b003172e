// SPDX-License-Identifier: Apache-2.0
// How a quantity grows with the input's size n: the laws that the largest sizes obey, averaged by how well they do.
//
// A law is a sum of up to three terms such as 1, n, n log n, n^2, or a power or an exponential with free exponents,
// with a constant beside it or not. It is held against the largest sizes only, against so many of them as it can
// explain: small inputs often follow another law (caches, cut-offs), and each size that is left out costs a law as much
// as one that it misses by two standard deviations. Laws are weighted by exp(-BIC / 2), with a Student t likelihood of
// few degrees of freedom, since the noise is known only roughly, and with a prior for the simpler terms (Bayesian model
// averaging: Hoeting et al., Statistical Science 1999). Their disagreement is the uncertainty far from the data. Const
// and thread safe.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "predict/growth/fitted_laws.hpp"
#include "predict/growth/growth_terms.hpp"
#include "predict/growth/size_misfit.hpp"

namespace foretask::predict {

// Of a cost each term's coefficient is at least 0, but for n^a beside n^a log n; a count, such as n (n - 1) / 2, may
// have terms that take away.
enum class GrowthKind { kCost, kCount };

class GrowthLaw {
 public:
  // Levels in any order, each n once, at least one. 20 ms for 60 sizes. Where all say their tasks a cost may grow as
  // those do, by a law of their own.
  [[nodiscard]] static GrowthLaw find(std::vector<SizeLevel> levels, GrowthKind kind);

  // Of numbers of tasks, which are exact but for rounding; each above 0.
  [[nodiscard]] static GrowthLaw of_counts(std::vector<SizeLevel> levels);

  [[nodiscard]] LogEstimate at(double n) const;

  // The most probable law, with coefficients: "3.1e+04 + 2.4 n log n".
  [[nodiscard]] std::string formula() const { return forms_.front().text(); }

 private:
  std::vector<double> octaves_;    // log2 of the levels' values, by n
  std::vector<GrowthForm> forms_;  // most weight first
  std::shared_ptr<const GrowthLaw> tasks_;
  double most_tasks_ = 1;  // at the largest n
};

}  // namespace foretask::predict
