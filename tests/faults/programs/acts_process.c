// SPDX-License-Identifier: Apache-2.0
// Acts that start processes, and those between the program and its parent.
#include <sched.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "acts.h"

extern char** environ;

static void say_end_of(const char* what, pid_t child) {
  int status = 0;
  if (child < 0 || waitpid(child, &status, __WALL) != child) {
    say("%s: none\n", what);
  } else {
    say("%s: %s %d\n", what, WIFSIGNALED(status) ? "signal" : "exit",
        WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  }
}

static void run_in_child(const char* first) {
  const long done = run_tasks_alone(number(first, 10));
  _exit(done == number(first, 10) ? 5 : 6);
}

static void fork_leave(const char* first, const char* second) {
  (void)first, (void)second;
  const pid_t child = fork();
  if (child == 0) _exit(5);
  say_end_of("fork-leave", child);
}

// Ends as a program does, with its handlers of exit().
static void fork_exit(const char* first, const char* second) {
  (void)first, (void)second;
  const pid_t child = fork();
  if (child == 0) exit(5);
  say_end_of("fork-exit", child);
}

static void fork_tasks(const char* first, const char* second) {
  (void)second;
  const pid_t child = fork();
  if (child == 0) run_in_child(first);
  say_end_of("fork-tasks", child);
}

static void plain_fork_tasks(const char* first, const char* second) {
  (void)second;
  const pid_t child = _Fork();
  if (child == 0) run_in_child(first);
  say_end_of("_Fork-tasks", child);
}

static void clone_tasks(const char* first, const char* second) {
  (void)second;
  const pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
  if (child == 0) run_in_child(first);
  say_end_of("clone-tasks", child);
}

static void clone_leave(const char* first, const char* second) {
  (void)first, (void)second;
  const pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
  if (child == 0) syscall(SYS_exit_group, 5);
  say_end_of("clone-leave", child);
}

static void vfork_exec(const char* first, const char* second) {
  (void)first, (void)second;
  const pid_t child = vfork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", "exit 5", NULL);
    _exit(6);
  }
  say_end_of("vfork-exec", child);
}

static void spawn(const char* first, const char* second) {
  (void)first, (void)second;
  pid_t child = -1;
  char* const words[] = {"sh", "-c", "exit 5", NULL};
  if (posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ) != 0) child = -1;
  say_end_of("spawn", child);
}

static void shell(const char* first, const char* second) {
  (void)first, (void)second;
  say("shell %d\n", system("test -z \"$FORETASK$FORETASK_OUT$OMP_TOOL_LIBRARIES\""));
}

// What it starts is a program with tasks of its own.
static void start_self(const char* first, const char* second) {
  (void)second;
  const pid_t child = fork();
  char word[64];
  snprintf(word, sizeof word, "tasks:%ld", number(first, 10));
  if (child == 0) {
    execl("/proc/self/exe", program_arguments[0], word, "return:5", NULL);
    _exit(6);
  }
  say_end_of("start-self", child);
}

// Left over on purpose: it outlives the program by a second.
static void leave_behind(const char* first, const char* second) {
  (void)first, (void)second;
  const pid_t child = fork();
  if (child == 0) {
    const struct timespec second_long = {1, 0};
    nanosleep(&second_long, NULL);
    _exit(0);
  }
  say("left one behind\n");
}

// As daemon(3), but for the standard streams.
static void become_daemon(const char* first, const char* second) {
  (void)first, (void)second;
  const pid_t child = fork();
  if (child != 0) _exit(child < 0);
  setsid();
  count_from_here();
  say("daemon\n");
}

static void signal_parent(const char* first, const char* second) {
  (void)second;
  // Not to be ended by it, should it come back.
  say("kill %d\n", kill(getppid(), first && strcmp(first, "USR2") == 0 ? SIGUSR2 : SIGUSR1));
  const struct timespec a_while = {0, 60000000};
  nanosleep(&a_while, NULL);
}

static void stop(const char* first, const char* second) {
  (void)first, (void)second;
  raise(SIGSTOP);
  say("continued\n");
}

// What Ctrl-Z does: the terminal's signal, to all of the group.
static void suspend(const char* first, const char* second) {
  (void)first, (void)second;
  kill(0, SIGTSTP);
  const struct timespec a_while = {0, 100000000};
  nanosleep(&a_while, NULL);
  say("suspended and continued\n");
}

static void ready(const char* name) {
  char path[4200];
  snprintf(path, sizeof path, "%s/%s", start_folder, name);
  const int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file >= 0) close(file);
}

static volatile sig_atomic_t awaited;
static void note_awaited(int number) { awaited = number; }

// Waits for a signal of the parent's: await:NAME, once the file ready.NAME says that it can come. Any thread may be the
// one that the kernel gives it to.
static void await(const char* first, const char* second) {
  (void)second;
  const int expected = first && strcmp(first, "USR2") == 0 ? SIGUSR2 : SIGUSR1;
  char name[64];
  snprintf(name, sizeof name, "ready.%s", first ? first : "USR1");
  struct sigaction action;
  struct sigaction before;
  memset(&action, 0, sizeof action);
  action.sa_handler = note_awaited;
  action.sa_flags = SA_RESTART;
  awaited = -1;
  sigaction(expected, &action, &before);
  ready(name);
  const struct timespec a_moment = {0, 1000000};
  for (int i = 0; i < 5000 && awaited < 0; ++i) nanosleep(&a_moment, NULL);
  sigaction(expected, &before, NULL);
  say("awaited %d\n", (int)awaited);
}

static void pause_for_end(const char* first, const char* second) {
  (void)first, (void)second;
  ready("ready");
  for (;;) pause();
}

const struct Act kProcessActs[] = {{"fork-leave", fork_leave},
                                   {"fork-exit", fork_exit},
                                   {"fork-tasks", fork_tasks},
                                   {"_Fork-tasks", plain_fork_tasks},
                                   {"clone-tasks", clone_tasks},
                                   {"clone-leave", clone_leave},
                                   {"vfork-exec", vfork_exec},
                                   {"spawn", spawn},
                                   {"shell", shell},
                                   {"start-self", start_self},
                                   {"leave-behind", leave_behind},
                                   {"daemon", become_daemon},
                                   {"signal-parent", signal_parent},
                                   {"stop", stop},
                                   {"suspend", suspend},
                                   {"await", await},
                                   {"pause", pause_for_end},
                                   {NULL, NULL}};
