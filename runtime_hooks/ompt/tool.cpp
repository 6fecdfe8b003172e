// SPDX-License-Identifier: Apache-2.0
#include "tool.hpp"

#include <cstdlib>
#include <cstring>

#include "foretask/hook.h"
#include "foretask/task_hook.h"
#include "listener.hpp"

namespace foretask::ompt {

bool is_wanted() {
  const char* mode = std::getenv("FORETASK");
  if (mode && std::strcmp(mode, "off") == 0) return false;
  const char* progress = std::getenv("FORETASK_PROGRESS");
  return (mode && *mode != '\0') || (progress && *progress != '\0' && std::strcmp(progress, "0") != 0);
}

Started start_tool(ompt_function_lookup_t lookup, const char* version, std::uint64_t entered_ticks) {
  const int started = foretask_hook_start_as("openmp", version, 0, entered_ticks);
  const bool records = (started & FORETASK_HOOK_RECORDS) != 0;
  const bool follows = foretask_hook_follows_tasks() != 0;
  if (!records && !follows) return Started::kNothing;
  listen(lookup, records, follows);
  return follows ? Started::kOthers : Started::kRecorderAlone;
}

}  // namespace foretask::ompt
