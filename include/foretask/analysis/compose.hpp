// SPDX-License-Identifier: Apache-2.0
// Works out a composition of distributions: its moments, its quantiles, the method used, and warnings. The method:
// docs/distributions.md. Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foretask/analysis/distribution.hpp"
#include "foretask/analysis/moments.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

// How measured times become a distribution.
enum class ComposeMethod : std::uint8_t {
  kAuto,       // kEmpirical. For extremes beyond the measured times: with a fitted tail, or kMixture where they have
               // several modes. kLambda where only four moments are known
  kEmpirical,  // as measured: exact order statistics
  kLambda,     // each part has the generalized lambda distribution of its four moments (Gautama and van Gemund)
  kMixture     // Gaussian mixtures; BIC chooses the number of parts
};
[[nodiscard]] std::string_view compose_method_name(ComposeMethod method);  // "auto", "empirical", "gld", "mixture"
[[nodiscard]] std::optional<ComposeMethod> compose_method_from_name(std::string_view name);

struct ComposeOptions {
  ComposeMethod method = ComposeMethod::kAuto;
  // Bootstrap resamples for the standard errors; fewer where the expression is large. 0: no standard errors.
  std::uint32_t resamplings = 200;
  std::uint64_t seed = 1;
};

inline constexpr std::array<double, 9> kComposeQuantiles{0.01, 0.05, 0.10, 0.25, 0.50, 0.75, 0.90, 0.95, 0.99};

// Standard errors of a Composition's figures.
struct ComposeErrors {
  double mean = 0;
  double sd = 0;
  std::array<double, 4> moments{};
  std::array<double, 9> quantiles{};
};

struct Composition {
  double mean = 0;
  double sd = 0;
  double skewness = 0;
  double kurtosis = 0;
  std::array<double, 4> moments{};    // raw: E[Y], E[Y^2], E[Y^3], E[Y^4]; NaN where the tail is too heavy
  std::array<double, 9> quantiles{};  // at kComposeQuantiles
  // True where a quantile rests on the outermost five measured times of a part, or lies beyond them: other measurements
  // would move it. Sums are not looked through.
  std::array<bool, 9> beyond{};
  std::optional<ComposeErrors> errors;  // where measured times allow them
  // Of known families alone "exact", or "numeric" where a table stands for a sum, a branch or an extreme of different
  // parts. Else "empirical", "empirical with fitted tail", "gld", "mixture", with " + " between several.
  std::string method;
  bool beyond_sample = false;         // a figure lies beyond the measured times
  bool several_modes = false;         // the measured times have several modes
  bool no_such_distribution = false;  // a part's moments fit no lambda distribution: another method replaced it
  std::vector<std::string> notes;     // in words

  // "ok", or those that hold of "no such distribution", "beyond the sample", "several modes", with ", " between.
  [[nodiscard]] std::string status() const;
};

// The cost does not depend on any N in the expression. About 20 us a part of a large expression; some ms for an order
// statistic over 6,000 measured times; some 60 times as much with standard errors on two processors. A part that
// `method` cannot represent is replaced, and a note says so. Errors: figures too large for doubles, no memory.
[[nodiscard]] Result<Composition> compose(const Distribution& distribution, const ComposeOptions& options = {});

// Quantiles of `distribution` at `probabilities`, each in (0, 1). Errors as compose()'s, and another probability.
[[nodiscard]] Result<std::vector<double>> quantiles_of(const Distribution& distribution,
                                                       const std::vector<double>& probabilities,
                                                       ComposeMethod method = ComposeMethod::kAuto);

}  // namespace foretask::analysis
