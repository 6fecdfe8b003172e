// SPDX-License-Identifier: Apache-2.0
// What is read of a kernel: the model's own answer, an interval that holds, and a status.
#include "predict/online/snapshot.hpp"

#include <limits>

#include "unit/model/online/feed.hpp"

using namespace online_test;
using foretask::predict::Prediction;
using foretask::predict::Snapshot;
using foretask::predict::Status;

namespace {

using Draw = std::vector<double> (*)(Random&);
using Truth = double (*)(const std::vector<double>&);

struct Kernel {
  const char* name;
  KernelShape shape;
  Draw draw;
  Truth truth;
  ModelKind kind;
};

std::vector<double> sizes(Random& random) { return {random.whole(16, 700), random.whole(16, 700)}; }
std::vector<double> tiles(Random& random) { return {64 * random.whole(1, 6), 8}; }
std::vector<double> one(Random& random) { return {std::exp(random.uniform(5, 12.5))}; }
std::vector<double> two_kinds(Random& random) {
  return {random.uniform() < 0.4 ? random.uniform(8000, 9000) : random.uniform(1000, 1900)};
}
std::vector<double> none(Random&) { return {}; }
std::vector<double> six(Random& random) {
  std::vector<double> p;
  for (int i = 0; i < 6; ++i) p.push_back(random.uniform(1, 100));
  return p;
}

const std::vector<Kernel>& kernels() {
  static const std::vector<Kernel> list{
      {"linear", {{"m", "n"}, {}}, sizes, [](const auto& p) { return 900 + 3 * p[0] * p[1]; }, ModelKind::kLinear},
      {"linear, seven terms",
       {{"a", "b", "c", "d", "e", "f"}, {}},
       six,
       [](const auto& p) { return 500 + p[0] + 2 * p[1] + 3 * p[2] + 4 * p[3] + 5 * p[4] + 6 * p[5]; },
       ModelKind::kLinear},
      {"history",
       {{"tile", "kind"}, {}},
       tiles,
       [](const auto& p) { return p[0] == 128 ? 7e5 : 40 * p[0]; },
       ModelKind::kHistory},
      {"support points",
       {{"n"}, {}},
       one,
       [](const auto& p) { return p[0] < 3000    ? p[0]
                                  : p[0] < 40000 ? 4 * p[0]
                                                 : 25 * p[0]; },
       ModelKind::kSupportPoints},
      {"two behaviours",
       {{"n"}, {}},
       two_kinds,
       [](const auto& p) { return p[0] > 5000 ? 9e4 : 4e3; },
       ModelKind::kNone},
      {"level", {{"n"}, {}}, one, [](const auto&) { return 5e4; }, ModelKind::kNone},
      {"no parameters", {{}, {}}, none, [](const auto&) { return 5e4; }, ModelKind::kHistory}};
  return list;
}

std::unique_ptr<KernelModel> fed(const Kernel& kernel, int samples, double deviation = 0.05, std::uint64_t seed = 1) {
  auto model = std::make_unique<KernelModel>(kernel.shape);
  Random random(seed);
  for (int i = 0; i < samples; ++i) {
    const auto p = kernel.draw(random);
    feed(*model, p, kernel.truth(p) * noise(random, deviation));
  }
  return model;
}

Prediction asked(const KernelModel& model, const std::vector<double>& p) {
  return Snapshot::of(model)->predict(p.data());
}

}  // namespace

TEST_CASE("a snapshot answers as the model that it is of") {
  for (const Kernel& kernel : kernels()) {
    CAPTURE(kernel.name);
    const auto model = fed(kernel, 1500);
    const auto snapshot = Snapshot::of(*model);
    CHECK(snapshot->samples() == 1500);
    Random random(2);
    for (int i = 0; i < 100; ++i) {
      const auto p = kernel.draw(random);
      const auto answer = model->predict(p);
      const Prediction read = snapshot->predict(p.data());
      CHECK(read.kind == answer->kind);
      CHECK(read.value == Approx(answer->time).epsilon(1e-12));
      CHECK(read.low < read.value);
      CHECK(read.value < read.high);
      if (kernel.kind != ModelKind::kNone) CHECK(read.kind == kernel.kind);
    }
  }
}

TEST_CASE("92 to 98 of 100 later samples lie in the interval, whatever the kernel and its noise") {
  for (const Kernel& kernel : kernels()) {
    for (const double deviation : {0.02, 0.1, 0.4}) {
      CAPTURE(kernel.name, deviation);
      const auto model = fed(kernel, 1000, deviation, 3);
      Random random(4);
      int inside = 0;
      constexpr int kSamples = 5000;
      auto snapshot = Snapshot::of(*model);
      for (int i = 0; i < kSamples; ++i) {
        const auto p = kernel.draw(random);
        const double time = kernel.truth(p) * noise(random, deviation);
        const Prediction read = snapshot->predict(p.data());
        inside += time >= read.low && time <= read.high ? 1 : 0;
        feed(*model, p, time);
        if (i % 16 == 0) snapshot = Snapshot::of(*model);
      }
      CHECK(inside >= 0.92 * kSamples);
      CHECK(inside <= 0.98 * kSamples);
    }
  }
}

