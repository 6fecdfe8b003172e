// SPDX-License-Identifier: Apache-2.0
// The C ABI of foretask.h and hook.h. No exception leaves it; a fault of the tool ends the recording, not the program.
#include "foretask/hook.h"

#include <dlfcn.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <string_view>

#include "base/clock.hpp"
#include "base/environment.hpp"
#include "base/held_signals.hpp"
#include "base/messages.hpp"
#include "base/own_process.hpp"
#include "base/run_aside.hpp"
#include "runtime/learning/learning.hpp"
#include "runtime/process_fork.hpp"
#include "runtime/progress/progress.hpp"
#include "runtime/recording/activity.hpp"
#include "runtime/recording/annotations.hpp"
#include "runtime/recording/bus_guard.hpp"
#include "runtime/recording/recorded_thread.hpp"
#include "runtime/recording/recording.hpp"
#include "runtime/recording/task_counters.hpp"

namespace {

using foretask::base::Environment;
using foretask::base::run_aside;
using foretask::base::warn;
using foretask::runtime::Recording;
using foretask::runtime::TaskCounters;
using foretask::runtime::WorkerStream;

std::mutex start_mutex;
// Never freed: threads of the program may append until the process is gone.
std::atomic<Recording*> current{nullptr};
std::atomic<bool> recording_on{false};
bool started = false;
int outcome = FORETASK_HOOK_OFF;              // of the start
std::atomic<std::uint64_t> entered_ticks{0};  // when the tool began to work
std::atomic<bool> start_is_told{false};
bool is_forked = false;  // what is said of the program is its first process's to say

// This thread's stream, for foretask_hook_stop to close.
thread_local WorkerStream* own_stream = nullptr;

// This thread got none: it is one of the threads that are not in the recording, however often a hook asks.
thread_local bool is_refused = false;

// What hooks knew before there were flags.
constexpr std::size_t kLeastOptions = offsetof(foretask_hook_options, flags);

bool has_flag(const foretask_hook_options& options, std::uint32_t flag) {
  return options.size >= sizeof options && (options.flags & flag) != 0;
}
bool has_own_threads(const foretask_hook_options& options) { return has_flag(options, FORETASK_HOOK_OWN_THREADS); }
// Begun by an annotation, and not by a runtime, which may have no name.
bool is_of_no_runtime(const foretask_hook_options& options) {
  return options.runtime && std::string_view(options.runtime) == foretask::runtime::kNoRuntime;
}

// What the environment asks for; a recording is begun here.
int begin(const foretask_hook_options& options, const Environment& environment, std::uint64_t entered) {
  const int others = environment.mode.learns ? FORETASK_HOOK_LEARNS : FORETASK_HOOK_OFF;
  if (!environment.mode.records) return others;
  auto recording = Recording::start(environment, options);
  if (!recording) {
    warn("nothing is recorded: " + recording.error().message());
    return others;
  }
  if (!*recording) return others;
  foretask::runtime::recording_scale.store((*recording)->scale());
  foretask::runtime::begin_kernel_file((*recording)->folder(), (*recording)->folder_is());
  current.store(std::move(*recording).release());
  foretask::runtime::set_own_threads(has_own_threads(options));
  entered_ticks.store(entered);
  recording_on.store(true);
  foretask::runtime::activity.fetch_or(foretask::runtime::kRecording |
                                       (is_of_no_runtime(options) ? foretask::runtime::kScopesAreTasks : 0U));
  return FORETASK_HOOK_RECORDS | others;
}

// Once a process; `environment` is null for everybody else. `was_recording`: before this runtime's hook had OpenMP
// started. Aside.
int begin_once(const foretask_hook_options& options, bool was_recording,
               std::unique_ptr<Environment>& environment) noexcept {
  const std::uint64_t entered = options.entered_ticks ? options.entered_ticks : foretask::base::ticks_now();
  const std::lock_guard lock(start_mutex);
  try {
    if (started) {
      const bool is_own = recording_on.load() && has_own_threads(options);
      const bool replaces = is_own && !was_recording && has_flag(options, FORETASK_HOOK_RUNS_TASKS);
      if (is_own) current.load()->adopt_runtime(options, replaces);
      if (is_own && !is_of_no_runtime(options))
        foretask::runtime::activity.fetch_and(~std::uint32_t{foretask::runtime::kScopesAreTasks});
      if (replaces) foretask::runtime::set_own_threads(true);
      return outcome;
    }
    started = true;
    environment = std::make_unique<Environment>(foretask::base::read_environment());
    foretask::base::restore_environment();
    for (const std::string& warning : environment->warnings) warn(warning);
    return outcome = begin(options, *environment, entered);
  } catch (const std::exception& problem) {
    warn(problem.what());
    return FORETASK_HOOK_OFF;
  }
}

// What has threads, which are not started aside.
int begin_threads(const Environment& environment, int what) noexcept {
  foretask::runtime::Progress::instance().start(environment);
  if ((what & FORETASK_HOOK_RECORDS) != 0) current.load()->start_sampling();
  if ((what & FORETASK_HOOK_LEARNS) == 0) return what;
  foretask::runtime::Learning::instance().set_announces(environment.announces);
  if (foretask_learning_start() != FORETASK_OFF) return what;
  const std::lock_guard lock(start_mutex);
  return outcome &= ~FORETASK_HOOK_LEARNS;
}

void stop() noexcept {
  const std::lock_guard lock(start_mutex);
  if (!recording_on.load()) return;
  if (own_stream) foretask::runtime::end_initial_task(own_stream->view());
  recording_on.store(false);
  outcome = FORETASK_HOOK_OFF;
  foretask::runtime::activity.fetch_and(~static_cast<std::uint32_t>(foretask::runtime::kRecording));
  foretask::runtime::end_kernel_file();
  try {
    current.load()->stop(own_stream);
  } catch (const std::exception& problem) {
    warn(problem.what());
  }
  own_stream = nullptr;
}

bool has_children() {
  siginfo_t one{};
  return ::waitid(P_ALL, 0, &one, WEXITED | WNOHANG | WNOWAIT) == 0;
}

// Its hook knows more of its threads than is known without. The runtime loads it when it is first used; the one for
// GCC's is there beforehand.
void start_openmp_first() {
  if (const auto start = reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, "foretask_gomp_start"))) start();
  using Function = int (*)();
  if (const auto function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, "omp_get_max_threads")))
    static_cast<void>(function());
}

}  // namespace

