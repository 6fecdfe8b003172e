// SPDX-License-Identifier: Apache-2.0
// The C interface with the learner on: what each call comes to.
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "foretask/foretask.h"

namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInfinity = std::numeric_limits<double>::infinity();

void begin() {
  // A place where nothing can be: what the tests learn is not to be kept.
  REQUIRE(setenv("FORETASK_HOME", "/dev/null/nowhere", 1) == 0);
  REQUIRE(foretask_learning_start() == FORETASK_OK);
  REQUIRE(foretask_is_learning() == 1);
}

foretask_kernel* kernel(const char* name) {
  const char* parameters[] = {"m", "n"};
  foretask_kernel* const result = foretask_kernel_define(name, parameters, 2);
  REQUIRE(result);
  return result;
}

foretask_learning_stats statistics() {
  foretask_learning_stats stats{};
  stats.size = sizeof stats;
  REQUIRE(foretask_learning_statistics(&stats) == FORETASK_OK);
  return stats;
}

foretask_prediction predict(foretask_kernel* of, double m, double n) {
  const double parameters[] = {m, n};
  foretask_prediction prediction = FORETASK_PREDICTION_INIT;
  REQUIRE(foretask_predict(of, parameters, 2, &prediction) == FORETASK_OK);
  return prediction;
}

void learn(foretask_kernel* of, double m, double n, double time) {
  const double parameters[] = {m, n};
  REQUIRE(foretask_learn(of, parameters, 2, time) == FORETASK_OK);
}

bool is_uncalibrated(const foretask_prediction& prediction) {
  return prediction.status == FORETASK_UNCALIBRATED && prediction.model == FORETASK_MODEL_NONE &&
         std::isnan(prediction.value_ns) && prediction.low_ns == 0 && prediction.high_ns == kInfinity &&
         prediction.samples == 0 && prediction.nearby == 0;
}

// What a handler and the code that it interrupts do: how many samples were taken, and whether all calls came to what
// they may.
struct Interrupted {
  foretask_kernel* usual = nullptr;
  foretask_kernel* of_handler = nullptr;
  std::atomic<std::uint64_t> taken{0};
  std::atomic<std::uint64_t> signals{0};
  std::atomic<bool> is_sane{true};

  void note(foretask_status status) {
    if (status == FORETASK_OK)
      taken.fetch_add(1);
    else if (status != FORETASK_DROPPED)
      is_sane = false;
  }
  void ask(const foretask_kernel* kernel, const double* parameters, std::size_t count, double low, double high) {
    foretask_prediction prediction = FORETASK_PREDICTION_INIT;
    const bool is_asked = foretask_predict(kernel, parameters, count, &prediction) == FORETASK_OK;
    if (!is_asked || (prediction.samples > 0 && !(prediction.value_ns >= low && prediction.value_ns <= high)))
      is_sane = false;
  }
};

Interrupted interrupted;

void handle(int /*signal*/) {
  const double parameters[] = {1, 2};
  foretask_scope scope;
  if (foretask_scope_begin(&scope, interrupted.of_handler, nullptr, 0) != FORETASK_OK) interrupted.is_sane = false;
  interrupted.ask(interrupted.usual, parameters, 2, 999, 1001);
  interrupted.note(foretask_scope_end(&scope));
  for (int i = 0; i < 3; ++i) interrupted.note(foretask_learn(interrupted.of_handler, nullptr, 0, 5000));
  interrupted.signals.fetch_add(1);
}

}  // namespace

