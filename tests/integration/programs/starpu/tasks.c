/* SPDX-License-Identifier: Apache-2.0 */
/* StarPU programs whose tasks and dependences can be counted by hand: tasks HOW. A task sleeps for 1 ms. */
#include <pthread.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void nap(void* buffers[], void* argument) {
  (void)buffers;
  (void)argument;
  usleep(1000);
}
static void other_nap(void* buffers[], void* argument) { nap(buffers, argument); }
static void die(void* buffers[], void* argument) {
  (void)buffers;
  (void)argument;
  abort();
}

static struct starpu_codelet potrf = {.cpu_funcs = {nap}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "potrf"};
static struct starpu_codelet trsm = {.cpu_funcs = {nap}, .nbuffers = 2, .modes = {STARPU_R, STARPU_RW}, .name = "trsm"};
static struct starpu_codelet syrk = {.cpu_funcs = {nap}, .nbuffers = 2, .modes = {STARPU_R, STARPU_RW}, .name = "syrk"};
static struct starpu_codelet gemm = {
    .cpu_funcs = {nap}, .nbuffers = 3, .modes = {STARPU_R, STARPU_R, STARPU_RW}, .name = "gemm"};
static struct starpu_codelet plain = {.cpu_funcs = {nap}, .nbuffers = 0, .name = "plain"};

static double numbers[64];
static starpu_data_handle_t handles[64];
static int handle_count = 0;

static starpu_data_handle_t datum(int number) {
  while (handle_count <= number) {
    starpu_variable_data_register(&handles[handle_count], STARPU_MAIN_RAM, (uintptr_t)&numbers[handle_count],
                                  sizeof numbers[0]);
    ++handle_count;
  }
  return handles[number];
}

static void check(int result) {
  if (result == 0) return;
  fprintf(stderr, "tasks: StarPU failed: %s\n", strerror(-result));
  exit(1);
}

static void cholesky(int tiles) {
  for (int k = 0; k < tiles; ++k) {
    check(starpu_task_insert(&potrf, STARPU_RW, datum(k * tiles + k), 0));
    for (int m = k + 1; m < tiles; ++m)
      check(starpu_task_insert(&trsm, STARPU_R, datum(k * tiles + k), STARPU_RW, datum(m * tiles + k), 0));
    for (int m = k + 1; m < tiles; ++m) {
      check(starpu_task_insert(&syrk, STARPU_R, datum(m * tiles + k), STARPU_RW, datum(m * tiles + m), 0));
      for (int n = k + 1; n < m; ++n)
        check(starpu_task_insert(&gemm, STARPU_R, datum(m * tiles + k), STARPU_R, datum(n * tiles + k), STARPU_RW,
                                 datum(m * tiles + n), 0));
    }
  }
}

/* A writer, three readers, two that commute, a reader. */
static void accesses(void) {
  static struct starpu_codelet writes = {.cpu_funcs = {nap}, .nbuffers = 1, .modes = {STARPU_W}, .name = "writes"};
  static struct starpu_codelet reads = {.cpu_funcs = {nap}, .nbuffers = 1, .modes = {STARPU_R}, .name = "reads"};
  static struct starpu_codelet commutes = {
      .cpu_funcs = {nap}, .nbuffers = 1, .modes = {STARPU_RW | STARPU_COMMUTE}, .name = "commutes"};
  check(starpu_task_insert(&writes, STARPU_W, datum(0), 0));
  for (int i = 0; i < 3; ++i) check(starpu_task_insert(&reads, STARPU_R, datum(0), 0));
  for (int i = 0; i < 2; ++i) check(starpu_task_insert(&commutes, STARPU_RW | STARPU_COMMUTE, datum(0), 0));
  check(starpu_task_insert(&reads, STARPU_R, datum(0), 0));
}

static struct starpu_task* make(struct starpu_codelet* codelet) {
  struct starpu_task* task = starpu_task_create();
  task->cl = codelet;
  return task;
}

/* The first two before the third, which is submitted first. */
static void declared(void) {
  struct starpu_task* tasks[3];
  for (int i = 0; i < 3; ++i) tasks[i] = make(&plain);
  starpu_task_declare_deps_array(tasks[2], 2, tasks);
  for (int i = 2; i >= 0; --i) check(starpu_task_submit(tasks[i]));
}

static void tags(void) {
  for (int i = 0; i < 3; ++i) {
    struct starpu_task* task = make(&plain);
    task->use_tag = 1;
    task->tag_id = i;
    if (i == 2) starpu_tag_declare_deps(2, 2, (starpu_tag_t)0, (starpu_tag_t)1);
    check(starpu_task_submit(task));
  }
}

