// SPDX-License-Identifier: Apache-2.0
// HOT: the calling thread's part of this process's recording.
#pragma once

#include <cstdint>

#include "foretask/hook.h"

namespace foretask::runtime {

// The calling thread's stream, opened when it has none: its hook's, if a runtime has one for it, else one that is
// closed when the thread ends. Null when nothing is recorded, or no stream can be had.
[[nodiscard]] foretask_stream* recorded_thread() noexcept;

// Its out-of-line half: the thread has no stream yet.
[[nodiscard]] foretask_stream* open_thread_slow() noexcept;

// A task of the calling thread's stream becomes the child of what runs there: where no runtime has begun a task on the
// thread, its initial task begins now.
void need_initial_task(foretask_stream* stream) noexcept;

// The calling thread's initial task is over, as far as this library has begun it: at the end of the recording.
void end_initial_task(foretask_stream* stream) noexcept;

// Said by the recording when it begins: each thread that opens a stream has an initial task from then on.
void set_own_threads(bool own) noexcept;
[[nodiscard]] bool has_own_threads() noexcept;

// The calling thread's end is seen, and what it has open then is ended. False where that cannot be.
[[nodiscard]] bool watch_thread_end() noexcept;

// The process ends: the recording, which is over, is told, or that there was none is said.
void note_end_of_process() noexcept;

// A forked child's thread has no stream.
void forget_recorded_thread() noexcept;

}  // namespace foretask::runtime
