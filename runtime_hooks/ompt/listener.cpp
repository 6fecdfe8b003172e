// SPDX-License-Identifier: Apache-2.0
// HOT: what LLVM's libomp really sends: docs/hooks_ompt.md.
#include "listener.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "construct_code.hpp"
#include "foretask/task_hook.hpp"
#include "kit/handover.hpp"
#include "ompt_words.hpp"
#include "open_loops.hpp"
#include "tool.hpp"

namespace foretask::ompt {

constinit __attribute__((tls_model("initial-exec"))) thread_local foretask_stream* thread_stream = nullptr;

namespace {

// The last teams construct. The region of one thread in which each of its teams begins has no code of its own.
std::atomic<const void*> teams_code{nullptr};

// Where tasks are followed: what the runtime's word for a region points to, until the region ends.
struct Region {
  std::uint64_t name;
  const void* code;
};

ompt_get_task_info_t get_task_info = nullptr;
ompt_get_parallel_info_t get_parallel_info = nullptr;
bool sees_calls = false;

// An even part of the loop's iterations, where their chunks are not seen: the threads' parts add up to all.
std::uint64_t even_part(std::uint64_t count) {
  int thread = 0;
  int threads = 1;
  get_task_info(0, nullptr, nullptr, nullptr, nullptr, &thread);
  get_parallel_info(0, nullptr, &threads);
  const auto of = static_cast<std::uint64_t>(threads > 0 ? threads : 1);
  return count / of + (static_cast<std::uint64_t>(thread) < count % of ? 1 : 0);
}

// In a team of one libomp says 'undeferred' of every task; only for if(0) it also says that the parent entered the
// runtime at a frame of the application. Where it says nothing of the frame the flags are not even initialised, so that
// no single bit can be trusted.
bool is_by_if_clause(const ompt_frame_t* parent) {
  return parent && parent->enter_frame_flags == (ompt_frame_application | ompt_frame_framepointer);
}

constexpr int kUndeferred = static_cast<int>(ompt_task_undeferred);

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

bool is_of_iterations(const ompt_dependence_t& one) {
  return one.dependence_type == ompt_dependence_type_source || one.dependence_type == ompt_dependence_type_sink;
}

void on_dependences(ompt_data_t*, const ompt_dependence_t* list, int count) {
  if (count > 0 && is_of_iterations(list[0])) return;  // the loop is ordered, which its beginning says
  hook::Dependences dependences(thread_stream);
  for (int i = 0; i < count; ++i)
    dependences.add(reinterpret_cast<std::uintptr_t>(list[i].variable.ptr),
                    static_cast<std::uint32_t>(list[i].dependence_type));
}

// A nestable lock that this thread holds already: acquired again, without waiting.
void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t lock, const void*) {
  const bool acquired = endpoint == ompt_scope_begin;
  foretask_record_lock_(thread_stream, acquired ? FORETASK_EVENT_LOCK_ACQUIRED : FORETASK_EVENT_LOCK_RELEASED, lock);
}

void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t lock, const void*) {
  if (kind != ompt_mutex_atomic) foretask_record_lock_(thread_stream, FORETASK_EVENT_LOCK_RELEASED, lock);
}

// Clang makes parts of an untied task, each of which ends by giving the task back to the runtime. The first part has
// nothing else in it, and is "switched" to and from as a task is. GCC makes none. The word of a task says how far it
// is, beside its name; the runtime orders what the threads write there.
constexpr std::uint64_t kHasNotBegun = std::uint64_t{1} << 49;
constexpr std::uint64_t kInFirstPart = std::uint64_t{1} << 50;  // untied, and has not gone on behind that
static_assert((kHasNotBegun | kInFirstPart) == FORETASK_ID_HOOK_BITS);

// A first part has been seen to end, so that untied tasks have parts.
std::atomic<bool> has_parts{false};

// The latest first part of the calling thread. It is recorded where the same thread goes on with the task: another one
// may do so, and be done, before this one hears that the part has ended.
struct FirstPart {
  const ompt_data_t* task;
  std::uint64_t name;
  bool is_start;  // recorded as the task's start
  std::uint64_t began;
  std::uint64_t ended;   // 0: it runs
  std::uint64_t around;  // the name of the task that went on
};
constinit __attribute__((tls_model("initial-exec"))) thread_local FirstPart first_part{};

