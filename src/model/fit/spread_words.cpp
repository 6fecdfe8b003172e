// SPDX-License-Identifier: Apache-2.0
#include "model/fit/spread_words.hpp"

#include <algorithm>
#include <string>

#include "base/number_text.hpp"

namespace foretask::model {
namespace {

using analysis::SpreadFactor;
using analysis::SpreadVerdict;
using analysis::Variability;
using base::text_of;

// Of the spread. What explains less is left out.
constexpr double kWorthSaying = 0.01;

std::string percent(double share) { return text_of("%.0f %%", 100 * share); }

}  // namespace

double credible_share(const SpreadFactor& factor) { return factor.p <= kSignificance ? factor.share : 0; }

void judge_and_say(Variability& result) {
  const SpreadFactor& first = result.factors.front();
  const double share = first.judged ? credible_share(first) : 0;
  result.verdict = share >= kExplains         ? SpreadVerdict::kExplained
                   : share >= kExplainsPartly ? SpreadVerdict::kPartly
                                              : SpreadVerdict::kUnexplained;
  if (result.verdict == SpreadVerdict::kUnexplained) {
    result.text = "not explained by what is recorded";
  } else {
    result.text = std::string(result.verdict == SpreadVerdict::kPartly ? "in part " : "") +
                  spread_source_name(first.source) + ": " + percent(share) + " of the spread by " + first.by +
                  text_of(" (p %s %.2g)", first.p < 1e-15 ? "<" : "=", std::max(first.p, 1e-15));
    if (!first.detail.empty()) result.text += ", " + first.detail;
  }
  for (const SpreadFactor& factor : result.factors) {
    if (&factor == &first && result.verdict != SpreadVerdict::kUnexplained) continue;
    const std::string source = spread_source_name(factor.source);
    if (!factor.judged)
      result.text += "; " + source + " not judged (" + factor.by + ")";
    else if (credible_share(factor) >= kWorthSaying)
      result.text += "; " + source + " " + percent(factor.share) + " by " + factor.by;
  }
}

}  // namespace foretask::model

namespace foretask::analysis {

const char* spread_source_name(SpreadSource source) noexcept {
  switch (source) {
    case SpreadSource::kInputDependence:
      return "input dependence";
    case SpreadSource::kSeveralBehaviours:
      return "several behaviours";
    default:
      return "shared resources";
  }
}

}  // namespace foretask::analysis
