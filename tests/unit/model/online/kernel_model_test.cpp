// SPDX-License-Identifier: Apache-2.0
// Which model answers, and how well, for kernels whose times are made.
#include "model/online/kernel_model.hpp"

#include <limits>

#include "unit/model/online/feed.hpp"

using namespace online_test;

namespace {

const std::vector<std::string> kGemm{"m", "n", "k"};

// Tiles that do not come back.
std::vector<double> irregular(Random& random) {
  return {random.whole(16, 700), random.whole(16, 700), random.whole(16, 700)};
}

}  // namespace

TEST_CASE("before any sample a kernel has no answer, after one it has") {
  KernelModel model({{"n"}, {}});
  CHECK_FALSE(model.predict(std::vector<double>{7}).has_value());
  model.learn(std::vector<double>{7}, 1200);
  CHECK(predicted(model, {7}) == 1200);
  CHECK(predicted(model, {9}) == 1200);
  CHECK(model.samples() == 1);
}

TEST_CASE("a kernel without parameters answers by the mean of its samples") {
  KernelModel model({{}, {}});
  Random random(1);
  for (int i = 0; i < 400; ++i) feed(model, {}, 5000 * noise(random, 0.05));
  CHECK(error(model, {}, 5000) < 0.01);
}

TEST_CASE("tuples that come back are answered by history, whatever they depend on") {
  KernelModel model({{"tile", "kind"}, {}});
  Random random(2);
  // No formula in the parameters gives these.
  const double truth[] = {900, 87000, 150, 4200, 61, 30000, 777, 2};
  for (int i = 0; i < 800; ++i) {
    const int which = static_cast<int>(random.whole(0, 7));
    feed(model, {64.0 * (1 + which % 4), 1.0 + which / 4}, 1000 * truth[which] * noise(random, 0.03));
  }
  for (int which = 0; which < 8; ++which) {
    CAPTURE(which);
    const std::vector<double> tuple{64.0 * (1 + which % 4), 1.0 + which / 4};
    CHECK(error(model, tuple, 1000 * truth[which]) < 0.02);
    CHECK(model.predict(tuple)->kind == ModelKind::kHistory);
  }
}

TEST_CASE("sizes that never come back are answered by the product that the time grows with") {
  KernelModel model({kGemm, {}});
  Random random(3);
  for (int i = 0; i < 1000; ++i) {
    const auto p = irregular(random);
    feed(model, p, gemm_ns(p[0], p[1], p[2]) * noise(random, 0.05));
  }
  double worst = 0;
  for (int i = 0; i < 200; ++i) {
    const auto p = irregular(random);
    worst = std::max(worst, error(model, p, gemm_ns(p[0], p[1], p[2])));
  }
  CHECK(worst < 0.03);
  CHECK(model.predict(irregular(random))->kind == ModelKind::kLinear);
  // Twice as large as anything seen.
  CHECK(error(model, {1400, 1400, 1400}, gemm_ns(1400, 1400, 1400)) < 0.03);
}

TEST_CASE("a logarithm and a ratio are found as well") {
  Random random(4);
  SECTION("n log(n)") {
    KernelModel model({{"n"}, {}});
    const auto truth = [](double n) { return 20000 + 3 * n * std::log(n); };
    for (int i = 0; i < 800; ++i) {
      const double n = std::floor(std::exp(random.uniform(5, 14)));
      feed(model, {n}, truth(n) * noise(random, 0.03));
    }
    for (const double n : {1e3, 1e4, 1e5, 1e6, 5e6}) CHECK(error(model, {n}, truth(n)) < 0.05);
  }
  SECTION("n / p") {
    KernelModel model({{"n", "p"}, {}});
    const auto truth = [](double n, double p) { return 3000 + 40 * n / p; };
    for (int i = 0; i < 800; ++i) {
      const double n = random.whole(1000, 90000);
      const double p = random.whole(1, 32);
      feed(model, {n, p}, truth(n, p) * noise(random, 0.03));
    }
    for (const double p : {1.0, 7.0, 32.0}) CHECK(error(model, {50000, p}, truth(50000, p)) < 0.05);
  }
}

