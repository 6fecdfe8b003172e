// SPDX-License-Identifier: Apache-2.0
// foretask.h in C++20 types, with the same contracts. Header only; throws nothing.
//
//   const foretask::Kernel gemm("gemm", {"m", "n", "k"});
//   { auto task = gemm.scope(m, n, k); ... }                 // in a task's body
//   if (auto next = gemm.predict(m, n, k)) use(next->value_ns);  // in a scheduler
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "foretask/foretask.h"
#include "foretask/openmp.h"

namespace foretask {

using Prediction = foretask_prediction;

template <typename... Values>
concept KernelParameters = sizeof...(Values) <= FORETASK_MAX_PARAMETERS &&
                           (std::is_convertible_v<Values, double> && ...);

// As many as a kernel has; and those that come first. std::dynamic_extent: that is checked when the program runs.
template <std::size_t Count, typename... Values>
concept ParametersOf = KernelParameters<Values...> &&(Count == std::dynamic_extent || sizeof...(Values) == Count);
template <std::size_t Count, typename... Values>
concept FirstParametersOf = KernelParameters<Values...> && sizeof...(Values) <= Count;

// A prediction, or none.
class [[nodiscard]] Predicted : public std::optional<Prediction> {
 public:
  Predicted(foretask_status status, const Prediction& prediction) noexcept : status_(status) {
    if (status == FORETASK_OK && prediction.status != FORETASK_UNCALIBRATED) emplace(prediction);
  }

  // Without a prediction: why there is none. FORETASK_OK: nothing is known of the kernel yet.
  [[nodiscard]] foretask_status status() const noexcept { return status_; }

 private:
  foretask_status status_;
};

// Times a task's body, from construction to destruction on one thread (foretask_scope_begin).
class [[nodiscard]] Scope {
 public:
  template <typename... Values>
  requires KernelParameters<Values...>
  explicit Scope(foretask_kernel* kernel, Values... values) noexcept {
    const std::array<double, sizeof...(Values) + 1> parameters{static_cast<double>(values)...};
    static_cast<void>(foretask_scope_begin(&scope_, kernel, parameters.data(), sizeof...(Values)));
  }
  Scope(foretask_kernel* kernel, std::span<const double> parameters) noexcept {
    static_cast<void>(foretask_scope_begin(&scope_, kernel, parameters.data(), parameters.size()));
  }
  ~Scope() { static_cast<void>(foretask_scope_end(&scope_)); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  // A parameter that only the body knows.
  foretask_status set(std::size_t index, double value) noexcept { return foretask_scope_set(&scope_, index, value); }

  // Ends it here, with the parameters that were not given yet (foretask_scope_end_with).
  template <typename... Values>
  requires KernelParameters<Values...> foretask_status end(Values... rest)
  noexcept {
    const std::array<double, sizeof...(Values) + 1> parameters{static_cast<double>(rest)...};
    return foretask_scope_end_with(&scope_, parameters.data(), sizeof...(Values));
  }

 private:
  foretask_scope scope_;
};

// Times a task that may go on on another thread (foretask_timer_start). Copied with the task; one of the copies goes
// on, and is stopped.
class Timer {
 public:
  // Off.
  Timer() = default;
  Timer(foretask_kernel* kernel, std::span<const double> parameters) noexcept {
    static_cast<void>(foretask_timer_start(&timer_, kernel, parameters.data(), parameters.size()));
  }

  foretask_status pause() noexcept { return foretask_timer_pause(&timer_); }
  foretask_status resume() noexcept { return foretask_timer_resume(&timer_); }

  // With the parameters that were not given when it started.
  template <typename... Values>
  requires KernelParameters<Values...> foretask_status stop(Values... rest)
  noexcept {
    const std::array<double, sizeof...(Values) + 1> parameters{static_cast<double>(rest)...};
    return foretask_timer_stop(&timer_, parameters.data(), sizeof...(Values));
  }

 private:
  foretask_timer timer_{};
};

// Of foretask_kernel_options.
struct KernelOptions {
  const char* terms = nullptr;
  const char* code_version = nullptr;
};

// A handle: copies mean the same kernel. `Count`: how many parameters it has, so that the compiler refuses calls with
// others:
//
//   const foretask::KernelOf gemm("gemm", {"m", "n", "k"});  // KernelOf<3>
//
// Kernel: any number, checked when the program runs. A KernelOf is a Kernel where one is asked for.
template <std::size_t Count>
class KernelOf;
using Kernel = KernelOf<std::dynamic_extent>;

template <std::size_t Count>
class KernelOf {
  // Of an array of names; a kernel without parameters has none.
  static constexpr std::size_t kNames = Count == 0 || Count == std::dynamic_extent ? 1 : Count;

