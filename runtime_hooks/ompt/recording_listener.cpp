// SPDX-License-Identifier: Apache-2.0
// HOT: what LLVM's libomp really sends: docs/hooks_ompt.md.
#include "recording_listener.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "discarded_tasks.hpp"
#include "ompt_words.hpp"
#include "open_loops.hpp"
#include "taskloop_code.hpp"

namespace foretask::ompt {

constinit thread_local foretask_stream* thread_stream = nullptr;

namespace {

void open_stream() {
  thread_stream = foretask_stream_open();
  foretask_record_2_(thread_stream, FORETASK_EVENT_THREAD_BEGIN, static_cast<std::uint32_t>(syscall(SYS_gettid)),
                     static_cast<std::uint32_t>(sched_getcpu()));
}

void on_thread_begin(ompt_thread_t, ompt_data_t*) {
  open_stream();
  if (thread_stream) OpenLoops::open(thread_stream);
}

void on_thread_end(ompt_data_t*) {
  OpenLoops::close();
  foretask_record_0_(thread_stream, FORETASK_EVENT_THREAD_END);
  foretask_stream_close(thread_stream);
  thread_stream = nullptr;
}

// The last teams construct. The region of one thread in which each of its teams begins has no code of its own.
std::atomic<const void*> teams_code{nullptr};

void on_parallel_begin(ompt_data_t*, const ompt_frame_t*, ompt_data_t* region, unsigned requested, int flags,
                       const void* code) {
  if ((flags & ompt_parallel_league) != 0) teams_code.store(code, std::memory_order_relaxed);
  if (code == nullptr && (flags & ompt_parallel_team) != 0) code = teams_code.load(std::memory_order_relaxed);
  foretask_counters_pause(thread_stream);
  region->value = foretask_record_region_begin(thread_stream, code, requested);
}

void on_parallel_end(ompt_data_t* region, ompt_data_t* task, int, const void*) {
  foretask_counters_resume(thread_stream, name_of(task));
  if (region) foretask_record_named_(thread_stream, FORETASK_EVENT_REGION_END, region->value);
}

// A teams construct is a region whose members are initial tasks. Other initial tasks are in no region, or in one that
// never began.
void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t* region, ompt_data_t* task, unsigned team_size,
                      unsigned index, int /*flags*/) {
  if (endpoint == ompt_scope_begin) {
    foretask_counters_switch(thread_stream,
                             thread_stream ? foretask_name_(thread_stream, thread_stream->next_task) : 0);
    task->value = foretask_record_implicit_begin(thread_stream, name_of(region), team_size, index);
  } else if (task) {
    foretask_counters_end(thread_stream, 0, 0);
    foretask_record_named_(thread_stream, FORETASK_EVENT_IMPLICIT_END, task->value);
  }
}

// In a team of one libomp says 'undeferred' of every task; only for if(0) it also says that the parent entered the
// runtime at a frame of the application. Where it says nothing of the frame the flags are not even initialised, so that
// no single bit can be trusted.
bool is_by_if_clause(const ompt_frame_t* parent) {
  return parent && parent->enter_frame_flags == (ompt_frame_application | ompt_frame_framepointer);
}

std::uint32_t flags_of(int flags, int has_dependences, const ompt_frame_t* parent) {
  std::uint32_t result = 0;
  if (flags & ompt_task_untied) result |= FORETASK_TASK_UNTIED;
  if (flags & ompt_task_undeferred) result |= FORETASK_TASK_UNDEFERRED;
  if ((flags & ompt_task_undeferred) && is_by_if_clause(parent)) result |= FORETASK_TASK_IF_CLAUSE;
  if (flags & ompt_task_final) result |= FORETASK_TASK_FINAL;
  if (flags & ompt_task_merged) result |= FORETASK_TASK_MERGED;
  if (flags & kTaskwaitFlag) result |= FORETASK_TASK_WAIT;
  if (flags & kTaskloopFlag) result |= FORETASK_TASK_LOOP;
  if (flags & kEmptyFlag) result |= FORETASK_TASK_EMPTY;
  if (has_dependences) result |= FORETASK_TASK_HAS_DEPENDENCES;
  return result;
}

void on_task_create(ompt_data_t*, const ompt_frame_t* parent, ompt_data_t* created, int flags, int has_dependences,
                    const void* code) {
  const bool is_placed = !is_in_runtime(code);
  if (__builtin_expect(flags == ompt_task_explicit && !has_dependences && is_placed, 1)) {
    created->value = foretask_record_task_create(thread_stream, code, 0);
    return;
  }
  if (flags & kTaskwaitFlag) foretask_counters_pause(thread_stream);
  std::uint32_t recorded = flags_of(flags, has_dependences, parent);
  if (!is_placed && (flags & kTaskwaitFlag) == 0) {
    const Creation creation = find_creation(created);
    if (creation.is_taskloop) recorded |= FORETASK_TASK_LOOP;
    code = creation.code;
  }
  created->value = foretask_record_task_create(thread_stream, code, recorded);
}

// A task that was cut short, or one that was discarded before it started: then the running one goes on.
[[gnu::noinline]] void record_task_cancel(const ompt_data_t* task, const ompt_data_t* next) {
  is_discarding = false;
  foretask_counters_end(thread_stream, task->value, name_of(next));
  foretask_record_named_(thread_stream, FORETASK_EVENT_TASK_CANCEL, task->value);
}

void on_task_schedule(ompt_data_t* prior, ompt_task_status_t status, ompt_data_t* next) {
  switch (static_cast<int>(status)) {
    case ompt_task_complete:
      if (__builtin_expect(is_discarding, 0)) return record_task_cancel(prior, next);
      record_task_end(next);
      return;
    case ompt_task_cancel:
      record_task_cancel(prior, next);
      return;
    case ompt_task_detach:
      foretask_counters_end(thread_stream, 0, name_of(next));
      foretask_record_0_(thread_stream, FORETASK_EVENT_TASK_DETACH);
      return;
    case ompt_task_early_fulfill:
    case ompt_task_late_fulfill:
      // A thread that OpenMP does not know may fulfil an event: it gets a stream for that.
      if (!thread_stream) open_stream();
      foretask_record_named_(thread_stream, FORETASK_EVENT_TASK_FULFILL, prior->value);
      return;
    case kTaskwaitComplete:
      foretask_counters_resume(thread_stream, 0);
      foretask_record_named_(thread_stream, FORETASK_EVENT_DEPEND_WAIT_END, prior->value);
      return;
    default:
      if (next) record_task_switch(*next);
  }
}

bool is_of_iterations(const ompt_dependence_t& one) {
  return one.dependence_type == ompt_dependence_type_source || one.dependence_type == ompt_dependence_type_sink;
}

void on_dependences(ompt_data_t*, const ompt_dependence_t* list, int count) {
  if (count > 0 && is_of_iterations(list[0])) return;  // the loop is ordered, which its beginning says
  std::uint64_t addresses[FORETASK_DEPENDENCES_PER_EVENT];
  std::uint32_t kinds[FORETASK_DEPENDENCES_PER_EVENT];
  std::uint32_t used = 0;
  for (int i = 0; i < count; ++i) {
    addresses[used] = reinterpret_cast<std::uintptr_t>(list[i].variable.ptr);
    kinds[used++] = static_cast<std::uint32_t>(list[i].dependence_type);
    if (used == FORETASK_DEPENDENCES_PER_EVENT) {
      foretask_record_dependences(thread_stream, addresses, kinds, used);
      used = 0;
    }
  }
  if (used != 0) foretask_record_dependences(thread_stream, addresses, kinds, used);
}

void pause_or_resume(bool pause, const ompt_data_t* task) {
  if (pause) {
    foretask_counters_pause(thread_stream);
  } else {
    foretask_counters_resume(thread_stream, name_of(task));
  }
}

void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t* task,
                    const void*) {
  const bool begin = endpoint == ompt_scope_begin;
  switch (static_cast<int>(kind)) {
    case ompt_sync_region_taskwait:
      begin ? record_wait_begin() : record_wait_end(task);
      return;
    case ompt_sync_region_taskgroup:
      if (!begin) foretask_counters_resume(thread_stream, name_of(task));
      foretask_record_0_(thread_stream, begin ? FORETASK_EVENT_GROUP_BEGIN : FORETASK_EVENT_GROUP_END);
      return;
    case ompt_sync_region_reduction:
      return;
    default:  // every kind of barrier
      if (begin && open_loops) open_loops->leave(name_of(task));
      pause_or_resume(begin, task);
      foretask_record_0_(thread_stream, begin ? FORETASK_EVENT_BARRIER_BEGIN : FORETASK_EVENT_BARRIER_END);
  }
}

