// SPDX-License-Identifier: Apache-2.0
// Acts that make tasks.
#include <dlfcn.h>
#include <omp.h>

#include "acts.h"

static void work_a_little(void) {
  for (volatile int i = 0; i < 50; ++i) continue;
}

long make_tasks(long many) {
  long done = 0;
  for (long i = 0; i < many; ++i) {
    count_task();
#pragma omp task shared(done)
    {
      work_a_little();
#pragma omp atomic
      ++done;
    }
  }
#pragma omp taskwait
  return done;
}

long run_tasks(long many) {
  long done = 0;
#pragma omp parallel
#pragma omp single
  done = make_tasks(many);
  return done;
}

long run_tasks_alone(long many) {
  long done = 0;
#pragma omp parallel num_threads(1)
  done = make_tasks(many);
  return done;
}

static void tasks(const char* first, const char* second) {
  (void)second;
  say("tasks %ld\n", run_tasks(number(first, 100)));
}

static void alone(const char* first, const char* second) {
  (void)second;
  say("alone %ld\n", run_tasks_alone(number(first, 100)));
}

static long fib_of(long n) {
  if (n < 2) return n;
  long left = 0;
  long right = 0;
  count_tasks(2);
#pragma omp task shared(left)
  left = fib_of(n - 1);
#pragma omp task shared(right)
  right = fib_of(n - 2);
#pragma omp taskwait
  return left + right;
}

static void fib(const char* first, const char* second) {
  (void)second;
  long result = 0;
#pragma omp parallel
#pragma omp single
  result = fib_of(number(first, 10));
  say("fib %ld\n", result);
}

static void chain(const char* first, const char* second) {
  (void)second;
  const long many = number(first, 50);
  long value = 0;
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < many; ++i) {
    count_task();
#pragma omp task depend(inout : value) shared(value)
    ++value;
  }
  say("chain %ld\n", value);
}

static void group(const char* first, const char* second) {
  (void)second;
  const long many = number(first, 50);
  long done = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  for (long i = 0; i < many; ++i) {
    count_tasks(2);
#pragma omp task shared(done)
    {
#pragma omp task shared(done)
#pragma omp atomic
      ++done;
    }
  }
  say("group %ld\n", done);
}

static void regions(const char* first, const char* second) {
  (void)second;
  const long many = number(first, 20);
  long done = 0;
  for (long i = 0; i < many; ++i) {
#pragma omp parallel
#pragma omp single
#pragma omp atomic
    ++done;
  }
  say("regions %ld\n", done);
}

static void nested(const char* first, const char* second) {
  (void)second;
  const long many = number(first, 10);
  long done = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp parallel num_threads(2)
#pragma omp single
  done = make_tasks(many);
  say("nested %ld\n", done);
}

// Teams alone, without a parallel region.
static void teams(const char* first, const char* second) {
  (void)second;
  long done = 0;
#pragma omp teams num_teams(2) thread_limit(1) reduction(+ : done)
  done += make_tasks(number(first, 10));
  say("teams %d\n", done > 0);
}

static void display_env(const char* first, const char* second) {
  (void)first, (void)second;
  union {
    void* address;
    void (*function)(int is_verbose);
  } found = {dlsym(RTLD_DEFAULT, "omp_display_env")};
  if (found.address != NULL) found.function(0);
}

static void pause_openmp(const char* first, const char* second) {
  (void)first, (void)second;
  say("pause-openmp %d\n", omp_pause_resource_all(omp_pause_hard));
}

// Tasks of a cancelled group that make tasks, wait for them and open a group. With OMP_CANCELLATION=true.
static void cancelled_tree(int depth) {
  if (depth == 0) return;
  count_tasks(3);
#pragma omp task
  cancelled_tree(depth - 1);
#pragma omp task
  work_a_little();
#pragma omp taskwait
#pragma omp taskgroup
#pragma omp task
  cancelled_tree(depth - 1);
}

static void cancel(const char* first, const char* second) {
  (void)second;
  const long many = number(first, 20);
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < many; ++i) {
#pragma omp taskgroup
    {
      cancelled_tree(2);
      count_task();
#pragma omp task
      {
#pragma omp cancel taskgroup
      } cancelled_tree(3);
    }
  }
  say("cancel %d\n", omp_get_cancellation());
}

// libgomp's name for Fortran, else the common one. Found while it runs: a program that is linked with either needs a
// version of libgomp that LLVM 14's replacement of it does not have.
static void fulfill(omp_event_handle_t event) {
  union {
    void* address;
    void (*function)(omp_event_handle_t event);
  } found = {dlsym(RTLD_DEFAULT, "omp_fulfill_event_")};
  if (found.address == NULL) found.address = dlsym(RTLD_DEFAULT, "omp_fulfill_event");
  found.function(event);
}

static void detach(const char* first, const char* second) {
  (void)second;
  const long many = number(first, 20);
  long done = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (long i = 0; i < many; ++i) {
    omp_event_handle_t event;
    count_task();
#pragma omp task detach(event) shared(done)
#pragma omp atomic
    ++done;
    fulfill(event);
#pragma omp taskwait
  }
  say("detach %ld\n", done);
}

const struct Act kTaskActs[] = {
    {"tasks", tasks},   {"alone", alone},     {"fib", fib},       {"chain", chain},
    {"group", group},   {"regions", regions}, {"nested", nested}, {"pause-openmp", pause_openmp},
    {"cancel", cancel}, {"detach", detach},   {"teams", teams},   {"display-env", display_env},
    {NULL, NULL}};
