// SPDX-License-Identifier: Apache-2.0
// ends HOW N: makes N tasks, waits for them, says so, and then ends within one task more: by return (from main, after
// the region), exit, _exit, abort, segv, kill, term (signals to itself); or waits, once it has written its process
// number to the file `ready`, for a signal from outside. first_thread: the first thread ends after the region, and
// 20 ms later the last one makes N tasks as well. The process ends with it. exit_all: all threads of a second region
// call exit(), the last one 0.1 s after the others.
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void wait_for_a_signal(void) {
  FILE* file = fopen("ready.tmp", "w");
  fprintf(file, "%d", (int)getpid());
  fclose(file);
  rename("ready.tmp", "ready");
  for (;;) pause();
}

static void end_by(const char* how) {
  if (strcmp(how, "exit") == 0) exit(7);
  if (strcmp(how, "_exit") == 0) _exit(7);
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "segv") == 0) raise(SIGSEGV);
  if (strcmp(how, "kill") == 0) raise(SIGKILL);
  if (strcmp(how, "term") == 0) raise(SIGTERM);
  if (strcmp(how, "wait") == 0) wait_for_a_signal();
}

static void make_tasks(const char* how, int n) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < n; ++i) {
#pragma omp task shared(done)  // task
      {
#pragma omp atomic
        ++done;
      }
    }
#pragma omp taskwait
    printf("%d done\n", done);
    fflush(stdout);
#pragma omp task  // last
    end_by(how);
  }
}

static void* last_thread(void* tasks) {
  usleep(20000);
  make_tasks("", *(const int*)tasks);
  return NULL;
}

static int lingers;

// Runs in the first call of exit(): the last thread's call then finds nothing left to run, and ends the process.
__attribute__((destructor)) static void linger(void) {
  if (lingers) usleep(400000);
}

static void exit_by_all(void) {
  lingers = 1;
#pragma omp parallel
  {
#pragma omp barrier
    if (omp_get_thread_num() == omp_get_num_threads() - 1) usleep(100000);
    exit(7);
  }
}

int main(int argc, char** argv) {
  static int n = 1000;
  const char* how = argc > 1 ? argv[1] : "return";
  if (argc > 2) n = atoi(argv[2]);
  make_tasks(how, n);
  if (strcmp(how, "exit_all") == 0) exit_by_all();
  if (strcmp(how, "first_thread") == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, last_thread, &n);
    pthread_exit(NULL);
  }
  return 7;
}
