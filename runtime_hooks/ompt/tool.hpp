// SPDX-License-Identifier: Apache-2.0
// The tool behind the tool interface, whoever plays the runtime's side of it.
#pragma once

#include <omp-tools.h>

#include <cstdint>

namespace foretask::ompt {

// Whether the environment asks for anything. Off means off; what is neither that nor a mode is warned of by
// foretask_hook_start.
[[nodiscard]] bool is_wanted();

enum class Started { kNothing, kRecorderAlone, kOthers };

// Starts what the environment asks for, and registers its callbacks. `version`: what the runtime calls itself.
// `entered_ticks`: foretask_ticks(). Once a process, before any callback.
[[nodiscard]] Started start_tool(ompt_function_lookup_t lookup, const char* version, std::uint64_t entered_ticks);

// Another tool of the tool interface beside this one. The runtime starts one tool and keeps one word (ompt_data_t) for
// it with each thread, region and task. Where there is another tool, other_tool.cpp stands between the runtime and
// both: it passes each event on to both, and the runtime's word points to two words. Where there is none, nothing of it
// is called again after the start.

// The tool that the runtime would have started in the place of this one, or null: by the function ompt_start_tool that
// follows this library's among the program's libraries, else of the first library of OMP_TOOL_LIBRARIES that has one
// and wants to run. If `in_libraries` is false, OMP_TOOL_LIBRARIES is left to the runtime.
[[nodiscard]] ompt_start_tool_result_t* start_other_tool(bool in_libraries, unsigned omp_version,
                                                         const char* runtime_version);

// Initializes the other tool, which may be null, and returns what this tool is to look functions up with: `lookup`
// itself where it is alone. Once a process.
[[nodiscard]] ompt_function_lookup_t initialize_other_tool(ompt_start_tool_result_t* other,
                                                           ompt_function_lookup_t lookup, int initial_device);

// True if there is another tool and it listens.
[[nodiscard]] bool has_other_tool();

void finalize_other_tool();

}  // namespace foretask::ompt