namespace foretask::runtime {

void lock_recording() noexcept {
  start_mutex.lock();
  if (Recording* recording = current.load()) recording->session().mutex().lock();
  lock_kernel_file();
}

void unlock_recording() noexcept {
  unlock_kernel_file();
  if (Recording* recording = current.load()) recording->session().mutex().unlock();
  start_mutex.unlock();
}

void abandon_recording() noexcept {
  is_forked = true;
  foretask::runtime::forget_guarded_packets();
  unlock_kernel_file();
  if (Recording* recording = current.load()) {
    recording_on.store(false);
    activity.fetch_and(~static_cast<std::uint32_t>(kRecording));
    recording->session().abandon_after_fork();
    recording->session().mutex().unlock();
    own_stream = nullptr;
    forget_recorded_thread();
    current.store(nullptr);
    outcome = FORETASK_HOOK_OFF;
    end_kernel_file();
  }
  start_mutex.unlock();
}

void note_end_of_process() noexcept {
  foretask::base::try_aside([] {
    if (current.load() != nullptr) {
      current.load()->note_exit();
    } else if (!started && !is_forked && foretask::base::read_mode().mode.records) {
      // Its children may have been recorded, or may be yet.
      const Environment environment = foretask::base::read_environment();
      if (foretask::runtime::has_recording(environment)) {
        foretask::runtime::say_processes(environment);
      } else if (!environment.nothing_recorded.empty() && !has_children()) {
        foretask::base::say(environment.nothing_recorded);
      }
    }
  });
}

foretask_stream* recorded_thread() noexcept {
  if (!recording_on.load(std::memory_order_relaxed)) return nullptr;
  if (own_stream) [[likely]]
    return own_stream->view();
  return open_thread_slow();
}

std::uint32_t begin_recording_slow() noexcept {
  if ((activity.load() & kUndecided) != 0) static_cast<void>(decide_slow());
  if ((activity.load() & kToBeRecorded) != 0) {
    static_cast<void>(foretask_hook_start_as(foretask::runtime::kNoRuntime, "", FORETASK_HOOK_OWN_THREADS, 0));
    activity.fetch_and(~static_cast<std::uint32_t>(kToBeRecorded));
  }
  return activity.load();
}

}  // namespace foretask::runtime

