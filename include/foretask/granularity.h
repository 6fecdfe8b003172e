/* SPDX-License-Identifier: Apache-2.0 */
/* Which parts of a recursive program become tasks and which are plain calls: decided by what subtrees of that size have
 * taken, by what a task costs here, and by how many tasks are there already.
 *
 *   void sort(T* a, size_t n, foretask_subtree* parent) {
 *     foretask_subtree self;
 *     foretask_subtree_begin(&self, sorting, parent, n, 1);   // before anything else, in the smallest parts as well
 *     if (foretask_subtree_spawn(&self)) {
 *       #pragma omp task shared(self)
 *       sort(a, n / 2, &self);
 *     } else {
 *       sort(a, n / 2, &self);
 *     }
 *     sort(a + n / 2, n - n / 2, &self);
 *     if (foretask_subtree_spawned(&self)) {
 *       #pragma omp taskwait
 *     }
 *     merge(a, n);
 *     foretask_subtree_end(&self);
 *   }
 *
 * Any runtime with tasks. It is on unless FORETASK=off, whether or not the program learns. While it learns
 * (FORETASK=learn), subtrees are samples of their kernel, if it has one parameter, so that the next run knows them from
 * its start.
 *
 * One task begins a subtree, asks it and ends it, on one thread: an untied task that moves is survived, its time is not
 * right. Its parts are begun by that task and by those that it makes, and end before it does. The time of a subtree is
 * the work in it, on whatever threads: without waits, its tasks counted once.
 * docs/granularity.md says how it decides. */
#pragma once

#include "foretask/foretask.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The library's; what the functions below need of it. */
struct foretask_subtree_node {
  long calls_left; /* plain calls until the clock is looked at */
  int is_small;    /* they are plain as all that is left takes less than a task is worth */
};

/* The members are the library's. */
typedef struct foretask_subtree {
  struct foretask_subtree_node*
      node; /* its own, or that of the subtree which began the plain calls it is in; NULL: off */
  foretask_kernel* kernel;
  double size;
  unsigned char is_timed;  /* the node is its own */
  unsigned char is_called; /* its parts are plain calls for the time being */
  unsigned char has_spawned;
  unsigned char by_default;
} foretask_subtree;

/* Whose plain calls this thread is in; NULL: nobody's. */
extern FORETASK_API __thread struct foretask_subtree_node* foretask_subtree_plain
    __attribute__((tls_model("initial-exec")));

FORETASK_API void foretask_subtree_begin_slow(foretask_subtree* subtree, foretask_subtree* parent);
FORETASK_API int foretask_subtree_spawn_slow(foretask_subtree* subtree, double size);
FORETASK_API int foretask_subtree_is_small_slow(const foretask_subtree* subtree);
FORETASK_API int foretask_subtree_wait_slow(foretask_subtree* subtree);
FORETASK_API void foretask_subtree_end_slow(foretask_subtree* subtree);

/* HOT, below 2 ns in plain calls, else some 30. Begins a subtree of `kernel`, as a part of `parent`, which is NULL for
 * the first one. `size`: a number from 0 on that says how large it is; subtrees of one size should take about as long.
 * `by_default`: what foretask_subtree_spawn() says where foretask is off. */
static inline void foretask_subtree_begin(foretask_subtree* subtree, foretask_kernel* kernel, foretask_subtree* parent,
                                          double size, int by_default) {
  subtree->kernel = kernel;
  subtree->size = size;
  subtree->is_timed = 0;
  subtree->has_spawned = 0;
  subtree->by_default = by_default != 0;
  if (parent && parent->node == foretask_subtree_plain && (!parent->node || --parent->node->calls_left > 0)) {
    subtree->node = parent->node;
    return;
  }
  foretask_subtree_begin_slow(subtree, parent);
}

/* HOT, below 2 ns in plain calls, else up to 20. 1: make the next part a task, which begins a subtree before anything
 * else. 0: call it. */
static inline int foretask_subtree_spawn(foretask_subtree* subtree) {
  if (subtree->is_timed) return foretask_subtree_spawn_slow(subtree, subtree->size);
  if (subtree->node) return 0;
  subtree->has_spawned |= subtree->by_default;
  return subtree->by_default;
}

/* The same by the size of the part instead of the subtree's own. */
static inline int foretask_subtree_spawn_part(foretask_subtree* subtree, double size) {
  if (subtree->is_timed) return foretask_subtree_spawn_slow(subtree, size);
  return foretask_subtree_spawn(subtree);
}

/* HOT, below 2 ns in plain calls, else some 5. 1 where the whole subtree takes less than a task is worth: a version of
 * the code without tasks and subtrees may do all of it. That it takes longer than promised is then not noticed. */
static inline int foretask_subtree_is_small(const foretask_subtree* subtree) {
  if (!subtree->node) return !subtree->by_default;
  if (!subtree->is_timed && subtree->node->is_small) return 1;
  return foretask_subtree_is_small_slow(subtree);
}

/* 1 where parts have become tasks since it was asked last, and are to be waited for now. In a parallel region of
 * OpenMP's, where no task of a subtree is around it, it waits itself: 0. It waits for all tasks of OpenMP's that were
 * made in it since the first one of the subtree, by a taskgroup, and not for those of its callers, as a taskwait would.
 * So in such a region whoever makes tasks with another runtime waits for them in any case. */
static inline int foretask_subtree_spawned(foretask_subtree* subtree) {
  return subtree->has_spawned ? foretask_subtree_wait_slow(subtree) : 0;
}

static inline void foretask_subtree_end(foretask_subtree* subtree) {
  if (subtree->is_timed) foretask_subtree_end_slow(subtree);
}

#ifdef __cplusplus
}
#endif
