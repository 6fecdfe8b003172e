// SPDX-License-Identifier: Apache-2.0
// subtrees LEVELS: a tree of parts that foretask makes tasks or has called. Prints how many became tasks, and how many
// were called after a task was refused: both halves of such a part, but one half where a task was made.
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "foretask/granularity.h"
#include "spin.h"

static foretask_kernel* tree;
static atomic_long tasks;
static atomic_long calls;

static void work_on(int level, foretask_subtree* parent) {
  foretask_subtree self;
  foretask_subtree_begin(&self, tree, parent, level, 1);
  if (level == 0) {
    spin_ms(0.002);
  } else {
    if (foretask_subtree_spawn(&self)) {
      ++tasks;
#pragma omp task shared(self)
      work_on(level - 1, &self);
    } else {
      calls += 2;
      work_on(level - 1, &self);
    }
    work_on(level - 1, &self);
    if (foretask_subtree_spawned(&self)) {
#pragma omp taskwait
    }
  }
  foretask_subtree_end(&self);
}

int main(int argc, char** argv) {
  const char* const names[] = {"level"};
  tree = foretask_kernel_define("tree", names, 1);
#pragma omp parallel
#pragma omp single
  work_on(argc > 1 ? atoi(argv[1]) : 12, NULL);
  printf("%ld tasks, %ld calls\n", tasks, calls);
  return 0;
}