TEST_CASE("the interval holds as well for times that are sometimes much longer") {
  KernelModel model({{"n"}, {}});
  Random random(5);
  int inside = 0;
  for (int i = 0; i < 6000; ++i) {
    const double n = random.whole(100, 1000);
    // A tenth of the tasks is preempted.
    const double time = (500 + 30 * n) * noise(random, 0.03) * (random.uniform() < 0.1 ? random.uniform(1.5, 3) : 1);
    if (i >= 1000) {
      const Prediction read = asked(model, {n});
      inside += time >= read.low && time <= read.high ? 1 : 0;
    }
    feed(model, {n}, time);
  }
  CHECK(inside >= 0.92 * 5000);
  CHECK(inside <= 0.98 * 5000);
}

TEST_CASE("one sample is an answer with a wide interval, further ones make it narrower") {
  KernelModel model({{"n"}, {}});
  Random random(6);
  double width = std::numeric_limits<double>::infinity();
  for (const int samples : {1, 10, 100, 1000}) {
    while (model.samples() < static_cast<std::uint64_t>(samples)) {
      const double n = random.whole(100, 1000);
      feed(model, {n}, (500 + 30 * n) * noise(random, 0.03));
    }
    const Prediction read = asked(model, {500.5});
    CHECK(read.low < read.value);
    CHECK(read.value < read.high);
    const double now = std::log(read.high / read.low);
    CHECK(now < width);
    width = now;
  }
  CHECK(width < 0.2);
}

TEST_CASE("further and further out the interval is wider and wider, and the status says so") {
  for (const char* name : {"linear", "support points"}) {
    CAPTURE(name);
    const Kernel& kernel = *std::find_if(kernels().begin(), kernels().end(),
                                         [name](const Kernel& one) { return std::string(one.name) == name; });
    const auto model = fed(kernel, 1000);
    const auto at = [&](double factor) {
      std::vector<double> p;
      for (std::size_t i = 0; i < kernel.shape.parameters.size(); ++i) p.push_back(factor * model->largest(i));
      return asked(*model, p);
    };
    CHECK(at(0.9).status == Status::kReady);
    CHECK(at(1.05).status == Status::kReady);  // a tenth beyond is not far
    double width = std::log(at(0.9).high / at(0.9).low);
    for (const double factor : {1.5, 3.0, 10.0, 100.0}) {
      CAPTURE(factor);
      const Prediction read = at(factor);
      CHECK(read.status == Status::kExtrapolating);
      CHECK(std::log(read.high / read.low) > width);
      width = std::log(read.high / read.low);
    }
  }
}

TEST_CASE("where the samples cannot tell two parameters apart the status says so") {
  KernelModel model({{"rows", "columns"}, {}});
  Random random(7);
  for (int i = 0; i < 600; ++i) {
    const double n = random.uniform(100, 5000);
    feed(model, {n, n * (1 + 1e-7 * random.uniform(-1, 1))}, (700 + 2.5 * n) * noise(random, 0.03));
  }
  const Prediction read = asked(model, {1000.5, 1000.5});
  REQUIRE(read.kind == ModelKind::kLinear);
  CHECK(read.status == Status::kRankDeficient);
}

TEST_CASE("another version's knowledge is stale until eight samples have come") {
  auto model = fed(kernels()[0], 500);
  model->make_stale();
  Random random(8);
  for (int i = 0; i < 8; ++i) {
    const auto p = sizes(random);
    CHECK(asked(*model, p).status == Status::kStale);
    feed(*model, p, kernels()[0].truth(p));
  }
  CHECK(asked(*model, {100, 100}).status == Status::kReady);
}

TEST_CASE("value, low and high are ordered numbers for any parameters") {
  const double largest = std::numeric_limits<double>::max();
  for (const Kernel& kernel : kernels()) {
    const auto model = fed(kernel, 700);
    const auto snapshot = Snapshot::of(*model);
    for (const double x : {0.0, -0.0, -1.0, -1e18, 5e-324, 1e-9, 1e18, 1e100, 1e150, 1e154, 1e200, largest, -largest}) {
      CAPTURE(kernel.name, x);
      for (std::size_t only = 0; only <= kernel.shape.parameters.size(); ++only) {
        std::vector<double> p(kernel.shape.parameters.size(), x);
        if (only < p.size()) p[only] = 50;
        const Prediction read = snapshot->predict(p.data());
        CHECK(read.value > 0);
        CHECK(std::isfinite(read.value));
        CHECK(read.low >= 0);
        CHECK(read.low <= read.value);
        CHECK(read.high >= read.value);
        CHECK(read.status != Status::kUncalibrated);
      }
    }
  }
}

