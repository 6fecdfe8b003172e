// SPDX-License-Identifier: Apache-2.0
// The functions of StarPU that this library answers in front of libstarpu, which also reach it from within libstarpu.
#include <starpu.h>

#include <array>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <span>
#include <utility>
#include <vector>

#include "foretask/hook.h"
#include "foretask/task_hook.h"
#include "kit/next_function.hpp"
#include "learner.hpp"
#include "recorder.hpp"
#include "task_body.hpp"

// A StarPU that can write traces has a macro before its function.
#undef starpu_task_submit

const char* const foretask::kit::runtime_files[] = {nullptr};  // the program is linked with it

using namespace foretask::starpu;

namespace {

void start(const char* version) {
  what.store(foretask_hook_start_as("starpu", version, FORETASK_HOOK_OWN_THREADS | FORETASK_HOOK_RUNS_TASKS, 0));
  has_followers.store(foretask_hook_follows_tasks() != 0);
}

// The thread that started StarPU: what it runs itself is the serial part of the program.
constinit thread_local foretask_hook_task* serial_part = nullptr;

void begin(const void* code) {
  begin_team(code);
  if (follows() && !serial_part) serial_part = foretask_hook_region_enter(nullptr, starpu_worker_get_count());
}

void end() {
  end_team();
  if (serial_part) foretask_hook_region_leave(std::exchange(serial_part, nullptr));
}

const char* version_text() {
  static char text[32];
  int major = 0;
  int minor = 0;
  int release = 0;
  starpu_get_version(&major, &minor, &release);
  std::snprintf(text, sizeof text, "%d.%d.%d", major, minor, release);
  return text;
}

void declare_tags(starpu_tag_t tag, const starpu_tag_t* earlier, unsigned count) {
  if (!records() || recorded_thread().calls != 0) return;
  std::vector<Declared> all;
  for (unsigned i = 0; i < count; ++i) all.push_back(declared_tag(earlier[i]));
  declared_order().declare(declared_tag(tag), all);
}

// How long a task takes: foretask's answer, or what StarPU's own models answer.
template <typename Own>
double answer_scheduler(starpu_task* task, const starpu_perfmodel_arch* arch, unsigned nimpl, Own&& own) {
  if (!learns() || !task->cl || !arch) return own();
  const ExpectedLength length = expected_length(*task, *arch, nimpl);
  return length.us > 0 || length.should_try ? length.us : own();
}

}  // namespace

// Not in the headers of StarPU 1.3.
extern "C" double starpu_task_worker_expected_length(starpu_task* task, unsigned worker, unsigned context,
                                                     unsigned nimpl);

void foretask::starpu::run_body(Body body, void** buffers, void* argument) {
  starpu_task* const task = records() || follows() ? starpu_task_get_current() : nullptr;
  if (!task || !task->cl) return body(buffers, argument);
  const RecordedBody recorded(*task);
  const FollowedBody followed(*task);
  body(buffers, argument);
}