 public:
  using Parameters = std::span<const double, Count>;

  // foretask_kernel_define(). On an error the handle is false, status() says why, and its calls do nothing.
  explicit KernelOf(const std::string& name, std::initializer_list<const char*> parameters = {}) noexcept
      requires(Count == std::dynamic_extent)
      : KernelOf(name.c_str(), std::span(parameters.begin(), parameters.size())) {}
  explicit KernelOf(const std::string& name) noexcept requires(Count == 0)
      : KernelOf(name.c_str(), std::span<const char* const>()) {}
  KernelOf(const std::string& name, const char* const (&parameters)[kNames]) noexcept
      requires(Count != std::dynamic_extent && Count > 0)
      : KernelOf(name.c_str(), std::span<const char* const>(parameters)) {}

  // foretask_kernel_define_with(): an error is not said on stderr.
  KernelOf(const std::string& name, std::initializer_list<const char*> parameters,
           const KernelOptions& options) noexcept requires(Count == std::dynamic_extent)
      : KernelOf(name, std::span(parameters.begin(), parameters.size()), options) {}
  KernelOf(const std::string& name, const char* const (&parameters)[kNames], const KernelOptions& options) noexcept
      requires(Count != std::dynamic_extent && Count > 0)
      : KernelOf(name, std::span<const char* const, Count>(parameters), options) {}
  KernelOf(const std::string& name, std::span<const char* const, Count> parameters,
           const KernelOptions& options) noexcept {
    const foretask_kernel_options all{sizeof all,        name.c_str(),  parameters.data(),
                                      parameters.size(), options.terms, options.code_version};
    kernel_ = foretask_kernel_define_with(&all, &status_);
  }

  explicit KernelOf(foretask_kernel* kernel) noexcept requires(Count == std::dynamic_extent) : kernel_(kernel) {}
  template <std::size_t Other>
  requires(Count == std::dynamic_extent && Other != Count) KernelOf(const KernelOf<Other>& kernel)
  noexcept : kernel_(kernel.get()), status_(kernel.status()) {}

  explicit operator bool() const noexcept { return kernel_ != nullptr; }
  [[nodiscard]] foretask_kernel* get() const noexcept { return kernel_; }
  [[nodiscard]] foretask_status status() const noexcept { return status_; }
  [[nodiscard]] std::string_view name() const noexcept { return kernel_ ? foretask_kernel_name(kernel_) : ""; }

  // Times a task's body; Scope::set() or Scope::end() gives missing parameters.
  template <typename... Values>
  requires FirstParametersOf<Count, Values...> Scope scope(Values... values)
  const noexcept { return Scope(kernel_, values...); }
  [[nodiscard]] Scope scope(Parameters parameters) const noexcept { return Scope(kernel_, parameters); }

  // Times a task that may move between threads; Timer::stop() gives missing parameters.
  template <typename... Values>
  requires FirstParametersOf<Count, Values...>
  [[nodiscard]] Timer timer(Values... values) const noexcept {
    const std::array<double, sizeof...(Values) + 1> parameters{static_cast<double>(values)...};
    return Timer(kernel_, std::span(parameters).first(sizeof...(Values)));
  }

  // Hands over one sample.
  template <typename... Values>
  requires ParametersOf<Count, Values...> foretask_status learn(double duration_ns, Values... values)
  const noexcept {
    const std::array<double, sizeof...(Values) + 1> parameters{static_cast<double>(values)...};
    return foretask_learn(kernel_, parameters.data(), sizeof...(Values), duration_ns);
  }
  foretask_status learn(double duration_ns, Parameters parameters) const noexcept {
    return foretask_learn(kernel_, parameters.data(), parameters.size(), duration_ns);
  }

