// SPDX-License-Identifier: Apache-2.0
// A codelet's functions, each behind one of ours that runs it: where a task begins and ends. StarPU calls what the
// codelet names; so at each submission the codelet gets our functions in place of its own.
#pragma once

#include <starpu.h>

namespace foretask::starpu {

using Body = void (*)(void** buffers, void* argument);

// Puts our functions into the codelet, for its cpu, cuda and opencl functions. Functions beyond the first 512 of a
// program stay as they are, and their tasks unseen. Any thread.
void stand_before_bodies(starpu_codelet& codelet);

// The program's function behind ours; another one itself.
[[nodiscard]] Body original_body(Body body) noexcept;

// What runs a body; called on the worker that StarPU runs the task on.
void run_body(Body body, void** buffers, void* argument);

}  // namespace foretask::starpu