TEST_CASE("a kernel without a sample is uncalibrated, with samples it is predicted") {
  begin();
  foretask_kernel* const gemm = kernel("api gemm");
  CHECK(is_uncalibrated(predict(gemm, 64, 64)));
  for (int i = 0; i < 100; ++i) learn(gemm, 64, 64, 5000);
  REQUIRE(foretask_flush(10'000) == FORETASK_OK);
  const foretask_prediction prediction = predict(gemm, 64, 64);
  CHECK(prediction.status == FORETASK_READY);
  CHECK(prediction.model == FORETASK_MODEL_HISTORY);
  CHECK(prediction.value_ns == Approx(5000));
  CHECK(prediction.low_ns <= 5000);
  CHECK(prediction.high_ns >= 5000);
  CHECK(prediction.samples == 100);
  CHECK(prediction.nearby == 100);
}

TEST_CASE("the mean, quantiles and the tail are asked for by functions of their own") {
  begin();
  foretask_kernel* const gemm = kernel("api spread");
  const double asked[] = {64, 64};
  double answer = 0;
  CHECK(foretask_predict_mean(gemm, asked, 2, &answer) == FORETASK_OK);
  CHECK(std::isnan(answer));
  // Nine of ten take 1 us, one takes 11: a mean of 2.
  for (int i = 0; i < 2000; ++i) learn(gemm, 64, 64, i % 10 == 0 ? 11'000 : 1000);
  REQUIRE(foretask_flush(10'000) == FORETASK_OK);
  CHECK(foretask_predict_mean(gemm, asked, 2, &answer) == FORETASK_OK);
  CHECK(answer == Approx(2000).epsilon(0.1));
  CHECK(foretask_predict_quantile(gemm, asked, 2, 0.5, &answer) == FORETASK_OK);
  CHECK(answer == Approx(1000).epsilon(0.05));
  CHECK(foretask_predict_quantile(gemm, asked, 2, 0.97, &answer) == FORETASK_OK);
  CHECK(answer == Approx(11'000).epsilon(0.05));
  CHECK(foretask_predict_exceeds(gemm, asked, 2, 5000, &answer) == FORETASK_OK);
  CHECK(answer == Approx(0.1).margin(0.02));

  CHECK(foretask_predict_quantile(gemm, asked, 2, 0, &answer) == FORETASK_BAD_ARGUMENT);
  CHECK(std::isnan(answer));
  CHECK(foretask_predict_quantile(gemm, asked, 2, kNan, &answer) == FORETASK_BAD_ARGUMENT);
  CHECK(foretask_predict_exceeds(gemm, asked, 2, kNan, &answer) == FORETASK_BAD_ARGUMENT);
  CHECK(foretask_predict_exceeds(gemm, asked, 2, kInfinity, &answer) == FORETASK_OK);
  CHECK(answer < 0.01);
  CHECK(foretask_predict_mean(gemm, asked, 2, nullptr) == FORETASK_BAD_ARGUMENT);
  CHECK(foretask_predict_mean(nullptr, asked, 2, &answer) == FORETASK_NO_KERNEL);
  CHECK(std::isnan(answer));
  CHECK(foretask_predict_mean(gemm, asked, 1, &answer) == FORETASK_WRONG_COUNT);
}

TEST_CASE("many rows are predicted as each by itself") {
  begin();
  foretask_kernel* const many = kernel("samples: many");
  for (int i = 1; i <= 100; ++i) {
    const double parameters[] = {static_cast<double>(i % 10 + 1), 2.0};
    REQUIRE(foretask_learn(many, parameters, 2, 100.0 * (i % 10 + 1)) == FORETASK_OK);
  }
  REQUIRE(foretask_flush(10'000) == FORETASK_OK);
  const double rows[] = {1, 2, 5, 2, 10, 2};
  foretask_prediction predictions[3] = {FORETASK_PREDICTION_INIT, FORETASK_PREDICTION_INIT, FORETASK_PREDICTION_INIT};
  REQUIRE(foretask_predict_many(many, rows, 2, 3, predictions) == FORETASK_OK);
  for (int i = 0; i < 3; ++i) {
    foretask_prediction alone = FORETASK_PREDICTION_INIT;
    REQUIRE(foretask_predict(many, rows + 2 * i, 2, &alone) == FORETASK_OK);
    CHECK(predictions[i].value_ns == alone.value_ns);
    CHECK(predictions[i].high_ns == alone.high_ns);
    CHECK(predictions[i].value_ns == Approx(100 * rows[2 * i]).epsilon(0.05));
  }
  CHECK(foretask_predict_many(many, nullptr, 2, 0, nullptr) == FORETASK_OK);
  CHECK(foretask_predict_many(many, rows, 2, 3, nullptr) == FORETASK_BAD_ARGUMENT);
  CHECK(foretask_predict_many(many, rows, 1, 3, predictions) == FORETASK_WRONG_COUNT);
  CHECK(foretask_predict_many(nullptr, rows, 2, 3, predictions) == FORETASK_NO_KERNEL);
  const double bad[] = {1, kNan, 5, 2};
  CHECK(foretask_predict_many(many, bad, 2, 2, predictions) == FORETASK_NOT_FINITE);
  CHECK(predictions[0].status == FORETASK_UNCALIBRATED);
  CHECK(predictions[1].value_ns == Approx(500).epsilon(0.05));
}

TEST_CASE("a wrong number of parameters, NaN and infinity are refused, counted, and not learned") {
  begin();
  foretask_kernel* const gemm = kernel("api refused");
  const auto before = statistics();
  const double good[] = {1, 2, 3};
  const double bad[][2] = {{kNan, 1}, {1, kNan}, {kInfinity, 1}, {1, -kInfinity}};
  CHECK(foretask_learn(gemm, good, 1, 5) == FORETASK_WRONG_COUNT);
  CHECK(foretask_learn(gemm, good, 3, 5) == FORETASK_WRONG_COUNT);
  CHECK(foretask_learn(gemm, nullptr, 2, 5) == FORETASK_BAD_ARGUMENT);
  CHECK(foretask_learn(nullptr, good, 2, 5) == FORETASK_NO_KERNEL);
  for (const auto& parameters : bad) CHECK(foretask_learn(gemm, parameters, 2, 5) == FORETASK_NOT_FINITE);
  for (const double time : {kNan, kInfinity, -kInfinity, -1.0})
    CHECK(foretask_learn(gemm, good, 2, time) == FORETASK_NOT_FINITE);
  REQUIRE(foretask_flush(10'000) == FORETASK_OK);
  CHECK(statistics().rejected == before.rejected + 10);
  CHECK(statistics().learned == before.learned);
  CHECK(is_uncalibrated(predict(gemm, 1, 2)));

  foretask_prediction prediction = FORETASK_PREDICTION_INIT;
  prediction.value_ns = 7;
  CHECK(foretask_predict(gemm, good, 1, &prediction) == FORETASK_WRONG_COUNT);
  CHECK(is_uncalibrated(prediction));
  for (const auto& parameters : bad) CHECK(foretask_predict(gemm, parameters, 2, &prediction) == FORETASK_NOT_FINITE);
  CHECK(foretask_predict(nullptr, good, 2, &prediction) == FORETASK_NO_KERNEL);
  CHECK(foretask_predict(gemm, nullptr, 2, &prediction) == FORETASK_BAD_ARGUMENT);
  CHECK(foretask_predict(gemm, good, 2, nullptr) == FORETASK_BAD_ARGUMENT);
  for (const int worker_class : {-1, 8, 1 << 30}) {
    prediction.value_ns = 7;
    CHECK(foretask_predict_on(gemm, worker_class, good, 2, &prediction) == FORETASK_BAD_ARGUMENT);
    CHECK(is_uncalibrated(prediction));
  }
  prediction.size = 8;
  CHECK(foretask_predict(gemm, good, 2, &prediction) == FORETASK_BAD_ARGUMENT);
}

TEST_CASE("a kernel without parameters is learned and predicted") {
  begin();
  foretask_kernel* const barrier = foretask_kernel_define("api nothing", nullptr, 0);
  REQUIRE(barrier);
  for (int i = 0; i < 50; ++i) REQUIRE(foretask_learn(barrier, nullptr, 0, 300) == FORETASK_OK);
  REQUIRE(foretask_flush(10'000) == FORETASK_OK);
  foretask_prediction prediction = FORETASK_PREDICTION_INIT;
  REQUIRE(foretask_predict(barrier, nullptr, 0, &prediction) == FORETASK_OK);
  CHECK(prediction.value_ns == Approx(300));
}

TEST_CASE("a kernel is defined once, and a definition that cannot be had says why") {
  begin();
  foretask_kernel* const gemm = kernel("api defined");
  CHECK(kernel("api defined") == gemm);
  CHECK(foretask_kernel_find("api defined") == gemm);
  CHECK(foretask_kernel_find("api nobody") == nullptr);
  CHECK(foretask_kernel_find(nullptr) == nullptr);
  CHECK(std::string(foretask_kernel_name(gemm)) == "api defined");
  CHECK(foretask_kernel_parameter_count(gemm) == 2);
  CHECK(std::string(foretask_kernel_parameter_name(gemm, 1)) == "n");
  CHECK(foretask_kernel_parameter_name(gemm, 2) == nullptr);
  CHECK(foretask_kernel_name(nullptr) == nullptr);
  CHECK(foretask_kernel_parameter_count(nullptr) == 0);

  const char* names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
  const char* twice[] = {"a", "a"};
  const char* null[] = {"a", nullptr};
  const auto outcome = [](const char* name, const char* const* parameters, std::size_t count,
                          const char* terms = nullptr) {
    foretask_kernel_options options{};
    options.size = sizeof options;
    options.name = name;
    options.parameters = parameters;
    options.parameter_count = count;
    options.terms = terms;
    foretask_status status = FORETASK_OK;
    CHECK(foretask_kernel_define_with(&options, &status) == nullptr);
    return status;
  };
  CHECK(outcome("api defined", names, 2) == FORETASK_DUPLICATE);
  CHECK(outcome("api other", twice, 2) == FORETASK_DUPLICATE);
  CHECK(outcome("api other", null, 2) == FORETASK_BAD_ARGUMENT);
  CHECK(outcome("api other", nullptr, 2) == FORETASK_BAD_ARGUMENT);
  CHECK(outcome(nullptr, names, 2) == FORETASK_BAD_ARGUMENT);
  CHECK(outcome("api other", names, 9) == FORETASK_WRONG_COUNT);
  CHECK(outcome("", names, 2) == FORETASK_BAD_NAME);
  CHECK(outcome("a\nb", names, 2) == FORETASK_BAD_NAME);
  CHECK(outcome(std::string(256, 'x').c_str(), names, 2) == FORETASK_BAD_NAME);
  CHECK(outcome("api other", names, 2, "1,x") == FORETASK_BAD_ARGUMENT);
  CHECK(outcome("api other", names, 2, "1,,") == FORETASK_BAD_ARGUMENT);
  foretask_status status = FORETASK_OK;
  CHECK(foretask_kernel_define_with(nullptr, &status) == nullptr);
  CHECK(status == FORETASK_BAD_ARGUMENT);
  foretask_kernel_options old{};
  old.size = 8;
  CHECK(foretask_kernel_define_with(&old, nullptr) == nullptr);
  CHECK(foretask_kernel_find("api other") == nullptr);
  CHECK(foretask_kernel_define("api eight", names, 8) != nullptr);
}

TEST_CASE("classes of workers are made by name, learn apart, and others are refused") {
  begin();
  CHECK(foretask_worker_class("cpu") == 0);
  const int gpu = foretask_worker_class("api gpu");
  REQUIRE(gpu > 0);
  CHECK(foretask_worker_class("api gpu") == gpu);
  CHECK(foretask_worker_class(nullptr) == -1);
  CHECK(foretask_worker_class("") == -1);
  CHECK(foretask_set_worker_class(-1) == FORETASK_BAD_ARGUMENT);
  CHECK(foretask_set_worker_class(gpu + 1) == FORETASK_BAD_ARGUMENT);
  foretask_kernel* const gemm = kernel("api classes");
  std::thread([&] {
    REQUIRE(foretask_set_worker_class(gpu) == FORETASK_OK);
    for (int i = 0; i < 50; ++i) learn(gemm, 64, 64, 10);
  }).join();
  for (int i = 0; i < 50; ++i) learn(gemm, 64, 64, 1000);
  REQUIRE(foretask_flush(10'000) == FORETASK_OK);
  CHECK(predict(gemm, 64, 64).value_ns == Approx(1000));
  const double parameters[] = {64, 64};
  foretask_prediction prediction = FORETASK_PREDICTION_INIT;
  REQUIRE(foretask_predict_on(gemm, gpu, parameters, 2, &prediction) == FORETASK_OK);
  CHECK(prediction.value_ns == Approx(10));
  REQUIRE(foretask_predict_on(gemm, 7, parameters, 2, &prediction) == FORETASK_OK);
  CHECK(is_uncalibrated(prediction));
  // Eight in all.
  int made = 0;
  for (int i = 0; i < 20; ++i) made += foretask_worker_class(("api class " + std::to_string(i)).c_str()) >= 0 ? 1 : 0;
  CHECK(made == FORETASK_MAX_WORKER_CLASSES - 2);
}

TEST_CASE("a scope's time is its own, without those that ran within it") {
  begin();
  foretask_kernel* const outer = kernel("api outer");
  foretask_kernel* const inner = kernel("api inner");
  const double parameters[] = {1, 2};
  using Clock = std::chrono::steady_clock;
  double outer_total = 0;
  double inner_total = 0;
  const auto elapsed = [](Clock::time_point since) {
    return std::chrono::duration<double, std::nano>(Clock::now() - since).count();
  };
  for (int i = 0; i < 9; ++i) {
    const auto begun = Clock::now();
    foretask_scope out;
    foretask_scope in;
    REQUIRE(foretask_scope_begin(&out, outer, parameters, 1) == FORETASK_OK);
    REQUIRE(foretask_scope_set(&out, 1, 2) == FORETASK_OK);
    const auto before_inner = Clock::now();
    REQUIRE(foretask_scope_begin(&in, inner, parameters, 2) == FORETASK_OK);
    const auto in_inner = Clock::now();
    double least = 0;
    while ((least = elapsed(in_inner)) < 3e6) {
    }
    REQUIRE(foretask_scope_end(&in) == FORETASK_OK);
    inner_total += elapsed(before_inner);
    REQUIRE(foretask_scope_end(&out) == FORETASK_OK);
    // At most this, wherever the thread was stopped: the inner one took `least` or more.
    outer_total += elapsed(begun) - least;
  }
  REQUIRE(foretask_flush(10'000) == FORETASK_OK);
  // The inner one's is at least what it waited for. No mean is more than the sum of all nine, whatever came between.
  CHECK(predict(inner, 1, 2).value_ns > 2.9e6);
  CHECK(predict(inner, 1, 2).value_ns < inner_total);
  CHECK(predict(outer, 1, 2).value_ns < outer_total);
}

TEST_CASE("scopes that are not whole, not begun or ended out of order harm nobody") {
  begin();
  foretask_kernel* const gemm = kernel("api scopes");
  const double parameters[] = {1, 2, 3};
  foretask_scope scope;
  CHECK(foretask_scope_begin(nullptr, gemm, parameters, 2) == FORETASK_BAD_ARGUMENT);
  CHECK(foretask_scope_begin(&scope, nullptr, parameters, 2) == FORETASK_NO_KERNEL);
  CHECK(foretask_scope_end(&scope) == FORETASK_OFF);
  CHECK(foretask_scope_begin(&scope, gemm, parameters, 3) == FORETASK_WRONG_COUNT);
  CHECK(foretask_scope_end(&scope) == FORETASK_OFF);
  CHECK(foretask_scope_begin(&scope, gemm, nullptr, 2) == FORETASK_BAD_ARGUMENT);
  const auto before = statistics();
  REQUIRE(foretask_scope_begin(&scope, gemm, parameters, 1) == FORETASK_OK);
  CHECK(foretask_scope_set(&scope, 2, 1) == FORETASK_WRONG_COUNT);
  CHECK(foretask_scope_end(&scope) == FORETASK_WRONG_COUNT);
  CHECK(foretask_scope_end(&scope) == FORETASK_OFF);
  REQUIRE(foretask_scope_begin(&scope, gemm, parameters, 1) == FORETASK_OK);
  CHECK(foretask_scope_set(&scope, 1, kNan) == FORETASK_OK);
  CHECK(foretask_scope_end(&scope) == FORETASK_NOT_FINITE);
  CHECK(statistics().rejected == before.rejected + 2);

  // The outer one ends first, and is gone when the inner one ends.
  foretask_scope last;
  {
    std::vector<foretask_scope> first(1);
    REQUIRE(foretask_scope_begin(&first[0], gemm, parameters, 2) == FORETASK_OK);
    REQUIRE(foretask_scope_begin(&last, gemm, parameters, 2) == FORETASK_OK);
    CHECK(foretask_scope_end(&first[0]) == FORETASK_OK);
  }
  CHECK(foretask_scope_end(&last) == FORETASK_OK);
  REQUIRE(foretask_flush(10'000) == FORETASK_OK);
  CHECK(statistics().learned == before.learned + 2);
}

TEST_CASE("a scope that ends on another thread is refused, and no later one pays for it") {
  begin();
  foretask_kernel* const strays = kernel("api strays");
  foretask_kernel* const outer = kernel("api around strays");
  const double parameters[] = {1, 2};
  const auto before = statistics();
  // As in a task's memory, which is used anew once the task is over.
  std::vector<foretask_scope> memory(1);
  foretask_scope around;
  REQUIRE(foretask_scope_begin(&around, outer, parameters, 2) == FORETASK_OK);
  REQUIRE(foretask_scope_begin(&memory[0], strays, parameters, 2) == FORETASK_OK);
  foretask_status ended = FORETASK_OK;
  std::thread([&] {
    foretask_scope own;
    REQUIRE(foretask_scope_begin(&own, outer, parameters, 2) == FORETASK_OK);
    ended = foretask_scope_end(&memory[0]);
    CHECK(foretask_scope_end(&own) == FORETASK_OK);
  }).join();
  CHECK(ended == FORETASK_BAD_ARGUMENT);
  std::memset(memory.data(), 0xA5, sizeof(foretask_scope));
  const std::vector<foretask_scope> as_it_was = memory;
  foretask_scope later;
  REQUIRE(foretask_scope_begin(&later, strays, parameters, 2) == FORETASK_OK);
  CHECK(foretask_scope_end(&later) == FORETASK_OK);
  CHECK(foretask_scope_end(&around) == FORETASK_OK);
  CHECK(std::memcmp(memory.data(), as_it_was.data(), sizeof(foretask_scope)) == 0);
  REQUIRE(foretask_flush(10'000) == FORETASK_OK);
  CHECK(statistics().learned == before.learned + 3);
  CHECK(statistics().rejected == before.rejected + 1);
}

TEST_CASE("a scope that never ends counts for nobody, and those around it are told apart all the same") {
  begin();
  foretask_kernel* const left = kernel("api left");
  foretask_kernel* const first = kernel("api first");
  foretask_kernel* const second = kernel("api second");
  const double parameters[] = {1, 2};
  using Clock = std::chrono::steady_clock;
  const auto elapsed = [](Clock::time_point since) {
    return std::chrono::duration<double, std::nano>(Clock::now() - since).count();
  };
  double second_total = 0;
  for (int i = 0; i < 9; ++i) {
    foretask_scope outermost;
    foretask_scope middle;
    foretask_scope innermost;
    const auto begun = Clock::now();
    REQUIRE(foretask_scope_begin(&outermost, second, parameters, 2) == FORETASK_OK);
    const auto between = Clock::now();
    REQUIRE(foretask_scope_begin(&middle, first, parameters, 2) == FORETASK_OK);
    REQUIRE(foretask_scope_begin(&innermost, left, parameters, 2) == FORETASK_OK);
    while (elapsed(between) < 3e6) {
    }
    REQUIRE(foretask_scope_end(&middle) == FORETASK_OK);
    const double within = elapsed(between);
    REQUIRE(foretask_scope_end(&outermost) == FORETASK_OK);
    second_total += elapsed(begun) - within;
  }
  REQUIRE(foretask_flush(10'000) == FORETASK_OK);
  CHECK(is_uncalibrated(predict(left, 1, 2)));
  CHECK(predict(first, 1, 2).value_ns > 2.9e6);
  CHECK(predict(second, 1, 2).value_ns < second_total);
}

TEST_CASE("parameters that are known at the end only are given there") {
  begin();
  foretask_kernel* const late = kernel("api late parameters");
  const double both[] = {3, 4};
  const auto before = statistics();
  foretask_scope scope;
  // None, the first one, the second one and both given before.
  REQUIRE(foretask_scope_begin(&scope, late, nullptr, 0) == FORETASK_OK);
  CHECK(foretask_scope_end_with(&scope, both, 2) == FORETASK_OK);
  REQUIRE(foretask_scope_begin(&scope, late, both, 1) == FORETASK_OK);
  CHECK(foretask_scope_end_with(&scope, both + 1, 1) == FORETASK_OK);
  REQUIRE(foretask_scope_begin(&scope, late, nullptr, 0) == FORETASK_OK);
  REQUIRE(foretask_scope_set(&scope, 1, 4) == FORETASK_OK);
  CHECK(foretask_scope_end_with(&scope, both, 1) == FORETASK_OK);
  REQUIRE(foretask_scope_begin(&scope, late, both, 2) == FORETASK_OK);
  CHECK(foretask_scope_end_with(&scope, nullptr, 0) == FORETASK_OK);
  REQUIRE(foretask_flush(10'000) == FORETASK_OK);
  CHECK(statistics().learned == before.learned + 4);
  CHECK(predict(late, 3, 4).nearby == 4);
  // Too few, too many, none.
  REQUIRE(foretask_scope_begin(&scope, late, nullptr, 0) == FORETASK_OK);
  CHECK(foretask_scope_end_with(&scope, both, 1) == FORETASK_WRONG_COUNT);
  REQUIRE(foretask_scope_begin(&scope, late, both, 1) == FORETASK_OK);
  CHECK(foretask_scope_end_with(&scope, both, 2) == FORETASK_WRONG_COUNT);
  REQUIRE(foretask_scope_begin(&scope, late, both, 1) == FORETASK_OK);
  CHECK(foretask_scope_end_with(&scope, nullptr, 1) == FORETASK_WRONG_COUNT);
  CHECK(foretask_scope_end_with(&scope, nullptr, 0) == FORETASK_OFF);
  CHECK(foretask_scope_end_with(nullptr, nullptr, 0) == FORETASK_BAD_ARGUMENT);
  CHECK(statistics().rejected == before.rejected + 3);
}

TEST_CASE("signal handlers predict and hand over samples, whatever they interrupt") {
  begin();
  interrupted.usual = kernel("api interrupted");
  interrupted.of_handler = foretask_kernel_define("api handler", nullptr, 0);
  REQUIRE(interrupted.of_handler);
  const auto before = statistics();
  struct sigaction action {};
  action.sa_handler = handle;
  REQUIRE(sigaction(SIGUSR2, &action, nullptr) == 0);
  std::atomic<bool> is_over{false};
  std::thread working([&] {
    const double parameters[] = {1, 2};
    while (interrupted.signals < 20'000) {
      for (int i = 0; i < 200; ++i) interrupted.note(foretask_learn(interrupted.usual, parameters, 2, 1000));
      interrupted.ask(interrupted.usual, parameters, 2, 999, 1001);
      interrupted.ask(interrupted.of_handler, nullptr, 0, 1, 1e9);
    }
    is_over = true;
    // No signal is on its way to a thread that has ended.
    while (is_over) std::this_thread::yield();
  });
  while (!is_over) pthread_kill(working.native_handle(), SIGUSR2);
  is_over = false;
  working.join();
  REQUIRE(foretask_flush(10'000) == FORETASK_OK);
  CHECK(interrupted.is_sane);
  CHECK(statistics().learned == before.learned + interrupted.taken);
  CHECK(statistics().rejected == before.rejected);
  CHECK(predict(interrupted.usual, 1, 2).value_ns == Approx(1000));
}

TEST_CASE("what cannot be saved is said, and what was learned remains") {
  begin();
  foretask_kernel* const gemm = kernel("api unsaved");
  for (int i = 0; i < 20; ++i) learn(gemm, 3, 4, 700);
  CHECK(foretask_save() == FORETASK_NOT_SAVED);
  CHECK(predict(gemm, 3, 4).value_ns == Approx(700));
  CHECK(foretask_load() == FORETASK_OK);
  CHECK(predict(gemm, 3, 4).value_ns == Approx(700));
}

TEST_CASE("every status and model has a text of its own") {
  std::vector<std::string> texts;
  for (int i = 0; i <= FORETASK_TIMED_OUT; ++i)
    texts.emplace_back(foretask_status_text(static_cast<foretask_status>(i)));
  for (std::uint32_t i = 0; i <= FORETASK_STALE; ++i) texts.emplace_back(foretask_prediction_status_text(i));
  for (std::uint32_t i = 0; i <= FORETASK_MODEL_LEVEL; ++i) texts.emplace_back(foretask_model_text(i));
  std::sort(texts.begin(), texts.end());
  CHECK(std::unique(texts.begin(), texts.end()) == texts.end());
  CHECK(std::find(texts.begin(), texts.end(), "unknown") == texts.end());
  CHECK(std::string(foretask_status_text(static_cast<foretask_status>(15))) == "unknown");
  CHECK(std::string(foretask_model_text(99)) == "unknown");
  CHECK(std::string(foretask_prediction_status_text(99)) == "unknown");
}
