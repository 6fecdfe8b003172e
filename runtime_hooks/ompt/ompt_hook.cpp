// SPDX-License-Identifier: Apache-2.0
// What an OpenMP runtime with a tool interface (OMPT, OpenMP 5.0 chapter 4) finds in this library.
#include <omp-tools.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

#include "construct_code.hpp"
#include "foretask/hook.h"
#include "other_tool.hpp"
#include "region_word.hpp"
#include "tool.hpp"

namespace {

const char* runtime_version = "";
std::uint64_t entered_ticks = 0;
ompt_start_tool_result_t* other_tool = nullptr;
std::atomic<bool> process_ends{false};  // exit() was called

int initialize(ompt_function_lookup_t lookup, int initial_device, ompt_data_t*) {
  std::atexit([] { process_ends = true; });
  foretask::ompt::find_runtime(lookup);
  const auto own_lookup =
      foretask::ompt::initialize_other_tool(other_tool, foretask::ompt::keep_region_words(lookup), initial_device);
  const auto started = foretask::ompt::start_tool(own_lookup, runtime_version, entered_ticks);
  return started != foretask::ompt::Started::kNothing || foretask::ompt::has_other_tool() ? 1 : 0;
}

// The runtime starts no tool a second time (libomp 14 to 19).
void finalize(ompt_data_t*) {
  foretask_hook_stop();
  if (!process_ends)
    foretask_hook_warn(
        "the program shut OpenMP down before its own end (omp_pause_resource_all): what it runs after that is neither "
        "recorded nor learned");
  foretask::ompt::finalize_other_tool();
}

ompt_start_tool_result_t* start(unsigned omp_version, const char* version) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  if (!foretask::ompt::is_wanted()) return foretask::ompt::start_other_tool(false, omp_version, version);
  entered_ticks = foretask::ompt::ticks_before_start();
  runtime_version = version ? version : "";
  // Before the runtime reads its settings, which omp_display_env() shows.
  foretask_hook_restore_variables("OMP_TOOL");
  other_tool = foretask::ompt::start_other_tool(true, omp_version, version);
  return &result;
}

}  // namespace

// Called by the runtime before anything else; a null return turns the tool interface off for good, or lets the runtime
// go on to the next library of OMP_TOOL_LIBRARIES.
extern "C" FORETASK_API ompt_start_tool_result_t* ompt_start_tool(unsigned omp_version, const char* version) {
  static bool is_starting = false;
  if (is_starting) return nullptr;  // a user's list of tools may name this library as well
  is_starting = true;
  ompt_start_tool_result_t* const started = start(omp_version, version);
  is_starting = false;
  return started;
}