/* Three tasks, a task without codelet, two tasks. */
static void empty(void) {
  struct starpu_task* tasks[6];
  for (int i = 0; i < 6; ++i) tasks[i] = make(i == 3 ? NULL : &plain);
  starpu_task_declare_deps_array(tasks[3], 3, tasks);
  for (int i = 4; i < 6; ++i) starpu_task_declare_deps_array(tasks[i], 1, &tasks[3]);
  for (int i = 0; i < 6; ++i) check(starpu_task_submit(tasks[i]));
}

/* A task's callback submits the next one. */
static void submit_next(void* argument) {
  const intptr_t left = (intptr_t)argument;
  if (left == 0) return;
  struct starpu_task* task = make(&plain);
  task->callback_func = submit_next;
  task->callback_arg = (void*)(left - 1);
  check(starpu_task_submit(task));
}

/* A task that StarPU submits anew until its fourth run is over. */
static int runs = 0;
static struct starpu_task again;
static void count_run(void* argument) {
  (void)argument;
  if (++runs == 4) again.regenerate = 0;
}
static void regenerated(void) {
  starpu_task_init(&again);
  again.cl = &plain;
  again.callback_func = count_run;
  again.destroy = 0;
  again.detach = 1;
  again.regenerate = 1;
  check(starpu_task_submit(&again));
}

/* Waits for single tasks and data between tasks. */
static void waits(void) {
  struct starpu_task* task = make(&plain);
  task->detach = 0;
  check(starpu_task_submit(task));
  check(starpu_task_wait(task));
  check(starpu_task_insert(&potrf, STARPU_RW, datum(0), 0));
  check(starpu_data_acquire(datum(0), STARPU_R));
  starpu_data_release(datum(0));
  task = make(&plain);
  task->synchronous = 1;
  check(starpu_task_submit(task));
  check(starpu_task_insert(&potrf, STARPU_RW, datum(0), 0));
}

static struct starpu_codelet halves = {.cpu_funcs = {nap}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "half"};
/* A vector by halves, then as a whole: StarPU's own tasks part and join it. */
static void partition(void) {
  static float vector[8];
  starpu_data_handle_t whole;
  starpu_data_handle_t parts[2];
  starpu_vector_data_register(&whole, STARPU_MAIN_RAM, (uintptr_t)vector, 8, sizeof vector[0]);
  struct starpu_data_filter filter = {.filter_func = starpu_vector_filter_block, .nchildren = 2};
  starpu_data_partition_plan(whole, &filter, parts);
  check(starpu_task_insert(&potrf, STARPU_RW, whole, 0));
  for (int i = 0; i < 2; ++i) check(starpu_task_insert(&halves, STARPU_RW, parts[i], 0));
  check(starpu_task_insert(&potrf, STARPU_RW, whole, 0));
  check(starpu_task_wait_for_all());
  starpu_data_partition_clean(whole, 2, parts);
  starpu_data_unregister(whole);
}

/* What a task's time depends on is in its data, where earlier tasks put it: 100, 200, 300. */
static double* number_of(struct starpu_task* task) { return (double*)STARPU_VARIABLE_GET_PTR(task->interfaces[0]); }
static void read_parameters(struct starpu_task* task, double* parameters) { parameters[0] = *number_of(task); }
static size_t read_size(struct starpu_task* task, unsigned implementation) {
  (void)implementation;
  return (size_t)*number_of(task);
}
/* A model that gives its costs itself is asked for no size. */
static double ask_cost(struct starpu_task* task, struct starpu_perfmodel_arch* arch, unsigned implementation) {
  (void)task;
  (void)arch;
  (void)implementation;
  return 1000;
}
static size_t never_called(struct starpu_task* task, unsigned implementation) {
  (void)task;
  (void)implementation;
  abort();
}
static void grow(void* buffers[], void* argument) {
  int number;
  starpu_codelet_unpack_args(argument, &number);
  usleep(1000);
  *(double*)STARPU_VARIABLE_GET_PTR(buffers[0]) = number;
}
static void sized(starpu_data_handle_t datum) {
  static const char* names[] = {"n"};
  static struct starpu_perfmodel by_parameters = {.type = STARPU_MULTIPLE_REGRESSION_BASED,
                                                  .symbol = "by_parameters",
                                                  .parameters = read_parameters,
                                                  .nparameters = 1,
                                                  .parameters_names = names};
  static struct starpu_perfmodel by_size = {.type = STARPU_HISTORY_BASED, .symbol = "by_size", .size_base = read_size};
  static struct starpu_perfmodel by_bytes = {
      .type = STARPU_PER_ARCH, .symbol = "by_bytes", .arch_cost_function = ask_cost, .size_base = never_called};
  static struct starpu_codelet grows = {.cpu_funcs = {grow}, .nbuffers = 1, .modes = {STARPU_W}, .name = "grows"};
  static struct starpu_codelet readers[3] = {
      {.cpu_funcs = {nap}, .nbuffers = 1, .modes = {STARPU_R}, .model = &by_parameters},
      {.cpu_funcs = {nap}, .nbuffers = 1, .modes = {STARPU_R}, .model = &by_size},
      {.cpu_funcs = {nap}, .nbuffers = 1, .modes = {STARPU_R}, .model = &by_bytes}};
  for (int number = 100; number <= 300; number += 100) {
    check(starpu_task_insert(&grows, STARPU_VALUE, &number, sizeof number, STARPU_W, datum, 0));
    for (int i = 0; i < 3; ++i) check(starpu_task_insert(&readers[i], STARPU_R, datum, 0));
  }
}
/* Data that has no memory before a task writes it. */
static void homeless(void) {
  starpu_data_handle_t datum;
  starpu_variable_data_register(&datum, -1, 0, sizeof(double));
  sized(datum);
  starpu_data_unregister(datum);
}

