// SPDX-License-Identifier: Apache-2.0
#include "distribution/family/expectation.hpp"

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "catch.hpp"
#include "distribution/family/empirical.hpp"
#include "distribution/family/known_family.hpp"
#include "distribution/family/log_odds.hpp"

using namespace foretask::distribution;

namespace {

struct Extreme {
  std::string family;
  bool last = false;
  std::uint64_t n = 0;
  std::array<double, 4> raw{};
};

std::vector<Extreme> golden_extremes() {
  std::ifstream file(std::string(FORETASK_TESTS_DIR) + "/golden/distribution/extremes.txt");
  std::vector<Extreme> extremes;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    Extreme extreme;
    std::string which;
    words >> extreme.family >> which >> extreme.n;
    for (double& moment : extreme.raw) words >> moment;
    extreme.last = which == "max";
    extremes.push_back(extreme);
  }
  return extremes;
}

foretask::analysis::Moments moments_of_order(const Univariate& x, const OrderMap& map) {
  return moments_of_cumulants(cumulants_of_order(x, map));
}

foretask::analysis::Moments moments_of(const Univariate& dist) {
  return moments_of_cumulants(integrated_cumulants(dist));
}

void check_raw(const foretask::analysis::Moments& moments, const std::vector<double>& expected, double epsilon) {
  const auto raw = moments.raw();
  for (std::size_t k = 0; k < expected.size(); ++k) {
    CAPTURE(k);
    CHECK(raw[k] == Approx(expected[k]).epsilon(epsilon));
  }
}

// Of a heavy tail: P(X > x) = (1 + shape x)^(-1/shape).
class HeavyTail final : public Univariate {
 public:
  explicit HeavyTail(double shape) : shape_(shape) {}
  double quantile(double z) const override { return std::expm1(-shape_ * log_upper(z)) / shape_; }
  double odds(double x, bool) const override {
    return x <= 0 ? -kInfinity : z_of_log_upper(-std::log1p(shape_ * x) / shape_);
  }

 private:
  double shape_;
};

}  // namespace

TEST_CASE("minima and maxima of 2 to 10,000 known ones have four moments to 1e-11", "[distribution]") {
  const std::map<std::string, UnivariatePtr> dists{{"uniform01", make_family(Family::uniform, 0, 1)},
                                                   {"exponential", make_family(Family::exponential, 1)},
                                                   {"normal", make_family(Family::normal, 0, 1)},
                                                   {"weibull15", make_family(Family::weibull, 1.5, 10)}};
  const std::vector<Extreme> extremes = golden_extremes();
  REQUIRE(extremes.size() == 64);
  for (const Extreme& extreme : extremes) {
    CAPTURE(extreme.family, extreme.last, extreme.n);
    const UnivariatePtr& dist = dists.at(extreme.family);
    const std::uint64_t rank = extreme.last ? extreme.n : 1;
    const std::vector<double> expected(extreme.raw.begin(), extreme.raw.end());
    check_raw(moments_of_order(*dist, OrderMap(rank, extreme.n)), expected, 1e-11);
    if (extreme.n == 64) check_raw(moments_of(*order_statistic(dist, rank, extreme.n)), expected, 1e-11);
  }
}

TEST_CASE("order statistics of lognormal, gamma and beta times agree with thirty-digit quadrature", "[distribution]") {
  const UnivariatePtr lognormal = make_family(Family::lognormal, 0, 1);
  check_raw(moments_of_order(*lognormal, OrderMap(1, 16)),
            {0.19598137574275436, 0.04865675743555559, 0.014714211849231693, 0.0052792139782427319}, 1e-11);
  check_raw(moments_of_order(*lognormal, OrderMap(3, 16)),
            {0.39712041266655375, 0.17930194212738775, 0.091421233127005178, 0.052340829068588746}, 1e-11);
  check_raw(moments_of_order(*lognormal, OrderMap(10000, 10000)),
            {49.523522051318011, 2780.6781278299704, 187022.09421055213, 16628976.965581936}, 1e-11);
  const UnivariatePtr beta = make_family(Family::beta, 5, 2);
  check_raw(moments_of_order(*beta, OrderMap(3, 16)),
            {0.54763061891270919, 0.3051753365070177, 0.17282912651867591, 0.09935623373259753}, 1e-11);
  check_raw(moments_of_order(*beta, OrderMap(10000, 10000)),
            {0.99770290166035201, 0.9954125310190698, 0.99312886483722398, 0.99085187996682117}, 1e-11);
  const UnivariatePtr gamma = make_family(Family::gamma, 0.7, 1);
  check_raw(moments_of_order(*gamma, OrderMap(1, 16)), {0.019580875607304643, 0.0011271646775126202}, 1e-11);
  check_raw(moments_of_order(*gamma, OrderMap(3, 16)), {0.085227393587600967, 0.011644180779336693}, 1e-11);
}

