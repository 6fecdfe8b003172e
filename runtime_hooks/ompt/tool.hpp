// SPDX-License-Identifier: Apache-2.0
// The tool behind the tool interface, whoever plays the runtime's side of it.
#pragma once

#include <omp-tools.h>

#include <cstdint>

namespace foretask::ompt {

// Whether the environment asks for anything. Off means off; what is neither that nor a mode is warned of by
// foretask_hook_start.
[[nodiscard]] bool is_wanted();

// The recording's clock, for start_tool(), before there is a recording.
[[nodiscard]] std::uint64_t ticks_before_start();

enum class Started { kNothing, kRecorderAlone, kOthers };

// Starts what the environment asks for, and registers its callbacks. `version`: what the runtime calls itself. Once a
// process, before any callback.
[[nodiscard]] Started start_tool(ompt_function_lookup_t lookup, const char* version, std::uint64_t entered_ticks);

}  // namespace foretask::ompt
