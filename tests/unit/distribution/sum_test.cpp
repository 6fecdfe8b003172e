// SPDX-License-Identifier: Apache-2.0
#include "distribution/sum.hpp"

#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/triangular.hpp>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "distribution/family_law.hpp"
#include "distribution/log_odds.hpp"
#include "distribution/tabulate.hpp"
#include "foretask/analysis/compose.hpp"
#include "foretask/analysis/distribution_text.hpp"

using namespace foretask::distribution;
using foretask::analysis::compose;
using foretask::analysis::kComposeQuantiles;
using foretask::analysis::parse_distribution;

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Largest distance of the quantiles in standard deviations, and relative one of the tails' probabilities.
template <typename Known>
void compare(const Law& law, const Known& known, double quantile_error, double tail_error) {
  const double sd = standard_deviation(known);
  for (double z = -20; z <= 20; z += 0.37) {
    const double x = z < 0 ? quantile(known, lower(z)) : quantile(complement(known, upper(z)));
    INFO("z " << z);
    CHECK(std::fabs(law.quantile(z) - x) < quantile_error * sd);
    CHECK(std::fabs(law.log_odds(x) - z) < tail_error);
  }
}

TablePtr table(Family family, double a, double b = 0, const Resolution& resolution = kFine) {
  return tabulated(*make_family(family, a, b), resolution);
}

}  // namespace

TEST_CASE("two exponential times make a gamma time, both tails included", "[distribution]") {
  const TablePtr one = table(Family::exponential, 1);
  compare(*sum_of(*one, *one, 2, 2, kFine), boost::math::gamma_distribution<>(2, 1), 1e-5, 2e-2);
  compare(*sum_of(*one, *one, kUnknown, kUnknown, kFine), boost::math::gamma_distribution<>(2, 1), 1e-5, 2e-2);
  const TablePtr coarse = table(Family::exponential, 1, 0, kCoarse);
  compare(*sum_of(*coarse, *coarse, 2, 2, kCoarse), boost::math::gamma_distribution<>(2, 1), 1e-3, 0.6);
}

TEST_CASE("sums of steep gamma times, whose density is infinite at 0, are gamma times", "[distribution]") {
  const TablePtr one = table(Family::gamma, 0.3, 2);
  compare(*sum_of(*one, *table(Family::gamma, 0.2, 2), 1, 2, kFine), boost::math::gamma_distribution<>(0.5, 2), 1e-4,
          0.5);
}

TEST_CASE("normal times add up to normal ones, of one width and of very different ones", "[distribution]") {
  const TablePtr one = table(Family::normal, 1, 3);
  compare(*sum_of(*one, *table(Family::normal, 2, 4), 3, 25, kFine), boost::math::normal(3, 5), 1e-5, 1e-4);
  compare(*sum_of(*one, *table(Family::normal, 2, 0.01), 3, 9.0001, kFine), boost::math::normal(3, std::sqrt(9.0001)),
          1e-5, 1e-4);
}

TEST_CASE("two uniform times make a triangle with its kink", "[distribution]") {
  const TablePtr one = table(Family::uniform, 0, 1);
  const TablePtr sum = sum_of(*one, *one, 1, 1.0 / 6, kFine);
  compare(*sum, boost::math::triangular_distribution<>(0, 1, 2), 1e-5, 1e-2);
  CHECK(sum->low() == 0);
  CHECK(sum->high() == 2);
}

TEST_CASE("sums of step functions keep their atoms", "[distribution]") {
  // 0 or 1 with probability 1/2 each.
  const TableLaw coin({{-45, 0, true}, {0, 0, true}, {0, 1, true}, {45, 1, true}}, 0, 1);
  const TablePtr two = sum_of(coin, coin, 1, 0.5, kFine);
  CHECK(lower(two->log_odds(0)) == Approx(0.25));
  CHECK(lower(two->log_odds(0.5)) == Approx(0.25));
  CHECK(lower(two->log_odds_below(1)) == Approx(0.25));
  CHECK(lower(two->log_odds(1)) == Approx(0.75));
  CHECK(two->quantile(0) == 1);
  // An atom and a smooth law: X + 0 or 1, X uniform, is uniform over [0, 2].
  const TablePtr smooth = sum_of(coin, *table(Family::uniform, 0, 1), 1, 1.0 / 3, kFine);
  for (const double x : {0.2, 0.7, 1.3, 1.9}) CHECK(lower(smooth->log_odds(x)) == Approx(x / 2).margin(1e-6));
}

TEST_CASE("sums of heavy tails keep their mean and spread without being told", "[distribution]") {
  // Of lognormal(0, 2): e^2 and (e^4 - 1) e^4 a part.
  TablePtr sum = table(Family::lognormal, 0, 2);
  for (int doubled = 0; doubled < 3; ++doubled) sum = sum_of(*sum, *sum, kUnknown, kUnknown, kFine);
  const auto moments = sum->central_moments();
  CHECK(moments[0] == Approx(8 * std::exp(2.0)).epsilon(1e-4));
  CHECK(moments[1] == Approx(8 * (std::exp(4.0) - 1) * std::exp(4.0)).epsilon(1e-3));
}

TEST_CASE("a narrow part leaves the shape of a wide one, in either order", "[distribution]") {
  // Exponential and normal (Grushka 1972): where the normal is narrow, -log(1 - p) + sd^2 / 2 but near 0; a uniform one
  // keeps its quantiles but near its ends; of a jump at 0 and an exponential part the jump alone is blurred.
  const auto quantiles = [](const std::string& text) {
    const auto parsed = parse_distribution(text, {});
    REQUIRE(parsed.ok());
    const auto answer = compose(*parsed, {.resamplings = 0});
    REQUIRE(answer.ok());
    return answer->quantiles;
  };
  for (const std::string text :
       {"seq(exp(1), normal(0, 0.01))", "seq(normal(0, 0.01), exp(1))", "seq(exp(1), normal(0, 1e-9))"}) {
    const auto found = quantiles(text);
    for (std::size_t i = 2; i < found.size(); ++i) {
      INFO(text << " at " << kComposeQuantiles[i]);
      CHECK(found[i] == Approx(-std::log1p(-kComposeQuantiles[i])).epsilon(1e-3));
    }
  }
  const auto uniform = quantiles("seq(uniform(0, 1), normal(0, 0.001))");
  for (std::size_t i = 0; i < uniform.size(); ++i) CHECK(uniform[i] == Approx(kComposeQuantiles[i]).epsilon(1e-4));
  const auto jump = quantiles("seq(branch(0.1: const(0), 0.9: exp(1)), normal(0, 0.001))");
  for (std::size_t i = 3; i < jump.size(); ++i)
    CHECK(jump[i] == Approx(-std::log((1 - kComposeQuantiles[i]) / 0.9)).epsilon(1e-4));
}

TEST_CASE("a tail too heavy for a table moves nothing else", "[distribution]") {
  // The median by mpmath, from quadrature of the sum's distribution function over the heavy part's probabilities; 2 %
  // of it are 0.4 % of probability.
  const auto answer = compose(*parse_distribution("seq(weibull(0.04, 1), exp(1))", {}), {.resamplings = 0});
  REQUIRE(answer.ok());
  CHECK(answer->quantiles[4] == Approx(1.58241).epsilon(0.02));
}
