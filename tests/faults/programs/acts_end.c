// SPDX-License-Identifier: Apache-2.0
// Acts that end the program, each in its way. return:CODE is main's own.
#include <pthread.h>

#include "acts.h"

static void leave(const char* first, const char* second) {
  (void)second;
  exit((int)number(first, 7));
}

static void leave_quickly(const char* first, const char* second) {
  (void)second;
  quick_exit((int)number(first, 7));
}

static void leave_at_once(const char* first, const char* second) {
  (void)second;
  _exit((int)number(first, 7));
}

static int signal_of(const char* name) {
  static const struct {
    const char* name;
    int number;
  } kNames[] = {{"KILL", SIGKILL}, {"TERM", SIGTERM}, {"INT", SIGINT},   {"SEGV", SIGSEGV},
                {"ABRT", SIGABRT}, {"BUS", SIGBUS},   {"FPE", SIGFPE},   {"PIPE", SIGPIPE},
                {"QUIT", SIGQUIT}, {"HUP", SIGHUP},   {"USR1", SIGUSR1}, {"ILL", SIGILL}};
  for (size_t i = 0; i < sizeof kNames / sizeof *kNames; ++i)
    if (name && strcmp(kNames[i].name, name) == 0) return kNames[i].number;
  return SIGKILL;
}

static void die(const char* first, const char* second) {
  (void)second;
  raise(signal_of(first));
}

static void give_up(const char* first, const char* second) {
  (void)first, (void)second;
  abort();
}

static void run_other(const char* first, const char* second) {
  (void)second;
  char code[32];
  snprintf(code, sizeof code, "exit %ld", number(first, 7));
  execl("/bin/sh", "sh", "-c", code, NULL);
}

// Becomes this program again, with what is left to do.
static void run_self(const char* first, const char* second) {
  (void)first, (void)second;
  char* words[256] = {program_arguments[0]};
  for (int i = 0; i < 254 && next_act[i]; ++i) words[i + 1] = next_act[i];
  execv("/proc/self/exe", words);
}

static void in_task(const char* how, const char* code) {
#pragma omp parallel
#pragma omp single
  {
    count_task();
#pragma omp task
    {
      if (strcmp(how, "exit") == 0) exit((int)number(code, 7));
      if (strcmp(how, "_exit") == 0) _exit((int)number(code, 7));
      if (strcmp(how, "abort") == 0) abort();
      raise(signal_of(how));
    }
  }
}

// exit-all:CODE: all threads of a region call exit().
static void exit_all(const char* first, const char* second) {
  (void)second;
#pragma omp parallel
  {
#pragma omp barrier
    exit((int)number(first, 7));
  }
}

static void* leave_from_thread(void* argument) {
  usleep(20000);
  exit((int)(long)argument);
}

// Another thread ends the process while the first one waits. (Where that one makes tasks, LLVM's runtime frees what it
// uses: with any tool it then crashes now and then.)
static void from_thread(const char* first, const char* second) {
  (void)second;
  pthread_t thread;
  pthread_create(&thread, NULL, leave_from_thread, (void*)number(first, 7));
  for (;;) pause();
}

static void* last_thread(void* argument) {
  usleep(20000);
  if (argument == NULL) return NULL;
  _exit((int)(long)argument);
}

// The first thread is gone before the process is, which ends with its last thread where the status is 0.
static void main_thread_first(const char* first, const char* second) {
  (void)second;
  pthread_t thread;
  pthread_create(&thread, NULL, last_thread, (void*)number(first, 7));
  pthread_exit(NULL);
}

static void say_at_exit(void) { say("at exit\n"); }

static void at_exit(const char* first, const char* second) {
  (void)first, (void)second;
  say("atexit %d\n", atexit(say_at_exit));
}

static void run_at_exit(void) { say("at exit %ld\n", run_tasks_alone(10)); }

static void tasks_at_exit(const char* first, const char* second) {
  (void)first, (void)second;
  say("atexit %d\n", atexit(run_at_exit));
}

const struct Act kEndActs[] = {{"exit", leave},
                               {"quick_exit", leave_quickly},
                               {"_exit", leave_at_once},
                               {"raise", die},
                               {"abort", give_up},
                               {"exec", run_other},
                               {"exec-self", run_self},
                               {"in-task", in_task},
                               {"from-thread", from_thread},
                               {"exit-all", exit_all},
                               {"main-thread-first", main_thread_first},
                               {"at-exit", at_exit},
                               {"tasks-at-exit", tasks_at_exit},
                               {NULL, NULL}};
