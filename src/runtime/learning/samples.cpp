// SPDX-License-Identifier: Apache-2.0
// HOT: the C ABI of foretask.h that tasks and schedulers call: samples and predictions.
#include <array>
#include <cstdint>
#include <limits>

#include "foretask/foretask.h"
#include "runtime/kernels/kernel_registry.hpp"
#include "runtime/learning/hand_over.hpp"
#include "runtime/learning/learning.hpp"
#include "runtime/learning/sample_thread.hpp"
#include "runtime/recording/activity.hpp"

namespace {

using foretask::model::all_finite;
using foretask::runtime::activity_now;
using foretask::runtime::annotation_activity;
using foretask::runtime::hand_over;
using foretask::runtime::kernel_parameter_count;
using foretask::runtime::Learning;
using foretask::runtime::sample_thread;

// Whether a prediction can be asked for.
foretask_status check_question(const foretask_kernel* kernel, std::size_t worker_class, const double* parameters,
                               std::size_t count) noexcept {
  const std::uint32_t activity = activity_now();
  if ((activity & foretask::runtime::kKnowsModels) == 0) [[unlikely]]
    if (activity == 0 || !Learning::instance().start_answering()) return FORETASK_OFF;
  if (!kernel) return FORETASK_NO_KERNEL;
  if (worker_class >= foretask::predict::kMaxWorkerClasses) return FORETASK_BAD_ARGUMENT;
  if (count != kernel_parameter_count(kernel)) return FORETASK_WRONG_COUNT;
  if (count > 0 && !parameters) return FORETASK_BAD_ARGUMENT;
  return all_finite({parameters, count}) ? FORETASK_OK : FORETASK_NOT_FINITE;
}

foretask_status predict(const foretask_kernel* kernel, std::size_t worker_class, const double* parameters,
                        std::size_t count, foretask_prediction* prediction) noexcept {
  if (!prediction || prediction->size < sizeof(foretask_prediction)) return FORETASK_BAD_ARGUMENT;
  const foretask_status status = check_question(kernel, worker_class, parameters, count);
  if (status == FORETASK_OK) [[likely]] {
    std::uint64_t samples = 0;
    const foretask::predict::Prediction found = kernel->learned.predict(worker_class, parameters, samples);
    if (samples > 0) [[likely]] {
      prediction->status = static_cast<std::uint32_t>(found.status);
      prediction->model = static_cast<std::uint32_t>(found.kind);
      prediction->nearby = found.nearby;
      prediction->value_ns = found.value;
      prediction->low_ns = found.low;
      prediction->high_ns = found.high;
      prediction->samples = samples;
      return FORETASK_OK;
    }
  }
  prediction->status = FORETASK_UNCALIBRATED;
  prediction->model = FORETASK_MODEL_NONE;
  prediction->nearby = 0;
  prediction->value_ns = std::numeric_limits<double>::quiet_NaN();
  prediction->low_ns = 0;
  prediction->high_ns = std::numeric_limits<double>::infinity();
  prediction->samples = 0;
  return status;
}

foretask_status refuse(double* answer) noexcept {
  if (answer) *answer = std::numeric_limits<double>::quiet_NaN();
  return FORETASK_BAD_ARGUMENT;
}

// A number of the calling thread's worker class that a snapshot answers.
template <typename Ask>
foretask_status ask(const foretask_kernel* kernel, const double* parameters, std::size_t count, double* answer,
                    const Ask& ask) noexcept {
  if (!answer) return FORETASK_BAD_ARGUMENT;
  *answer = std::numeric_limits<double>::quiet_NaN();
  const std::size_t worker_class = sample_thread.worker_class;
  const foretask_status status = check_question(kernel, worker_class, parameters, count);
  if (status == FORETASK_OK) *answer = kernel->learned.ask(worker_class, ask);
  return status;
}

}  // namespace

extern "C" {

foretask_status foretask_learn(foretask_kernel* kernel, const double* parameters, size_t count, double duration_ns) {
  const std::uint32_t activity = annotation_activity();
  if (activity == 0) return FORETASK_OFF;
  if (!kernel) return FORETASK_NO_KERNEL;
  if (count != kernel_parameter_count(kernel)) {
    Learning::instance().count_rejected();
    return FORETASK_WRONG_COUNT;
  }
  if (count > 0 && !parameters) return FORETASK_BAD_ARGUMENT;
  return hand_over(activity, kernel, parameters, count, duration_ns);
}

foretask_status foretask_predict(const foretask_kernel* kernel, const double* parameters, size_t count,
                                 foretask_prediction* prediction) {
  return predict(kernel, sample_thread.worker_class, parameters, count, prediction);
}

foretask_status foretask_predict_on(const foretask_kernel* kernel, int worker_class, const double* parameters,
                                    size_t count, foretask_prediction* prediction) {
  return predict(kernel, static_cast<std::size_t>(worker_class), parameters, count, prediction);
}

foretask_status foretask_predict_many(const foretask_kernel* kernel, const double* parameters, size_t count,
                                      size_t rows, foretask_prediction* predictions) {
  if (rows > 0 && !predictions) return FORETASK_BAD_ARGUMENT;
  foretask_status first = FORETASK_OK;
  for (std::size_t row = 0; row < rows; ++row) {
    const double* const of_row = parameters ? parameters + row * count : nullptr;
    const foretask_status status = predict(kernel, sample_thread.worker_class, of_row, count, &predictions[row]);
    if (first == FORETASK_OK) first = status;
  }
  return first;
}

foretask_status foretask_predict_mean(const foretask_kernel* kernel, const double* parameters, size_t count,
                                      double* mean_ns) {
  return ask(kernel, parameters, count, mean_ns, [&](const auto& known) { return known.mean(parameters); });
}

foretask_status foretask_predict_quantile(const foretask_kernel* kernel, const double* parameters, size_t count,
                                          double probability, double* time_ns) {
  if (!(probability > 0 && probability < 1)) return refuse(time_ns);
  return ask(kernel, parameters, count, time_ns,
             [&](const auto& known) { return known.quantile(parameters, probability); });
}

foretask_status foretask_predict_exceeds(const foretask_kernel* kernel, const double* parameters, size_t count,
                                         double time_ns, double* probability) {
  if (!(time_ns >= 0)) return refuse(probability);
  return ask(kernel, parameters, count, probability,
             [&](const auto& known) { return known.exceeds(parameters, time_ns); });
}

const char* foretask_prediction_status_text(uint32_t status) {
  static constexpr std::array kTexts{"ready", "uncalibrated", "extrapolating", "rank deficient", "stale"};
  static_assert(kTexts.size() == FORETASK_STALE + 1);
  return status < kTexts.size() ? kTexts[status] : "unknown";
}

const char* foretask_model_text(uint32_t model) {
  static constexpr std::array kTexts{"none", "history", "linear", "support points", "clusters", "power", "level"};
  static_assert(kTexts.size() == FORETASK_MODEL_LEVEL + 1);
  return model < kTexts.size() ? kTexts[model] : "unknown";
}

}  // extern "C"
