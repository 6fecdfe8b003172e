// SPDX-License-Identifier: Apache-2.0
// The 95 % intervals of a kernel's first samples: they hold what they say, and are little wider than the distribution.
#include <algorithm>

#include "predict/online/snapshot.hpp"
#include "unit/model/online/feed.hpp"

using namespace online_test;
using foretask::predict::Prediction;
using foretask::predict::Snapshot;

namespace {

struct Kernel {
  const char* name;
  KernelShape shape;
  std::vector<double> (*draw)(Random&);
  double (*truth)(const std::vector<double>&);
};

const std::vector<Kernel>& kernels() {
  static const std::vector<Kernel> list{
      {"no parameters", {{}, {}}, [](Random&) { return std::vector<double>{}; }, [](const auto&) { return 1e4; }},
      {"eight sizes",
       {{"tile"}, {}},
       [](Random& random) { return std::vector<double>{64.0 * random.whole(1, 8)}; },
       [](const auto& p) { return 40 * p[0] + (p[0] == 128 ? 7e4 : 0); }},
      {"a product",
       {{"m", "n"}, {}},
       [](Random& random) {
         return std::vector<double>{static_cast<double>(random.whole(16, 700)),
                                    static_cast<double>(random.whole(16, 700))};
       },
       [](const auto& p) { return 900 + 3 * p[0] * p[1]; }},
      {"a power",
       {{"n"}, {}},
       [](Random& random) { return std::vector<double>{std::exp(random.uniform(5, 12))}; },
       [](const auto& p) { return 50 + 4 * std::pow(p[0], 1.3); }},
      {"exponential growth",
       {{"depth"}, {}},
       [](Random& random) { return std::vector<double>{static_cast<double>(random.whole(5, 20))}; },
       [](const auto& p) { return 40 + 9 * std::pow(1.618034, p[0]); }},
  };
  return list;
}

}  // namespace

TEST_CASE("intervals hold 92 to 98 % from the 20th sample on, within 1.5 times the ideal width from the 50th") {
  constexpr double kDeviation = 0.2;
  constexpr double kIdeal = 2 * 1.959964 * kDeviation;  // of the logarithm
  for (const Kernel& kernel : kernels()) {
    CAPTURE(kernel.name);
    int asked = 0;
    int held = 0;
    std::vector<double> widths;
    for (unsigned seed = 1; seed <= 30; ++seed) {
      Random random(seed);
      KernelModel model(kernel.shape);
      for (int i = 0; i < 200; ++i) {
        const std::vector<double> parameters = kernel.draw(random);
        const double time = kernel.truth(parameters) * noise(random, kDeviation);
        if (i >= 20) {
          const Prediction prediction = Snapshot::of(model)->predict(parameters.data());
          ++asked;
          held += prediction.low <= time && time <= prediction.high ? 1 : 0;
          if (i >= 50) widths.push_back(std::log(prediction.high / prediction.low));
        }
        feed(model, parameters, time);
      }
    }
    CHECK(held >= 0.92 * asked);
    CHECK(held <= 0.98 * asked);
    std::nth_element(widths.begin(), widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 2), widths.end());
    CHECK(widths[widths.size() / 2] <= 1.5 * kIdeal);
  }
}
