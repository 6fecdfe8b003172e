// SPDX-License-Identifier: Apache-2.0
// The C ABI of openmp.h: names and parameters of OpenMP tasks, for the learner and for a recording.
#include "foretask/openmp.h"

#include <string_view>

#include "foretask/hook.h"
#include "runtime/kernels/kernel_registry.hpp"
#include "runtime/learning/code_kernels.hpp"
#include "runtime/learning/task_timing.hpp"
#include "runtime/progress/progress_tasks.hpp"
#include "runtime/recording/activity.hpp"
#include "runtime/recording/annotations.hpp"

using foretask::runtime::NextKernel;

namespace {

// What the calling thread has said of the next task that it creates.
NextKernel next_task(std::uint32_t activity) noexcept {
  if ((activity & foretask::runtime::kRecording) != 0) return foretask::runtime::recorded_next_task();
  if ((activity & foretask::runtime::kLearning) != 0) return foretask::runtime::learned_next_task();
  return {foretask::runtime::counted_next_task()};
}

bool has_only_iterations(const foretask_kernel& kernel) noexcept {
  return foretask_kernel_parameter_count(&kernel) == 1 &&
         std::string_view(foretask_kernel_parameter_name(&kernel, 0)) == "iterations";
}

}  // namespace

extern "C" {

foretask_status foretask_openmp_next_task(foretask_kernel* kernel, const double* parameters, size_t count) {
  const std::uint32_t activity = foretask::runtime::annotation_activity();
  if (activity == 0) return FORETASK_OFF;
  if (!kernel) return FORETASK_NO_KERNEL;
  if (count > foretask::runtime::kernel_parameter_count(kernel)) return FORETASK_WRONG_COUNT;
  if (count > 0 && !parameters) return FORETASK_BAD_ARGUMENT;
  if ((activity & foretask::runtime::kRecording) != 0)
    foretask::runtime::record_next_task(kernel, foretask::runtime::kernel_id(kernel), {parameters, count});
  if ((activity & foretask::runtime::kProgress) != 0) foretask::runtime::progress_next_task(kernel);
  foretask_status status = FORETASK_OK;
  if ((activity & foretask::runtime::kLearning) != 0)
    status = foretask::runtime::learn_next_task(kernel, parameters, count);
  return status;
}

foretask_status foretask_openmp_set(size_t index, double value) {
  const std::uint32_t activity = foretask::runtime::annotation_activity();
  if (activity == 0) return FORETASK_OFF;
  if (index >= FORETASK_MAX_PARAMETERS) return FORETASK_WRONG_COUNT;
  if ((activity & foretask::runtime::kRecording) != 0)
    foretask::runtime::record_task_parameter(static_cast<std::uint32_t>(index), value);
  foretask_status status = FORETASK_OK;
  if ((activity & foretask::runtime::kLearning) != 0) status = foretask::runtime::learn_task_parameter(index, value);
  return status;
}

int foretask_hook_next_loop_part(const void* code, foretask_kernel** named) {
  *named = nullptr;
  const std::uint32_t activity = foretask::runtime::activity_now();
  const NextKernel next = next_task(activity);
  if (next.kernel) {
    if (next.has_parameters || !has_only_iterations(*next.kernel)) return 0;
    *named = next.kernel;
    return 1;
  }
  const bool is_recorded = (activity & foretask::runtime::kRecording) != 0;
  if (!is_recorded && (activity & foretask::runtime::kLearning) == 0) return 0;
  foretask_kernel* const kernel = foretask::runtime::kernel_of_code(code, foretask::base::KernelKind::kLoopTasks);
  if (!kernel) return 0;
  if (!is_recorded) static_cast<void>(foretask::runtime::learn_next_task(kernel, nullptr, 0));
  return 1;
}

}  // extern "C"
