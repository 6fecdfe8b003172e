// SPDX-License-Identifier: Apache-2.0
// The C ABI of openmp.h: what is said of the next OpenMP task, for what follows tasks and for a recording.
#include "foretask/openmp.h"

#include <string_view>

#include "foretask/hook.h"
#include "runtime/kernels/kernel_registry.hpp"
#include "runtime/learning/code_kernels.hpp"
#include "runtime/recording/activity.hpp"
#include "runtime/recording/annotations.hpp"
#include "runtime/recording/next_task.hpp"

using foretask::runtime::next_task;

namespace {

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
  next_task.set(kernel, foretask::runtime::kernel_id(kernel), parameters, count);
  if ((activity & foretask::runtime::kRecording) != 0) foretask::runtime::record_next_task();
  next_task.is_for_followers = (activity & foretask::runtime::kFollows) != 0;
  return FORETASK_OK;
}

int foretask_hook_next_loop_part(const void* code, foretask_kernel** named) {
  *named = nullptr;
  if (next_task.is_for_followers || foretask::runtime::is_next_task_recorded()) {
    if (next_task.count != 0 || !has_only_iterations(*next_task.kernel)) return 0;
    *named = next_task.kernel;
    return 1;
  }
  const std::uint32_t activity = foretask::runtime::activity_now();
  if ((activity & (foretask::runtime::kRecording | foretask::runtime::kLearning)) == 0) return 0;
  foretask_kernel* const kernel = foretask::runtime::kernel_of_code(code, foretask::base::KernelKind::kLoopTasks);
  if (!kernel) return 0;
  if ((activity & foretask::runtime::kLearning) != 0) {
    next_task.set(kernel, foretask::runtime::kernel_id(kernel), nullptr, 0);
    next_task.is_for_followers = true;
  }
  return 1;
}

}  // extern "C"
