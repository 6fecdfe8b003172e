// SPDX-License-Identifier: Apache-2.0
#include "model/online/tuple_means.hpp"

#include <set>

#include "unit/model/online/feed.hpp"

using namespace foretask::model;
using online_test::noise;
using online_test::Random;
using Tuple = std::vector<double>;

namespace {

constexpr double kNoise = 0.05;
constexpr double kSpike = 100;  // none

constexpr double kLongest = 1e18;  // any

void learn(TupleMeans& history, const Tuple& tuple, double time, double longest = kLongest) {
  history.learn(tuple, time, kNoise, kSpike, longest);
}

// Another process's samples of a tuple.
void join(TupleMeans& history, const Tuple& tuple, int samples, double time, double spike = kSpike) {
  TupleMeans other(tuple.size());
  for (int i = 0; i < samples; ++i) learn(other, tuple, time);
  history.join(tuple, *other.find(tuple), static_cast<std::uint64_t>(samples), spike);
}

}  // namespace

TEST_CASE("a tuple's time is the mean of its samples, others know nothing of it") {
  TupleMeans history(2);
  CHECK_FALSE(history.predict(Tuple{1, 2}).has_value());
  for (const double time : {90.0, 100.0, 110.0, 90.0, 100.0, 110.0, 100.0, 120.0, 80.0}) learn(history, {1, 2}, time);
  CHECK(history.predict(Tuple{1, 2}).value() == Approx(100));
  CHECK_FALSE(history.predict(Tuple{2, 1}).has_value());
  CHECK(history.tuples() == 1);
  CHECK(history.find(Tuple{1, 2})->samples == 9);
}

TEST_CASE("of a tuple's first samples one may be anything") {
  for (int spike = 0; spike < 7; ++spike) {
    CAPTURE(spike);
    TupleMeans history(1);
    for (int i = 0; i < 7; ++i) {
      learn(history, {5}, i == spike ? 1e6 : 99.0 + i % 3);
      if (i >= 2) CHECK(history.predict(Tuple{5}).value() <= 101.001);
    }
  }
}

TEST_CASE("0 and -0 are one parameter, an infinitesimal is another") {
  TupleMeans history(1);
  learn(history, {0.0}, 10);
  learn(history, {-0.0}, 10);
  learn(history, {5e-324}, 20);
  CHECK(history.tuples() == 2);
  CHECK(history.find(Tuple{-0.0})->samples == 2);
}

TEST_CASE("whole numbers, powers of two and multiples of 64 spread over a table") {
  // 500 balls in 2048 bins meet some 443 of them by chance.
  const auto bins = [](auto tuple_of) {
    std::set<std::uint64_t> met;
    for (int i = 0; i < 500; ++i) met.insert(hash_tuple(tuple_of(i)) % 2048);
    return met.size();
  };
  CHECK(bins([](int i) { return Tuple{1.0 + i}; }) > 300);
  CHECK(bins([](int i) { return Tuple{64.0 * i}; }) > 300);
  CHECK(bins([](int i) { return Tuple{std::ldexp(1.0, i - 250)}; }) > 300);
  CHECK(bins([](int i) { return Tuple{512, 512, 1.0 + i}; }) > 300);
  CHECK(bins([](int i) { return Tuple{1.0 + i % 23, 1.0 + i / 23}; }) > 300);
}

TEST_CASE("a thousand tuples are each known by their own mean") {
  TupleMeans history(3);
  const auto tuple = [](int i) { return Tuple{16.0 * (i % 10), 16.0 * (i / 10 % 10), 16.0 * (i / 100)}; };
  for (int round = 0; round < 3; ++round)
    for (int i = 0; i < 1000; ++i) learn(history, tuple(i), 1000.0 + i);
  CHECK(history.tuples() == 1000);
  for (int i = 0; i < 1000; ++i) REQUIRE(history.predict(tuple(i)).value() == Approx(1000 + i));
}

TEST_CASE("past its bound the tuples that are met remain, and every one that is found is right") {
  TupleMeans history(1);
  Random random(1);
  const auto truth = [](double n) { return 7 * n + 3; };
  for (int i = 0; i < 40000; ++i) {
    const double often = random.whole(1, 100);
    const double once = 1000.0 + i;
    learn(history, {often}, truth(often));
    learn(history, {once}, truth(once));
    REQUIRE(history.tuples() <= TupleMeans::kMaxTuples);
  }
  int known = 0;
  for (int n = 1; n <= 100; ++n) known += history.find(Tuple{1.0 * n}) ? 1 : 0;
  CHECK(known >= 95);
  std::size_t found = 0;
  for (int n = 1; n < 41000; ++n) {
    const auto time = history.predict(Tuple{1.0 * n});
    if (!time) continue;
    ++found;
    REQUIRE(*time == Approx(truth(n)));
  }
  CHECK(found == history.tuples());
}

