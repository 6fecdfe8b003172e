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

static int touch(void) {
#pragma omp atomic
  ++touched;
  return 0;
}

// The code of each task, on a line of its own.
#define TASK(name)                          \
  static int name(int thread, void* task) { \
    (void)thread, (void)task;               \
    return touch();                         \
  }
TASK(write_x)     // writer
TASK(add_first)   // member 1
TASK(add_second)  // member 2
TASK(read_x)      // reader
TASK(add_later)   // member of the next set

static void* new_task(int thread, task_entry entry) {
  // The runtime's part of a task: pointers to shared data and to the entry, three words of its own.
  return __kmpc_omp_task_alloc(NULL, thread, kTied, 5 * sizeof(void*), 0, entry);
}

static struct dependence* on_x(int kind) {
  static struct dependence one;
  one = (struct dependence){(intptr_t)&x, sizeof x, (unsigned char)kind};
  return &one;
}

static void make_task(int thread, int kind, task_entry entry) {
  __kmpc_omp_task_with_deps(NULL, thread, new_task(thread, entry), 1, on_x(kind), 0, NULL);
}

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    const int thread = __kmpc_global_thread_num(NULL);
    make_task(thread, kOut, write_x);
    make_task(thread, kInoutset, add_first);
    make_task(thread, kInoutset, add_second);
    make_task(thread, kIn, read_x);
    make_task(thread, kInoutset, add_later);
  }
  printf("%d\n", touched);
  return touched == 5 ? 0 : 1;
}