extern "C" {

// The process may end without starpu_shutdown(). The hook of libgomp calls this as well: its part of a recording is
// around this one's, and the two libraries may end in either order.
FORETASK_API __attribute__((destructor)) void foretask_starpu_end() { end(); }

// starpu_init() comes here too.
FORETASK_API int starpu_initialize(starpu_conf* conf, int* argc, char*** argv) {
  const auto next = FORETASK_NEXT(starpu_initialize);
  start(version_text());
  const int result = next(conf, argc, argv);
  if (result == 0) begin(__builtin_return_address(0));
  return result;
}

FORETASK_API void starpu_shutdown() {
  const auto next = FORETASK_NEXT(starpu_shutdown);
  {
    const WaitForAll wait;
    next();
  }
  // Only the last of several calls ends StarPU.
  if (!starpu_is_initialized()) end();
}

FORETASK_API int starpu_task_submit(starpu_task* task) {
  const auto next = FORETASK_NEXT(starpu_task_submit);
  if (!task || (!records() && !follows())) return next(task);
  if (task->cl) stand_before_bodies(*task->cl);
  if (!records()) return next(task);
  // StarPU's own tasks without codelets stand for an order that the program's tasks have anyway.
  if (recorded_thread().calls != 0 && !task->cl) return next(task);
  record_creation(*task);
  const std::array name{task_names().find(task)};
  const WaitForSome wait(task->synchronous ? std::span(name) : std::span<const std::uint64_t>());
  const int result = next(task);
  if (result != 0) record_refusal(name.front());
  return result;
}

FORETASK_API double starpu_task_expected_length(starpu_task* task, starpu_perfmodel_arch* arch, unsigned nimpl) {
  const auto next = FORETASK_NEXT(starpu_task_expected_length);
  return answer_scheduler(task, arch, nimpl, [&] { return next(task, arch, nimpl); });
}

// StarPU 1.4's schedulers ask this way.
FORETASK_API double starpu_task_worker_expected_length(starpu_task* task, unsigned worker, unsigned context,
                                                       unsigned nimpl) {
  const auto next = FORETASK_NEXT(starpu_task_worker_expected_length);
  const auto* const arch = learns() ? starpu_worker_get_perf_archtype(static_cast<int>(worker), context) : nullptr;
  return answer_scheduler(task, arch, nimpl, [&] { return next(task, worker, context, nimpl); });
}

FORETASK_API void starpu_task_init(starpu_task* task) {
  const auto next = FORETASK_NEXT(starpu_task_init);
  if (records()) task_names().erase(task);
  next(task);
}

FORETASK_API void starpu_task_declare_deps_array(starpu_task* task, unsigned count, starpu_task* earlier[]) {
  const auto next = FORETASK_NEXT(starpu_task_declare_deps_array);
  if (records() && recorded_thread().calls == 0) {
    std::vector<Declared> all;
    for (unsigned i = 0; i < count; ++i) all.push_back(declared_task(earlier[i]));
    declared_order().declare(declared_task(task), all);
  }
  next(task, count, earlier);
}

FORETASK_API void starpu_tag_declare_deps_array(starpu_tag_t tag, unsigned count, starpu_tag_t* earlier) {
  const auto next = FORETASK_NEXT(starpu_tag_declare_deps_array);
  declare_tags(tag, earlier, count);
  next(tag, count, earlier);
}

FORETASK_API void starpu_tag_declare_deps(starpu_tag_t tag, unsigned count, ...) {
  std::vector<starpu_tag_t> earlier;
  va_list list;
  va_start(list, count);
  for (unsigned i = 0; i < count; ++i) earlier.push_back(va_arg(list, starpu_tag_t));
  va_end(list);
  starpu_tag_declare_deps_array(tag, count, earlier.data());
}

FORETASK_API void starpu_tag_remove(starpu_tag_t tag) {
  const auto next = FORETASK_NEXT(starpu_tag_remove);
  if (records()) declared_order().forget(declared_tag(tag));
  next(tag);
}

FORETASK_API int starpu_task_wait(starpu_task* task) {
  const auto next = FORETASK_NEXT(starpu_task_wait);
  if (!records() && !follows()) return next(task);
  const std::array name{task_names().find(task)};
  const WaitForSome wait(name);
  return next(task);
}

FORETASK_API int starpu_tag_wait_array(unsigned count, starpu_tag_t* tags) {
  const auto next = FORETASK_NEXT(starpu_tag_wait_array);
  if (!records() && !follows()) return next(count, tags);
  std::vector<std::uint64_t> names;
  for (unsigned i = 0; i < count; ++i) names.push_back(declared_order().find(tags[i]));
  const WaitForSome wait(names);
  return next(count, tags);
}

FORETASK_API int starpu_task_wait_for_all() {
  const auto next = FORETASK_NEXT(starpu_task_wait_for_all);
  const WaitForAll wait;
  return next();
}

// starpu_data_acquire() comes here too.
FORETASK_API int starpu_data_acquire_on_node(starpu_data_handle_t data, int node, starpu_data_access_mode mode) {
  const auto next = FORETASK_NEXT(starpu_data_acquire_on_node);
  const WaitForSome wait(data, mode);
  return next(data, node, mode);
}

FORETASK_API void starpu_data_unregister(starpu_data_handle_t data) {
  const auto next = FORETASK_NEXT(starpu_data_unregister);
  const WaitForSome wait(data, STARPU_RW);
  next(data);
}

FORETASK_API void starpu_data_unregister_no_coherency(starpu_data_handle_t data) {
  const auto next = FORETASK_NEXT(starpu_data_unregister_no_coherency);
  const WaitForSome wait(data, STARPU_RW);
  next(data);
}

}  // extern "C"