TEST_CASE("terms that the program names are the ones that are fitted") {
  KernelModel model({kGemm, foretask::model::parse_terms("1,m*n*k").value()});
  Random random(5);
  for (int i = 0; i < 300; ++i) {
    const auto p = irregular(random);
    feed(model, p, gemm_ns(p[0], p[1], p[2]) * noise(random, 0.05));
  }
  REQUIRE(model.terms().size() == 2);
  CHECK(model.linear(KernelModel::kRelative)->coefficients()[1] == Approx(0.25).epsilon(0.02));
  CHECK(error(model, {900, 900, 900}, gemm_ns(900, 900, 900)) < 0.02);
}

TEST_CASE("a curve that no term follows is answered by support points") {
  KernelModel model({{"n"}, {}});
  Random random(6);
  // Out of one cache, then out of the next.
  const auto truth = [](double n) { return n < 3000 ? n : n < 40000 ? 4 * n : 25 * n; };
  for (int i = 0; i < 3000; ++i) {
    const double n = std::floor(std::exp(random.uniform(5, 12.5)));
    feed(model, {n}, truth(n) * noise(random, 0.03));
  }
  for (const double n : {400.0, 1500.0, 9000.0, 20000.0, 90000.0, 200000.0}) {
    CAPTURE(n);
    CHECK(error(model, {n}, truth(n)) < 0.1);
  }
  CHECK(model.predict(std::vector<double>{9000.5})->kind == ModelKind::kSupportPoints);
}

TEST_CASE("two behaviours that one parameter tells apart are two clusters") {
  KernelModel model({{"instructions"}, {}});
  Random random(7);
  // Within a behaviour the time says nothing of the parameter.
  for (int i = 0; i < 1000; ++i) {
    const bool large = random.uniform() < 0.4;
    feed(model, {large ? random.uniform(8000, 9000) : random.uniform(1000, 1900)},
         (large ? 90000 : 4000) * noise(random, 0.04));
  }
  CHECK(error(model, {1500.5}, 4000) < 0.03);
  CHECK(error(model, {8400.5}, 90000) < 0.03);
}

TEST_CASE("one sample in a hundred a hundred times too long moves a prediction by less than 5 % and is no change") {
  Random random(8);
  SECTION("of sizes that do not come back") {
    KernelModel model({kGemm, {}});
    for (int i = 0; i < 3000; ++i) {
      const auto p = irregular(random);
      const double spike = i % 100 == 57 ? 100 : 1;
      feed(model, p, gemm_ns(p[0], p[1], p[2]) * noise(random, 0.05) * spike);
    }
    for (int i = 0; i < 100; ++i) {
      const auto p = irregular(random);
      CHECK(error(model, p, gemm_ns(p[0], p[1], p[2])) < 0.05);
    }
    CHECK(model.changes() == 0);
  }
  SECTION("of regular tiles, at every moment") {
    KernelModel model({{"tile"}, {}});
    double worst = 0;
    for (int i = 0; i < 3000; ++i) {
      const double tile = 64 * (1 + i % 5);
      const double truth = 3 * tile * tile;
      feed(model, {tile}, truth * noise(random, 0.05) * (i % 100 == 57 ? 100 : 1));
      if (i >= 500) worst = std::max(worst, error(model, {tile}, truth));
    }
    CHECK(worst < 0.05);
    CHECK(model.changes() == 0);
  }
  SECTION("the first sample itself") {
    KernelModel model({{"tile"}, {}});
    for (int i = 0; i < 100; ++i) feed(model, {64}, (i == 0 ? 100 : 1) * 9000 * noise(random, 0.05));
    CHECK(error(model, {64}, 9000) < 0.05);
  }
}

