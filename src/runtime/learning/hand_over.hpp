// SPDX-License-Identifier: Apache-2.0
// HOT: a sample on its way from a thread to the learner and into a recording.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "foretask/foretask.h"
#include "runtime/kernels/kernel_registry.hpp"
#include "runtime/learning/learning.hpp"
#include "runtime/learning/sample_thread.hpp"
#include "runtime/recording/activity.hpp"
#include "runtime/recording/annotations.hpp"

namespace foretask::runtime {

// To what is done now (Activity). The kernel has `count` parameters.
inline foretask_status hand_over(std::uint32_t what, foretask_kernel* kernel, const double* parameters,
                                 std::size_t count, double duration_ns) noexcept {
  if (!model::all_finite({parameters, count}) ||
      !(duration_ns >= 0 && duration_ns <= std::numeric_limits<double>::max())) {
    Learning::instance().count_rejected();
    return FORETASK_NOT_FINITE;
  }
  const HandOver section;
  if (!section.has_entered()) [[unlikely]] {
    Learning::instance().count_dropped();
    return FORETASK_DROPPED;
  }
  if ((what & kRecording) != 0) record_kernel_sample(kernel->id, {parameters, count}, duration_ns);
  if ((what & kLearning) == 0) return (what & kRecording) != 0 ? FORETASK_OK : FORETASK_OFF;
  predict::SampleQueue* queue = sample_thread.queue;
  if (!queue) [[unlikely]] {
    queue = open_queue_slow();
    if (!queue) {
      Learning::instance().count_dropped();
      return FORETASK_DROPPED;
    }
  }
  predict::Sample sample;
  sample.kernel = &kernel->learned;
  sample.time = duration_ns;
  sample.worker_class = sample_thread.worker_class;
  sample.parameters = static_cast<std::uint32_t>(count);
  for (std::size_t i = 0; i < count; ++i) sample.values[i] = parameters[i];
  return queue->push(sample) ? FORETASK_OK : FORETASK_DROPPED;
}

// The learner measures its clock when it starts, a recording its own.
[[nodiscard]] inline base::TickScale scale_of(std::uint32_t what) noexcept {
  if ((what & kLearning) != 0) return Learning::instance().scale();
  return recording_scale.load(std::memory_order_relaxed);
}

}  // namespace foretask::runtime
