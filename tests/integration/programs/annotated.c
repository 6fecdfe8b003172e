// SPDX-License-Identifier: Apache-2.0
// annotated HOW: a sequential program with tasks for foretask, in ways that may be wrong. Prints the status of each
// call that HOW is about.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "foretask/dataflow.h"
#include "spin.h"

static char memory[64];
static foretask_kernel* one;
static foretask_kernel* two;

static foretask_access access_of(int from, int bytes, uint32_t kind) {
  const foretask_access access = {memory + from, (size_t)bytes, kind};
  return access;
}

static void run(foretask_kernel* kernel, foretask_access access) {
  foretask_task_begin(kernel, NULL, 0, &access, 1);
  spin_ms(0.2);
  foretask_task_end();
}

static void say(const char* what, foretask_status status) { printf("%s: %s\n", what, foretask_status_text(status)); }

// The thread ends within the third of them, and so does a task within that one.
static void* leave_within(void* kernel) {
  const foretask_access access = access_of(0, 8, FORETASK_INOUT);
  for (int i = 0; i < 3; ++i) {
    foretask_task_begin(kernel, NULL, 0, &access, 1);
    spin_ms(0.2);
    if (i < 2) foretask_task_end();
  }
  foretask_task_begin(kernel, NULL, 0, NULL, 0);
  return NULL;
}

static void* chain(void* kernel) {
  for (int i = 0; i < 3; ++i) run(kernel, access_of(0, 8, FORETASK_INOUT));
  return NULL;
}

// Arguments that are refused: each has an end all the same.
static void refused(void) {
  const foretask_access nowhere = {NULL, 8, FORETASK_IN};
  const foretask_access beyond = {(const void*)(uintptr_t)-8, 16, FORETASK_IN};
  const foretask_access no_kind = {memory, 8, 4};
  const foretask_access empty[] = {{NULL, 0, FORETASK_IN}, {memory, 0, FORETASK_OUT}};
  const double parameter = 1;
  foretask_access many[20];
  for (int i = 0; i < 20; ++i) many[i] = access_of(2 * i, 4, FORETASK_INOUT);  // each overlaps the next
  say("NULL with bytes", foretask_task_begin(one, NULL, 0, &nowhere, 1));
  say("its end", foretask_task_end());
  say("beyond the end", foretask_task_begin(one, NULL, 0, &beyond, 1));
  foretask_task_end();
  say("no such kind", foretask_task_begin(one, NULL, 0, &no_kind, 1));
  foretask_task_end();
  say("no list", foretask_task_begin(one, NULL, 0, NULL, 1));
  foretask_task_end();
  say("no kernel", foretask_task_begin(NULL, NULL, 0, NULL, 0));
  foretask_task_end();
  say("too many parameters", foretask_task_begin(one, &parameter, 1, NULL, 0));
  foretask_task_end();
  say("empty ranges", foretask_task_begin(one, NULL, 0, empty, 2));
  foretask_task_end();
  say("many ranges", foretask_task_begin(two, NULL, 0, many, 20));
  foretask_task_end();
  run(one, access_of(0, 64, FORETASK_IN));
  const char* const names[] = {"n"};
  foretask_task_begin(foretask_kernel_define("three", names, 1), NULL, 0, NULL, 0);
  say("its parameter", foretask_task_set(0, 4));
  say("one that it has not", foretask_task_set(1, 4));
  foretask_task_end();
  say("nothing to end", foretask_task_end());
}

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "";
  one = foretask_kernel_define("one", NULL, 0);
  two = foretask_kernel_define("two", NULL, 0);
  if (strcmp(how, "refused") == 0) {
    refused();
  } else if (strcmp(how, "open") == 0) {
    // Never ended: what follows is its children.
    foretask_task_begin(one, NULL, 0, NULL, 0);
    run(two, access_of(0, 8, FORETASK_INOUT));
    run(two, access_of(0, 8, FORETASK_INOUT));
  } else if (strcmp(how, "exit") == 0) {
    foretask_task_begin(one, NULL, 0, NULL, 0);
    exit(3);
  } else if (strcmp(how, "nested") == 0) {
    // Two outer tasks, in order by what they themselves name; each has two children, in order as well.
    for (int outer = 0; outer < 2; ++outer) {
      const foretask_access access = access_of(0, 8, FORETASK_INOUT);
      foretask_task_begin(one, NULL, 0, &access, 1);
      run(two, access_of(16, 8, FORETASK_INOUT));
      run(two, access_of(16, 8, FORETASK_INOUT));
      foretask_task_end();
    }
  } else if (strcmp(how, "threads") == 0) {
    // Each thread's tasks are a chain of their own.
    pthread_t thread;
    run(one, access_of(0, 8, FORETASK_INOUT));
    pthread_create(&thread, NULL, chain, two);
    chain(one);
    pthread_join(thread, NULL);
  } else if (strcmp(how, "leaves") == 0) {
    pthread_t threads[2];
    for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, leave_within, i == 0 ? one : two);
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  } else if (strcmp(how, "forks") == 0) {
    // The child's tasks are no part of its parent's recording, nor is the one that it was forked in.
    foretask_task_begin(one, NULL, 0, NULL, 0);
    const pid_t child = fork();
    if (child == 0) {
      run(two, access_of(0, 8, FORETASK_INOUT));
      foretask_task_end();
      exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    foretask_task_end();
    run(one, access_of(0, 8, FORETASK_INOUT));
    return status;
  } else if (strcmp(how, "forks early") == 0) {
    // A child that ends without a task, before its parent has had any.
    const pid_t child = fork();
    if (child == 0) exit(0);
    int status = 0;
    waitpid(child, &status, 0);
    run(one, access_of(0, 8, FORETASK_INOUT));
    return status;
  } else if (strcmp(how, "waits") == 0) {
    run(one, access_of(0, 8, FORETASK_OUT));
    run(one, access_of(8, 8, FORETASK_OUT));
    foretask_task_wait();
    run(two, access_of(16, 8, FORETASK_OUT));
  } else if (strcmp(how, "scopes") == 0) {
    for (int i = 0; i < 5; ++i) {
      foretask_scope scope;
      foretask_scope_begin(&scope, one, NULL, 0);
      spin_ms(0.2);
      foretask_scope_end(&scope);
    }
  } else if (strcmp(how, "nothing") != 0) {
    return 2;
  }
  return 0;
}
