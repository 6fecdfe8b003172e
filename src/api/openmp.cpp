// SPDX-License-Identifier: Apache-2.0
// The C ABI of openmp.h: names and parameters of OpenMP tasks, for the learner and for a recording.
#include "foretask/openmp.h"

#include "api/activity.hpp"
#include "api/annotations.hpp"
#include "api/kernel_registry.hpp"
#include "api/progress/progress_tasks.hpp"
#include "api/task_timing.hpp"

extern "C" {

foretask_status foretask_openmp_next_task(foretask_kernel* kernel, const double* parameters, size_t count) {
  const std::uint32_t activity = foretask::api::annotation_activity();
  if (activity == 0) return FORETASK_OFF;
  if (!kernel) return FORETASK_NO_KERNEL;
  if (count > foretask::api::kernel_parameter_count(kernel)) return FORETASK_WRONG_COUNT;
  if (count > 0 && !parameters) return FORETASK_BAD_ARGUMENT;
  if ((activity & foretask::api::kRecording) != 0)
    foretask::api::record_next_task(foretask::api::kernel_id(kernel), {parameters, count});
  if ((activity & foretask::api::kProgress) != 0) foretask::api::progress_next_task(kernel);
  foretask_status status = FORETASK_OK;
  if ((activity & foretask::api::kLearning) != 0) status = foretask::api::learn_next_task(kernel, parameters, count);
  return status;
}

foretask_status foretask_openmp_set(size_t index, double value) {
  const std::uint32_t activity = foretask::api::annotation_activity();
  if (activity == 0) return FORETASK_OFF;
  if (index >= FORETASK_MAX_PARAMETERS) return FORETASK_WRONG_COUNT;
  if ((activity & foretask::api::kRecording) != 0)
    foretask::api::record_task_parameter(static_cast<std::uint32_t>(index), value);
  foretask_status status = FORETASK_OK;
  if ((activity & foretask::api::kLearning) != 0) status = foretask::api::learn_task_parameter(index, value);
  return status;
}

}  // extern "C"
