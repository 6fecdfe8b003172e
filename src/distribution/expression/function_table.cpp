// SPDX-License-Identifier: Apache-2.0
#include "distribution/expression/function_table.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/name_distance.hpp"
#include "base/number_text.hpp"

namespace foretask::distribution {
namespace {

using analysis::Distribution;
using Made = Result<Distribution>;

Made of_moments(const double* x) {
  if (x[1] >= 0)
    return Distribution::of_moments({.mean = x[0], .variance = x[1] * x[1], .skewness = x[2], .kurtosis = x[3]});
  return Error{"the standard deviation " + base::number_text(x[1], 12) + " is negative"};
}

template <analysis::LambdaForm form>
Made of_lambda(const double* x) {
  return Distribution::of_lambda({.form = form, .l1 = x[0], .l2 = x[1], .l3 = x[2], .l4 = x[3]});
}

constexpr FunctionInfo family(std::string_view name, std::string_view form, std::size_t numbers,
                              Made (*make)(const double*)) {
  return {name, form, numbers, numbers, Operation::kFamily, make};
}

constexpr std::array kFunctions{
    family("const", "const(X)", 1, [](const double* x) { return Distribution::constant(x[0]); }),
    family("exp", "exp(MEAN)", 1, [](const double* x) { return Distribution::exponential(x[0]); }),
    family("normal", "normal(MEAN, SD)", 2, [](const double* x) { return Distribution::normal(x[0], x[1]); }),
    family("uniform", "uniform(A, B)", 2, [](const double* x) { return Distribution::uniform(x[0], x[1]); }),
    family("lognormal", "lognormal(MU, SIGMA)", 2, [](const double* x) { return Distribution::lognormal(x[0], x[1]); }),
    family("gamma", "gamma(SHAPE, SCALE)", 2, [](const double* x) { return Distribution::gamma(x[0], x[1]); }),
    family("weibull", "weibull(SHAPE, SCALE)", 2, [](const double* x) { return Distribution::weibull(x[0], x[1]); }),
    family("beta", "beta(A, B)", 2, [](const double* x) { return Distribution::beta(x[0], x[1]); }),
    family("moments", "moments(MEAN, SD, SKEWNESS, KURTOSIS)", 4, of_moments),
    family("gld", "gld(L1, L2, L3, L4)", 4, of_lambda<analysis::LambdaForm::kRs>),
    family("fkml", "fkml(L1, L2, L3, L4)", 4, of_lambda<analysis::LambdaForm::kFkml>),
    FunctionInfo{"seq", "seq(E, E, ...)", 1, kAnyNumber, Operation::kSeq},
    FunctionInfo{"branch", "branch(P: E, P: E, ...)", 1, kAnyNumber, Operation::kBranch},
    FunctionInfo{"loop", "loop(N, E)", 2, 2, Operation::kLoop},
    FunctionInfo{"and", "and(N, E) or and(E, E, ...)", 2, kAnyNumber, Operation::kAnd},
    FunctionInfo{"or", "or(N, E) or or(E, E, ...)", 2, kAnyNumber, Operation::kOr},
    FunctionInfo{"nth", "nth(RANK, N, E)", 3, 3, Operation::kNth},
};

// What others call them: too far from our names to be found by their letters.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kOtherNames{{{"exponential", "exp"},
                                                                                    {"gaussian", "normal"},
                                                                                    {"max", "and"},
                                                                                    {"min", "or"},
                                                                                    {"sum", "seq"},
                                                                                    {"choice", "branch"}}};
constexpr std::size_t kLongestName = 32;  // that is compared

}  // namespace

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

const FunctionInfo* find_function(std::string_view name) {
  const std::string lower = in_lower_case(name.substr(0, kLongestName));
  const auto found = std::find_if(kFunctions.begin(), kFunctions.end(),
                                  [&lower](const FunctionInfo& function) { return function.name == lower; });
  return found == kFunctions.end() ? nullptr : &*found;
}

std::string_view nearest_name(std::string_view name) {
  const std::string lower = in_lower_case(name.substr(0, kLongestName));
  for (const auto& [other, ours] : kOtherNames)
    if (lower == other) return ours;
  std::string_view nearest = "file";
  std::size_t least = base::name_distance(lower, nearest);
  const auto consider = [&](std::string_view known) {
    const std::size_t distance = base::name_distance(lower, known);
    if (distance < least) {
      least = distance;
      nearest = known;
    }
  };
  for (const FunctionInfo& function : kFunctions) consider(function.name);
  consider("kernel");
  return nearest;
}

}  // namespace foretask::distribution
