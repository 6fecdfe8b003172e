// SPDX-License-Identifier: Apache-2.0
// cancels_nested: groups of tasks that make tasks, wait for them, and open groups of their own. One task of each group
// cancels it. cancels_nested regions: regions of such tasks that are cancelled. Prints how many tasks were made. With
// OMP_CANCELLATION=true.
#include <omp.h>
#include <stdio.h>

static int made = 0;

static void count(void) {
#pragma omp atomic
  ++made;
}

static void tree(int depth) {
  if (depth == 0) return;
  for (int i = 0; i < 2; ++i) {
    count();
#pragma omp task
    tree(depth - 1);
  }
#pragma omp taskwait
  count();
#pragma omp task
  tree(depth - 1);
#pragma omp taskgroup
  {
    count();
#pragma omp task
    tree(depth - 1);
    count();
#pragma omp task
    {
#pragma omp cancel taskgroup
    }
    for (int i = 0; i < 3; ++i) count();
#pragma omp taskloop num_tasks(3) nogroup
    for (int i = 0; i < 3; ++i) tree(depth - 2 > 0 ? depth - 2 : 0);
  }
}

static void cancel_groups(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; ++i) {
#pragma omp taskgroup
    {
      tree(2);
      count();
#pragma omp task
      {
#pragma omp cancel taskgroup
      } tree(2);
    }
  }
}

static void cancel_regions(void) {
  for (int i = 0; i < 20; ++i) {
#pragma omp parallel
    {
      for (int j = 0; j < 3; ++j) {
        count();
#pragma omp task
        tree(2);
      }
#pragma omp cancel parallel if (omp_get_thread_num() == 0)
#pragma omp barrier
    }
  }
}

int main(int argc, char** argv) {
  (void)argv;
  argc > 1 ? cancel_regions() : cancel_groups();
  printf("%d %d\n", omp_get_cancellation(), made);
  return 0;
}