TEST_CASE("a tuple alone that becomes three times as slow is followed, and the others stay") {
  TupleMeans history(1);
  Random random(2);
  for (int i = 0; i < 200; ++i)
    for (const double n : {1.0, 2.0}) learn(history, {n}, 1000 * n * noise(random, kNoise));
  for (int i = 0; i < 20; ++i) {
    const double time = 6000 * noise(random, kNoise);
    // Further off than what is drawn in.
    history.learn(Tuple{2}, time, kNoise, std::log(1.2), kLongest);
  }
  CHECK(history.predict(Tuple{2}).value() == Approx(6000).epsilon(0.05));
  CHECK(history.predict(Tuple{1}).value() == Approx(1000).epsilon(0.03));
}

TEST_CASE("a slow drift of a tuple is followed") {
  TupleMeans history(1);
  Random random(3);
  double level = 1;
  for (int i = 0; i < 10000; ++i) {
    level = 1 + 1e-4 * i;
    learn(history, {1}, 1000 * level * noise(random, kNoise));
  }
  CHECK(history.predict(Tuple{1}).value() == Approx(1000 * level).epsilon(0.03));
}

TEST_CASE("joined tuples are the mean of both, by their weights, and go on being learned") {
  TupleMeans history(1);
  for (int i = 0; i < 10; ++i) learn(history, {1}, 100);
  join(history, {1}, 20, 400);
  CHECK(history.predict(Tuple{1}).value() == Approx(300));
  CHECK(history.find(Tuple{1})->samples == 30);
  // One that only the other knew, of fewer samples than a median needs.
  join(history, {2}, 2, 50);
  CHECK(history.predict(Tuple{2}).value() == 50);
  for (int i = 0; i < 6; ++i) {
    learn(history, {2}, 50);
    CHECK(history.predict(Tuple{2}).value() == Approx(50));
  }
  // And one of which both knew little.
  learn(history, {3}, 80);
  join(history, {3}, 1, 120);
  CHECK(history.predict(Tuple{3}).value() == Approx(100));
  learn(history, {3}, 100);
  CHECK(history.predict(Tuple{3}).value() == Approx(100));
}

TEST_CASE("one sample that the other models call too long is doubted, five in a row are not") {
  TupleMeans history(1);
  constexpr double kFar = 150;
  for (int i = 1; i <= 7; ++i) {
    learn(history, {1}, 5000, kFar);
    CAPTURE(i);
    CHECK(history.find(Tuple{1})->is_believed(kFar) == (i >= 5));
  }
  // Three too long of seven are outliers, and nothing makes a task faster.
  for (const double time : {5000.0, 100.0, 5000.0, 101.0, 99.0, 5000.0, 100.0}) learn(history, {2}, time, kFar);
  CHECK(history.find(Tuple{2})->is_believed(kFar));
  CHECK(history.predict(Tuple{2}).value() == Approx(100).epsilon(0.05));
  learn(history, {3}, 2, kFar);
  CHECK(history.find(Tuple{3})->is_believed(kFar));
  // Four too long of seven are neither: it is not settled before one of them is older than the latest seven.
  for (const double time : {5000.0, 5000.0, 5000.0, 5000.0, 100.0, 100.0, 100.0}) learn(history, {4}, time, kFar);
  CHECK_FALSE(history.find(Tuple{4})->is_believed(kFar));
  CHECK_FALSE(history.find(Tuple{4})->is_settled);
  learn(history, {4}, 100, kFar);
  CHECK(history.find(Tuple{4})->is_settled);
  CHECK(history.predict(Tuple{4}).value() == Approx(100));
}

TEST_CASE("one sample of another process's is drawn in where a tuple is settled, and replaced where it is not") {
  TupleMeans history(1);
  for (int i = 0; i < 7; ++i) learn(history, {1}, 100);
  join(history, {1}, 1, 5000, std::log(1.2));
  CHECK(history.predict(Tuple{1}).value() == Approx(100 + 20.0 / 8));
  learn(history, {2}, 5000);
  join(history, {2}, 7, 100);
  CHECK(history.predict(Tuple{2}).value() == 100);
  CHECK(history.find(Tuple{2})->samples == 8);
}

TEST_CASE("rescaled means are those of a kernel that was always slower") {
  TupleMeans history(1);
  for (int i = 0; i < 3; ++i) learn(history, {1}, 100);
  for (int i = 0; i < 300; ++i) learn(history, {2}, 200);
  history.rescale(2, 4);
  CHECK(history.predict(Tuple{1}).value() == Approx(200));
  CHECK(history.predict(Tuple{2}).value() == Approx(400));
  // What was learned before counts for four samples from now on.
  for (int i = 0; i < 4; ++i) learn(history, {2}, 440);
  CHECK(history.predict(Tuple{2}).value() == Approx(420));
  learn(history, {1}, 200);
  CHECK(history.predict(Tuple{1}).value() == Approx(200));
}
