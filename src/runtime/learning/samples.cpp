// SPDX-License-Identifier: Apache-2.0
// HOT: the C ABI of foretask.h that tasks and schedulers call: samples, scopes, predictions.
#include <atomic>
#include <cmath>
#include <cstdint>
#include <exception>
#include <limits>
#include <string>

#include "base/clock.hpp"
#include "base/messages.hpp"
#include "base/run_aside.hpp"
#include "foretask/foretask.h"
#include "runtime/kernels/kernel_registry.hpp"
#include "runtime/learning/learning.hpp"
#include "runtime/learning/sample_thread.hpp"
#include "runtime/learning/scopes.hpp"
#include "runtime/progress/progress_tasks.hpp"
#include "runtime/recording/activity.hpp"
#include "runtime/recording/annotations.hpp"

namespace {

using foretask::model::all_finite;
using foretask::predict::Sample;
using foretask::runtime::activity_now;
using foretask::runtime::annotation_activity;
using foretask::runtime::first_bits;
using foretask::runtime::kernel_parameter_count;
using foretask::runtime::Learning;
using foretask::runtime::sample_thread;

foretask_status hand_over(std::uint32_t activity, foretask_kernel* kernel, const double* parameters, std::size_t count,
                          double duration_ns) noexcept {
  if (!all_finite({parameters, count}) || !(duration_ns >= 0 && duration_ns <= std::numeric_limits<double>::max())) {
    Learning::instance().count_rejected();
    return FORETASK_NOT_FINITE;
  }
  const foretask::runtime::HandOver section;
  if (!section.has_entered()) [[unlikely]] {
    Learning::instance().count_dropped();
    return FORETASK_DROPPED;
  }
  if ((activity & foretask::runtime::kRecording) != 0)
    foretask::runtime::record_kernel_sample(kernel->id, {parameters, count}, duration_ns);
  if ((activity & foretask::runtime::kLearning) == 0)
    return (activity & foretask::runtime::kRecording) != 0 ? FORETASK_OK : FORETASK_OFF;
  foretask::predict::SampleQueue* queue = sample_thread.queue;
  if (!queue) [[unlikely]] {
    queue = foretask::runtime::open_queue_slow();
    if (!queue) {
      Learning::instance().count_dropped();
      return FORETASK_DROPPED;
    }
  }
  Sample sample;
  sample.kernel = &kernel->learned;
  sample.time = duration_ns;
  sample.worker_class = sample_thread.worker_class;
  sample.parameters = static_cast<std::uint32_t>(count);
  for (std::size_t i = 0; i < count; ++i) sample.values[i] = parameters[i];
  return queue->push(sample) ? FORETASK_OK : FORETASK_DROPPED;
}

// The learner measures its clock when it starts, a recording its own.
foretask::base::TickScale scale_of(std::uint32_t activity) noexcept {
  if ((activity & foretask::runtime::kLearning) != 0) return Learning::instance().scale();
  return foretask::runtime::recording_scale.load(std::memory_order_relaxed);
}

// What a scope's time is without those of the scopes that ended within it: what all scopes of the thread add up to has
// grown by just that. Of the scopes themselves only this one is looked at. Another may be gone, or never end.
std::uint64_t take_own_ticks(const foretask_scope& scope, std::uint64_t ticks) noexcept {
  foretask::runtime::SampleThread& thread = sample_thread;
  // An outer one ended first, so that nothing says what of the time is whose.
  if (scope.depth > thread.depth) [[unlikely]]
    return ticks;
  thread.depth = scope.depth - 1;
  const std::uint64_t inner = thread.scopes_ticks - scope.inner_ticks;
  const std::uint64_t own = ticks > inner ? ticks - inner : 0;
  thread.scopes_ticks += own;
  return own;
}

// It began on another thread, whose scopes may be within it.
foretask_status refuse_stray_slow(const foretask_kernel* kernel) noexcept {
  static constinit std::atomic<bool> was_said{false};
  Learning::instance().count_rejected();
  if (was_said.exchange(true)) return FORETASK_BAD_ARGUMENT;
  static_cast<void>(foretask::base::run_aside([kernel] {
    try {
      foretask::base::warn("a scope of kernel '" + kernel->name +
                           "' ended on another thread than it began on: such samples are dropped");
    } catch (const std::exception&) {
    }
  }));
  return FORETASK_BAD_ARGUMENT;
}

// Whether a prediction can be asked for.
foretask_status check_question(const foretask_kernel* kernel, std::size_t worker_class, const double* parameters,
                               std::size_t count) noexcept {
  if ((activity_now() & foretask::runtime::kLearning) == 0) return FORETASK_OFF;
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

namespace foretask::runtime {

foretask_status end_scope(foretask_scope& scope, std::uint32_t what) noexcept {
  const std::uint64_t ticks = base::ticks_now() - scope.begin_ticks;
  foretask_kernel* const kernel = scope.kernel;
  scope.kernel = nullptr;
  const bool is_stray = scope.thread != sample_thread.number;
  const std::uint64_t own = is_stray ? 0 : take_own_ticks(scope, ticks);
  if ((what & kProgress) != 0) progress_scope_end(kernel, own);
  if (is_stray) [[unlikely]]
    return refuse_stray_slow(kernel);
  const std::size_t count = kernel_parameter_count(kernel);
  if (scope.given != first_bits(count)) {
    Learning::instance().count_rejected();
    return FORETASK_WRONG_COUNT;
  }
  if ((what & ~static_cast<std::uint32_t>(kProgress)) == 0) return FORETASK_OFF;
  return hand_over(what, kernel, scope.parameters, count, scale_of(what).ns(own));
}

}  // namespace foretask::runtime

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

foretask_status foretask_scope_begin(foretask_scope* scope, foretask_kernel* kernel, const double* parameters,
                                     size_t count) {
  if (!scope) return FORETASK_BAD_ARGUMENT;
  scope->kernel = nullptr;
  const std::uint32_t activity = annotation_activity();
  if (activity == 0) return FORETASK_OFF;
  if (!kernel) return FORETASK_NO_KERNEL;
  if (count > kernel_parameter_count(kernel)) return FORETASK_WRONG_COUNT;
  if (count > 0 && !parameters) return FORETASK_BAD_ARGUMENT;
  for (std::size_t i = 0; i < count; ++i) scope->parameters[i] = parameters[i];
  scope->given = first_bits(count);
  scope->kernel = kernel;
  foretask::runtime::SampleThread& thread = sample_thread;
  if (thread.number == 0) [[unlikely]]
    foretask::runtime::number_thread_slow();
  scope->thread = thread.number;
  scope->depth = ++thread.depth;
  scope->inner_ticks = thread.scopes_ticks;
  if ((activity & foretask::runtime::kProgress) != 0) foretask::runtime::progress_scope_begin(kernel);
  scope->begin_ticks = foretask::base::ticks_now();
  return FORETASK_OK;
}

foretask_status foretask_scope_set(foretask_scope* scope, size_t index, double value) {
  if (!scope) return FORETASK_BAD_ARGUMENT;
  if (!scope->kernel) return FORETASK_OFF;
  if (index >= kernel_parameter_count(scope->kernel)) return FORETASK_WRONG_COUNT;
  scope->parameters[index] = value;
  scope->given |= std::uint64_t{1} << index;
  return FORETASK_OK;
}

foretask_status foretask_scope_end(foretask_scope* scope) {
  if (!scope) return FORETASK_BAD_ARGUMENT;
  if (!scope->kernel) return FORETASK_OFF;
  return foretask::runtime::end_scope(*scope, activity_now());
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
  switch (status) {
    case FORETASK_READY:
      return "ready";
    case FORETASK_UNCALIBRATED:
      return "uncalibrated";
    case FORETASK_EXTRAPOLATING:
      return "extrapolating";
    case FORETASK_RANK_DEFICIENT:
      return "rank deficient";
    case FORETASK_STALE:
      return "stale";
    default:
      return "unknown";
  }
}

const char* foretask_model_text(uint32_t model) {
  switch (model) {
    case FORETASK_MODEL_NONE:
      return "none";
    case FORETASK_MODEL_HISTORY:
      return "history";
    case FORETASK_MODEL_LINEAR:
      return "linear";
    case FORETASK_MODEL_SUPPORT_POINTS:
      return "support points";
    case FORETASK_MODEL_CLUSTERS:
      return "clusters";
    case FORETASK_MODEL_POWER:
      return "power";
    case FORETASK_MODEL_LEVEL:
      return "level";
    default:
      return "unknown";
  }
}

}  // extern "C"