  // foretask_predict().
  template <typename... Values>
  requires ParametersOf<Count, Values...> Predicted predict(Values... values)
  const noexcept {
    const std::array<double, sizeof...(Values) + 1> parameters{static_cast<double>(values)...};
    return predict(Parameters(parameters.data(), sizeof...(Values)));
  }
  Predicted predict(Parameters parameters) const noexcept {
    Prediction prediction = FORETASK_PREDICTION_INIT;
    const foretask_status status = foretask_predict(kernel_, parameters.data(), parameters.size(), &prediction);
    return {status, prediction};
  }

  // foretask_predict_many(): a row of parameters each, one behind the other; as many rows as predictions.
  foretask_status predict_many(std::span<const double> rows, std::span<Prediction> predictions) const noexcept {
    const std::size_t count = kernel_ ? foretask_kernel_parameter_count(kernel_) : 0;
    if (rows.size() != count * predictions.size()) return FORETASK_WRONG_COUNT;
    for (Prediction& prediction : predictions) prediction = FORETASK_PREDICTION_INIT;
    return foretask_predict_many(kernel_, rows.data(), count, predictions.size(), predictions.data());
  }

  // foretask_predict_mean(), foretask_predict_quantile(), foretask_predict_exceeds(). NaN while there is no prediction.
  template <typename... Values>
  requires ParametersOf<Count, Values...>
  [[nodiscard]] double mean(Values... values) const noexcept {
    const std::array<double, sizeof...(Values) + 1> parameters{static_cast<double>(values)...};
    double mean_ns = kNoTime;
    static_cast<void>(foretask_predict_mean(kernel_, parameters.data(), sizeof...(Values), &mean_ns));
    return mean_ns;
  }
  template <typename... Values>
  requires ParametersOf<Count, Values...>
  [[nodiscard]] double quantile(double probability, Values... values) const noexcept {
    const std::array<double, sizeof...(Values) + 1> parameters{static_cast<double>(values)...};
    double time_ns = kNoTime;
    static_cast<void>(foretask_predict_quantile(kernel_, parameters.data(), sizeof...(Values), probability, &time_ns));
    return time_ns;
  }
  template <typename... Values>
  requires ParametersOf<Count, Values...>
  [[nodiscard]] double exceeds(double time_ns, Values... values) const noexcept {
    const std::array<double, sizeof...(Values) + 1> parameters{static_cast<double>(values)...};
    double probability = kNoTime;
    static_cast<void>(foretask_predict_exceeds(kernel_, parameters.data(), sizeof...(Values), time_ns, &probability));
    return probability;
  }

  // foretask_openmp_next_task().
  template <typename... Values>
  requires FirstParametersOf<Count, Values...> foretask_status next_openmp_task(Values... values)
  const noexcept {
    const std::array<double, sizeof...(Values) + 1> parameters{static_cast<double>(values)...};
    return foretask_openmp_next_task(kernel_, parameters.data(), sizeof...(Values));
  }

 private:
  static constexpr double kNoTime = std::numeric_limits<double>::quiet_NaN();

  KernelOf(const char* name, std::span<const char* const> parameters) noexcept
      : kernel_(foretask_kernel_define(name, parameters.data(), parameters.size())) {
    if (kernel_) return;
    const foretask_kernel_options all{sizeof all, name, parameters.data(), parameters.size(), nullptr, nullptr};
    static_cast<void>(foretask_kernel_define_with(&all, &status_));
  }

  foretask_kernel* kernel_ = nullptr;
  foretask_status status_ = FORETASK_OK;
};

template <std::size_t Count>
KernelOf(const std::string&, const char* const (&)[Count]) -> KernelOf<Count>;
template <std::size_t Count>
KernelOf(const std::string&, const char* const (&)[Count], const KernelOptions&) -> KernelOf<Count>;
KernelOf(const std::string&)->KernelOf<0>;

// Only the time between these two is in a recording's figures: foretask_begin_interest(), foretask_end_interest().
inline foretask_status begin_interest() noexcept { return foretask_begin_interest(); }
inline foretask_status end_interest() noexcept { return foretask_end_interest(); }

using ProgressState = foretask_progress_state;

// How far this run is. Nothing where it is not watched.
[[nodiscard]] inline std::optional<ProgressState> progress() noexcept {
  ProgressState state = FORETASK_PROGRESS_STATE_INIT;
  if (foretask_progress(&state) != FORETASK_OK) return std::nullopt;
  return state;
}

// The input size, "n".
inline foretask_status progress_input(const std::string& name, double value) noexcept {
  return foretask_progress_input(name.c_str(), value);
}

}  // namespace foretask
