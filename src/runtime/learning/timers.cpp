// SPDX-License-Identifier: Apache-2.0
// HOT: the C ABI of foretask.h for tasks that move between threads. No thread keeps anything of them.
#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"
#include "foretask/foretask.h"
#include "runtime/kernels/kernel_registry.hpp"
#include "runtime/learning/hand_over.hpp"
#include "runtime/learning/learning.hpp"
#include "runtime/learning/rest_of_parameters.hpp"
#include "runtime/progress/progress_counters.hpp"
#include "runtime/recording/activity.hpp"

namespace {

namespace base = foretask::base;
namespace runtime = foretask::runtime;

// Another processor's counter may be a little behind.
std::uint64_t ticks_since(std::uint64_t since, std::uint64_t now) noexcept { return now > since ? now - since : 0; }

}  // namespace

extern "C" {

foretask_status foretask_timer_start(foretask_timer* timer, foretask_kernel* kernel, const double* parameters,
                                     size_t count) {
  if (!timer) return FORETASK_BAD_ARGUMENT;
  timer->kernel = nullptr;
  if (runtime::annotation_activity() == 0) return FORETASK_OFF;
  if (!kernel) return FORETASK_NO_KERNEL;
  if (count > runtime::kernel_parameter_count(kernel)) return FORETASK_WRONG_COUNT;
  if (count > 0 && !parameters) return FORETASK_BAD_ARGUMENT;
  for (std::size_t i = 0; i < count; ++i) timer->parameters[i] = parameters[i];
  timer->given = runtime::first_bits(count);
  timer->kernel = kernel;
  timer->ticks = 0;
  timer->since_ticks = base::ticks_now();
  return FORETASK_OK;
}

foretask_status foretask_timer_pause(foretask_timer* timer) {
  if (!timer) return FORETASK_BAD_ARGUMENT;
  if (!timer->kernel) return FORETASK_OFF;
  if (timer->since_ticks == 0) return FORETASK_BAD_ARGUMENT;
  timer->ticks += ticks_since(timer->since_ticks, base::ticks_now());
  timer->since_ticks = 0;
  return FORETASK_OK;
}

foretask_status foretask_timer_resume(foretask_timer* timer) {
  if (!timer) return FORETASK_BAD_ARGUMENT;
  if (!timer->kernel) return FORETASK_OFF;
  if (timer->since_ticks != 0) return FORETASK_BAD_ARGUMENT;
  timer->since_ticks = base::ticks_now();
  return FORETASK_OK;
}

foretask_status foretask_timer_stop(foretask_timer* timer, const double* parameters, size_t count) {
  if (!timer) return FORETASK_BAD_ARGUMENT;
  foretask_kernel* const kernel = timer->kernel;
  if (!kernel) return FORETASK_OFF;
  if (timer->since_ticks != 0) timer->ticks += ticks_since(timer->since_ticks, base::ticks_now());
  timer->kernel = nullptr;
  const std::uint32_t activity = runtime::activity_now();
  // Both here: they are counted by thread.
  if ((activity & runtime::kProgress) != 0) {
    runtime::count_scope_begin(kernel);
    runtime::count_scope_end(kernel, timer->ticks);
  }
  const std::size_t parameter_count = runtime::kernel_parameter_count(kernel);
  if (!runtime::add_rest(timer->given, timer->parameters, parameter_count, runtime::rest_of(parameters, count))) {
    runtime::Learning::instance().count_rejected();
    return FORETASK_WRONG_COUNT;
  }
  if ((activity & ~static_cast<std::uint32_t>(runtime::kProgress)) == 0) return FORETASK_OFF;
  return runtime::hand_over(activity, kernel, timer->parameters, parameter_count,
                            runtime::scale_of(activity).ns(timer->ticks));
}

}  // extern "C"
