// SPDX-License-Identifier: Apache-2.0
// HOT: the C ABI of foretask.h for times that foretask takes: scopes, and timers of tasks that move between threads. Of
// a timer no thread keeps anything.
#include "runtime/learning/scopes.hpp"

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "base/clock.hpp"
#include "base/messages.hpp"
#include "base/run_aside.hpp"
#include "runtime/kernels/kernel_registry.hpp"
#include "runtime/learning/hand_over.hpp"
#include "runtime/learning/learning.hpp"
#include "runtime/learning/sample_thread.hpp"
#include "runtime/progress/progress_counters.hpp"
#include "runtime/recording/activity.hpp"
#include "runtime/recording/annotations.hpp"
#include "runtime/recording/open_tasks.hpp"

namespace {

using foretask::runtime::activity_now;
using foretask::runtime::annotation_activity;
using foretask::runtime::first_bits;
using foretask::runtime::kernel_parameter_count;
using foretask::runtime::Learning;
using foretask::runtime::sample_thread;

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
  foretask::base::try_aside([kernel] {
    foretask::base::warn("a scope of kernel '" + kernel->name +
                         "' ended on another thread than it began on: such samples are dropped. foretask_timer times "
                         "tasks that move");
  });
  return FORETASK_BAD_ARGUMENT;
}

// Parameters that are known only at the end of what is timed: of `count` those that were not `given` yet, in their
// order. False where `rest` has not as many.
bool add_rest(std::uint64_t& given, double* parameters, std::size_t count, std::span<const double> rest) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    if ((given & bit) != 0) continue;
    if (rest.empty()) return false;
    parameters[i] = rest.front();
    given |= bit;
    rest = rest.subspan(1);
  }
  return rest.empty();
}

// As C gives them.
std::span<const double> rest_of(const double* parameters, std::size_t count) noexcept {
  return {parameters, parameters ? count : 0};
}

// Another processor's counter may be a little behind.
std::uint64_t ticks_since(std::uint64_t since, std::uint64_t now) noexcept { return now > since ? now - since : 0; }

}  // namespace

namespace foretask::runtime {

foretask_status end_scope(foretask_scope& scope, std::uint32_t what, std::span<const double> rest) noexcept {
  const std::uint64_t ticks = base::ticks_now() - scope.begin_ticks;
  foretask_kernel* const kernel = scope.kernel;
  scope.kernel = nullptr;
  const bool is_stray = scope.thread != sample_thread.number;
  const std::uint64_t own = is_stray ? 0 : take_own_ticks(scope, ticks);
  if ((what & kProgress) != 0) count_scope_end(kernel, own);
  if (is_stray) [[unlikely]]
    return refuse_stray_slow(kernel);
  const std::size_t count = kernel_parameter_count(kernel);
  const bool is_whole =
      (scope.given == first_bits(count) && rest.empty()) || add_rest(scope.given, scope.parameters, count, rest);
  if (scope.depth == 1 && std::exchange(sample_thread.scope_is_task, false)) [[unlikely]] {
    record_end_of_own_task({scope.parameters, count}, sample_thread.scope_known);
    if (is_whole && (what & kLearning) == 0) return FORETASK_OK;
    what &= ~static_cast<std::uint32_t>(kRecording);
  }
  if (!is_whole) [[unlikely]] {
    Learning::instance().count_rejected();
    return FORETASK_WRONG_COUNT;
  }
  if ((what & ~static_cast<std::uint32_t>(kProgress)) == 0) return FORETASK_OFF;
  return hand_over(what, kernel, scope.parameters, count, scale_of(what).ns(own));
}

}  // namespace foretask::runtime

extern "C" {

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
  using foretask::runtime::kRecordsScopes;
  if ((activity & kRecordsScopes) == kRecordsScopes && scope->depth == 1) [[unlikely]] {
    thread.scope_is_task = foretask::runtime::innermost_open_task() == 0 &&
                           foretask::runtime::record_own_task(foretask::runtime::kernel_id(kernel), {parameters, count},
                                                              __builtin_return_address(0));
    thread.scope_known = static_cast<std::uint32_t>(count);
  }
  if ((activity & foretask::runtime::kProgress) != 0) foretask::runtime::count_scope_begin(kernel);
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

foretask_status foretask_scope_end_with(foretask_scope* scope, const double* parameters, size_t count) {
  if (!scope) return FORETASK_BAD_ARGUMENT;
  if (!scope->kernel) return FORETASK_OFF;
  return foretask::runtime::end_scope(*scope, activity_now(), rest_of(parameters, count));
}

foretask_status foretask_timer_start(foretask_timer* timer, foretask_kernel* kernel, const double* parameters,
                                     size_t count) {
  if (!timer) return FORETASK_BAD_ARGUMENT;
  timer->kernel = nullptr;
  if (annotation_activity() == 0) return FORETASK_OFF;
  if (!kernel) return FORETASK_NO_KERNEL;
  if (count > kernel_parameter_count(kernel)) return FORETASK_WRONG_COUNT;
  if (count > 0 && !parameters) return FORETASK_BAD_ARGUMENT;
  for (std::size_t i = 0; i < count; ++i) timer->parameters[i] = parameters[i];
  timer->given = first_bits(count);
  timer->kernel = kernel;
  timer->ticks = 0;
  timer->since_ticks = foretask::base::ticks_now();
  return FORETASK_OK;
}

foretask_status foretask_timer_pause(foretask_timer* timer) {
  if (!timer) return FORETASK_BAD_ARGUMENT;
  if (!timer->kernel) return FORETASK_OFF;
  if (timer->since_ticks == 0) return FORETASK_BAD_ARGUMENT;
  timer->ticks += ticks_since(timer->since_ticks, foretask::base::ticks_now());
  timer->since_ticks = 0;
  return FORETASK_OK;
}

foretask_status foretask_timer_resume(foretask_timer* timer) {
  if (!timer) return FORETASK_BAD_ARGUMENT;
  if (!timer->kernel) return FORETASK_OFF;
  if (timer->since_ticks != 0) return FORETASK_BAD_ARGUMENT;
  timer->since_ticks = foretask::base::ticks_now();
  return FORETASK_OK;
}

foretask_status foretask_timer_stop(foretask_timer* timer, const double* parameters, size_t count) {
  if (!timer) return FORETASK_BAD_ARGUMENT;
  foretask_kernel* const kernel = timer->kernel;
  if (!kernel) return FORETASK_OFF;
  if (timer->since_ticks != 0) timer->ticks += ticks_since(timer->since_ticks, foretask::base::ticks_now());
  timer->kernel = nullptr;
  const std::uint32_t activity = activity_now();
  // Both here: they are counted by thread.
  if ((activity & foretask::runtime::kProgress) != 0) {
    foretask::runtime::count_scope_begin(kernel);
    foretask::runtime::count_scope_end(kernel, timer->ticks);
  }
  const std::size_t parameter_count = kernel_parameter_count(kernel);
  if (!add_rest(timer->given, timer->parameters, parameter_count, rest_of(parameters, count))) {
    Learning::instance().count_rejected();
    return FORETASK_WRONG_COUNT;
  }
  if ((activity & ~static_cast<std::uint32_t>(foretask::runtime::kProgress)) == 0) return FORETASK_OFF;
  return foretask::runtime::hand_over(activity, kernel, timer->parameters, parameter_count,
                                      foretask::runtime::scale_of(activity).ns(timer->ticks));
}

}  // extern "C"
