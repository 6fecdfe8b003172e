// SPDX-License-Identifier: Apache-2.0
// HOT: the OpenMP runtime's tool interface (OMPT, OpenMP 5.0 chapter 4) to foretask's streams. Each callback runs on
// the thread it speaks of, appends at most a few events and returns. What LLVM's libomp really sends:
// docs/hooks_ompt.md.
#include <omp-tools.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "foretask/hook.h"
#include "foretask/progress_hook.h"
#include "learn_listener.hpp"
#include "ompt_words.hpp"
#include "open_loops.hpp"
#include "progress_listener.hpp"
#include "taskloop_code.hpp"

namespace {

using foretask::ompt::is_waited_for;
using foretask::ompt::kTaskwaitComplete;
using foretask::ompt::kTaskwaitFlag;
using foretask::ompt::open_loops;
using foretask::ompt::OpenLoops;

// Initial-exec: one load instead of a call, in a library that libomp loads with dlopen; it takes 8 bytes of the space
// that glibc keeps for such libraries.
__attribute__((tls_model("initial-exec"))) thread_local foretask_stream* stream = nullptr;

const char* runtime_version = "";
std::uint64_t entered_ticks = 0;

void open_stream() {
  stream = foretask_stream_open();
  foretask_record_2_(stream, FORETASK_EVENT_THREAD_BEGIN, static_cast<std::uint32_t>(syscall(SYS_gettid)),
                     static_cast<std::uint32_t>(sched_getcpu()));
}

// What a task was called when it was created; 0 where the runtime says nothing of it.
std::uint64_t name_of(const ompt_data_t* task) { return task ? task->value : 0; }

void on_thread_begin(ompt_thread_t, ompt_data_t*) {
  open_stream();
  if (stream) OpenLoops::open(stream);
}

void on_thread_end(ompt_data_t*) {
  OpenLoops::close();
  foretask_record_0_(stream, FORETASK_EVENT_THREAD_END);
  foretask_stream_close(stream);
  stream = nullptr;
}

void on_parallel_begin(ompt_data_t*, const ompt_frame_t*, ompt_data_t* region, unsigned requested, int,
                       const void* code) {
  foretask_counters_pause(stream);
  region->value = foretask_record_region_begin(stream, code, requested);
}

void on_parallel_end(ompt_data_t* region, ompt_data_t* task, int, const void*) {
  foretask_counters_resume(stream, name_of(task));
  if (region) foretask_record_named_(stream, FORETASK_EVENT_REGION_END, region->value);
}

void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t* region, ompt_data_t* task, unsigned team_size,
                      unsigned index, int flags) {
  if (endpoint == ompt_scope_begin) {
    const bool initial = (flags & ompt_task_initial) != 0 || !region;
    foretask_counters_switch(stream, stream ? foretask_name_(stream, stream->next_task) : 0);
    task->value = foretask_record_implicit_begin(stream, initial ? 0 : region->value, team_size, index);
  } else if (task) {
    foretask_counters_end(stream, 0, 0);
    foretask_record_named_(stream, FORETASK_EVENT_IMPLICIT_END, task->value);
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
  if (has_dependences) result |= FORETASK_TASK_HAS_DEPENDENCES;
  return result;
}

void on_task_create(ompt_data_t*, const ompt_frame_t* parent, ompt_data_t* created, int flags, int has_dependences,
                    const void* code) {
  const bool of_taskloop = foretask::ompt::is_in_runtime(code);
  if (__builtin_expect(flags == ompt_task_explicit && !has_dependences && !of_taskloop, 1)) {
    created->value = foretask_record_task_create(stream, code, 0);
    return;
  }
  if (flags & kTaskwaitFlag) foretask_counters_pause(stream);
  std::uint32_t recorded = flags_of(flags, has_dependences, parent);
  if (of_taskloop) {
    recorded |= FORETASK_TASK_LOOP;
    code = foretask::ompt::innermost_taskloop();
  }
  created->value = foretask_record_task_create(stream, code, recorded);
}

void on_task_schedule(ompt_data_t* prior, ompt_task_status_t status, ompt_data_t* next) {
  switch (static_cast<int>(status)) {
    case ompt_task_complete:
      foretask_counters_end(stream, 0, name_of(next));
      foretask_record_0_(stream, FORETASK_EVENT_TASK_END);
      return;
    case ompt_task_cancel:
      // Of a task that was discarded before it started as well: then the running one goes on.
      foretask_counters_end(stream, prior->value, name_of(next));
      foretask_record_named_(stream, FORETASK_EVENT_TASK_CANCEL, prior->value);
      return;
    case ompt_task_detach:
      foretask_counters_end(stream, 0, name_of(next));
      foretask_record_0_(stream, FORETASK_EVENT_TASK_DETACH);
      return;
    case ompt_task_early_fulfill:
    case ompt_task_late_fulfill:
      // A thread that OpenMP does not know may fulfil an event: it gets a stream for that.
      if (!stream) open_stream();
      foretask_record_named_(stream, FORETASK_EVENT_TASK_FULFILL, prior->value);
      return;
    case kTaskwaitComplete:
      foretask_counters_resume(stream, 0);
      foretask_record_named_(stream, FORETASK_EVENT_DEPEND_WAIT_END, prior->value);
      return;
    default:
      if (!next) return;
      foretask_counters_switch(stream, next->value);
      foretask_record_task_switch(stream, next->value);
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
      foretask_record_dependences(stream, addresses, kinds, used);
      used = 0;
    }
  }
  if (used != 0) foretask_record_dependences(stream, addresses, kinds, used);
}

void pause_or_resume(bool pause, const ompt_data_t* task) {
  if (pause) {
    foretask_counters_pause(stream);
  } else {
    foretask_counters_resume(stream, name_of(task));
  }
}

