// SPDX-License-Identifier: Apache-2.0
// The least that a recorder of OpenMP tasks can do: the three callbacks that see every task, and floor_buffer.hpp at
// each. What record_cost compares with.
#include <omp-tools.h>

#include <cstdint>

#include "floor_buffer.hpp"

namespace {

using foretask::benchmarks::store_event;

void on_task_create(ompt_data_t*, const ompt_frame_t*, ompt_data_t* created, int, int, const void* code) {
  created->value = reinterpret_cast<std::uintptr_t>(code);
  store_event(created->value);
}

void on_task_schedule(ompt_data_t*, ompt_task_status_t status, ompt_data_t* next) {
  store_event(next ? next->value + static_cast<std::uint64_t>(status) : 0);
}

void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t*, const void*) {
  store_event(static_cast<std::uint64_t>(kind) << 8 | static_cast<std::uint64_t>(endpoint));
}

int initialize(ompt_function_lookup_t lookup, int, ompt_data_t*) {
  const auto set_callback = reinterpret_cast<ompt_set_callback_t>(lookup("ompt_set_callback"));
  set_callback(ompt_callback_task_create, reinterpret_cast<ompt_callback_t>(on_task_create));
  set_callback(ompt_callback_task_schedule, reinterpret_cast<ompt_callback_t>(on_task_schedule));
  set_callback(ompt_callback_sync_region, reinterpret_cast<ompt_callback_t>(on_sync_region));
  return 1;
}

void finalize(ompt_data_t*) {}

}  // namespace

extern "C" __attribute__((visibility("default"))) ompt_start_tool_result_t* ompt_start_tool(unsigned, const char*) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return &result;
}
