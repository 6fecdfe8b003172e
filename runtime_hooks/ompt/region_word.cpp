// SPDX-License-Identifier: Apache-2.0
#include "region_word.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>

namespace foretask::ompt {
namespace {

std::atomic<ompt_callback_parallel_begin_t> told_of_begin{nullptr};
std::atomic<ompt_callback_parallel_end_t> told_of_end{nullptr};
ompt_function_lookup_t runtime_lookup = nullptr;
ompt_set_callback_t set_runtime_callback = nullptr;

// The innermost last.
constinit thread_local std::array<ompt_data_t, 8> words{};
constinit thread_local std::size_t depth = 0;

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
  return set_runtime_callback(event, callback);
}

ompt_interface_fn_t look_up(const char* name) {
  if (std::strcmp(name, "ompt_set_callback") == 0) return reinterpret_cast<ompt_interface_fn_t>(set_callback);
  return runtime_lookup(name);
}

}  // namespace

ompt_function_lookup_t keep_region_words(ompt_function_lookup_t lookup) {
  runtime_lookup = lookup;
  set_runtime_callback = reinterpret_cast<ompt_set_callback_t>(lookup("ompt_set_callback"));
  return look_up;
}

}  // namespace foretask::ompt