TEST_CASE("extremes of a thousand millions agree with their closed forms", "[distribution]") {
  const std::uint64_t n = 1000000000;
  const auto count = static_cast<double>(n);
  const UnivariatePtr exponential = make_family(Family::exponential, 1);
  const auto last = moments_of_order(*exponential, OrderMap(n, n));
  // H_n, and pi^2/6 less the rest of the sum of 1/k^2.
  CHECK(last.mean == Approx(std::log(count) + 0.57721566490153286 + 0.5 / count).epsilon(1e-12));
  CHECK(last.variance == Approx(1.6449340668482264 - 1 / count).epsilon(1e-11));
  const auto first = moments_of_order(*exponential, OrderMap(1, n));
  CHECK(first.mean == Approx(1 / count).epsilon(1e-12));
  CHECK(first.skewness == Approx(2).epsilon(1e-11));
  CHECK(first.kurtosis == Approx(9).epsilon(1e-11));
  const auto weibull = moments_of_order(*make_family(Family::weibull, 1.5, 10), OrderMap(1, n));
  CHECK(weibull.mean == Approx(10 * std::pow(count, -1 / 1.5) * std::tgamma(1 + 1 / 1.5)).epsilon(1e-12));
  // A beta distribution's, a = b + 1 = n / 2 + 1.
  const auto middle = moments_of_order(*make_family(Family::uniform, 0, 1), OrderMap(n / 2, n));
  CHECK(middle.mean == Approx(count / 2 / (count + 1)).epsilon(1e-11));
  CHECK(middle.variance == Approx(0.25 / count).epsilon(1e-8));
}

TEST_CASE("moments that a heavy tail does not have are NaN, and those that it has are exact", "[distribution]") {
  // E[X] = 1/(1 - s), Var = 1/((1 - s)^2 (1 - 2s)).
  const auto moments = moments_of(HeavyTail(0.3));
  CHECK(moments.mean == Approx(1 / 0.7).epsilon(1e-11));
  CHECK(moments.variance == Approx(1 / (0.49 * 0.4)).epsilon(1e-10));
  CHECK(std::isfinite(moments.skewness));
  CHECK(std::isnan(moments.kurtosis));
  const auto heavier = moments_of(HeavyTail(0.6));
  CHECK(heavier.mean == Approx(2.5).epsilon(1e-10));
  CHECK(std::isnan(heavier.variance));
  CHECK(std::isnan(moments_of(HeavyTail(1.2)).mean));
  // exp(2 k^2): far to the right of where the mass is.
  check_raw(moments_of(*make_family(Family::lognormal, 0, 2)),
            {std::exp(2.0), std::exp(8.0), std::exp(18.0), std::exp(32.0)}, 1e-11);
}

TEST_CASE("expectations of any function go over atoms and smooth pieces alike", "[distribution]") {
  const auto expectation = [](const UnivariatePtr& dist, double (*of_x)(double)) {
    return expected_powers(*dist, of_x)[0];
  };
  const auto square = [](double x) { return x * x; };
  CHECK(expectation(make_family(Family::constant, 3), square) == 9);
  CHECK(expectation(empirical(SampleSet{{1, 2, 2, 5}, {}, 0}), square) == Approx(34.0 / 4).epsilon(1e-14));
  CHECK(expectation(make_family(Family::exponential, 1), [](double x) { return std::exp(-x); }) ==
        Approx(0.5).epsilon(1e-12));
}

TEST_CASE("values that have lost their digits near the least double are not refined", "[distribution]") {
  int calls = 0;
  const Integrand integrand = [&](double z, Powers& values) {
    ++calls;
    values[0] = std::exp(-z);
    return 1.0;
  };
  Integral integral;
  add_integral(integrand, 735, 744, Place{}, integral);
  CHECK(integral.sum[0] < 1e-300);
  CHECK(calls < 1000);
  // Those that have them are.
  Integral nearer;
  add_integral(integrand, 600, 610, Place{}, nearer);
  CHECK(nearer.sum[0] == Approx(std::exp(-600)).epsilon(1e-4));
}
