// SPDX-License-Identifier: Apache-2.0
#include "tool.hpp"

#include <cstdlib>
#include <cstring>

#include "discarded_tasks.hpp"
#include "foretask/hook.h"
#include "foretask/progress_hook.h"
#include "learn_listener.hpp"
#include "open_loops.hpp"
#include "progress_listener.hpp"
#include "recording_listener.hpp"

namespace foretask::ompt {

bool is_wanted() {
  const char* mode = std::getenv("FORETASK");
  if (mode && std::strcmp(mode, "off") == 0) return false;
  const char* progress = std::getenv("FORETASK_PROGRESS");
  return (mode && *mode != '\0') || (progress && *progress != '\0' && std::strcmp(progress, "0") != 0);
}

std::uint64_t ticks_before_start() {
  foretask_stream clock{};
  clock.clock_is_tsc = static_cast<std::uint32_t>(foretask_clock_is_tsc());
  return foretask_stream_ticks(&clock);
}

Started start_tool(ompt_function_lookup_t lookup, const char* version, std::uint64_t entered_ticks) {
  foretask_hook_options options{};
  options.size = sizeof options;
  options.version = FORETASK_HOOK_VERSION;
  options.runtime = "openmp";
  options.runtime_version = version;
  options.entered_ticks = entered_ticks;
  const int started = foretask_hook_start(&options);
  const bool follows = foretask_progress_hook_is_on() != 0;
  if (started == FORETASK_HOOK_OFF && !follows) return Started::kNothing;
  const auto set_callback = reinterpret_cast<ompt_set_callback_t>(lookup("ompt_set_callback"));
  Listener listener;
  if (started == FORETASK_HOOK_LEARNS) listener = learner();
  if (started == FORETASK_HOOK_RECORDS) {
    listener = recorder();
    register_recording_alone(set_callback);
  } else {
    set_callback(ompt_callback_thread_begin, reinterpret_cast<ompt_callback_t>(on_thread_begin_unrecorded));
    set_callback(ompt_callback_thread_end, reinterpret_cast<ompt_callback_t>(on_thread_end_unrecorded));
    set_callback(ompt_callback_cancel, reinterpret_cast<ompt_callback_t>(on_discarded));
  }
  follows ? register_progress(listener, set_callback, lookup) : register_listener(listener, set_callback);
  return started == FORETASK_HOOK_RECORDS && !follows ? Started::kRecorderAlone : Started::kOthers;
}

}  // namespace foretask::ompt