// A task of which another thread has run the first part, and which this thread has gone on with. Where it is done
// before that thread has left the part, libomp tells that thread, and not this one, that it is complete.
struct MovedTask {
  const ompt_data_t* task;
  std::uint32_t level;  // the stream's started_count while it runs
};
constinit __attribute__((tls_model("initial-exec"))) thread_local MovedTask moved_task{};

// The latest task whose end a thread was told that had left it, and when.
std::atomic<const ompt_data_t*> told_elsewhere{nullptr};
std::atomic<std::uint64_t> told_ticks{0};

// The calling thread has just discarded a task because its region was cancelled. libomp says
// ompt_cancel_discarded_task, and then, on the same thread, that the task is complete.
constinit __attribute__((tls_model("initial-exec"))) thread_local bool is_discarding = false;

// The status of a task's end: ompt_task_cancel if the task was discarded. Called once for each end.
ompt_task_status_t ending(ompt_task_status_t status) {
  if (__builtin_expect(!is_discarding, 1) || (status != ompt_task_complete && status != ompt_task_cancel))
    return status;
  is_discarding = false;
  return ompt_task_cancel;
}

// The bits are foretask_cancel's. A task that is discarded before it starts ends with TASK_CANCEL, which says it all.
void on_cancel(ompt_data_t* /*running*/, int what, const void* /*code*/) {
  if ((what & ompt_cancel_discarded_task) != 0) is_discarding = true;
  constexpr int kRecorded = FORETASK_CANCEL_ACTIVATED | FORETASK_CANCEL_DETECTED;
  if ((what & kRecorded) == 0) return;
  const auto word = static_cast<std::uint32_t>(what);
  foretask_record_extended_(thread_stream, FORETASK_EVENT_CANCEL, &word, 1);
}

// The callbacks. The runtime's word of a task or a region is its id in the recording; where tasks are followed it
// points to what follows the task, or to a Region, which have the id.
template <bool kRecords, bool kFollows>
struct Callbacks {
  // A constant where nothing is recorded: what is appended to it is nothing.
  static foretask_stream* stream() { return kRecords ? thread_stream : nullptr; }

  // Whether tasks are only counted. Where tasks are tiny, most callbacks find it so: they ask this first.
  static bool is_counting() { return kRecords && thread_stream && thread_stream->counting; }

  static std::uint64_t now() { return stream() ? foretask_stream_ticks(stream()) : 0; }

  // The calling thread runs `task`: what it went on with, and was above that, has ended.
  static void end_moved(const ompt_data_t* task) {
    if (__builtin_expect(moved_task.task == nullptr, 1) || !stream()) return;
    if (task == nullptr || task == moved_task.task || task == first_part.task) return;
    const foretask_counting* const counting = stream()->counting;
    if (stream()->started_count != moved_task.level || (counting && counting->running != 0)) return;
    const bool is_known = told_elsewhere.load(std::memory_order_acquire) == moved_task.task;
    foretask_record_untold_end(stream(), is_known ? told_ticks.load(std::memory_order_relaxed) : now());
    moved_task = {};
  }

  // The end of a task that another thread has gone on with, which the calling thread has left.
  static bool is_of_other(const ompt_data_t* prior) {
    if (kFollows || first_part.ended == 0 || first_part.task != prior) return false;
    told_ticks.store(now(), std::memory_order_relaxed);
    told_elsewhere.store(prior, std::memory_order_release);
    first_part = {};
    return true;
  }

  static foretask_hook_task* task_of(const ompt_data_t* data) {
    return data ? static_cast<foretask_hook_task*>(data->ptr) : nullptr;
  }

  static std::uint64_t name_of(const ompt_data_t* data) {
    if constexpr (!kFollows) return ompt::name_of(data);
    const foretask_hook_task* const task = task_of(data);
    return task ? task->name : 0;
  }

  // It is over: what the runtime may say of it later speaks of no task of ours.
  static void forget(ompt_data_t* task) {
    if (task) task->ptr = nullptr;
  }

