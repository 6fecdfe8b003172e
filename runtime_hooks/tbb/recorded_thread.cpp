// SPDX-License-Identifier: Apache-2.0
#include "recorded_thread.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <utility>

#include "followed_task.hpp"
#include "foretask/hook.h"

namespace foretask::tbb {

constinit std::atomic<Mode> current_mode{Mode::kUndecided};
constinit std::atomic<std::uint64_t> team_region{0};
constinit thread_local RecordedThread recorded_thread __attribute__((tls_model("initial-exec")));

namespace {

// Of the region that is open, or the last one.
struct Team {
  std::atomic<std::uint64_t> last_region{0};
  std::atomic<bool> is_led{false};  // some thread begins the region, or has begun it
  std::atomic<std::uint32_t> size{1};
  std::atomic<std::uint32_t> members{1};  // that ever came
  std::atomic<std::uint32_t> present{1};  // that have come and have not ended
};
constinit Team team;

constinit NextFunction<int(const Arena*)> max_concurrency(
    "_ZN3tbb6detail2r115max_concurrencyEPKNS0_2d115task_arena_baseE");
constinit NextFunction<std::size_t(int)> control_value("_ZN3tbb6detail2r127global_control_active_valueEi");
constinit NextFunction<int()> interface_version("TBB_runtime_interface_version");
constinit NextFunction<const char*()> version("TBB_runtime_version");

// The vtable's and the tasks' layout was looked at from the first of these on; the soname's number is the same.
constexpr int kOldestInterface = 12080;
constexpr int kNextInterface = 13000;

// A region of OpenMP's around the first call would end before this one.
bool is_in_openmp_region() {
  using Function = int (*)();
  const auto level = kit::find_anywhere<Function>("omp_get_level");
  return level && level() > 0;
}

Mode decide(const void* caller, bool& follows) {
  const char* const runtime_version = version.get(caller)();
  const int started = foretask_hook_start_as("tbb", runtime_version, FORETASK_HOOK_OWN_THREADS, 0);
  const bool records = (started & FORETASK_HOOK_RECORDS) != 0;
  follows = foretask_hook_follows_tasks() != 0;
  if (!records && !follows) return Mode::kOff;
  const int interface = interface_version.get(caller)();
  if (interface < kOldestInterface || interface >= kNextInterface) {
    std::fprintf(stderr,
                 "foretask: warning: oneTBB %s has interface %d, and foretask knows those from %d to %d: its tasks "
                 "are not seen\n",
                 runtime_version, interface, kOldestInterface, kNextInterface - 1);
    follows = false;
    return Mode::kOff;
  }
  if (!records) return Mode::kOff;
  if (is_in_openmp_region()) {
    std::fprintf(stderr, "foretask: warning: oneTBB is first used in an OpenMP region: its tasks are not recorded\n");
    return Mode::kOff;
  }
  return Mode::kRecords;
}

void begin_team(RecordedThread& thread) noexcept {
  if (!thread.stream || team.is_led.exchange(true)) return;
  foretask_stream* const stream = thread.stream;
  const std::uint32_t size = team.size.load();
  thread.region = foretask_record_region_begin(stream, nullptr, size);
  thread.member = foretask_record_implicit_begin(stream, thread.region, size, 0);
  thread.is_first_of_team = true;
  team.members.store(1);
  team.present.store(1);
  team.last_region.store(thread.region);
  team_region.store(thread.region);
}

// The first of the team leaves it.
void end_team(RecordedThread& thread) noexcept {
  thread.is_first_of_team = false;
  team_region.store(0);
  foretask_record_implicit_end(thread.stream, thread.member);
  foretask_record_region_end(thread.stream, thread.region, 0);
  team.is_led.store(false);
}

// Of a worker, which libtbb may end before the program, or of the first of the team. The program's first thread ends
// with the program. Before libforetask closes the thread's stream, which it does later in a thread's end.
struct ThreadEnd {
  bool is_set = false;
  ~ThreadEnd() {
    RecordedThread& thread = recorded_thread;
    if (!is_set || !thread.stream || mode() != Mode::kRecords) return;
    if (thread.is_first_of_team && !thread.is_main) end_team(thread);
    if (!thread.is_worker) return;
    if (thread.member != 0 && thread.region == team_region.load()) team.present.fetch_sub(1);
    foretask_stream_close(std::exchange(thread.stream, nullptr));
  }
};
thread_local ThreadEnd thread_end;

void open_program_thread(RecordedThread& thread) noexcept {
  thread.is_known = true;
  thread.is_main = ::syscall(SYS_gettid) == ::getpid();
  thread.top = &thread.base;
  thread.between.set_runs(false);
  thread.stream = foretask_stream_of_thread();
  thread_end.is_set = true;
}

void decide_once(const void* caller) noexcept {
  static std::once_flag once;
  std::call_once(once, [caller] {
    bool follows = false;
    const Mode decided = decide(caller, follows);
    if (decided == Mode::kRecords || follows) note_arena(nullptr, caller);
    if (decided == Mode::kRecords) {
      open_program_thread(recorded_thread);
      begin_team(recorded_thread);
    }
    if (follows) begin_following(team.size.load());
    current_mode.store(decided);
  });
}

void join_team(RecordedThread& thread, std::uint64_t region) noexcept {
  foretask_stream* const stream = thread.stream;
  if (thread.member != 0) foretask_record_implicit_end(stream, thread.member);
  // Tasks in several arenas have more threads than one arena may have.
  note_threads(team.present.fetch_add(1) + 1);
  thread.member = foretask_record_implicit_begin(stream, region, team.size.load(), team.members.fetch_add(1));
  thread.region = region;
  foretask_record_wait_begin(stream, FORETASK_EVENT_BARRIER_BEGIN);
}

void open_worker(RecordedThread& thread) noexcept {
  thread.is_known = true;
  thread.is_worker = true;
  thread.top = &thread.base;
  thread.base.set_runs(false);
  thread.stream = foretask_stream_open();
  thread_end.is_set = thread.stream != nullptr;
}

}  // namespace

RecordedThread* calling_thread_slow(const void* caller) noexcept {
  if (mode() == Mode::kUndecided) [[unlikely]]
    decide_once(caller);
  if (mode() != Mode::kRecords) return nullptr;
  RecordedThread& thread = recorded_thread;
  if (!thread.is_known) [[unlikely]]
    open_program_thread(thread);
  if (!thread.stream) return nullptr;
  if (!thread.is_worker && team_region.load(std::memory_order_relaxed) == 0) [[unlikely]]
    if (thread.top == &thread.base && thread.base.runs && !thread.base.group) begin_team(thread);
  return &thread;
}

RecordedThread* running_thread_slow() noexcept {
  if (mode() != Mode::kRecords) return nullptr;
  RecordedThread& thread = recorded_thread;
  if (!thread.is_known) [[unlikely]]
    open_worker(thread);
  if (!thread.stream) return nullptr;
  if (thread.is_worker && thread.top == &thread.base) {
    // Acquire: what the region's first thread has recorded comes before.
    const std::uint64_t region = team_region.load(std::memory_order_acquire);
    // A worker is a member of some team, though it may have come late.
    const std::uint64_t wanted = region != 0 || thread.member != 0 ? region : team.last_region.load();
    if (wanted != thread.region && wanted != 0) [[unlikely]]
      join_team(thread, wanted);
  }
  return &thread;
}

__attribute__((noinline)) RecordedThread* thread_now() noexcept {
  asm volatile("");  // not even a copy of this function is put in its place
  return thread_here();
}

void go_on(RecordedThread& thread, Frame& frame) noexcept {
  thread.top = &frame;
  const std::uint64_t name = frame.name != 0 ? frame.name : thread.member;
  if (name == 0) return;
  foretask_record_task_switch(thread.stream, name);
}

void note_arena(const Arena* arena, const void* caller) noexcept {
  constexpr int kMaxAllowedParallelism = 0;
  const int in_arena = std::max(1, max_concurrency.get(caller)(arena));
  const auto allowed = std::max<std::size_t>(1, control_value.get(caller)(kMaxAllowedParallelism));
  note_threads(static_cast<std::uint32_t>(std::min<std::size_t>(static_cast<std::size_t>(in_arena), allowed)));
}

void note_threads(std::uint32_t threads) noexcept {
  std::uint32_t most = team.size.load(std::memory_order_relaxed);
  while (most < threads && !team.size.compare_exchange_weak(most, threads)) {
  }
}

void end_program() noexcept {
  static constinit std::atomic<bool> has_ended{false};
  if (has_ended.exchange(true)) return;
  end_following();
  RecordedThread* const thread = thread_now();
  if (!thread) return;
  // exit() in a task: it is the one that has the program's last time.
  if (const std::uint64_t running = thread->top->name) {
    foretask_record_implicit_end(thread->stream, running);
  } else if (thread->is_first_of_team) {
    end_team(*thread);
  }
  current_mode.store(Mode::kOff);
}

}  // namespace foretask::tbb
