// SPDX-License-Identifier: Apache-2.0
#include "distribution/expectation.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "distribution/family_law.hpp"
#include "distribution/log_odds.hpp"
#include "distribution/samples_law.hpp"

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

void check_raw(const foretask::analysis::Moments& moments, const std::vector<double>& expected, double epsilon) {
  const auto raw = moments.raw();
  for (std::size_t k = 0; k < expected.size(); ++k) {
    CAPTURE(k);
    CHECK(raw[k] == Approx(expected[k]).epsilon(epsilon));
  }
}

// Of a heavy tail: P(X > x) = (1 + shape x)^(-1/shape).
class HeavyTail final : public Law {
 public:
  explicit HeavyTail(double shape) : shape_(shape) {}
  double quantile(double z) const override { return std::expm1(-shape_ * log_upper(z)) / shape_; }
  double log_odds(double x) const override {
    return x <= 0 ? -kInfinity : z_of_log_upper(-std::log1p(shape_ * x) / shape_);
  }

 private:
  double shape_;
};

}  // namespace

TEST_CASE("minima and maxima of 2 to 10,000 known ones have four moments to 1e-11", "[distribution]") {
  const std::map<std::string, LawPtr> laws{{"uniform01", make_family(Family::uniform, 0, 1)},
                                           {"exponential", make_family(Family::exponential, 1)},
                                           {"normal", make_family(Family::normal, 0, 1)},
                                           {"weibull15", make_family(Family::weibull, 1.5, 10)}};
  const std::vector<Extreme> extremes = golden_extremes();
  REQUIRE(extremes.size() == 64);
  for (const Extreme& extreme : extremes) {
    CAPTURE(extreme.family, extreme.last, extreme.n);
    const LawPtr& law = laws.at(extreme.family);
    const std::uint64_t rank = extreme.last ? extreme.n : 1;
    const std::vector<double> expected(extreme.raw.begin(), extreme.raw.end());
    check_raw(moments_of_order(*law, OrderMap(rank, extreme.n)), expected, 1e-11);
    if (extreme.n == 64) check_raw(moments_of(*order_law(law, rank, extreme.n)), expected, 1e-11);
  }
}

TEST_CASE("order statistics of lognormal, gamma and beta times agree with thirty-digit quadrature", "[distribution]") {
  const LawPtr lognormal = make_family(Family::lognormal, 0, 1);
  check_raw(moments_of_order(*lognormal, OrderMap(1, 16)),
            {0.19598137574275436, 0.04865675743555559, 0.014714211849231693, 0.0052792139782427319}, 1e-11);
  check_raw(moments_of_order(*lognormal, OrderMap(3, 16)),
            {0.39712041266655375, 0.17930194212738775, 0.091421233127005178, 0.052340829068588746}, 1e-11);
  check_raw(moments_of_order(*lognormal, OrderMap(10000, 10000)),
            {49.523522051318011, 2780.6781278299704, 187022.09421055213, 16628976.965581936}, 1e-11);
  const LawPtr beta = make_family(Family::beta, 5, 2);
  check_raw(moments_of_order(*beta, OrderMap(3, 16)),
            {0.54763061891270919, 0.3051753365070177, 0.17282912651867591, 0.09935623373259753}, 1e-11);
  check_raw(moments_of_order(*beta, OrderMap(10000, 10000)),
            {0.99770290166035201, 0.9954125310190698, 0.99312886483722398, 0.99085187996682117}, 1e-11);
  const LawPtr gamma = make_family(Family::gamma, 0.7, 1);
  check_raw(moments_of_order(*gamma, OrderMap(1, 16)), {0.019580875607304643, 0.0011271646775126202}, 1e-11);
  check_raw(moments_of_order(*gamma, OrderMap(3, 16)), {0.085227393587600967, 0.011644180779336693}, 1e-11);
}

TEST_CASE("extremes of a thousand millions agree with their closed forms", "[distribution]") {
  const std::uint64_t n = 1000000000;
  const auto count = static_cast<double>(n);
  const LawPtr exponential = make_family(Family::exponential, 1);
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
  const auto square = [](double x) { return x * x; };
  CHECK(expectation(*make_family(Family::constant, 3), square) == 9);
  CHECK(expectation(*samples_law(plain_samples({1, 2, 2, 5})), square) == Approx(34.0 / 4).epsilon(1e-14));
  CHECK(expectation(*make_family(Family::exponential, 1), [](double x) { return std::exp(-x); }) ==
        Approx(0.5).epsilon(1e-12));
}

TEST_CASE("the extremes of different laws agree with their closed forms", "[distribution]") {
  const LawPtr one = make_family(Family::exponential, 1);
  const LawPtr two = make_family(Family::exponential, 2);
  const auto first = extremes_of({one.get(), two.get()}, false);
  CHECK(first.mean == Approx(1 / 1.5).epsilon(1e-11));
  CHECK(first.kurtosis == Approx(9).epsilon(1e-10));
  CHECK(extremes_of({one.get(), two.get()}, true).mean == Approx(3 - 1 / 1.5).epsilon(1e-11));
  // Clark 1961: E[max] of two normals about 0 is sqrt((s1^2 + s2^2) / (2 pi)). One is a step to the other.
  const LawPtr wide = make_family(Family::normal, 0, 100);
  const LawPtr narrow = make_family(Family::normal, 0, 0.001);
  CHECK(extremes_of({wide.get(), narrow.get()}, true).mean ==
        Approx(std::sqrt((1e4 + 1e-6) / (2 * 3.14159265358979324))).epsilon(1e-11));
  // E[max(U, E)] = 3/2 - 1/e: the uniform's end is inside of the exponential's support.
  const LawPtr uniform = make_family(Family::uniform, 0, 1);
  CHECK(extremes_of({uniform.get(), one.get()}, true).mean == Approx(1.5 - std::exp(-1.0)).epsilon(1e-11));
  CHECK(extremes_of({uniform.get(), uniform.get(), uniform.get()}, true).mean == Approx(0.75).epsilon(1e-12));
}

TEST_CASE("equal atoms of several laws count once in their extremes", "[distribution]") {
  // Two dice that show 1, 2, 3 or 4: P(max = k) = (2k - 1)/16.
  const LawPtr die = samples_law(plain_samples({1, 2, 3, 4}));
  const LawPtr again = samples_law(plain_samples({1, 2, 3, 4}));
  CHECK(extremes_of({die.get(), again.get()}, true).mean == Approx(50.0 / 16).epsilon(1e-14));
  CHECK(extremes_of({die.get(), again.get()}, false).mean == Approx(30.0 / 16).epsilon(1e-14));
  // E[max(U, 1/2)] = 5/8.
  const LawPtr uniform = make_family(Family::uniform, 0, 1);
  const LawPtr half = make_family(Family::constant, 0.5);
  CHECK(extremes_of({uniform.get(), half.get()}, true).mean == Approx(0.625).epsilon(1e-13));
  CHECK(extremes_of({half.get(), uniform.get()}, false).mean == Approx(0.375).epsilon(1e-13));
}
