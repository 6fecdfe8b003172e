// SPDX-License-Identifier: Apache-2.0
#include "statistics/survival.hpp"

#include <algorithm>
#include <vector>

#include "catch.hpp"

using namespace foretask::statistics;

TEST_CASE("the log-rank test is that of the literature") {
  // Weeks of remission (Freireich et al. 1963, in Cox and Oakes 1984): 21 patients with 6-MP, 21 without. R's
  // survdiff(): 9 observed and 19.3 expected with it, chi-square 16.8.
  std::vector<ComparedTime> weeks;
  for (const double one : {6, 6, 6, 7, 10, 13, 16, 22, 23}) weeks.push_back({one, true, true});
  for (const double one : {6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35}) weeks.push_back({one, false, true});
  for (const double one : {1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23})
    weeks.push_back({one, true, false});
  std::sort(weeks.begin(), weeks.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  const auto count = log_rank(weeks);
  CHECK(count.observed == 9);
  CHECK(count.expected == Approx(19.25).margin(0.01));
  CHECK((count.observed - count.expected) * (count.observed - count.expected) / count.variance ==
        Approx(16.79).margin(0.01));
}

TEST_CASE("nothing is compared once all of one group are gone") {
  // One of each at 1: 1/2 expected of the first group, variance 1/2 x 1/2.
  const auto count = log_rank({{1, true, true}, {2, true, false}, {3, true, false}});
  CHECK(count.observed == 1);
  CHECK(count.expected == Approx(1.0 / 3));
  CHECK(count.variance == Approx(2.0 / 9));
}

TEST_CASE("the product-limit estimate's tail is that of the literature") {
  // The same 21 patients with 6-MP: the estimate after week 23, the last remission that ended, is 0.448.
  const std::vector<double> weeks{6, 6, 6, 6, 7, 9, 10, 10, 11, 13, 16, 17, 19, 20, 22, 23, 25, 32, 32, 34, 35};
  const std::vector<std::uint8_t> ended{1, 1, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0};
  CHECK(product_limit(weeks, ended).beyond == Approx(0.448).margin(0.0005));
  CHECK(product_limit({}, {}).beyond == 1);
  CHECK(product_limit({2, 1}, {1, 1}).beyond == 0);
}
