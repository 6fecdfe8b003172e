// SPDX-License-Identifier: Apache-2.0
#include "distribution/expression/function_table.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/name_distance.hpp"

namespace foretask::distribution {
namespace {

constexpr std::array kFunctions{
    FunctionInfo{Function::kConst, "const", "const(X)", 1, 1, true},
    FunctionInfo{Function::kExp, "exp", "exp(MEAN)", 1, 1, true},
    FunctionInfo{Function::kNormal, "normal", "normal(MEAN, SD)", 2, 2, true},
    FunctionInfo{Function::kUniform, "uniform", "uniform(A, B)", 2, 2, true},
    FunctionInfo{Function::kLognormal, "lognormal", "lognormal(MU, SIGMA)", 2, 2, true},
    FunctionInfo{Function::kGamma, "gamma", "gamma(SHAPE, SCALE)", 2, 2, true},
    FunctionInfo{Function::kWeibull, "weibull", "weibull(SHAPE, SCALE)", 2, 2, true},
    FunctionInfo{Function::kBeta, "beta", "beta(A, B)", 2, 2, true},
    FunctionInfo{Function::kMoments, "moments", "moments(MEAN, SD, SKEWNESS, KURTOSIS)", 4, 4, true},
    FunctionInfo{Function::kGld, "gld", "gld(L1, L2, L3, L4)", 4, 4, true},
    FunctionInfo{Function::kFkml, "fkml", "fkml(L1, L2, L3, L4)", 4, 4, true},
    FunctionInfo{Function::kSeq, "seq", "seq(E, E, ...)", 1, kAnyNumber, false},
    FunctionInfo{Function::kBranch, "branch", "branch(P: E, P: E, ...)", 1, kAnyNumber, false},
    FunctionInfo{Function::kLoop, "loop", "loop(N, E)", 2, 2, false},
    FunctionInfo{Function::kAnd, "and", "and(N, E) or and(E, E, ...)", 2, kAnyNumber, false},
    FunctionInfo{Function::kOr, "or", "or(N, E) or or(E, E, ...)", 2, kAnyNumber, false},
    FunctionInfo{Function::kNth, "nth", "nth(RANK, N, E)", 3, 3, false},
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

const FunctionInfo& info_of(Function function) { return kFunctions[static_cast<std::size_t>(function)]; }

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
