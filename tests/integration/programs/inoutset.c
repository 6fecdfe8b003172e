// SPDX-License-Identifier: Apache-2.0
// The dependence kind inoutset of OpenMP 5.1: the tasks of a set are free of each other. Written as calls of libomp's
// entry points, since clang 14 and GCC 12 do not know the word.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { kIn = 1, kOut = 2, kInoutset = 8, kTied = 1 };

struct dependence {
  intptr_t address;
  size_t size;
  unsigned char flags;
};
typedef int (*task_entry)(int thread, void* task);

extern int __kmpc_global_thread_num(void* location);
extern void* __kmpc_omp_task_alloc(void* location, int thread, int flags, size_t task_size, size_t shared_size,
                                   task_entry entry);
extern int __kmpc_omp_task_with_deps(void* location, int thread, void* task, int count, struct dependence* list,
                                     int noalias_count, struct dependence* noalias_list);

static int touched, x;

static int touch(int thread, void* task) {
  (void)thread, (void)task;
#pragma omp atomic
  ++touched;
  return 0;
}

// A macro, so that each task is made on a line of its own.
#define MAKE_TASK(kind) __kmpc_omp_task_with_deps(NULL, thread, new_task(thread), 1, on_x(kind), 0, NULL)

static void* new_task(int thread) {
  // The runtime's part of a task: pointers to shared data and to the entry, three words of its own.
  return __kmpc_omp_task_alloc(NULL, thread, kTied, 5 * sizeof(void*), 0, touch);
}

static struct dependence* on_x(int kind) {
  static struct dependence one;
  one = (struct dependence){(intptr_t)&x, sizeof x, (unsigned char)kind};
  return &one;
}

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    const int thread = __kmpc_global_thread_num(NULL);
    MAKE_TASK(kOut);       // writer
    MAKE_TASK(kInoutset);  // member 1
    MAKE_TASK(kInoutset);  // member 2
    MAKE_TASK(kIn);        // reader
    MAKE_TASK(kInoutset);  // member of the next set
  }
  printf("%d\n", touched);
  return touched == 5 ? 0 : 1;
}
