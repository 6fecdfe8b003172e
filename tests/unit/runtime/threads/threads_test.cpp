// SPDX-License-Identifier: Apache-2.0
#include "foretask/threads.hpp"

#include <array>
#include <cstdlib>
#include <limits>
#include <stdexcept>

#include "catch.hpp"
#include "runtime/kernels/kernel_registry.hpp"
#include "runtime/threads/team_table.hpp"

using foretask::best_threads;
using foretask::Kernel;
using foretask::Threads;
using foretask::runtime::TeamTable;

namespace {

constexpr int kMax = 4;

TeamTable& table_of(const Kernel& kernel) {
  const std::array<double, FORETASK_MAX_PARAMETERS> ones{1, 1, 1, 1, 1, 1, 1, 1};
  static_cast<void>(  // which makes it
      foretask_threads(kernel.get(), ones.data(), foretask_kernel_parameter_count(kernel.get()) - 1, kMax));
  return *kernel.get()->teams.load();
}

// What is known of a size, without a run of it: for one, two and four threads.
void teach(const Kernel& kernel, double size, std::array<foretask::base::Ticks, 3> ticks) {
  for (std::size_t i = 0; i < ticks.size(); ++i) table_of(kernel).promise(size, 1 << i, ticks[i]);
}

}  // namespace

