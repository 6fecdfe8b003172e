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

// Times a task's body, from construction to destruction on one thread (foretask_scope_begin).
class [[nodiscard]] Scope {
 public:
  template <typename... Values>
  requires KernelParameters<Values...>
  explicit Scope(foretask_kernel* kernel, Values... values) noexcept {
    const std::array<double, sizeof...(Values) + 1> parameters{static_cast<double>(values)...};
    static_cast<void>(foretask_scope_begin(&scope_, kernel, parameters.data(), sizeof...(Values)));
  }
  ~Scope() { static_cast<void>(foretask_scope_end(&scope_)); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  // A parameter that only the body knows.
  foretask_status set(std::size_t index, double value) noexcept { return foretask_scope_set(&scope_, index, value); }

 private:
  foretask_scope scope_;
};

// A handle: copies mean the same kernel.
class Kernel {
 public:
  // foretask_kernel_define(). On an error the handle is false, and its calls do nothing.
  explicit Kernel(const std::string& name, std::initializer_list<const char*> parameters = {}) noexcept
      : kernel_(foretask_kernel_define(name.c_str(), parameters.begin(), parameters.size())) {}
  explicit Kernel(foretask_kernel* kernel) noexcept : kernel_(kernel) {}

  explicit operator bool() const noexcept { return kernel_ != nullptr; }
  [[nodiscard]] foretask_kernel* get() const noexcept { return kernel_; }
  [[nodiscard]] std::string_view name() const noexcept { return kernel_ ? foretask_kernel_name(kernel_) : ""; }

  // Times a task's body; Scope::set() gives missing parameters.
  template <typename... Values>
  requires KernelParameters<Values...> Scope scope(Values... values)
  const noexcept { return Scope(kernel_, values...); }

  // Hands over one sample.
  template <typename... Values>
  requires KernelParameters<Values...> foretask_status learn(double duration_ns, Values... values)
  const noexcept {
    const std::array<double, sizeof...(Values) + 1> parameters{static_cast<double>(values)...};
    return foretask_learn(kernel_, parameters.data(), sizeof...(Values), duration_ns);
  }

  // Nothing while there is no prediction.
  template <typename... Values>
  requires KernelParameters<Values...>
  [[nodiscard]] std::optional<Prediction> predict(Values... values) const noexcept {
    const std::array<double, sizeof...(Values) + 1> parameters{static_cast<double>(values)...};
    return predict(std::span(parameters).first(sizeof...(Values)));
  }
  [[nodiscard]] std::optional<Prediction> predict(std::span<const double> parameters) const noexcept {
    Prediction prediction = FORETASK_PREDICTION_INIT;
    const foretask_status status = foretask_predict(kernel_, parameters.data(), parameters.size(), &prediction);
    if (status != FORETASK_OK || prediction.status == FORETASK_UNCALIBRATED) return std::nullopt;
    return prediction;
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
  requires KernelParameters<Values...>
  [[nodiscard]] double mean(Values... values) const noexcept {
    const std::array<double, sizeof...(Values) + 1> parameters{static_cast<double>(values)...};
    double mean_ns = kNoTime;
    static_cast<void>(foretask_predict_mean(kernel_, parameters.data(), sizeof...(Values), &mean_ns));
    return mean_ns;
  }
  template <typename... Values>
  requires KernelParameters<Values...>
  [[nodiscard]] double quantile(double probability, Values... values) const noexcept {
    const std::array<double, sizeof...(Values) + 1> parameters{static_cast<double>(values)...};
    double time_ns = kNoTime;
    static_cast<void>(foretask_predict_quantile(kernel_, parameters.data(), sizeof...(Values), probability, &time_ns));
    return time_ns;
  }
  template <typename... Values>
  requires KernelParameters<Values...>
  [[nodiscard]] double exceeds(double time_ns, Values... values) const noexcept {
    const std::array<double, sizeof...(Values) + 1> parameters{static_cast<double>(values)...};
    double probability = kNoTime;
    static_cast<void>(foretask_predict_exceeds(kernel_, parameters.data(), sizeof...(Values), time_ns, &probability));
    return probability;
  }

  // foretask_openmp_next_task().
  template <typename... Values>
  requires KernelParameters<Values...> foretask_status next_openmp_task(Values... values)
  const noexcept {
    const std::array<double, sizeof...(Values) + 1> parameters{static_cast<double>(values)...};
    return foretask_openmp_next_task(kernel_, parameters.data(), sizeof...(Values));
  }

 private:
  static constexpr double kNoTime = std::numeric_limits<double>::quiet_NaN();

  foretask_kernel* kernel_ = nullptr;
};

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
