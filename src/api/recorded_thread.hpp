// SPDX-License-Identifier: Apache-2.0
// HOT: the calling thread's part of this process's recording.
#pragma once

#include "foretask/hook.h"

namespace foretask::api {

// The calling thread's stream, opened when it has none: its adapter's, if a runtime has one for it, else one that is
// closed when the thread ends. Null when nothing is recorded, or no stream can be had.
[[nodiscard]] foretask_stream* recorded_thread() noexcept;

}  // namespace foretask::api