void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t*,
                         const void*) {
  if (kind != ompt_sync_region_taskgroup || endpoint != ompt_scope_begin) return;
  foretask_counters_pause(thread_stream);
  foretask_record_0_(thread_stream, FORETASK_EVENT_GROUP_WAIT);
}

void begin_or_end_loop(ompt_scope_endpoint_t endpoint, std::uint32_t construct, const ompt_data_t* task,
                       std::uint64_t iterations, const void* code) {
  if (!open_loops) return;
  if (endpoint == ompt_scope_begin) {
    open_loops->begin(name_of(task), construct, iterations, code);
  } else {
    open_loops->end();
  }
}

void on_work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t* task, std::uint64_t count,
             const void* code) {
  const ompt_work_t construct = kind >= kFirstLoopBySchedule ? ompt_work_loop : kind;
  switch (construct) {
    case ompt_work_taskloop:
      if (endpoint == ompt_scope_begin) {
        enter_taskloop(thread_stream, code);
      } else {
        leave_taskloop();
      }
      return;
    case ompt_work_loop:
    case ompt_work_sections:
    case ompt_work_single_executor:
    case ompt_work_distribute:
      begin_or_end_loop(endpoint, static_cast<std::uint32_t>(construct), task, count, code);
      return;
    default:
      return;
  }
}