TEST_CASE("a line that would go below 0 steps aside for a model that does not") {
  KernelModel model({{"n"}, {}});
  Random random(9);
  for (int i = 0; i < 500; ++i) {
    const double n = random.uniform(110, 300);
    feed(model, {n}, 1000 * (n - 100) * noise(random, 0.03));
  }
  const Prediction inside = asked(model, {200});
  const Prediction outside = asked(model, {60});
  CHECK(inside.kind == ModelKind::kLinear);
  CHECK(outside.kind != ModelKind::kLinear);
  CHECK(outside.value > 0);
  CHECK(outside.status == Status::kExtrapolating);
  CHECK(std::log(outside.high / outside.low) > 3 * std::log(inside.high / inside.low));
}

namespace {

// What a kernel of one parameter is told of, each value as often, 5 % of noise.
template <typename Truth>
std::unique_ptr<const Snapshot> of_whole(int from, int to, int samples, Truth truth, Random& random) {
  KernelModel model({.parameters = {"n"}, .terms = {}});
  for (int i = 0; i < samples; ++i) {
    const double n = random.whole(from, to);
    feed(model, {n}, truth(n) * noise(random, 0.05));
  }
  return Snapshot::of(model);
}

}  // namespace

TEST_CASE("exponential growth is known beyond the samples") {
  const auto calls = [](double n) { return 40 + 9 * std::pow(1.618034, n); };
  int held = 0;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    const auto known = of_whole(5, 20, 200, calls, random);
    const std::vector<double> asked{38};
    const Prediction prediction = known->predict(asked.data());
    CHECK(prediction.status == Status::kExtrapolating);
    CHECK(prediction.value > calls(38) / 1.5);
    CHECK(prediction.value < calls(38) * 1.5);
    held += prediction.low <= calls(38) && calls(38) <= prediction.high ? 1 : 0;
  }
  CHECK(held >= 90);
}

TEST_CASE("two levels of a recursion further is an extrapolation") {
  Random random(1);
  const auto known = of_whole(
      5, 20, 200, [](double n) { return 9 * std::pow(1.618034, n); }, random);
  const std::vector<double> asked{22};
  CHECK(known->predict(asked.data()).status == Status::kExtrapolating);
}

TEST_CASE("few samples of exponential growth: the interval knows of it") {
  const auto calls = [](double n) { return 9 * std::pow(1.618034, n); };
  int held = 0;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    const auto known = of_whole(8, 20, 12, calls, random);
    const std::vector<double> asked{30};
    const Prediction prediction = known->predict(asked.data());
    held += prediction.low <= calls(30) && calls(30) <= prediction.high ? 1 : 0;
  }
  CHECK(held >= 90);
}

TEST_CASE("growth that is not exponential has no wider interval") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    const auto cubic = [](double n) { return 1000 + 5 * n * n * n; };
    const auto known = of_whole(10, 100, 200, cubic, random);
    const std::vector<double> asked{200};
    const Prediction prediction = known->predict(asked.data());
    CHECK(prediction.low <= cubic(200));
    CHECK(prediction.high >= cubic(200));
    CHECK(prediction.high < 2 * prediction.value);
  }
}

namespace {

// Kernels of which tasks are held up now and then, by what `delay` draws: the share of the times beyond what was
// learned that lie in their intervals.
template <typename Delay>
double share_in_extrapolations(const Delay& delay) {
  int held = 0;
  int all = 0;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Random random(seed);
    const auto time = [&](double n) { return (2000 + 850 * n) * noise(random, 0.01) + delay(random); };
    KernelModel model({.parameters = {"n"}, .terms = {}});
    for (int i = 0; i < 400; ++i) {
      const double n = random.whole(50, 400);
      feed(model, {n}, time(n));
    }
    for (const double n : {680.0, 740.0, 800.0}) {
      const Prediction prediction = asked(model, {n});
      CAPTURE(seed, n, prediction.low, prediction.value, prediction.high);
      CHECK(prediction.status == Status::kExtrapolating);
      CHECK(prediction.high / prediction.low < 10);
      for (int i = 0; i < 100; ++i) {
        const double next = time(n);
        ++all;
        held += prediction.low <= next && next <= prediction.high ? 1 : 0;
      }
    }
  }
  return static_cast<double>(held) / all;
}

}  // namespace

// One task in ten waits for 4 ms, which do not grow with it: 95 of 100 times lie from some 0.58 ms to 4.6.
TEST_CASE("where many tasks are held up, an extrapolation is as long as what held them up, and no longer") {
  CHECK(share_in_extrapolations(
            [](Random& random) { return random.uniform() < 0.1 ? random.uniform(3.9e6, 4.1e6) : 0; }) >= 0.95);
}

// A time slice of 4 to 20 ms for three tasks in a hundred.
TEST_CASE("tasks that were held up make no extrapolation uncertain") {
  CHECK(share_in_extrapolations(
            [](Random& random) { return random.uniform() < 0.03 ? random.uniform(4e6, 2e7) : 0; }) >= 0.95);
}
