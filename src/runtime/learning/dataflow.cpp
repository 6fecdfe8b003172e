// SPDX-License-Identifier: Apache-2.0
// HOT: the C ABI of dataflow.h, for a recording and for the learner.
#include "foretask/dataflow.h"

#include <cstdint>
#include <span>

#include "runtime/kernels/kernel_registry.hpp"
#include "runtime/learning/scopes.hpp"
#include "runtime/recording/activity.hpp"
#include "runtime/recording/annotations.hpp"
#include "runtime/recording/next_task.hpp"
#include "runtime/recording/open_tasks.hpp"
#include "runtime/recording/recorded_thread.hpp"

namespace {

using foretask::runtime::annotation_activity;
using foretask::runtime::OpenTask;

bool is_range(const foretask_access& access) noexcept {
  if (access.kind < FORETASK_IN || access.kind > FORETASK_INOUT) return false;
  const auto address = reinterpret_cast<std::uintptr_t>(access.address);
  return access.bytes == 0 || (address != 0 && address + (access.bytes - 1) >= address);
}

foretask_status check(const foretask_kernel* kernel, const double* parameters, std::size_t count,
                      const foretask_access* accesses, std::size_t access_count) noexcept {
  if (!kernel) return FORETASK_NO_KERNEL;
  if (count > foretask::runtime::kernel_parameter_count(kernel)) return FORETASK_WRONG_COUNT;
  if ((count > 0 && !parameters) || (access_count > 0 && !accesses)) return FORETASK_BAD_ARGUMENT;
  for (const foretask_access& access : std::span(accesses, access_count))
    if (!is_range(access)) return FORETASK_BAD_ARGUMENT;
  return FORETASK_OK;
}

}  // namespace

extern "C" {

foretask_status foretask_task_begin(foretask_kernel* kernel, const double* parameters, size_t count,
                                    const foretask_access* accesses, size_t access_count) {
  const std::uint32_t activity = annotation_activity();
  if (activity == 0) return FORETASK_OFF;
  OpenTask* const task = foretask::runtime::push_open_task();
  if (!task) return FORETASK_NO_MEMORY;
  const foretask_status status = check(kernel, parameters, count, accesses, access_count);
  if (status != FORETASK_OK) return status;
  task->kernel = kernel;
  if ((activity & foretask::runtime::kRecording) != 0) {
    if (foretask_stream* const stream = foretask::runtime::recorded_thread()) {
      foretask::runtime::need_initial_task(stream);
      foretask::runtime::next_task.set(kernel, foretask::runtime::kernel_id(kernel), parameters, count);
      foretask::runtime::record_next_task();
      foretask::runtime::record_open_task(stream, *task, __builtin_return_address(0), {accesses, access_count});
    }
  }
  if ((activity & foretask::runtime::kFollows) != 0)
    return foretask_scope_begin(&task->scope, kernel, parameters, count);
  return FORETASK_OK;
}

foretask_status foretask_task_set(size_t index, double value) {
  const std::uint32_t activity = foretask::runtime::activity_now();
  if (activity == 0) return FORETASK_OFF;
  OpenTask* const task = foretask::runtime::open_task();
  if (!task) return FORETASK_BAD_ARGUMENT;
  if (task->kernel && index >= foretask::runtime::kernel_parameter_count(task->kernel)) return FORETASK_WRONG_COUNT;
  if ((activity & foretask::runtime::kRecording) != 0 && task->name != 0)
    foretask::runtime::record_task_parameter(static_cast<std::uint32_t>(index), value);
  return task->scope.kernel ? foretask_scope_set(&task->scope, index, value) : FORETASK_OK;
}

foretask_status foretask_task_end(void) {
  const std::uint32_t activity = foretask::runtime::activity_now();
  if (activity == 0) return FORETASK_OFF;
  OpenTask* const task = foretask::runtime::open_task();
  if (!foretask::runtime::pop_open_task()) return FORETASK_BAD_ARGUMENT;
  foretask_status status = FORETASK_OK;
  // The time first: what follows is the library's.
  if (task->scope.kernel) status = foretask::runtime::end_scope(task->scope, activity & foretask::runtime::kFollows);
  if ((activity & foretask::runtime::kRecording) != 0)
    if (foretask_stream* const stream = foretask::runtime::recorded_thread())
      foretask::runtime::record_end_of_task(stream, *task);
  return status;
}

foretask_status foretask_task_wait(void) {
  const std::uint32_t activity = annotation_activity();
  if (activity == 0) return FORETASK_OFF;
  if ((activity & foretask::runtime::kRecording) != 0)
    if (foretask_stream* const stream = foretask::runtime::recorded_thread())
      foretask::runtime::wait_for_children(stream);
  return FORETASK_OK;
}

}  // extern "C"