TEST_CASE("what is known decides on how many threads a run is") {
  const Kernel kernel("threads known", {"n", "threads"});
  teach(kernel, 10, {1'000, 9'000, 9'000});
  teach(kernel, 1e6, {4'000'000, 2'000'000, 1'000'000});
  teach(kernel, 1e3, {8'000, 5'000, 7'000});
  CHECK(best_threads(kernel, kMax, 10) == 1);
  CHECK(best_threads(kernel, kMax, 1e6) == 4);
  CHECK(best_threads(kernel, 2, 1e6) == 2);
  CHECK(best_threads(kernel, kMax, 1e3) == 2);
  const Threads small(kernel, kMax, 10);
  CHECK(small.count() == 1);
  const Threads large(kernel, kMax, 1e6);
  CHECK(large.count() == 4);
}

TEST_CASE("nothing is known: as many threads as are allowed") {
  const Kernel kernel("threads unknown", {"n", "threads"});
  CHECK(best_threads(kernel, 7, 10) == 7);
  CHECK(best_threads(kernel, 1'000'000, 10) == 1'000'000);
  const Threads threads(kernel, 7, 10);
  CHECK(threads.count() == 7);
}

TEST_CASE("a run is timed, and its time is known") {
  const Kernel kernel("threads timed", {"n", "threads"});
  { const Threads first(kernel, 2, 100); }
  CHECK(table_of(kernel).decision(100).most == 0);
  CHECK_FALSE(table_of(kernel).is_new(100, 2));
  for (int i = 0; i < 10'000; ++i) const Threads again(kernel, 2, 100);
  CHECK(table_of(kernel).decision(100).most == 2);
}

TEST_CASE("the size of a run is the product of its parameters") {
  const Kernel kernel("threads product", {"m", "n", "k", "threads"});
  teach(kernel, 1000, {1'000, 9'000, 9'000});
  CHECK(best_threads(kernel, kMax, 10, 10, 10) == 1);
  CHECK(best_threads(kernel, kMax, 1, 1, 1000) == 1);
  const Threads threads(kernel, kMax, 5, 20, 10);
  CHECK(threads.count() == 1);
  // Too large for a product, and no number: nothing is decided.
  CHECK(best_threads(kernel, kMax, 1e300, 10, 10) == kMax);
  CHECK(best_threads(kernel, kMax, std::numeric_limits<double>::quiet_NaN(), 10, 10) == kMax);
  CHECK(best_threads(kernel, kMax, -10, -10, 10) == kMax);
}

TEST_CASE("runs of a kernel with no parameter but the number of threads are of one size") {
  const Kernel kernel("threads alone", {"threads"});
  CHECK(best_threads(kernel, kMax) == kMax);
  teach(kernel, 1, {1'000, 9'000, 9'000});
  CHECK(best_threads(kernel, kMax) == 1);
  const Threads threads(kernel, kMax);
  CHECK(threads.count() == 1);
}

TEST_CASE("sizes that are none get all threads, and nothing is learned") {
  const Kernel kernel("threads bad size", {"n", "threads"});
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double size : {-1.0, -0.0, kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()}) {
    const Threads threads(kernel, kMax, size);
    CHECK(threads.count() == kMax);
    CHECK(best_threads(kernel, kMax, size) == kMax);
  }
  const Threads zero(kernel, kMax, 0);
  CHECK(zero.count() == kMax);
}

TEST_CASE("fewer than one thread is one, and more than there are slots for is bounded") {
  const Kernel kernel("threads bad max", {"n", "threads"});
  for (const int max : {1, 0, -5, std::numeric_limits<int>::min()}) {
    const Threads threads(kernel, max, 10);
    CHECK(threads.count() == 1);
    CHECK(best_threads(kernel, max, 10) == 1);
  }
  const Threads many(kernel, std::numeric_limits<int>::max(), 10);
  CHECK(many.count() == TeamTable::kMostThreads);
}

TEST_CASE("without a kernel, or with other parameters than it has, a run gets all threads") {
  const Threads none(Kernel(nullptr), kMax, 10);
  CHECK(none.count() == kMax);
  CHECK(best_threads(Kernel(nullptr), kMax, 10) == kMax);
  const Kernel kernel("threads without threads", {"n"});
  for (int i = 0; i < 100; ++i) {
    const Threads wrong(kernel, kMax, 10);
    CHECK(wrong.count() == kMax);
  }
  CHECK(best_threads(kernel, kMax, 10) == kMax);
  const Kernel two("threads wrong count", {"m", "n", "threads"});
  CHECK(best_threads(two, kMax, 10) == kMax);
  CHECK(foretask_threads(two.get(), nullptr, 2, kMax) == kMax);
  foretask_threads_run run;
  CHECK(foretask_threads_begin(&run, two.get(), nullptr, 2, kMax) == kMax);
  foretask_threads_end(&run);
  CHECK(foretask_threads_begin(nullptr, two.get(), nullptr, 2, kMax) == kMax);
  foretask_threads_end(nullptr);
}

TEST_CASE("nothing is learned of a run that an exception ends") {
  const Kernel kernel("threads exception", {"n", "threads"});
  try {
    const Threads threads(kernel, 2, 100);
    throw std::runtime_error("the region fails");
  } catch (const std::runtime_error&) {
  }
  CHECK(table_of(kernel).is_new(100, 2));
  // One that begins and ends while another one passes through.
  struct AtEnd {
    const Kernel& kernel;
    ~AtEnd() { const Threads threads(kernel, 2, 100); }
  };
  try {
    const AtEnd at_end{kernel};
    throw std::runtime_error("something else fails");
  } catch (const std::runtime_error&) {
  }
  CHECK_FALSE(table_of(kernel).is_new(100, 2));
}

TEST_CASE("runs within runs are timed apart") {
  const Kernel outer("threads outer", {"n", "threads"});
  const Kernel inner("threads inner", {"n", "threads"});
  {
    const Threads around(outer, 2, 100);
    const Threads within(inner, 2, 100);
  }
  CHECK_FALSE(table_of(outer).is_new(100, 2));
  CHECK_FALSE(table_of(inner).is_new(100, 2));
}

TEST_CASE("numbers of threads that were learned before are known at once") {
  REQUIRE(setenv("FORETASK_HOME", "/dev/null/nowhere", 1) == 0);  // nothing is to be kept
  REQUIRE(foretask_learning_start() == FORETASK_OK);
  const Kernel kernel("threads learned", {"n", "threads"});
  for (int i = 0; i < 100; ++i) {
    REQUIRE(kernel.learn(300.0, 10, 1) == FORETASK_OK);
    REQUIRE(kernel.learn(3'000.0, 10, 2) == FORETASK_OK);
    REQUIRE(kernel.learn(8e6, 1e7, 1) == FORETASK_OK);
    REQUIRE(kernel.learn(5e6, 1e7, 2) == FORETASK_OK);
  }
  REQUIRE(foretask_flush(10'000) == FORETASK_OK);
  CHECK(best_threads(kernel, 2, 10) == 1);
  CHECK(best_threads(kernel, 2, 1e7) == 2);
  const Threads small(kernel, 2, 10);
  CHECK(small.count() == 1);
  const Threads large(kernel, 2, 1e7);
  CHECK(large.count() == 2);
}

TEST_CASE("while it learns, runs are samples of their kernel") {
  REQUIRE(setenv("FORETASK_HOME", "/dev/null/nowhere", 1) == 0);
  REQUIRE(foretask_learning_start() == FORETASK_OK);
  const Kernel kernel("threads sampled", {"n", "threads"});
  { const Threads first(kernel, 2, 100); }
  REQUIRE(foretask_flush(10'000) == FORETASK_OK);
  foretask_prediction prediction = FORETASK_PREDICTION_INIT;
  REQUIRE(foretask_predict(kernel.get(), std::array{100.0, 2.0}.data(), 2, &prediction) == FORETASK_OK);
  CHECK(prediction.samples == 1);
}

// Run with FORETASK=off, in a process of its own (tests/CMakeLists.txt).
TEST_CASE("off, a run gets as many threads as are allowed", "[.][threads off]") {
  const Kernel kernel("threads off", {"n", "threads"});
  for (int i = 0; i < 10; ++i) {
    const Threads threads(kernel, 5, 10);
    CHECK(threads.count() == 5);
  }
  CHECK(best_threads(kernel, 5, 10) == 5);
  CHECK(best_threads(kernel, 0, 10) == 1);
  CHECK(kernel.get()->teams.load() == nullptr);
}
