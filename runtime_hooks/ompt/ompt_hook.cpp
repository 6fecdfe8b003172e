// SPDX-License-Identifier: Apache-2.0
// What an OpenMP runtime with a tool interface (OMPT, OpenMP 5.0 chapter 4) finds in this library.
#include <omp-tools.h>

#include <cstdint>

#include "foretask/hook.h"
#include "taskloop_code.hpp"
#include "tool.hpp"

namespace {

const char* runtime_version = "";
std::uint64_t entered_ticks = 0;

int initialize(ompt_function_lookup_t lookup, int, ompt_data_t*) {
  foretask::ompt::find_runtime(reinterpret_cast<const void*>(lookup));
  return foretask::ompt::start_tool(lookup, runtime_version, entered_ticks) == foretask::ompt::Started::kNothing ? 0
                                                                                                                 : 1;
}

void finalize(ompt_data_t*) { foretask_hook_stop(); }

}  // namespace

// Called by the runtime before anything else; a null return turns the tool interface off for good.
extern "C" FORETASK_API ompt_start_tool_result_t* ompt_start_tool(unsigned, const char* version) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  if (!foretask::ompt::is_wanted()) return nullptr;
  entered_ticks = foretask::ompt::ticks_before_start();
  runtime_version = version ? version : "";
  return &result;
}