void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t* task, const void* code) {
  begin_or_end_loop(endpoint, FORETASK_CONSTRUCT_MASKED, task, 0, code);
}

void on_mutex_acquire(ompt_mutex_t kind, unsigned, unsigned, ompt_wait_id_t lock, const void*) {
  if (!is_waited_for(kind)) return;
  foretask_counters_pause(thread_stream);
  foretask_record_lock_wait(thread_stream, lock, static_cast<std::uint32_t>(kind));
}

void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t lock, const void*) {
  if (kind == ompt_mutex_atomic) return;
  if (is_waited_for(kind)) foretask_counters_resume(thread_stream, 0);
  foretask_record_lock_(thread_stream, FORETASK_EVENT_LOCK_ACQUIRED, lock);
}

// A nestable lock that this thread holds already: acquired again, without waiting.
void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t lock, const void*) {
  const bool acquired = endpoint == ompt_scope_begin;
  foretask_record_lock_(thread_stream, acquired ? FORETASK_EVENT_LOCK_ACQUIRED : FORETASK_EVENT_LOCK_RELEASED, lock);
}

void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t lock, const void*) {
  if (kind != ompt_mutex_atomic) foretask_record_lock_(thread_stream, FORETASK_EVENT_LOCK_RELEASED, lock);
}

// The bits are foretask_cancel's. A task that is discarded before it starts ends with TASK_CANCEL, which says it all.
void on_cancel(ompt_data_t* running, int what, const void* code) {
  on_discarded(running, what, code);
  constexpr int kRecorded = FORETASK_CANCEL_ACTIVATED | FORETASK_CANCEL_DETECTED;
  if ((what & kRecorded) == 0) return;
  const auto word = static_cast<std::uint32_t>(what);
  foretask_record_extended_(thread_stream, FORETASK_EVENT_CANCEL, &word, 1);
}

}  // namespace

Listener recorder() {
  Listener listener;
  listener.parallel_begin = on_parallel_begin;
  listener.parallel_end = on_parallel_end;
  listener.implicit_task = on_implicit_task;
  listener.task_create = on_task_create;
  listener.task_schedule = on_task_schedule;
  listener.sync_region = on_sync_region;
  listener.sync_region_wait = on_sync_region_wait;
  listener.mutex_acquire = on_mutex_acquire;
  listener.mutex_acquired = on_mutex_acquired;
  listener.work = on_work;
  return listener;
}

// What of a recording nobody else listens to.
void register_recording_alone(ompt_set_callback_t set_callback) {
  const auto on = [set_callback](ompt_callbacks_t event, auto* callback) {
    set_callback(event, reinterpret_cast<ompt_callback_t>(callback));
  };
  on(ompt_callback_thread_begin, on_thread_begin);
  on(ompt_callback_thread_end, on_thread_end);
  on(ompt_callback_dependences, on_dependences);
  on(ompt_callback_mutex_released, on_mutex_released);
  on(ompt_callback_nest_lock, on_nest_lock);
  on(ompt_callback_cancel, on_cancel);
  on(kMaskedCallback, on_masked);
}

}  // namespace foretask::ompt
