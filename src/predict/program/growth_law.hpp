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

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "predict/program/few_columns.hpp"

namespace foretask::predict {

// A quantity at one size.
struct SizeLevel {
  double n = 0;      // above 0
  double value = 0;  // above 0
  double sd = 0;     // relative standard deviation of `value`, above 0
};

// Of a cost each term's coefficient is at least 0, but for n^a beside n^a log n; a count, such as n (n - 1) / 2, may
// have terms that take away.
enum class GrowthKind { kCost, kCount };

class GrowthLaw {
 public:
  struct Estimate {
    double value = 0;
    double log_sd = 0;  // standard deviation of its logarithm
  };

  // Levels in any order, each n once, at least one. 20 ms for 60 sizes.
  [[nodiscard]] static GrowthLaw find(std::vector<SizeLevel> levels, GrowthKind kind);

  [[nodiscard]] Estimate at(double n) const;

  // The most probable law, with coefficients: "3.1e+04 + 2.4 n log n".
  [[nodiscard]] std::string formula() const;

 private:
  static constexpr int kMostTerms = 3;
  using Fit = FewColumns<kMostTerms>;

  struct Law {
    enum class Kind {
      kSum,            // of terms
      kPower,          // exp of a sum of exponents
      kOffsetPower,    // c0 + c1 (n / scale)^c2
      kOffsetExponent  // c0 + c1 exp(c2 (n - scale))
    };
    Kind kind = Kind::kSum;
    std::vector<int> terms;  // rows of the table of terms, or of that of exponents
    int factor = 0;          // of an exponential: its fixed factor
    Fit fit;
    std::size_t sizes = 0;  // that it explains
    double score = 0;       // -2 log of its weight
    double weight = 0;

    [[nodiscard]] Estimate at(double n, double scale) const;  // of the logarithm
    [[nodiscard]] std::string sum_text(double scale) const;
    [[nodiscard]] std::string power_text() const;
    [[nodiscard]] std::string offset_text(double scale) const;
    [[nodiscard]] Estimate offset_at(double n, double scale) const;
  };
  class Search;

  double scale_ = 1;  // the largest n: terms are taken relative to their values there
  std::vector<Law> laws_;
};

}  // namespace foretask::predict