  static void on_thread_begin(ompt_thread_t, ompt_data_t*) {
    thread_stream = foretask_stream_open();
    if (kFollows || thread_stream) OpenLoops::open(thread_stream);
  }

  static void on_thread_end(ompt_data_t*) {
    OpenLoops::close();
    foretask_stream_close(std::exchange(thread_stream, nullptr));
  }

  static void on_parallel_begin(ompt_data_t*, const ompt_frame_t*, ompt_data_t* region, unsigned requested, int flags,
                                const void* code) {
    code = code_of_region(code);
    const void* const own_code = code;
    if ((flags & ompt_parallel_league) != 0) teams_code.store(code, std::memory_order_relaxed);
    if (code == nullptr && (flags & ompt_parallel_team) != 0) code = teams_code.load(std::memory_order_relaxed);
    const std::uint64_t name = foretask_record_region_begin(stream(), code, requested);
    if constexpr (!kFollows) {
      region->value = name;
    } else {
      foretask_hook_wait_begin();
      region->ptr = std::malloc(sizeof(Region));
      if (region->ptr) *static_cast<Region*>(region->ptr) = {name, own_code};
    }
  }

  static void on_parallel_end(ompt_data_t* region, ompt_data_t* task, int, const void*) {
    if (region) foretask_record_region_end(stream(), region_name_of(region), name_of(task));
    if (!kFollows) return;
    foretask_hook_wait_end();
    if (!region) return;
    std::free(region->ptr);
    region->ptr = nullptr;
  }

  static const Region* region_of(const ompt_data_t* data) {
    return data ? static_cast<const Region*>(data->ptr) : nullptr;
  }

  static std::uint64_t region_name_of(const ompt_data_t* data) {
    if constexpr (!kFollows) return ompt::name_of(data);
    const Region* const region = region_of(data);
    return region ? region->name : 0;
  }

