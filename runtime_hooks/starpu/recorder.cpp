// SPDX-License-Identifier: Apache-2.0
#include "recorder.hpp"

#include <vector>

#include "foretask/openmp.h"
#include "foretask/task_hook.hpp"

namespace foretask::starpu {
namespace {

// 0: the access orders nothing.
std::uint32_t dependence_kind(starpu_data_access_mode mode) {
  if ((mode & STARPU_SCRATCH) != 0) return 0;
  if ((mode & STARPU_REDUX) != 0) return FORETASK_DEPENDENCE_INOUTSET;
  if ((mode & STARPU_W) == 0) return (mode & STARPU_R) != 0 ? FORETASK_DEPENDENCE_IN : 0;
  if ((mode & STARPU_COMMUTE) != 0) return FORETASK_DEPENDENCE_MUTEXINOUTSET;
  return (mode & STARPU_R) != 0 ? FORETASK_DEPENDENCE_INOUT : FORETASK_DEPENDENCE_OUT;
}

std::uint64_t address_of(starpu_data_handle_t data) { return reinterpret_cast<std::uintptr_t>(data); }

void record_accesses(const starpu_task& task, hook::Dependences& dependences) {
  if (!task.sequential_consistency) return;
  const unsigned buffers = STARPU_TASK_GET_NBUFFERS(&task);
  for (unsigned i = 0; i < buffers; ++i) {
    const starpu_data_handle_t data = STARPU_TASK_GET_HANDLE(&task, i);
    const bool is_ordered = !task.handles_sequential_consistency || task.handles_sequential_consistency[i] != 0;
    const std::uint32_t kind = dependence_kind(STARPU_TASK_GET_MODE(&task, i));
    if (is_ordered && kind != 0 && starpu_data_get_sequential_consistency_flag(data) != 0)
      dependences.add(address_of(data), kind);
  }
}

// StarPU runs none of its functions.
bool has_no_body(const starpu_task& task) {
  return !task.cl || task.cl->where == STARPU_NOWHERE || task.where == STARPU_NOWHERE;
}

// The running task ends. Its parameters were not known at its creation: data that they depend on was not written yet.
void record_end(foretask_stream* stream, const Parameters& parameters) {
  if (parameters.count == 0) return foretask_record_task_end(stream, 0);
  for (std::size_t i = 1; i < parameters.count; ++i) static_cast<void>(foretask_openmp_set(i, parameters.values[i]));
  foretask_record_task_end_with(stream, 0, parameters.values[0]);
}

}  // namespace

TaskNames& task_names() {
  static auto* const names = new TaskNames;  // StarPU's workers may outlive the program's end
  return *names;
}

DeclaredOrder& declared_order() {
  static auto* const order = new DeclaredOrder(task_names());
  return *order;
}

void record_creation(starpu_task& task, std::uint64_t cause) {
  const RecordedThread& thread = recorded_thread();
  foretask_stream* const stream = thread.stream;
  if (!stream) return;
  if (cause == 0 && thread.is_worker && thread.bodies == 0) {
    // In the callback of a task that has ended.
    const starpu_task* const ended = starpu_task_get_current();
    cause = ended ? task_names().find(ended) : 0;
  }
  const bool is_empty = has_no_body(task);
  if (!is_empty) {
    if (foretask_kernel* const kernel = kernel_of(*task.cl).kernel(0))
      static_cast<void>(foretask_openmp_next_task(kernel, nullptr, 0));
  }
  const std::uint32_t flags = FORETASK_TASK_ONE_ORDER | FORETASK_TASK_HAS_DEPENDENCES;
  const std::uint64_t name = foretask_record_task_create(stream, task.cl ? code_of(*task.cl) : nullptr,
                                                         is_empty ? flags | FORETASK_TASK_EMPTY : flags);
  task_names().set(&task, name);
  const DeclaredLinks links = declared_order().created(task, name, is_empty);
  {
    hook::Dependences dependences(stream);
    if (task.cl) record_accesses(task, dependences);
    if (cause != 0) dependences.add(cause, FORETASK_DEPENDENCE_AFTER);
    dependences.add(links.after, FORETASK_DEPENDENCE_AFTER);
    dependences.add(links.before, FORETASK_DEPENDENCE_BEFORE);
    if (links.missing == 0) dependences.close();
  }
  for (const std::uint64_t told : links.told) foretask_record_task_fulfill(stream, told);
}

void record_refusal(std::uint64_t name) {
  if (name != 0) foretask_record_task_cancel(recorded_thread().stream, name, 0);
}

RecordedBody::RecordedBody(starpu_task& task) {
  if (!records()) return;
  RecordedThread& thread = recorded_thread();
  // Of a parallel task the first worker's part stands for all.
  const bool is_part = starpu_combined_worker_get_size() > 1 && starpu_combined_worker_get_rank() != 0;
  if (!thread.stream || thread.bodies != 0 || is_part) return;
  TaskNames::Begun begun = task_names().begin(&task);
  if (begun.name == 0) return;
  if (begun.is_again) {
    // StarPU has submitted it anew by itself.
    record_creation(task, begun.name);
    begun = task_names().begin(&task);
  }
  if (kernel_of(*task.cl).kernel(0)) parameters_ = parameters_of(task, starpu_task_get_implementation(&task));
  foretask_record_task_switch(thread.stream, begun.name);
  ++thread.bodies;
  thread_ = &thread;
}

RecordedBody::~RecordedBody() {
  if (!thread_) return;
  --thread_->bodies;
  record_end(thread_->stream, parameters_);
}

WaitForAll::WaitForAll() : thread_(recorded_thread()), is_recorded_(thread_.may_wait()) {
  ++thread_.calls;
  foretask_hook_wait_begin();
  if (!is_recorded_) return;
  foretask_record_wait_begin(thread_.stream,
                             thread_.is_first_of_team ? FORETASK_EVENT_BARRIER_BEGIN : FORETASK_EVENT_WAIT_BEGIN);
}

WaitForAll::~WaitForAll() {
  --thread_.calls;
  foretask_hook_wait_end();
  if (!is_recorded_) return;
  foretask_record_wait_end(thread_.stream,
                           thread_.is_first_of_team ? FORETASK_EVENT_BARRIER_END : FORETASK_EVENT_WAIT_END, 0);
}

WaitForSome::WaitForSome(std::span<const std::uint64_t> tasks) : thread_(recorded_thread()) {
  std::vector<std::uint64_t> known(tasks.begin(), tasks.end());
  std::erase(known, std::uint64_t{0});
  begin(known, FORETASK_DEPENDENCE_AFTER);
}

WaitForSome::WaitForSome(starpu_data_handle_t data, starpu_data_access_mode mode) : thread_(recorded_thread()) {
  const std::uint64_t address = address_of(data);
  begin({&address, 1}, dependence_kind(mode));
}

void WaitForSome::begin(std::span<const std::uint64_t> addresses, std::uint32_t kind) {
  const bool is_recorded = thread_.may_wait() && kind != 0 && !addresses.empty();
  ++thread_.calls;
  foretask_hook_wait_begin();
  if (!is_recorded) return;
  name_ = foretask_record_depend_wait_begin(thread_.stream, nullptr, FORETASK_TASK_ONE_ORDER);
  hook::Dependences(thread_.stream).add(addresses, kind);
}

WaitForSome::~WaitForSome() {
  --thread_.calls;
  foretask_hook_wait_end();
  if (name_ == 0) return;
  foretask_record_depend_wait_end(thread_.stream, name_, 0);
}

}  // namespace foretask::starpu
