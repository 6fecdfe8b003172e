// SPDX-License-Identifier: Apache-2.0
// HOT: the tool interface's callbacks (OMPT, OpenMP 5.0 chapter 4): the lives of tasks, told to a recording (hook.h)
// and to what follows them (task_hook.h). Each runs on the thread it speaks of, appends at most a few events and
// returns.
#pragma once

#include <omp-tools.h>

#include <cstdint>

#include "foretask/hook.h"

namespace foretask::ompt {

// The calling thread's; null where nothing is recorded. Initial-exec: one load instead of a call, in a library that
// libomp loads with dlopen; it takes 8 bytes of the space that glibc keeps for such libraries.
extern constinit __attribute__((tls_model("initial-exec"))) thread_local foretask_stream* thread_stream;

// The name that a task or a region got at its creation, where nothing but a recording listens; 0 if the runtime says
// nothing of it.
inline std::uint64_t name_of(const ompt_data_t* data) { return data ? data->value & ~FORETASK_ID_HOOK_BITS : 0; }

}  // namespace foretask::ompt