  // A teams construct is a region whose members are initial tasks. Other initial tasks are in no region, or in one that
  // never began.
  static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t* region, ompt_data_t* task,
                               unsigned team_size, unsigned index, int /*flags*/) {
    if (endpoint == ompt_scope_begin) {
      const std::uint64_t name = foretask_record_implicit_begin(stream(), region_name_of(region), team_size, index);
      if constexpr (!kFollows) {
        task->value = name;
      } else {
        const Region* const of = region_of(region);
        foretask_hook_task* const followed = foretask_hook_region_enter(!of        ? nullptr
                                                                        : of->code ? of->code
                                                                                   : FORETASK_HOOK_NO_CODE,
                                                                        team_size);
        task->ptr = followed;
        if (followed) followed->name = name;
      }
    } else if (task) {
      foretask_record_implicit_end(stream(), name_of(task));
      if constexpr (kFollows) {
        foretask_hook_region_leave(task_of(task));
        forget(task);
      }
    }
  }

  static void on_task_create(ompt_data_t* creator, const ompt_frame_t* parent, ompt_data_t* created, int flags,
                             int has_dependences, const void* code) {
    const Creation creation = find_creation(created, flags, code);
    if (!kFollows) {
      end_moved(creator);
      // It is where one was that is gone.
      if (first_part.task == created) first_part = {};
      if (moved_task.task == created) moved_task = {};
    }
    const std::uint64_t state = kHasNotBegun | ((flags & ompt_task_untied) != 0 ? kInFirstPart : 0);
    if (!kFollows && is_counting() && !has_dependences && !creation.is_taskloop &&
        (flags & ~(kUndeferred | ompt_task_untied)) == ompt_task_explicit) {
      const std::uint64_t name = foretask_count_create_(stream(), creation.code, 0);
      created->value = name | state;
      if (name != 0) return;
    }
    if (!kFollows && __builtin_expect(flags == ompt_task_explicit && !has_dependences && !creation.is_taskloop, 1)) {
      created->value = foretask_record_task_create(stream(), creation.code, 0) | state;
      return;
    }
    std::uint32_t recorded = flags_of(flags, has_dependences, parent);
    if (creation.is_taskloop) recorded |= FORETASK_TASK_LOOP;
    const std::uint64_t name = (flags & kTaskwaitFlag) != 0
                                   ? foretask_record_depend_wait_begin(stream(), creation.code, recorded)
                                   : foretask_record_task_create(stream(), creation.code, recorded);
    if constexpr (!kFollows) {
      created->value = name | state;
    } else {
      foretask_hook_task* task = nullptr;
      if ((flags & (kTaskwaitFlag | kEmptyFlag)) != 0)
        task = foretask_hook_task_create(nullptr);
      else if ((flags & ompt_task_explicit) != 0)
        task = foretask_hook_task_create(creation.code ? creation.code : FORETASK_HOOK_NO_CODE);
      if (task) task->name = name;
      created->ptr = task;
      handed_over(task);  // to its begin, by the runtime
      if ((flags & kTaskwaitFlag) != 0) foretask_hook_wait_begin();
    }
  }

  // A task that was cut short, or one that was discarded before it started: then the running one goes on.
  [[gnu::noinline]] static void cancel_task(ompt_data_t* task, const ompt_data_t* next) {
    foretask_record_task_cancel(stream(), name_of(task), name_of(next));
    if (!kFollows) return;
    foretask_hook_task_discard(task_of(task), task_of(next));
    forget(task);
  }

  // A task that has no body: what it waited for has come.
  static void discard_task(ompt_data_t* task) {
    if (!kFollows) return;
    foretask_hook_task_discard(task_of(task), nullptr);
    forget(task);
  }

  static void on_task_schedule(ompt_data_t* prior, ompt_task_status_t status, ompt_data_t* next) {
    const bool is_of_running = status == ompt_task_switch || status == ompt_task_complete || status == ompt_task_yield;
    if (!kFollows && is_of_running && !is_discarding) end_moved(prior);
    if (!kFollows && is_counting() && !is_discarding) {
      if (status == ompt_task_complete && is_of_other(prior)) return;
      if (status == ompt_task_complete && foretask_count_end_(stream())) return;
      if (status == ompt_task_switch && next && (next->value & FORETASK_ID_HOOK_BITS) == kHasNotBegun &&
          foretask_count_start_(stream(), next->value ^ kHasNotBegun)) {
        next->value ^= kHasNotBegun;
        return;
      }
    }
    schedule(prior, status, next);
  }

  // Returns whether a task starts or goes on; it does not where a first part begins or ends.
  static bool starts(const ompt_data_t* prior, ompt_data_t* next) {
    const std::uint64_t state = next->value & FORETASK_ID_HOOK_BITS;
    const FirstPart part = std::exchange(first_part, {});
    const std::uint64_t name = name_of(next);
    if (state == FORETASK_ID_HOOK_BITS) {
      next->value ^= kHasNotBegun;
      const bool is_start = !has_parts.load(std::memory_order_relaxed);
      first_part = {.task = next, .name = name, .is_start = is_start, .began = now()};
      return is_start;
    }
    next->value ^= state;
    if (state != 0) {
      if (part.task == next && part.ended != 0)
        foretask_record_first_part(stream(), name, part.around, part.began, part.ended);
      else if (state == kInFirstPart)
        moved_task.task = next;
      return true;
    }
    if (part.task == nullptr || part.task != prior || part.ended != 0) {
      // A task goes on that was left in its midst, or such a one is left.
      foretask_stop_counting_slow();
      if (moved_task.task == prior) moved_task = {};
      return !is_counting();
    }
    has_parts.store(true, std::memory_order_relaxed);
    if (part.is_start) foretask_record_start_undone(stream(), part.name, name);
    first_part = {.task = part.task, .began = part.began, .ended = now(), .around = name};
    return false;
  }

  [[gnu::noinline]] static void schedule(ompt_data_t* prior, ompt_task_status_t status, ompt_data_t* next) {
    if (kFollows) taken_over(task_of(next));
    const bool ends = status == ompt_task_complete || status == ompt_task_cancel || status == ompt_task_detach;
    if (!kFollows && ends && moved_task.task == prior) moved_task = {};
    switch (static_cast<int>(ending(status))) {
      case ompt_task_complete:
        if (is_of_other(prior)) return;
        foretask_record_task_end(stream(), name_of(next));
        if (!kFollows) return;
        foretask_hook_task_end(task_of(prior), task_of(next));
        return forget(prior);
      case ompt_task_cancel:
        return cancel_task(prior, next);
      case ompt_task_detach:
        foretask_record_task_detach(stream(), name_of(next));
        if (kFollows) foretask_hook_task_detach(task_of(prior), task_of(next));
        return;
      case ompt_task_early_fulfill:
      case ompt_task_late_fulfill:
        // A thread that OpenMP does not know may fulfil an event: it gets a stream for that.
        if (kRecords && !thread_stream) thread_stream = foretask_stream_open();
        foretask_record_task_fulfill(stream(), name_of(prior));
        if (status == ompt_task_late_fulfill) discard_task(prior);
        return;
      case kTaskwaitComplete:
        foretask_record_depend_wait_end(stream(), name_of(prior), 0);
        if (kFollows) foretask_hook_wait_end();
        return discard_task(prior);
      default:
        if (!next || (!kFollows && !starts(prior, next))) return;
        const std::uint64_t name = foretask_record_task_switch(stream(), name_of(next));
        if (kFollows) return foretask_hook_task_switch(task_of(next));
        next->value = name | (next->value & FORETASK_ID_HOOK_BITS);
        if (stream() && moved_task.task == next)
          moved_task = {(name & FORETASK_ID_COUNTED) == 0 ? next : nullptr, stream()->started_count};
    }
  }

  static void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t* task,
                             const void*) {
    const bool begin = endpoint == ompt_scope_begin;
    if (!kFollows) end_moved(task);
    if (kind == ompt_sync_region_taskwait && is_counting()) {
      if (begin) foretask_count_wait_(stream(), FORETASK_EVENT_WAIT_BEGIN);
      return;
    }
    switch (static_cast<int>(kind)) {
      case ompt_sync_region_taskwait:
        begin ? foretask_record_wait_begin(stream(), FORETASK_EVENT_WAIT_BEGIN)
              : foretask_record_wait_end(stream(), FORETASK_EVENT_WAIT_END, name_of(task));
        return;
      case ompt_sync_region_taskgroup:
        begin ? foretask_record_group_begin(stream())
              : foretask_record_wait_end(stream(), FORETASK_EVENT_GROUP_END, name_of(task));
        return;
      case ompt_sync_region_reduction:
        return;
      default:  // every kind of barrier
        if (begin && open_loops) open_loops->leave(ompt::name_of(task));
        begin ? foretask_record_wait_begin(stream(), FORETASK_EVENT_BARRIER_BEGIN)
              : foretask_record_wait_end(stream(), FORETASK_EVENT_BARRIER_END, name_of(task));
    }
  }

  static void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t*,
                                  const void*) {
    if (kRecords && kind == ompt_sync_region_taskgroup && endpoint == ompt_scope_begin)
      foretask_record_wait_begin(stream(), FORETASK_EVENT_GROUP_WAIT);
    if (!kFollows || kind == ompt_sync_region_reduction) return;
    endpoint == ompt_scope_begin ? foretask_hook_wait_begin() : foretask_hook_wait_end();
  }

  // `task` is the one whose construct it is.
  static void begin_or_end_loop(ompt_scope_endpoint_t endpoint, std::uint32_t construct, const ompt_data_t* task,
                                std::uint64_t iterations, const void* code) {
    if (!open_loops) return;
    if (endpoint == ompt_scope_begin) {
      open_loops->begin(ompt::name_of(task), construct, iterations, code);
    } else {
      open_loops->end();
    }
  }

  static void on_work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t* task,
                      std::uint64_t count, const void* code) {
    const bool begin = endpoint == ompt_scope_begin;
    // A thread's own. Only a preloaded hook knows how many iterations it has.
    const bool is_share = kFollows && open_loops && is_loop(kind);
    if (is_share && !begin) foretask_hook_share_end(task_of(task), open_loops->iterations());
    const ompt_work_t construct = kind >= kFirstLoopBySchedule ? ompt_work_loop : kind;
    switch (construct) {
      case ompt_work_taskloop:
        begin ? enter_taskloop() : leave_taskloop();
        return;
      case ompt_work_loop:
      case ompt_work_sections:
        begin_or_end_loop(endpoint, static_cast<std::uint32_t>(construct), task, count, code);
        break;
      case ompt_work_single_executor:
      case ompt_work_distribute:
        if (stream()) begin_or_end_loop(endpoint, static_cast<std::uint32_t>(construct), task, count, code);
        return;
      default:
        return;
    }
    if (!is_share || !begin) return;
    foretask_hook_share_begin(task_of(task), open_loops->code(), construct == ompt_work_sections);
    if (!sees_calls) foretask_hook_share_iterations(even_part(count));
  }

  static void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t* task, const void* code) {
    begin_or_end_loop(endpoint, FORETASK_CONSTRUCT_MASKED, task, 0, code);
  }

  static void on_mutex_acquire(ompt_mutex_t kind, unsigned, unsigned, ompt_wait_id_t lock, const void*) {
    if (!is_waited_for(kind)) return;
    foretask_record_lock_wait(stream(), lock, static_cast<std::uint32_t>(kind));
    if (kFollows) foretask_hook_wait_begin();
  }

  static void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t lock, const void*) {
    if (kind == ompt_mutex_atomic) return;
    const bool has_waited = is_waited_for(kind);
    if (kFollows && has_waited) foretask_hook_wait_end();
    foretask_record_lock_acquired(stream(), lock, has_waited ? 1 : 0);
  }

  static void listen(ompt_set_callback_t set_callback) {
    const auto on = [set_callback](ompt_callbacks_t event, auto* callback) {
      set_callback(event, reinterpret_cast<ompt_callback_t>(callback));
    };
    on(ompt_callback_thread_begin, on_thread_begin);
    on(ompt_callback_thread_end, on_thread_end);
    on(ompt_callback_parallel_begin, on_parallel_begin);
    on(ompt_callback_parallel_end, on_parallel_end);
    on(ompt_callback_implicit_task, on_implicit_task);
    on(ompt_callback_task_create, on_task_create);
    on(ompt_callback_task_schedule, on_task_schedule);
    on(ompt_callback_sync_region_wait, on_sync_region_wait);
    on(ompt_callback_mutex_acquire, on_mutex_acquire);
    on(ompt_callback_mutex_acquired, on_mutex_acquired);
    on(ompt_callback_work, on_work);
    on(ompt_callback_cancel, on_cancel);
    if constexpr (!kRecords) return;
    on(ompt_callback_sync_region, on_sync_region);
    on(ompt_callback_dependences, on_dependences);
    on(ompt_callback_mutex_released, on_mutex_released);
    on(ompt_callback_nest_lock, on_nest_lock);
    on(kMaskedCallback, on_masked);
  }
};