TEST_CASE("a kernel that is twice as slow after 1000 samples is predicted within 10 % by 40 more") {
  for (const double deviation : {0.02, 0.05, 0.1}) {
    for (const bool regular : {true, false}) {
      CAPTURE(deviation, regular);
      KernelModel model({kGemm, {}});
      Random random(9);
      const auto next = [&] {
        const double tile = 64 * random.whole(1, 6);
        return regular ? std::vector<double>{tile, tile, tile} : irregular(random);
      };
      for (int i = 0; i < 1040; ++i) {
        const auto p = next();
        feed(model, p, (i < 1000 ? 1 : 2) * gemm_ns(p[0], p[1], p[2]) * noise(random, deviation));
      }
      for (int i = 0; i < 50; ++i) {
        const auto p = next();
        CHECK(error(model, p, 2 * gemm_ns(p[0], p[1], p[2])) < 0.1);
      }
      CHECK(model.changes() == 1);
    }
  }
}

TEST_CASE("a kernel that is 40 % slower is predicted within 10 % by 60 more, one that is faster as well") {
  for (const double factor : {1.4, 1 / 1.4, 0.5}) {
    CAPTURE(factor);
    KernelModel model({kGemm, {}});
    Random random(10);
    for (int i = 0; i < 1060; ++i) {
      const auto p = irregular(random);
      feed(model, p, (i < 1000 ? 1 : factor) * gemm_ns(p[0], p[1], p[2]) * noise(random, 0.05));
    }
    for (int i = 0; i < 50; ++i) {
      const auto p = irregular(random);
      CHECK(error(model, p, factor * gemm_ns(p[0], p[1], p[2])) < 0.1);
    }
  }
}

TEST_CASE("steady noise is no change") {
  for (const double deviation : {0.02, 0.1, 0.3}) {
    CAPTURE(deviation);
    KernelModel model({kGemm, {}});
    Random random(11);
    for (int i = 0; i < 20000; ++i) {
      const auto p = irregular(random);
      feed(model, p, gemm_ns(p[0], p[1], p[2]) * noise(random, deviation));
    }
    CHECK(model.changes() == 0);
  }
}

TEST_CASE("what one size does for the first time is no change of the others") {
  KernelModel model({{"n"}, {}});
  Random random(12);
  for (int i = 0; i < 1000; ++i) {
    const double n = 64 * random.whole(1, 8);
    feed(model, {n}, 10 * n * noise(random, 0.03));
  }
  // Too large for the cache: ten times slower than the line through the others says.
  for (int i = 0; i < 60; ++i) feed(model, {4096}, 100 * 4096 * noise(random, 0.03));
  CHECK(error(model, {4096}, 100 * 4096) < 0.1);
  for (const double n : {64.0, 256.0, 512.0}) {
    CAPTURE(n);
    CHECK(error(model, {n}, 10 * n) < 0.1);
  }
}

TEST_CASE("slow drift is followed") {
  KernelModel model({{"n"}, {}});
  Random random(13);
  // A tenth slower every 2000 samples.
  double level = 1;
  for (int i = 0; i < 20000; ++i) {
    level = 1 + 0.1 * i / 2000;
    const double n = random.whole(100, 1000);
    feed(model, {n}, level * (500 + 30 * n) * noise(random, 0.05));
  }
  for (const double n : {150.0, 500.0, 950.0}) CHECK(error(model, {n}, level * (500 + 30 * n)) < 0.1);
}

