// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "catch.hpp"
#include "foretask/analysis/distribution.hpp"

using foretask::analysis::Distribution;
using foretask::analysis::Moments;

namespace {

std::string why(const foretask::Result<Distribution>& made) { return made.ok() ? "" : made.error().message(); }

}  // namespace

TEST_CASE("bad parameters are refused with the reason", "[distribution]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Distribution part = *Distribution::exponential(1);
  CHECK(why(Distribution::exponential(0)) == "exp: the mean must be above 0, not 0");
  CHECK(why(Distribution::uniform(2, 1)) == "uniform: the low end must be below the high end, not 2 and 1");
  CHECK(why(Distribution::normal(0, -1)) == "normal: the standard deviation must be above 0, not -1");
  CHECK(why(Distribution::constant(nan)) == "const: its value must be finite, not nan");
  CHECK(why(Distribution::all_of(0, part)) == "and: N must be 1 at least, not 0");
  CHECK(why(Distribution::first_of(0, part)) == "or: N must be 1 at least, not 0");
  CHECK(why(Distribution::nth_of(4, 3, part)) == "nth: the rank must be from 1 to 3, not 4");
  CHECK(why(Distribution::sequence({})) == "seq: has no part");
  CHECK(why(Distribution::branch({{0.3, part}, {0.6, part}})) == "branch: the probabilities must sum to 1, not 0.9");
  CHECK(why(Distribution::branch({{-0.5, part}, {1.5, part}})) == "branch: a probability must be in [0, 1], not -0.5");
  CHECK(Distribution::branch({{0.1, part}, {0.2, part}, {0.7, part}}).ok());
}

TEST_CASE("numbers of which nothing could be made within doubles are refused with the limits", "[distribution]") {
  CHECK(why(Distribution::constant(1e308)) == "const: its value must be from -1e+50 to 1e+50, not 1e+308");
  CHECK(why(Distribution::uniform(-1e308, 1)) == "uniform: the low end must be from -1e+50 to 1e+50, not -1e+308");
  CHECK(why(Distribution::uniform(0, 1e-60)) ==
        "uniform: the distance of its ends must be from 1e-50 to 1e+50, not 1e-60");
  CHECK(why(Distribution::exponential(1e-300)) == "exp: the mean must be from 1e-50 to 1e+50, not 1e-300");
  CHECK(why(Distribution::gamma(1e20, 1)) == "gamma: the shape must be from 0.01 to 1e+06, not 1e+20");
  CHECK(why(Distribution::lognormal(0, 300)) == "lognormal: sigma must be from 0 to 20, not 300");
  CHECK(why(Distribution::of_samples({1, -1e200})) == "samples: value 2 of 2 is -1e+200, beyond 1e+50");
  CHECK(why(Distribution::of_moments({.mean = 0, .variance = 1e200, .skewness = 0, .kurtosis = 3})) ==
        "moments: the variance must be from -1e+100 to 1e+100, not 1e+200");
  CHECK(why(Distribution::of_lambda(
            {.form = foretask::analysis::LambdaForm::kRs, .l1 = 0, .l2 = -1, .l3 = -50, .l4 = -50})) ==
        "lambda: l3 must be from -10 to 1e+06, not -50");
  CHECK(Distribution::normal(1e50, 1e-50).ok());
  CHECK(Distribution::beta(1e18, 0.01).ok());
}

TEST_CASE("bad samples are refused with the reason", "[distribution]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(why(Distribution::of_samples({})) == "samples: there are none");
  CHECK(why(Distribution::of_samples({1})) ==
        "samples: one value says nothing about a distribution; at least two are needed");
  CHECK(why(Distribution::of_samples({1, nan, 2})) == "samples: value 2 of 3 is nan, not a finite number");
  CHECK(why(Distribution::of_samples({1, 2, infinity})) == "samples: value 3 of 3 is inf, not a finite number");
  CHECK(why(Distribution::of_censored_samples({1, 2}, {0, 0})) == "samples: none of them ended, all were cut short");
  CHECK(why(Distribution::of_censored_samples({1, 2}, {1})) == "samples: 2 values, but 1 marks of which ended");
  CHECK(Distribution::of_samples({3, 3}).ok());
}

TEST_CASE("moments that no distribution has are refused", "[distribution]") {
  Moments moments;
  moments.variance = 1;
  moments.skewness = 2;
  moments.kurtosis = 4.9;
  CHECK(why(Distribution::of_moments(moments)) ==
        "moments: no distribution has a kurtosis of 4.9 with a skewness of 2: it is skewness^2 + 1 = 5 at least");
  moments.kurtosis = 5;
  CHECK(Distribution::of_moments(moments).ok());
  moments.variance = -1;
  CHECK(why(Distribution::of_moments(moments)) == "moments: the variance must be 0 at least, not -1");
}

TEST_CASE("a chain of a hundred thousand parts is built and freed", "[distribution]") {
  const Distribution part = *Distribution::exponential(1);
  Distribution chain = part;
  for (int i = 0; i < 100'000; ++i) chain = *Distribution::all_of({chain, part});
  const std::weak_ptr<const Distribution::Node> last = chain.node();
  Distribution shared = chain;
  chain = part;
  CHECK_FALSE(last.expired());
  shared = part;  // the second handle frees it
  CHECK(last.expired());
}