void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t* task,
                    const void*) {
  const bool begin = endpoint == ompt_scope_begin;
  switch (static_cast<int>(kind)) {
    case ompt_sync_region_taskwait:
      pause_or_resume(begin, task);
      foretask_record_0_(stream, begin ? FORETASK_EVENT_WAIT_BEGIN : FORETASK_EVENT_WAIT_END);
      return;
    case ompt_sync_region_taskgroup:
      if (!begin) foretask_counters_resume(stream, name_of(task));
      foretask_record_0_(stream, begin ? FORETASK_EVENT_GROUP_BEGIN : FORETASK_EVENT_GROUP_END);
      return;
    case ompt_sync_region_reduction:
      return;
    default:  // every kind of barrier
      if (begin && open_loops) open_loops->leave(name_of(task));
      pause_or_resume(begin, task);
      foretask_record_0_(stream, begin ? FORETASK_EVENT_BARRIER_BEGIN : FORETASK_EVENT_BARRIER_END);
  }
}

void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t*,
                         const void*) {
  if (kind != ompt_sync_region_taskgroup || endpoint != ompt_scope_begin) return;
  foretask_counters_pause(stream);
  foretask_record_0_(stream, FORETASK_EVENT_GROUP_WAIT);
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
  const ompt_work_t construct = kind >= foretask::ompt::kFirstLoopBySchedule ? ompt_work_loop : kind;
  switch (construct) {
    case ompt_work_taskloop:
      if (endpoint == ompt_scope_begin) {
        foretask::ompt::enter_taskloop(stream, code);
      } else {
        foretask::ompt::leave_taskloop();
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
  foretask_counters_pause(stream);
  foretask_record_lock_wait(stream, lock, static_cast<std::uint32_t>(kind));
}

void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t lock, const void*) {
  if (kind == ompt_mutex_atomic) return;
  if (is_waited_for(kind)) foretask_counters_resume(stream, 0);
  foretask_record_lock_(stream, FORETASK_EVENT_LOCK_ACQUIRED, lock);
}

// A nestable lock that this thread holds already: acquired again, without waiting.
void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t lock, const void*) {
  const bool acquired = endpoint == ompt_scope_begin;
  foretask_record_lock_(stream, acquired ? FORETASK_EVENT_LOCK_ACQUIRED : FORETASK_EVENT_LOCK_RELEASED, lock);
}

void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t lock, const void*) {
  if (kind != ompt_mutex_atomic) foretask_record_lock_(stream, FORETASK_EVENT_LOCK_RELEASED, lock);
}

// The bits are foretask_cancel's. A task that is discarded before it starts ends with TASK_CANCEL, which says it all.
void on_cancel(ompt_data_t*, int what, const void*) {
  constexpr int kRecorded = FORETASK_CANCEL_ACTIVATED | FORETASK_CANCEL_DETECTED;
  if ((what & kRecorded) == 0) return;
  const auto word = static_cast<std::uint32_t>(what);
  foretask_record_extended_(stream, FORETASK_EVENT_CANCEL, &word, 1);
}

foretask::ompt::Listener recorder() {
  foretask::ompt::Listener listener;
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
  on(foretask::ompt::kMaskedCallback, on_masked);
}

int initialize(ompt_function_lookup_t lookup, int, ompt_data_t*) {
  foretask_hook_options options{};
  options.size = sizeof options;
  options.version = FORETASK_HOOK_VERSION;
  options.runtime = "openmp";
  options.runtime_version = runtime_version;
  options.entered_ticks = entered_ticks;
  const int started = foretask_hook_start(&options);
  const bool follows = foretask_progress_hook_is_on() != 0;
  if (started == FORETASK_HOOK_OFF && !follows) return 0;
  foretask::ompt::find_runtime(reinterpret_cast<const void*>(lookup));
  const auto set_callback = reinterpret_cast<ompt_set_callback_t>(lookup("ompt_set_callback"));
  foretask::ompt::Listener listener;
  if (started == FORETASK_HOOK_LEARNS) listener = foretask::ompt::learner();
  if (started == FORETASK_HOOK_RECORDS) {
    listener = recorder();
    register_recording_alone(set_callback);
  } else {
    set_callback(ompt_callback_thread_begin,
                 reinterpret_cast<ompt_callback_t>(foretask::ompt::on_thread_begin_unrecorded));
    set_callback(ompt_callback_thread_end, reinterpret_cast<ompt_callback_t>(foretask::ompt::on_thread_end_unrecorded));
  }
  follows ? foretask::ompt::register_progress(listener, set_callback, lookup)
          : foretask::ompt::register_listener(listener, set_callback);
  return 1;
}

void finalize(ompt_data_t*) { foretask_hook_stop(); }

// Off means off; what is neither that nor a mode is warned of by foretask_hook_start.
bool is_wanted() {
  const char* mode = std::getenv("FORETASK");
  if (mode && std::strcmp(mode, "off") == 0) return false;
  const char* progress = std::getenv("FORETASK_PROGRESS");
  return (mode && *mode != '\0') || (progress && *progress != '\0' && std::strcmp(progress, "0") != 0);
}

}  // namespace

// Called by the runtime before anything else; a null return turns the tool interface off for good.
extern "C" FORETASK_API ompt_start_tool_result_t* ompt_start_tool(unsigned, const char* version) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  if (!is_wanted()) return nullptr;
  foretask_stream clock{};
  clock.clock_is_tsc = foretask_clock_is_tsc() ? 1 : 0;
  entered_ticks = foretask_stream_ticks(&clock);
  runtime_version = version ? version : "";
  return &result;
}