TEST_CASE("parameters that are equal up to 1e-7 are predicted, and known to be tied") {
  KernelModel model({{"rows", "columns"}, {}});
  Random random(14);
  const auto truth = [](double n) { return 700 + 2.5 * n; };
  for (int i = 0; i < 600; ++i) {
    const double n = random.whole(100, 5000);
    feed(model, {n, n * (1 + 1e-7 * random.uniform(-1, 1))}, truth(n) * noise(random, 0.03));
  }
  CHECK(model.has_tied_parameters());
  for (const double n : {200.0, 1000.5, 4000.0}) CHECK(error(model, {n, n}, truth(n)) < 0.03);
  KernelModel free({{"rows", "columns"}, {}});
  for (int i = 0; i < 600; ++i)
    feed(free, {random.whole(100, 5000), random.whole(100, 5000)}, truth(1000) * noise(random, 0.03));
  CHECK_FALSE(free.has_tied_parameters());
}

TEST_CASE("a parameter that is always the same disturbs nothing") {
  KernelModel model({{"n", "block"}, {}});
  Random random(15);
  for (int i = 0; i < 600; ++i) {
    const double n = random.whole(100, 5000);
    feed(model, {n, 128}, (700 + 2.5 * n) * noise(random, 0.03));
  }
  for (const double n : {200.5, 1000.5, 4000.5}) CHECK(error(model, {n, 128}, 700 + 2.5 * n) < 0.03);
  CHECK_FALSE(model.has_tied_parameters());
}

TEST_CASE("parameters from 1e-9 to 1e18 side by side are learned") {
  KernelModel model({{"tolerance", "bytes"}, {}});
  Random random(16);
  const auto truth = [](double tolerance, double bytes) { return 2000 + 4e13 * tolerance + 3e-14 * bytes; };
  for (int i = 0; i < 1000; ++i) {
    const double tolerance = random.uniform(1e-9, 2e-9);
    const double bytes = random.uniform(1e17, 1e18);
    feed(model, {tolerance, bytes}, truth(tolerance, bytes) * noise(random, 0.03));
  }
  for (int i = 0; i < 50; ++i) {
    const double tolerance = random.uniform(1e-9, 2e-9);
    const double bytes = random.uniform(1e17, 1e18);
    CHECK(error(model, {tolerance, bytes}, truth(tolerance, bytes)) < 0.05);
  }
}

TEST_CASE("predictions are above 0 and finite wherever they are asked for") {
  KernelModel model({{"n", "m"}, {}});
  Random random(17);
  // A steep line: below n = 100 it would be negative.
  for (int i = 0; i < 500; ++i) {
    const double n = random.whole(110, 300);
    feed(model, {n, random.whole(-50, 50)}, (1000 * (n - 100)) * noise(random, 0.05));
  }
  const double largest = std::numeric_limits<double>::max();
  for (const double n : {0.0, 1.0, 50.0, 99.0, -1e6, 1e18, 1e150, largest, -largest, 5e-324}) {
    for (const double m : {0.0, -1e18, 1e150, largest}) {
      CAPTURE(n, m);
      CHECK(predicted(model, {n, m}) > 0);
      CHECK(std::isfinite(predicted(model, {n, m})));
    }
  }
}

TEST_CASE("samples as large as a double goes leave the model able to predict") {
  const double largest = std::numeric_limits<double>::max();
  KernelModel model({{"n", "m"}, {}});
  Random random(18);
  const auto feed_plain = [&](int count) {
    for (int i = 0; i < count; ++i) {
      const double n = random.whole(100, 5000);
      feed(model, {n, 3}, (700 + 2.5 * n) * noise(random, 0.03));
    }
  };
  feed_plain(300);
  feed(model, {largest, largest}, largest);
  feed(model, {-largest, 1e-300}, 0);
  feed(model, {1e200, 0}, 1e300);
  feed_plain(300);
  for (const double n : {200.5, 1000.5, 4000.5}) CHECK(error(model, {n, 3}, 700 + 2.5 * n) < 0.05);
  for (const double n : {largest, -largest, 1e200}) CHECK(std::isfinite(predicted(model, {n, largest})));
}

TEST_CASE("times of 0 are learned as the shortest that a clock tells") {
  KernelModel model({{}, {}});
  for (int i = 0; i < 50; ++i) feed(model, {}, 0);
  CHECK(predicted(model, {}) > 0);
  CHECK(predicted(model, {}) <= 1);
}

