// SPDX-License-Identifier: Apache-2.0
// Sums against closed forms: to 1e-6 of the standard deviation from 0.1 % to 99.9 %.
#include "distribution/compose/convolution.hpp"

#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/triangular.hpp>
#include <cmath>
#include <functional>
#include <string>

#include "catch.hpp"
#include "distribution/family/known_family.hpp"
#include "distribution/family/log_odds.hpp"
#include "foretask/analysis/compose.hpp"
#include "foretask/analysis/distribution_text.hpp"

using namespace foretask::distribution;
using foretask::analysis::kComposeQuantiles;
using foretask::analysis::parse_distribution;

namespace {

const std::vector<double> kAsked{0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999};

std::vector<double> quantiles(const std::string& text) {
  const auto parsed = parse_distribution(text, {});
  REQUIRE(parsed.ok());
  const auto found = foretask::analysis::quantiles_of(*parsed, kAsked);
  REQUIRE(found.ok());
  return *found;
}

template <typename Known>
void compare(const std::string& text, const Known& known, double within = 1e-6) {
  const std::vector<double> found = quantiles(text);
  for (std::size_t i = 0; i < kAsked.size(); ++i) {
    INFO(text << " at " << kAsked[i]);
    CHECK(std::fabs(found[i] - quantile(known, kAsked[i])) < within * standard_deviation(known));
  }
}

// By the distribution function instead, where there is no quantile function.
void compare(const std::string& text, double sd, const std::function<double(double)>& f) {
  const std::vector<double> found = quantiles(text);
  for (std::size_t i = 0; i < kAsked.size(); ++i) {
    INFO(text << " at " << kAsked[i] << ": " << found[i]);
    CHECK(f(found[i] - 1e-6 * sd) <= kAsked[i]);
    CHECK(f(found[i] + 1e-6 * sd) >= kAsked[i]);
  }
}

double normal_below(double t) { return std::erfc(-t / std::sqrt(2)) / 2; }

}  // namespace

TEST_CASE("exponential and gamma times add up to gamma times, steep ones too", "[distribution]") {
  compare("seq(exp(1), exp(1))", boost::math::gamma_distribution<>(2, 1));
  compare("seq(exp(1), gamma(2, 1))", boost::math::gamma_distribution<>(3, 1));
  compare("loop(10, exp(1))", boost::math::gamma_distribution<>(10, 1));
  compare("loop(100, exp(1))", boost::math::gamma_distribution<>(100, 1), 2e-6);
  compare("seq(gamma(0.3, 2), gamma(0.2, 2))", boost::math::gamma_distribution<>(0.5, 2));
}

TEST_CASE("both tails of a sum of exponential times are those of a gamma time", "[distribution]") {
  const TablePtr one = tabulated(*make_family(Family::exponential, 1), kFine);
  const TablePtr two = sum_of(*one, *one, {2, 2, 4, 12}, kFine);
  const boost::math::gamma_distribution<> known(2, 1);
  for (double z = -20; z <= 20; z += 0.37) {
    const double x = z < 0 ? quantile(known, lower(z)) : quantile(complement(known, upper(z)));
    INFO("z " << z);
    CHECK(std::fabs(two->quantile(z) - x) < 2e-5 * std::sqrt(2.0));
    CHECK(std::fabs(two->log_odds(x) - z) < 1e-3);
  }
}

TEST_CASE("normal times add up to normal ones, of one width and of very different ones", "[distribution]") {
  compare("seq(normal(1, 3), normal(2, 4))", boost::math::normal(3, 5));
  compare("seq(normal(1, 3), normal(2, 0.01))", boost::math::normal(3, std::sqrt(9.0001)));
}

TEST_CASE("two uniform times make a triangle with its kink", "[distribution]") {
  compare("seq(uniform(0, 1), uniform(0, 1))", boost::math::triangular_distribution<>(0, 1, 2));
  const TablePtr one = tabulated(*make_family(Family::uniform, 0, 1), kFine);
  const TablePtr two = sum_of(*one, *one, {1, 1.0 / 6, 0, -1.0 / 60}, kFine);
  CHECK(two->low() == 0);
  CHECK(two->high() == 2);
}

TEST_CASE("an exponential time and a normal one are where Grushka's formula says, however narrow one is",
          "[distribution]") {
  for (const double sd : {1.0, 0.01}) {
    compare("seq(exp(1), normal(0, " + std::to_string(sd) + "))", std::hypot(1, sd),
            [sd](double x) { return normal_below(x / sd) - std::exp(sd * sd / 2 - x) * normal_below(x / sd - sd); });
  }
  const std::vector<double> narrow = quantiles("seq(exp(1), normal(0, 1e-9))");
  for (std::size_t i = 0; i < kAsked.size(); ++i) CHECK(narrow[i] == Approx(-std::log1p(-kAsked[i])).margin(1e-6));
}