// Registers the callbacks.
void listen(ompt_function_lookup_t lookup, bool records, bool follows) {
  const auto set_callback = reinterpret_cast<ompt_set_callback_t>(lookup("ompt_set_callback"));
  get_task_info = reinterpret_cast<ompt_get_task_info_t>(lookup("ompt_get_task_info"));
  get_parallel_info = reinterpret_cast<ompt_get_parallel_info_t>(lookup("ompt_get_parallel_info"));
  sees_calls = sees_loop_calls() || !get_task_info || !get_parallel_info;
  follows_iterations = follows;
  if (!follows) return Callbacks<true, false>::listen(set_callback);
  records ? Callbacks<true, true>::listen(set_callback) : Callbacks<false, true>::listen(set_callback);
}

}  // namespace

bool is_wanted() {
  const char* mode = std::getenv("FORETASK");
  if (mode && std::strcmp(mode, "off") == 0) return false;
  const char* progress = std::getenv("FORETASK_PROGRESS");
  return (mode && *mode != '\0') || (progress && *progress != '\0' && std::strcmp(progress, "0") != 0);
}

Started start_tool(ompt_function_lookup_t lookup, const char* version, std::uint64_t entered_ticks) {
  const int started = foretask_hook_start_as("openmp", version, FORETASK_HOOK_TELLS_PARTS, entered_ticks);
  const bool records = (started & FORETASK_HOOK_RECORDS) != 0;
  const bool follows = foretask_hook_follows_tasks() != 0;
  if (!records && !follows) return Started::kNothing;
  listen(lookup, records, follows);
  return follows ? Started::kOthers : Started::kRecorderAlone;
}

}  // namespace foretask::ompt
