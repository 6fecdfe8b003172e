// SPDX-License-Identifier: Apache-2.0
// parent LOG OPTION... -- COMMAND...: runs the command as a shell would, and writes down what a parent sees of it: how
// it ended, each stop, each signal that comes back, the processes that are left. It adopts those, and ends them.
//   bound MS            kills all after so long          grace MS        waits so long for left processes (3000)
//   limit NAME VALUE    setrlimit                        close FD        starts the command without it
//   filter CALL ERRNO   see filter.h                     uid N           as another user
//   send SIGNAL FILE    once the file is there           orphan          in an orphaned process group
//   nice-fifo           under SCHED_FIFO, on processor 0
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "filter.h"

enum { kMostActions = 16 };

static const struct NamedNumber kLimits[] = {{"nofile", RLIMIT_NOFILE}, {"fsize", RLIMIT_FSIZE}, {"as", RLIMIT_AS},
                                             {"nproc", RLIMIT_NPROC},   {"stack", RLIMIT_STACK}, {"core", RLIMIT_CORE}};
static const struct NamedNumber kSignals[] = {
    {"TERM", SIGTERM}, {"KILL", SIGKILL}, {"INT", SIGINT},   {"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"HUP", SIGHUP},
    {"STOP", SIGSTOP}, {"TSTP", SIGTSTP}, {"QUIT", SIGQUIT}, {"ALRM", SIGALRM}, {"CONT", SIGCONT}};

static FILE* log_file;
static const char* sends[kMostActions][2];
static int send_count;
static char** setup;  // the options up to `--`
static int setup_count;
static int is_orphan;
static long bound_ms = 60000;
static long grace_ms = 3000;

static long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int signal_of(const char* name) { return number_of(kSignals, sizeof kSignals / sizeof *kSignals, name); }

static void fail(const char* what) {
  fprintf(stderr, "parent: %s\n", what);
  _exit(99);
}

static int options_of(const char* name) {
  const char* const two[] = {"limit", "filter", "send"};
  for (size_t i = 0; i < sizeof two / sizeof *two; ++i)
    if (strcmp(name, two[i]) == 0) return 2;
  return strcmp(name, "orphan") == 0 || strcmp(name, "nice-fifo") == 0 ? 0 : 1;
}

static void read_options(void) {
  for (int i = 0; i < setup_count; i += 1 + options_of(setup[i])) {
    char** const word = setup + i;
    if (strcmp(word[0], "bound") == 0) bound_ms = atol(word[1]);
    if (strcmp(word[0], "grace") == 0) grace_ms = atol(word[1]);
    if (strcmp(word[0], "orphan") == 0) is_orphan = 1;
    if (strcmp(word[0], "send") == 0 && send_count < kMostActions) {
      sends[send_count][0] = word[1];
      sends[send_count++][1] = word[2];
    }
  }
}

// In the child, last of all: what is limited here must not be in the way of the rest.
static void apply(char** word) {
  if (strcmp(word[0], "limit") == 0) {
    const struct rlimit limit = {strtoull(word[2], NULL, 10), strtoull(word[2], NULL, 10)};
    const int which = number_of(kLimits, sizeof kLimits / sizeof *kLimits, word[1]);
    if (which < 0 || setrlimit((unsigned)which, &limit) != 0) fail("cannot limit");
  }
  if (strcmp(word[0], "filter") == 0 && filter_call(word[1], word[2]) != 0) fail("cannot filter");
  if (strcmp(word[0], "uid") == 0) {
    const unsigned id = (unsigned)atol(word[1]);
    if (setgroups(0, NULL) != 0 || setgid(id) != 0 || setuid(id) != 0) fail("cannot change the user");
  }
  if (strcmp(word[0], "nice-fifo") == 0) {
    const struct sched_param first = {.sched_priority = 1};
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0 || sched_setscheduler(0, SCHED_FIFO, &first) != 0)
      fail("cannot schedule");
  }
  if (strcmp(word[0], "close") == 0) close(atoi(word[1]));
}

