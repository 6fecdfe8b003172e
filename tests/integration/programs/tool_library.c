// SPDX-License-Identifier: Apache-2.0
// An OpenMP tool as a user may have it: puts a word of its own into each thread, region and task, and looks whether it
// finds them again. At the end it prints what it has seen. Compiled into a library, or into a program
// (TOOL_IN_PROGRAM).
#include <omp-tools.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREAD = 1, REGION, TASK };

static ompt_get_thread_data_t get_thread_data;
static ompt_get_task_info_t get_task_info;
static ompt_get_parallel_info_t get_parallel_info;
static ompt_get_callback_t get_callback;
static unsigned long regions, tasks, ended, wrong, waits;

static void count(unsigned long* what) { __atomic_fetch_add(what, 1, __ATOMIC_RELAXED); }
static void check(const ompt_data_t* data, uint64_t kind) {
  if (data == NULL || data->value != kind) count(&wrong);
}
static void set(ompt_data_t* data, uint64_t kind) {
  check(data, 0);
  data->value = kind;
}

static void check_own_words(void) {
  check(get_thread_data(), THREAD);
  ompt_data_t* task = NULL;
  ompt_data_t* region = NULL;
  if (get_task_info(0, NULL, &task, NULL, &region, NULL) == 2) check(task, TASK);
  if (get_parallel_info(0, &region, NULL) == 2 && region->value != 0) check(region, REGION);
}

static void on_thread_begin(ompt_thread_t type, ompt_data_t* thread) {
  (void)type;
  set(thread, THREAD);
}
static void on_thread_end(ompt_data_t* thread) { check(thread, THREAD); }

static void on_parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* region, unsigned requested,
                              int flags, const void* code) {
  (void)frame, (void)requested, (void)flags, (void)code;
  check(task, TASK);
  set(region, REGION);
  count(&regions);
}
static void on_parallel_end(ompt_data_t* region, ompt_data_t* task, int flags, const void* code) {
  (void)task, (void)flags, (void)code;
  check(region, REGION);
}

static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t* region, ompt_data_t* task, unsigned size,
                             unsigned index, int flags) {
  (void)region, (void)size, (void)index, (void)flags;
  if (endpoint == ompt_scope_begin)
    set(task, TASK);
  else
    check(task, TASK);
}

static void on_task_create(ompt_data_t* parent, const ompt_frame_t* frame, ompt_data_t* task, int flags, int depends,
                           const void* code) {
  (void)frame, (void)depends, (void)code;
  if ((flags & ompt_task_explicit) == 0) return;
  check(parent, TASK);
  set(task, TASK);
  count(&tasks);
  check_own_words();
}
static void on_task_schedule(ompt_data_t* prior, ompt_task_status_t status, ompt_data_t* next) {
  check(prior, TASK);
  if (next != NULL) check(next, TASK);
  if (status == ompt_task_complete) count(&ended);
}
static void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* region,
                           ompt_data_t* task, const void* code) {
  (void)region, (void)code;
  check(task, TASK);
  if (kind == ompt_sync_region_taskwait && endpoint == ompt_scope_begin) count(&waits);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t* tool) {
  (void)device;
  tool->value = 42;
  const ompt_set_callback_t set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
  get_callback = (ompt_get_callback_t)lookup("ompt_get_callback");
  get_thread_data = (ompt_get_thread_data_t)lookup("ompt_get_thread_data");
  get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
  get_parallel_info = (ompt_get_parallel_info_t)lookup("ompt_get_parallel_info");
  set_callback(ompt_callback_thread_begin, (ompt_callback_t)on_thread_begin);
  set_callback(ompt_callback_thread_end, (ompt_callback_t)on_thread_end);
  set_callback(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
  set_callback(ompt_callback_parallel_end, (ompt_callback_t)on_parallel_end);
  set_callback(ompt_callback_implicit_task, (ompt_callback_t)on_implicit_task);
  set_callback(ompt_callback_task_create, (ompt_callback_t)on_task_create);
  set_callback(ompt_callback_task_schedule, (ompt_callback_t)on_task_schedule);
  set_callback(ompt_callback_sync_region, (ompt_callback_t)on_sync_region);
  return getenv("TOOL_DECLINES") == NULL;
}

static void finalize(ompt_data_t* tool) {
  ompt_callback_t own = NULL;
  const int has = get_callback(ompt_callback_task_create, &own) == 1 && own == (ompt_callback_t)on_task_create &&
                  get_callback(ompt_callback_work, &own) == 0;
  printf("tool: %lu regions, %lu tasks, %lu ended, %lu waits, %lu wrong words, callbacks %s, data %lu\n", regions,
         tasks, ended, waits, wrong, has ? "its own" : "not its own", (unsigned long)tool->value);
  fflush(stdout);
}

ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  (void)version, (void)runtime;
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return getenv("TOOL_IS_NOT_WANTED") == NULL ? &result : NULL;
}

#ifdef TOOL_IN_PROGRAM
int main(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; ++i) {
#pragma omp task
    __asm__ volatile("");
  }
  return 0;
}
#endif