TEST_CASE("eight parameters of another version of the code are still known when their samples count for little") {
  KernelModel model({{"a", "b", "c", "d", "e", "f", "g", "h"}, {}});
  Random random(19);
  const auto next = [&random] {
    std::vector<double> p;
    for (int i = 0; i < 8; ++i) p.push_back(random.whole(1, 1000));
    return p;
  };
  const auto truth = [](const std::vector<double>& p) {
    double time = 1000;
    for (std::size_t i = 0; i < p.size(); ++i) time += static_cast<double>(1 + i) * p[i];
    return time;
  };
  for (int i = 0; i < 1000; ++i) {
    const auto p = next();
    feed(model, p, truth(p) * noise(random, 0.02));
  }
  model.make_stale();
  CHECK(model.is_stale());
  for (int i = 0; i < 8; ++i) {
    const auto p = next();
    CHECK(error(model, p, truth(p)) < 0.1);
    CHECK(model.is_stale());
    feed(model, p, truth(p) * noise(random, 0.02));
  }
  CHECK_FALSE(model.is_stale());
}

TEST_CASE("another version that is twice as fast is learned within some tens of samples") {
  KernelModel model({{"n"}, {}});
  Random random(20);
  for (int i = 0; i < 1000; ++i) {
    const double n = random.whole(100, 5000);
    feed(model, {n}, (700 + 2.5 * n) * noise(random, 0.03));
  }
  model.make_stale();
  for (int i = 0; i < 40; ++i) {
    const double n = random.whole(100, 5000);
    feed(model, {n}, 0.5 * (700 + 2.5 * n) * noise(random, 0.03));
  }
  for (const double n : {200.5, 1000.5, 4000.5}) CHECK(error(model, {n}, 0.5 * (700 + 2.5 * n)) < 0.1);
}

TEST_CASE("two processes' samples are joined: counts add up, each one's tuples are known") {
  Random random(21);
  const auto truth = [](double n) { return 40 * n; };
  KernelModel theirs({{"n"}, {}});
  for (int i = 0; i < 300; ++i) feed(theirs, {64}, truth(64) * noise(random, 0.02));
  theirs.mark_stored();
  KernelModel mine({{"n"}, {}});
  for (int i = 0; i < 200; ++i) feed(mine, {128}, truth(128) * noise(random, 0.02));
  for (int i = 0; i < 3; ++i) feed(mine, {256}, truth(256));
  theirs.join(mine);
  CHECK(theirs.samples() == 503);
  CHECK(theirs.stored_samples() == 300);
  for (const double n : {64.0, 128.0, 256.0}) CHECK(error(theirs, {n}, truth(n)) < 0.02);
  // And it goes on learning a tuple of which the other knew little.
  for (int i = 0; i < 10; ++i) {
    feed(theirs, {256}, truth(256) * noise(random, 0.02));
    CHECK(error(theirs, {256}, truth(256)) < 0.05);
  }
  CHECK(theirs.largest(0) == 256);
}

TEST_CASE("memory is bounded: a hundred thousand tuples leave what a thousand do") {
  KernelModel model({kGemm, {}});
  Random random(22);
  const auto learn = [&](int tuples) {
    for (int i = 0; i < tuples; ++i) {
      const auto p = irregular(random);
      model.learn(p, gemm_ns(p[0], p[1], p[2]));
    }
  };
  using foretask::model::RetainedRows;
  using foretask::model::TupleMeans;
  learn(1000);
  CHECK(model.rows().size() == RetainedRows::kLatest + RetainedRows::kChosen);
  learn(99'000);
  CHECK(model.tuple_means().tuples() <= TupleMeans::kMaxTuples);
  CHECK(model.rows().size() == RetainedRows::kLatest + RetainedRows::kChosen);
}
