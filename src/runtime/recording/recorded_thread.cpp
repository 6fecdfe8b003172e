// SPDX-License-Identifier: Apache-2.0
#include "runtime/recording/recorded_thread.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "base/thread_end.hpp"
#include "runtime/recording/code_sampler.hpp"
#include "runtime/recording/open_tasks.hpp"

namespace foretask::runtime {
namespace {

std::atomic<bool> own_threads{false};

// Of a thread that no hook knows.
struct RecordedThread {
  foretask_stream* opened = nullptr;  // its stream, which this library closes
  std::uint64_t initial_task = 0;     // 0: none was begun
};
thread_local RecordedThread thread;

constinit base::ThreadEnd thread_end;

std::uint32_t thread_id() noexcept { return static_cast<std::uint32_t>(syscall(SYS_gettid)); }

void close_stream() noexcept {
  foretask_stream* const stream = foretask_is_recording() ? thread.opened : nullptr;
  end_open_tasks(stream);
  // The first thread's end is the program's: foretask_hook_stop.
  if (!thread.opened || thread_id() == static_cast<std::uint32_t>(getpid())) return;
  end_initial_task(stream);
  foretask_stream_close(thread.opened);
  thread = {};
}

// One function for all that is a thread's: what is open is recorded as ended before its memory is freed.
void end_thread(void* /*thread*/) {
  close_stream();
  free_open_tasks();
}

// When this library is loaded, and when it is left.
__attribute__((constructor)) void begin_library() {
  thread_end.open(end_thread);
  CodeSampler::begin_early();
}
__attribute__((destructor)) void end_recording() {
  // Also of a runtime that does not end: exit() within a task.
  foretask_hook_stop();
  note_end_of_process();
  thread_end.close();
}

void begin_initial_task(foretask_stream* stream) noexcept {
  thread.initial_task = foretask_record_implicit_begin(stream, 0, 1, 0);
}

}  // namespace

void set_own_threads(bool own) noexcept { own_threads.store(own); }
bool watch_thread_end() noexcept { return thread_end.set(&thread); }
bool has_own_threads() noexcept { return own_threads.load(std::memory_order_relaxed); }

foretask_stream* open_thread_slow() noexcept {
  foretask_stream* const stream = foretask_stream_open();
  if (!stream) return nullptr;
  thread = {stream, 0};
  static_cast<void>(watch_thread_end());
  if (has_own_threads()) begin_initial_task(stream);
  return stream;
}

void need_initial_task(foretask_stream* stream) noexcept {
  if (thread.opened == stream && thread.initial_task == 0) begin_initial_task(stream);
}

void end_initial_task(foretask_stream* stream) noexcept {
  if (!stream || thread.opened != stream || thread.initial_task == 0) return;
  // The program may end within a task, which is then the one that has its last time.
  const std::uint64_t open = innermost_open_task();
  if (open == 0) wait_for_children(stream);
  foretask_record_implicit_end(stream, open != 0 ? open : thread.initial_task);
  thread.initial_task = 0;
}

void forget_recorded_thread() noexcept { thread = {}; }

}  // namespace foretask::runtime
