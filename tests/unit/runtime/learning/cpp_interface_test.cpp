// SPDX-License-Identifier: Apache-2.0
// foretask.hpp: kernels whose number of parameters is known, options, spans, timers, and why there is no prediction.
#include <array>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "catch.hpp"
#include "foretask/foretask.hpp"

namespace {

template <typename Kernel, typename... Values>
concept Asks = requires(const Kernel& kernel, Values... values) {
  kernel.predict(values...);
};
template <typename Kernel, typename... Values>
concept Learns = requires(const Kernel& kernel, Values... values) {
  kernel.learn(1.0, values...);
};
template <typename Kernel, typename... Values>
concept Begins = requires(const Kernel& kernel, Values... values) {
  kernel.scope(values...);
};

using Two = foretask::KernelOf<2>;
static_assert(Asks<Two, int, double> && !Asks<Two, int> && !Asks<Two, int, int, int>);
static_assert(Learns<Two, int, double> && !Learns<Two, int> && !Learns<Two, int, int, int>);
// The end may give the others.
static_assert(Begins<Two> && Begins<Two, int> && Begins<Two, int, int> && !Begins<Two, int, int, int>);
static_assert(Asks<foretask::Kernel, int> && Asks<foretask::Kernel, int, int, int>);
static_assert(std::is_convertible_v<Two, foretask::Kernel> && !std::is_convertible_v<foretask::Kernel, Two>);

void begin() {
  REQUIRE(setenv("FORETASK_HOME", "/dev/null/nowhere", 1) == 0);
  REQUIRE(foretask_learning_start() == FORETASK_OK);
}

std::string_view name_of(const foretask::Kernel& kernel) { return kernel.name(); }

}  // namespace

TEST_CASE("a kernel knows its number of parameters by the list of their names") {
  begin();
  const foretask::KernelOf both("cpp both", {"m", "n"});
  const foretask::KernelOf none("cpp none");
  static_assert(std::is_same_v<decltype(both), const foretask::KernelOf<2>>);
  static_assert(std::is_same_v<decltype(none), const foretask::KernelOf<0>>);
  CHECK(name_of(both) == "cpp both");
  CHECK(foretask_kernel_parameter_count(both.get()) == 2);
  CHECK(foretask_kernel_parameter_count(none.get()) == 0);
  CHECK(both.learn(500, 1, 2) == FORETASK_OK);
  CHECK(none.learn(700) == FORETASK_OK);
  const std::array<double, 2> parameters{1, 2};
  CHECK(both.learn(500, parameters) == FORETASK_OK);
  REQUIRE(foretask_flush(10'000) == FORETASK_OK);
  CHECK(both.predict(1, 2)->value_ns == Approx(500));
  CHECK(both.predict(parameters)->samples == 2);
  CHECK(none.predict()->value_ns == Approx(700));
}

TEST_CASE("a kernel has options, and says why it is none") {
  begin();
  const std::vector<const char*> names{"m", "n"};
  const foretask::Kernel spans("cpp options", names, {.terms = "1,m*n", .code_version = "v1"});
  CHECK(spans);
  CHECK(spans.status() == FORETASK_OK);
  CHECK(std::string_view(foretask_kernel_parameter_name(spans.get(), 1)) == "n");
  const foretask::KernelOf terms("cpp terms", {"m"}, {.terms = "1,q"});
  CHECK_FALSE(terms);
  CHECK(terms.status() == FORETASK_BAD_ARGUMENT);
  const foretask::Kernel other("cpp options", {"m"});
  CHECK_FALSE(other);
  CHECK(other.status() == FORETASK_DUPLICATE);
  CHECK(foretask::Kernel("", {"m"}).status() == FORETASK_BAD_NAME);
}

TEST_CASE("where there is no prediction its status says why") {
  begin();
  const foretask::Kernel kernel("cpp errors", {"m"});
  const foretask::Predicted unknown = kernel.predict(1);
  CHECK_FALSE(unknown.has_value());
  CHECK(unknown.status() == FORETASK_OK);
  CHECK(kernel.predict(1, 2).status() == FORETASK_WRONG_COUNT);
  CHECK(kernel.predict(std::numeric_limits<double>::infinity()).status() == FORETASK_NOT_FINITE);
  CHECK(foretask::Kernel("", {"m"}).predict(1).status() == FORETASK_NO_KERNEL);
  CHECK(kernel.learn(900, 1) == FORETASK_OK);
  REQUIRE(foretask_flush(10'000) == FORETASK_OK);
  // As it was used before it had a status.
  const std::optional<foretask::Prediction> optional = kernel.predict(1);
  REQUIRE(optional);
  CHECK(optional->value_ns == Approx(900));
  if (auto next = kernel.predict(1)) CHECK((*next).samples == 1);
  CHECK(kernel.predict(1).status() == FORETASK_OK);
}

TEST_CASE("scopes and timers take the parameters that only their end knows") {
  begin();
  const foretask::KernelOf kernel("cpp ends", {"rows", "iterations"});
  {
    auto task = kernel.scope(8);
    CHECK(task.end(3) == FORETASK_OK);
    CHECK(task.end(3) == FORETASK_OFF);
  }
  { auto task = kernel.scope(std::array<double, 2>{8, 3}); }
  // In a task's memory, which outlives the call that began it.
  auto timer = std::make_unique<foretask::Timer>(kernel.timer(8));
  CHECK(timer->pause() == FORETASK_OK);
  CHECK(timer->resume() == FORETASK_OK);
  CHECK(timer->stop(3) == FORETASK_OK);
  CHECK(foretask::Timer().stop() == FORETASK_OFF);
  REQUIRE(foretask_flush(10'000) == FORETASK_OK);
  const auto known = kernel.predict(8, 3);
  REQUIRE(known);
  CHECK(known->nearby == 3);
}