/* One codelet on the stack after another, in the same place. */
static void on_stack(int number) {
  struct starpu_codelet codelet;
  starpu_codelet_init(&codelet);
  codelet.cpu_funcs[0] = number == 0 ? nap : other_nap;
  codelet.name = number == 0 ? "first" : "second";
  check(starpu_task_insert(&codelet, 0));
  check(starpu_task_wait_for_all());
}

/* A codelet without a model that takes ten times as long on the second worker. Says how many of the last 40 tasks the
 * first has run. */
static int on_first = 0;
static void uneven_nap(void* buffers[], void* argument) {
  (void)buffers;
  (void)argument;
  if (starpu_worker_get_id() == 0) __atomic_add_fetch(&on_first, 1, __ATOMIC_RELAXED);
  usleep(starpu_worker_get_id() == 0 ? 1000 : 10000);
}
static void uneven(void) {
  static struct starpu_codelet codelet = {.cpu_funcs = {uneven_nap}, .nbuffers = 0, .name = "uneven"};
  for (int batch = 0; batch < 8; ++batch) {
    if (batch == 4) on_first = 0;
    for (int i = 0; i < 10; ++i) check(starpu_task_insert(&codelet, 0));
    check(starpu_task_wait_for_all());
  }
  printf("%d\n", on_first);
}

static void* start(void* unused) {
  check(starpu_init(NULL));
  return unused;
}
static void* end(void* unused) {
  starpu_shutdown();
  return unused;
}
/* Threads that do this at once, and end. */
static void by_threads(int count, void* (*work)(void*)) {
  pthread_t threads[4];
  for (int i = 0; i < count; ++i) check(-pthread_create(&threads[i], NULL, work, NULL));
  for (int i = 0; i < count; ++i) check(-pthread_join(threads[i], NULL));
}

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "";
  if (!strcmp(how, "threads")) {
    for (int round = 0; round < 2; ++round) {
      by_threads(4, start);
      for (int i = 0; i < 3; ++i) check(starpu_task_insert(&plain, 0));
      check(starpu_task_wait_for_all());
      by_threads(4, end);
    }
    return 0;
  }
  if (!strcmp(how, "elsewhere"))
    by_threads(1, start);
  else
    check(starpu_init(NULL));
  if (!strcmp(how, "cholesky")) cholesky(6);
  if (!strcmp(how, "elsewhere")) cholesky(3);
  if (!strcmp(how, "accesses")) accesses();
  if (!strcmp(how, "declared")) declared();
  if (!strcmp(how, "tags")) tags();
  if (!strcmp(how, "empty")) empty();
  if (!strcmp(how, "callbacks")) submit_next((void*)5);
  if (!strcmp(how, "regenerated")) regenerated();
  if (!strcmp(how, "waits")) waits();
  if (!strcmp(how, "partition")) partition();
  if (!strcmp(how, "sized")) sized(datum(0));
  if (!strcmp(how, "homeless")) homeless();
  if (!strcmp(how, "uneven")) uneven();
  if (!strcmp(how, "on_stack"))
    for (int i = 0; i < 2; ++i) on_stack(i);
  if (!strcmp(how, "unnamed")) {
    static struct starpu_codelet unnamed = {.cpu_funcs = {nap}, .nbuffers = 0};
    for (int i = 0; i < 3; ++i) check(starpu_task_insert(&unnamed, 0));
  }
  if (!strcmp(how, "dies")) {
    static struct starpu_codelet dies = {.cpu_funcs = {die}, .nbuffers = 0, .name = "dies"};
    for (int i = 0; i < 4; ++i) check(starpu_task_insert(&plain, 0));
    check(starpu_task_wait_for_all());
    check(starpu_task_insert(&dies, 0));
  }
  if (!strcmp(how, "no_shutdown")) {
    cholesky(3);
    check(starpu_task_wait_for_all());
    exit(0);
  }
  check(starpu_task_wait_for_all());
  for (int i = 0; i < handle_count; ++i) starpu_data_unregister(handles[i]);
  starpu_shutdown();
  return 0;
}
