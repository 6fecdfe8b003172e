// SPDX-License-Identifier: Apache-2.0
#include "recorded_thread.hpp"

#include <starpu.h>

#include <atomic>
#include <mutex>
#include <utility>

#include "foretask/hook.h"

namespace foretask::starpu {
namespace {

// Several threads may start StarPU at once, and another one end it.
struct Team {
  std::mutex mutex;                      // of its beginning and end
  std::atomic<std::uint64_t> region{0};  // 0: none
  std::uint32_t size = 0;                // written before the region
  bool has_first = false;                // the thread that started StarPU is in it
};
constinit Team team;

void open_worker(RecordedThread& thread, std::uint32_t worker) {
  thread.stream = foretask_stream_open();
  thread.member = foretask_record_implicit_begin(thread.stream, team.region.load(), team.size, worker);
  foretask_record_wait_begin(thread.stream, FORETASK_EVENT_BARRIER_BEGIN);
}

// The thread that started StarPU is no longer of the team, which may go on without it.
void leave_team(RecordedThread& thread) {
  foretask_record_implicit_end(thread.stream, thread.member);
  thread.is_first_of_team = false;
  team.has_first = false;
}

}  // namespace

RecordedThread::~RecordedThread() {
  if (!stream || !records()) return;
  if (is_first_of_team) {
    const std::lock_guard lock(team.mutex);
    leave_team(*this);
  }
  if (is_worker) foretask_stream_close(std::exchange(stream, nullptr));
}

RecordedThread& recorded_thread() {
  static thread_local RecordedThread thread;
  if (thread.stream || !records()) return thread;
  const int worker = starpu_worker_get_id();
  thread.is_worker = worker >= 0;
  if (thread.is_worker && team.region.load() != 0) {
    open_worker(thread, static_cast<std::uint32_t>(worker));
  } else if (!thread.is_worker) {
    thread.stream = foretask_stream_of_thread();
  }
  return thread;
}

void begin_team(const void* code) {
  RecordedThread& thread = recorded_thread();
  const std::lock_guard lock(team.mutex);
  if (!thread.stream || team.region.load() != 0) return;
  team.size = starpu_worker_get_count();
  const std::uint64_t region = foretask_record_region_begin(thread.stream, code, team.size);
  thread.member = foretask_record_implicit_begin(thread.stream, region, team.size, FORETASK_RUNS_NO_TASKS);
  thread.is_first_of_team = true;
  team.has_first = true;
  team.region.store(region);
}

void end_team() {
  RecordedThread& thread = recorded_thread();
  const std::lock_guard lock(team.mutex);
  if (!thread.stream || thread.is_worker || team.region.load() == 0) return;
  if (thread.is_first_of_team) leave_team(thread);
  if (!team.has_first) foretask_record_region_end(thread.stream, team.region.exchange(0), 0);
}

}  // namespace foretask::starpu