TEST_CASE("sums of two modes keep all their modes", "[distribution]") {
  // Of n, k are of the wider mode, k binomial.
  for (const int n : {2, 10}) {
    const auto f = [n](double x) {
      double sum = 0;
      double choose = 1;
      for (int k = 0; k <= n; ++k) {
        sum += choose * std::pow(0.3, k) * std::pow(0.7, n - k) *
               normal_below((x - (n - k) - 2.5 * k) / std::sqrt(0.01 * (n - k) + 0.04 * k));
        choose *= static_cast<double>(n - k) / (k + 1);
      }
      return sum;
    };
    compare("loop(" + std::to_string(n) + ", branch(0.7: normal(1, 0.1), 0.3: normal(2.5, 0.2)))",
            std::sqrt(n * (0.019 + 0.21 * 2.25)), f);
  }
}

TEST_CASE("parts of very different scales keep both", "[distribution]") {
  // 1 as a rule, exponential of mean 1e6 once in a thousand: 2, or 1 and one, or two of the rare ones.
  const std::string rare = "branch(0.999: const(1), 0.001: exp(1e6))";
  const std::vector<double> found = quantiles("seq(" + rare + ", " + rare + ")");
  for (std::size_t i = 0; i < 9; ++i) CHECK(found[i] == 2);
  const double x = found.back() - 1;  // 99.9 %
  const double above = 2 * 0.999 * 0.001 * std::exp(-x / 1e6) + 1e-6 * (1 + (x + 1) / 1e6) * std::exp(-(x + 1) / 1e6);
  CHECK(above == Approx(0.001).epsilon(1e-6));
}

TEST_CASE("heavy tails keep their quantiles in sums", "[distribution]") {
  // Of two lognormal(0, 2) and of two generalized Pareto times of shape 0.3, by quadrature of one's distribution
  // function over the other's in Python's doubles.
  const std::vector<double> lognormal = quantiles("seq(lognormal(0, 2), lognormal(0, 2))");
  const std::vector<double> pareto = quantiles("seq(gld(0, -0.3, 0, -0.3), gld(0, -0.3, 0, -0.3))");
  const std::vector<double> of_lognormal{0.0358594481624, 0.109979844649, 0.301774877734, 0.519411327212,
                                         1.3000554723,    3.67565846938,  10.7062143971,  29.0219805391,
                                         53.7550002688,   178.462676866,  728.871622083};
  const std::vector<double> of_pareto{0.0456087395768, 0.150782374927, 0.368279853347, 0.561082951611,
                                      1.05976784903,   1.9946895441,   3.57546846727,  5.9388005499,
                                      8.0572258395,    14.638164306,   30.988115419};
  for (std::size_t i = 0; i < kAsked.size(); ++i) {
    INFO("at " << kAsked[i]);
    CHECK(std::fabs(lognormal[i] - of_lognormal[i]) < 1e-6 * 76.5);
    CHECK(std::fabs(pareto[i] - of_pareto[i]) < 1e-6 * 3.19);
  }
}

TEST_CASE("a tail too heavy for a table moves nothing else", "[distribution]") {
  // The median by mpmath, from quadrature of the sum's distribution function over the heavy part's probabilities; 2 %
  // of it are 0.4 % of probability.
  CHECK(quantiles("seq(weibull(0.04, 1), exp(1))")[5] == Approx(1.58241).epsilon(0.02));
}

TEST_CASE("sums of step functions keep their atoms", "[distribution]") {
  // 0 or 1 with probability 1/2 each.
  const Table coin({{0, -kInfinity, 0, true}, {1, 0, kInfinity, true}}, 0, 1);
  const TablePtr two = sum_of(coin, coin, {1, 0.5, 0, 0}, kFine);
  CHECK(lower(two->log_odds(0)) == Approx(0.25));
  CHECK(lower(two->log_odds(0.5)) == Approx(0.25));
  CHECK(lower(two->log_odds_below(1)) == Approx(0.25));
  CHECK(lower(two->log_odds(1)) == Approx(0.75));
  CHECK(two->quantile(0) == 1);
  // An atom and a smooth distribution: X + 0 or 1, X uniform, is uniform over [0, 2].
  const TablePtr uniform = tabulated(*make_family(Family::uniform, 0, 1), kFine);
  const TablePtr smooth = sum_of(coin, *uniform, {1, 1.0 / 3, 0, 0}, kFine);
  for (const double x : {0.2, 0.7, 1.3, 1.9}) CHECK(lower(smooth->log_odds(x)) == Approx(x / 2).margin(1e-6));
}

TEST_CASE("a narrow part leaves the shape of a wide one with a jump", "[distribution]") {
  const auto jump = quantiles("seq(branch(0.1: const(0), 0.9: exp(1)), normal(0, 0.001))");
  for (std::size_t i = 4; i < kAsked.size(); ++i)
    CHECK(jump[i] == Approx(-std::log((1 - kAsked[i]) / 0.9)).epsilon(1e-4));
}

TEST_CASE("very many different parts together are near normal, without a table each", "[distribution]") {
  // Of 10,000 exponential times of one mean the sum is a gamma time.
  const Cumulants one{1, 1, 2, 6};
  const UnivariatePtr x = make_family(Family::exponential, 1);
  const auto never = []() -> TablePtr { throw 1; };
  const TablePtr sum = sum_of_all({{x, one, 6000, never}, {x, one, 4000, never}}, kFine);
  const boost::math::gamma_distribution<> known(10'000, 1);
  for (const double p : kAsked) CHECK(std::fabs(sum->quantile(z_of(p, 1 - p)) - quantile(known, p)) < 1e-6 * 100);
}