static pid_t start(char** command) {
  char own[32];
  snprintf(own, sizeof own, "%d", (int)getpid());
  setenv("FAULTS_PARENT", own, 1);
  sigset_t none;
  sigemptyset(&none);
  const pid_t child = fork();
  if (child != 0) return child;
  if (!is_orphan) setpgid(0, 0);
  sigprocmask(SIG_SETMASK, &none, NULL);
  for (int i = 0; i < setup_count; i += 1 + options_of(setup[i])) apply(setup + i);
  execvp(command[0], command);
  _exit(98);
}

// The processes that this one is the parent of.
static int children(pid_t* found, int room) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
  FILE* const file = fopen(path, "re");
  int count = 0;
  int pid = 0;
  while (file && count < room && fscanf(file, "%d", &pid) == 1) found[count++] = pid;
  if (file) fclose(file);
  return count;
}

static void end_all(void) {
  pid_t found[256];
  for (int round = 0; round < 200; ++round) {
    const int count = children(found, 256);
    if (count == 0) return;
    for (int i = 0; i < count; ++i) kill(found[i], SIGKILL);
    while (waitpid(-1, NULL, WNOHANG) > 0) continue;
    usleep(5000);
  }
}

static void send_what_is_due(pid_t child, int* sent) {
  while (*sent < send_count && access(sends[*sent][1], F_OK) == 0) {
    kill(child, signal_of(sends[*sent][0]));
    ++*sent;
  }
}

// 1 once the command has ended.
static int reap(pid_t child, long* continue_at) {
  int status = 0;
  int ended = 0;
  pid_t pid;
  while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
    if (WIFSTOPPED(status)) {
      fprintf(log_file, "stopped %s\n", pid == child ? sigabbrev_np(WSTOPSIG(status)) : "other");
      if (pid == child) *continue_at = now_ms() + 50;
    } else if (pid == child) {
      ended = 1;
      if (WIFEXITED(status)) fprintf(log_file, "exit %d\n", WEXITSTATUS(status));
      if (WIFSIGNALED(status)) fprintf(log_file, "signal %s\n", sigabbrev_np(WTERMSIG(status)));
    }
  }
  return ended;
}

int main(int argc, char** argv) {
  int dashes = 2;
  while (dashes < argc && strcmp(argv[dashes], "--") != 0) dashes += 1 + options_of(argv[dashes]);
  if (argc < 4 || dashes + 1 >= argc) fail("usage: parent LOG OPTION... -- COMMAND...");
  setup = argv + 2;
  setup_count = dashes - 2;
  read_options();
  log_file = fopen(argv[1], "we");
  if (!log_file) fail("cannot write the log");
  fcntl(fileno(log_file), F_DUPFD_CLOEXEC, 900);
  setvbuf(log_file, NULL, _IONBF, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  const long began = now_ms();
  const pid_t child = start(argv + dashes + 1);
  long continue_at = 0;
  int sent = 0;
  int is_late = 0;
  while (!reap(child, &continue_at) && !is_late) {
    const struct timespec tick = {0, 5000000};
    siginfo_t info;
    const int number = sigtimedwait(&all, &info, &tick);
    if (number > 0 && number != SIGCHLD) fprintf(log_file, "got %s\n", sigabbrev_np(number));
    if (continue_at != 0 && now_ms() >= continue_at) {
      continue_at = 0;
      if (is_orphan) kill(0, SIGCONT);
      kill(is_orphan ? child : -child, SIGCONT);
    }
    send_what_is_due(child, &sent);
    is_late = now_ms() - began > bound_ms;
  }
  if (is_late) fprintf(log_file, "late\n");
  fprintf(log_file, "ms %ld\n", now_ms() - began);
  const long ended = now_ms();
  pid_t left[256];
  int count = 0;
  while ((count = children(left, 256)) > 0 && !is_late && now_ms() - ended < grace_ms) {
    reap(0, &continue_at);
    usleep(5000);
  }
  fprintf(log_file, "left %d\n", count);
  end_all();
  return 0;
}
