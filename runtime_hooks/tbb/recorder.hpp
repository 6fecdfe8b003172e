// SPDX-License-Identifier: Apache-2.0
// HOT: what a recording takes down of TBB's tasks: creation, begin, end, and where a thread waits for them. On the
// calling thread's stream.
//
// A wait is a taskgroup's end: TBB waits for all tasks of a context. The group begins where its frame creates the first
// task of a context that nobody has a group for, or where it calls a parallel algorithm. A task whose creator belongs
// to the same context is in its creator's group. Any other task is loose: no group has it, and the wait for its context
// names it.
#pragma once

#include <cstdint>

#include "recorded_thread.hpp"

namespace foretask::tbb {

// The task is about to be handed to libtbb, or was returned by another task. It has a shadow and a name after it, and
// may run, and be gone, once it is handed over.
void record_creation(RecordedThread& thread, Task& task, Context* context);
// The same where `after`, the id of an ended task, has caused it, and not the running one.
void record_creation_after(RecordedThread& thread, Task& task, Context* context, std::uint64_t after);

// The running frame's wait for the tasks of a context, from the constructor to the destructor, which an exception may
// call. `root`: the first task of a parallel algorithm, else null.
class ContextWait {
 public:
  ContextWait(RecordedThread* thread, Context& context, Task* root);
  ~ContextWait();
  ContextWait(const ContextWait&) = delete;
  ContextWait& operator=(const ContextWait&) = delete;

 private:
  Frame* frame_ = nullptr;  // null: nothing is recorded
  Context& context_;
  bool has_claimed_ = false;
  std::uint64_t owner_ = 0;  // the task whose group it waits for; 0: its own
};

// A context is made, perhaps where another one was.
void record_context(Context& context);

// The running task cancels the context's tasks.
void record_cancellation(const RecordedThread& thread, const Context& context);

// The running frame waits for tasks, or for the groups that these have begun, until FORETASK_EVENT_DEPEND_WAIT_END of
// the id that is returned.
[[nodiscard]] std::uint64_t begin_join(foretask_stream* stream, const std::uint64_t* names, std::uint32_t count,
                                       std::uint32_t kind = FORETASK_DEPENDENCE_AFTER);
// The same for tasks and groups that have ended.
void record_join(foretask_stream* stream, const std::uint64_t* names, std::uint32_t count,
                 std::uint32_t kind = FORETASK_DEPENDENCE_AFTER);

}  // namespace foretask::tbb
