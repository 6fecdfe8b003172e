// SPDX-License-Identifier: Apache-2.0
// What a composition of distributions is: its moments and quantiles, how they were found, and what to make of them.
// The method: docs/distributions.md.
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

// What measured times are taken for.
enum class ComposeMethod : std::uint8_t {
  kAuto,       // kEmpirical; where extremes of them are asked for that lie beyond the sample, with a fitted tail, or
               // as kMixture where they have several modes; kLambda where there are four moments and nothing else
  kEmpirical,  // the samples as they are: exact order statistics
  kLambda,     // every part is the generalized lambda distribution of its four moments (Gautama and van Gemund)
  kMixture     // Gaussian mixtures, their number of parts by BIC
};
[[nodiscard]] std::string_view compose_method_name(ComposeMethod method);  // "auto", "empirical", "gld", "mixture"
[[nodiscard]] std::optional<ComposeMethod> compose_method_from_name(std::string_view name);

struct ComposeOptions {
  ComposeMethod method = ComposeMethod::kAuto;
  // Of the standard errors: samples are drawn anew and all is worked out again so many times; fewer where the
  // expression is large. 0: no standard errors.
  std::uint32_t resamplings = 200;
  std::uint64_t seed = 1;
};

inline constexpr std::array<double, 9> kComposeQuantiles{0.01, 0.05, 0.10, 0.25, 0.50, 0.75, 0.90, 0.95, 0.99};

// The standard error of each figure of a Composition that comes of measured times.
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
  std::array<double, 4> moments{};    // raw: E[Y], E[Y^2], E[Y^3], E[Y^4]. NaN where there is none: too heavy a tail
  std::array<double, 9> quantiles{};  // at kComposeQuantiles
  // Which of them rest on so few measured times, one of the outermost five or what lies beyond them, that other
  // measurements would put them elsewhere. Not looked for through sums.
  std::array<bool, 9> beyond{};
  std::optional<ComposeErrors> errors;  // where there are measured times
  // What was taken: of known families alone "exact", or "numeric" where a table stands for a sum, a branch or an
  // extreme of different parts; "empirical", "empirical with fitted tail", "gld", "mixture"; several of these with
  // " + " between.
  std::string method;
  bool beyond_sample = false;         // an answer lies beyond what the measured times show
  bool several_modes = false;         // measured times have several modes
  bool no_such_distribution = false;  // no lambda distribution has a part's moments: another method stood in for it
  std::vector<std::string> notes;     // in words, one for each thing to know

  // "ok", or of "no such distribution", "beyond the sample", "several modes" those that hold, with ", " between.
  [[nodiscard]] std::string status() const;
};

// Cost independent of every N in the expression; about 20 us for a part of a large expression, some ms for one
// order statistic over 6,000 samples, some 60 times as much with standard errors on two processors. What cannot be
// represented as `method` says something else stands in for, which the notes name. Errors: figures beyond what doubles
// hold, not enough memory.
[[nodiscard]] Result<Composition> compose(const Distribution& distribution, const ComposeOptions& options = {});

// Quantiles of `distribution` at `probabilities`, each in (0, 1).
[[nodiscard]] Result<std::vector<double>> quantiles_of(const Distribution& distribution,
                                                       const std::vector<double>& probabilities,
                                                       ComposeMethod method = ComposeMethod::kAuto);

}  // namespace foretask::analysis