extern "C" {

const char* foretask_version(void) { return FORETASK_VERSION_TEXT; }

int foretask_is_recording(void) { return recording_on.load(std::memory_order_relaxed) ? 1 : 0; }

const char* foretask_recording_folder(void) {
  Recording* recording = current.load();
  return recording ? recording->folder().c_str() : nullptr;
}

int foretask_clock_is_tsc(void) { return static_cast<int>(foretask::base::counter_scale()); }

uint64_t foretask_monotonic_ns(void) { return static_cast<uint64_t>(foretask::base::monotonic_ns()); }

int foretask_hook_start(const foretask_hook_options* options) {
  const bool is_known = options && (options->size >= sizeof *options || options->size == kLeastOptions);
  if (!is_known || options->version != FORETASK_HOOK_VERSION) {
    warn("nothing is recorded: the hook library is of another version");
    return FORETASK_HOOK_OFF;
  }
  const bool was_recording = recording_on.load();
  if (has_own_threads(*options)) start_openmp_first();
  int result = FORETASK_HOOK_OFF;
  std::unique_ptr<Environment> environment;
  if (!run_aside([&] { result = begin_once(*options, was_recording, environment); }))
    warn("nothing is recorded: there is no memory or no thread for it");
  return environment ? begin_threads(*environment, result) : result;
}

void foretask_hook_restore_variables(const char* prefix) {
  const foretask::base::HeldSignals held;
  const std::lock_guard lock(start_mutex);
  try {
    if (!started) foretask::base::restore_environment(prefix);
  } catch (const std::bad_alloc&) {
  }
}

void foretask_hook_warn(const char* text) { warn(text); }

void foretask_hook_set_rank(uint32_t rank, uint32_t ranks) {
  const foretask::base::HeldSignals held;
  const std::lock_guard lock(start_mutex);
  if (recording_on.load()) current.load()->set_rank(rank, ranks);
}

foretask_stream* foretask_stream_of_thread(void) { return foretask::runtime::recorded_thread(); }

void foretask_hook_stop(void) {
  if (!recording_on.load()) return;
  // What is this thread's own is read nowhere else.
  if (own_stream) {
    own_stream->times().read(*own_stream->view());
    own_stream->detach_counters();
  }
  current.load()->sampler().stop();
  static_cast<void>(run_aside([] { stop(); }));
}

foretask_stream* foretask_stream_open(void) {
  if (!recording_on.load() || is_refused) return nullptr;
  const std::int64_t thread = syscall(SYS_gettid);
  if (thread != getpid()) current.load()->sampler().start_thread();
  foretask::runtime::Session& session = current.load()->session();
  // What needs no file is not done aside, which would be most of what a short-lived thread takes.
  WorkerStream* stream = foretask::base::is_own_process() ? session.take_left_stream(thread) : nullptr;
  if (!stream || !stream->times().pass_on(thread)) {
    static_cast<void>(run_aside([&] {
      if (!stream) stream = session.open_stream(thread);
      if (stream) stream->times().open(thread, session.times_clock());
    }));
  }
  is_refused = !stream;
  if (!stream) return nullptr;
  session.open_counters(*stream);
  own_stream = stream;
  // What the tool worked before the first thread goes on is no time of the program's. Not always that of stream 0:
  // another may be quicker.
  if (!start_is_told.exchange(true)) {
    const std::uint64_t now = foretask::base::ticks_now();
    stream->append_tool_time(now, now - entered_ticks.load() + foretask::runtime::CodeSampler::early_ticks());
  }
  session.note_thread(*stream, thread);
  stream->times().start(*stream->view());
  foretask_record_2_(stream->view(), FORETASK_EVENT_THREAD_BEGIN, static_cast<std::uint32_t>(thread),
                     static_cast<std::uint32_t>(sched_getcpu()));
  return stream->view();
}

void foretask_stream_close(foretask_stream* stream) {
  Recording* recording = current.load();
  if (!stream || !stream->owner || !recording) return;
  WorkerStream* const owner = WorkerStream::of(stream);
  foretask_record_0_(stream, FORETASK_EVENT_THREAD_END);
  owner->detach_counters();
  const std::int64_t thread = syscall(SYS_gettid);
  recording->session().note_thread(*owner, thread);
  if (!recording->session().leave_stream(*owner, thread))
    static_cast<void>(run_aside([&] { recording->session().close_stream(owner); }));
  own_stream = nullptr;
}

void foretask_contract_slow(foretask_stream* stream, const foretask_started_task* started) {
  if (stream->owner != nullptr) WorkerStream::of(stream)->contract(*started);
}

void foretask_number_code_slow(foretask_stream* stream, foretask_numbered_code* place, const void* code) {
  *place = {code, stream->owner != nullptr ? WorkerStream::of(stream)->counted_subtrees().number_of(code) : 0};
}

void foretask_count_slow(foretask_stream* stream, uint64_t task) {
  WorkerStream::of(stream)->counted_subtrees().begin(*stream, task);
}

void foretask_count_end_slow(foretask_stream* stream) { WorkerStream::of(stream)->counted_subtrees().end(*stream); }

uint64_t foretask_take_slow(foretask_stream* stream, uint64_t task) {
  // In a forked child nothing is left of it.
  return stream->owner != nullptr ? WorkerStream::of(stream)->counted_subtrees().take(*stream, task) : 0;
}

void foretask_stop_counting_slow(void) {
  if (Recording* const recording = current.load()) recording->session().stop_counting();
}

void foretask_thread_times_slow(foretask_stream* stream) {
  if (stream->owner == nullptr) return;
  WorkerStream* const owner = WorkerStream::of(stream);
  owner->times().read(*stream);
  Recording* const recording = current.load(std::memory_order_relaxed);
  if (recording == nullptr || !recording->sampler().is_due(stream->last_ticks) || foretask::base::is_aside()) return;
  const std::uint64_t before = foretask_stream_ticks(stream);
  recording->sampler().read();
  const std::uint64_t after = foretask_stream_ticks(stream);
  owner->append_tool_time(after, after - before);
}

void foretask_counters_switch_slow(foretask_stream* stream, uint64_t next) {
  static_cast<TaskCounters*>(stream->counters)->switch_to(*stream, next);
}

void foretask_counters_end_slow(foretask_stream* stream, uint64_t ended, uint64_t resumed) {
  static_cast<TaskCounters*>(stream->counters)->end(*stream, ended, resumed);
}

void foretask_counters_pause_slow(foretask_stream* stream) {
  static_cast<TaskCounters*>(stream->counters)->pause(*stream);
}

void foretask_counters_resume_slow(foretask_stream* stream, uint64_t task) {
  static_cast<TaskCounters*>(stream->counters)->resume(*stream, task);
}

uint32_t* foretask_stream_reserve_slow(foretask_stream* stream, uint32_t kind, uint64_t now) {
  WorkerStream* const owner = WorkerStream::of(stream);
  // Nobody's: the probes' costs are being measured, and the processor was another's for longer than a compact stamp
  // tells. The event does not count there; a median of batches does.
  return owner != nullptr ? owner->reserve_slow(kind, now) : nullptr;
}

}  // extern "C"
