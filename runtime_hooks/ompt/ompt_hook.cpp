// SPDX-License-Identifier: Apache-2.0
// What an OpenMP runtime with a tool interface (OMPT, OpenMP 5.0 chapter 4) finds in this library.
#include <omp-tools.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "construct_code.hpp"
#include "foretask/hook.h"
#include "kit/next_function.hpp"
#include "tool.hpp"

const char* const foretask::kit::runtime_files[] = {"libomp.so.5", "libomp.so", "libiomp5.so", nullptr};

namespace {

namespace ompt = foretask::ompt;

const char* runtime_version = "";
std::uint64_t entered_ticks = 0;
ompt_start_tool_result_t* other_tool = nullptr;
std::atomic<bool> process_ends{false};  // exit() was called

// The runtime's word of a region, at the region's end. When libomp tells that end (parallel_end), it has already given
// back the team that holds the word. Where teams are nested another thread may have begun a region with it by then, and
// the word would be that region's. So each thread keeps the words of the regions that it has begun; those nested deeper
// than 8 are the runtime's.
constinit thread_local std::array<ompt_data_t, 8> words{};  // the innermost last
constinit thread_local std::size_t depth = 0;
std::atomic<ompt_callback_parallel_begin_t> told_of_begin{nullptr};
std::atomic<ompt_callback_parallel_end_t> told_of_end{nullptr};
ompt_function_lookup_t runtime_lookup = nullptr;

void on_parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* region, unsigned requested, int flags,
                       const void* code) {
  if (const auto tell = told_of_begin.load(std::memory_order_relaxed))
    tell(task, frame, region, requested, flags, code);
  if (depth < words.size()) words[depth] = *region;
  ++depth;
}

void on_parallel_end(ompt_data_t* region, ompt_data_t* task, int flags, const void* code) {
  if (depth > 0 && --depth < words.size()) region = &words[depth];
  if (const auto tell = told_of_end.load(std::memory_order_relaxed)) tell(region, task, flags, code);
}

ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback) {
  if (event == ompt_callback_parallel_begin) {
    told_of_begin = reinterpret_cast<ompt_callback_parallel_begin_t>(callback);
    callback = callback ? reinterpret_cast<ompt_callback_t>(on_parallel_begin) : nullptr;
  } else if (event == ompt_callback_parallel_end) {
    told_of_end = reinterpret_cast<ompt_callback_parallel_end_t>(callback);
    callback = callback ? reinterpret_cast<ompt_callback_t>(on_parallel_end) : nullptr;
  }
  static const auto set = reinterpret_cast<ompt_set_callback_t>(runtime_lookup("ompt_set_callback"));
  return set(event, callback);
}

// What tools look the runtime's functions up with.
ompt_interface_fn_t look_up(const char* name) {
  if (std::strcmp(name, "ompt_set_callback") == 0) return reinterpret_cast<ompt_interface_fn_t>(set_callback);
  return runtime_lookup(name);
}

int initialize(ompt_function_lookup_t lookup, int initial_device, ompt_data_t*) {
  std::atexit([] { process_ends = true; });
  ompt::find_runtime(lookup);
  runtime_lookup = lookup;
  const auto own_lookup = ompt::initialize_other_tool(other_tool, look_up, initial_device);
  const auto started = ompt::start_tool(own_lookup, runtime_version, entered_ticks);
  return started != ompt::Started::kNothing || ompt::has_other_tool() ? 1 : 0;
}

// The runtime starts no tool a second time (libomp 14 to 19).
void finalize(ompt_data_t*) {
  foretask_hook_stop();
  if (!process_ends)
    foretask_hook_warn(
        "the program shut OpenMP down before its own end (omp_pause_resource_all): what it runs after that is neither "
        "recorded nor learned");
  ompt::finalize_other_tool();
}

ompt_start_tool_result_t* start(unsigned omp_version, const char* version) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  if (!ompt::is_wanted()) return ompt::start_other_tool(false, omp_version, version);
  entered_ticks = foretask_ticks();
  runtime_version = version ? version : "";
  // Before the runtime reads its settings, which omp_display_env() shows.
  foretask_hook_restore_variables("OMP_TOOL");
  other_tool = ompt::start_other_tool(true, omp_version, version);
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
