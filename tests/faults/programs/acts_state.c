// SPDX-License-Identifier: Apache-2.0
// Acts that look at what the process is, and those that change it.
#include <dlfcn.h>
#include <fenv.h>
#include <grp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "acts.h"
#include "filter.h"

extern char** environ;

enum { kLowDescriptors = 256 };

static void descriptors(const char* first, const char* second) {
  (void)first, (void)second;
  say("open:");
  for (int i = 0; i < kLowDescriptors; ++i)
    if (fcntl(i, F_GETFD) >= 0) say(" %d", i);
  say("\n");
}

static void lowest(const char* first, const char* second) {
  (void)first, (void)second;
  const int file = open("/dev/null", O_RDONLY);
  say("lowest %d\n", file);
  close(file);
}

static void is_child(const char* first, const char* second) {
  (void)first, (void)second;
  const char* const parent = getenv("FAULTS_PARENT");
  say("parent %s, group %s\n", parent && atoi(parent) == (int)getppid() ? "is who started it" : "is another",
      getpgrp() == getpid() ? "its own" : "another's");
}

static void children(const char* first, const char* second) {
  (void)first, (void)second;
  const pid_t child = waitpid(-1, NULL, WNOHANG);
  say("children %s\n", child < 0 && errno == ECHILD ? "none" : "some");
}

static void signals(const char* first, const char* second) {
  (void)first, (void)second;
  char line[256];
  char name[8];
  unsigned long long set = 0;
  // 32 and 33, which the C library takes with the first thread, and SIGBUS, which a recording takes.
  const unsigned long long of_others = 3ULL << 31 | 1ULL << (SIGBUS - 1);
  FILE* const file = fopen("/proc/thread-self/status", "re");
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "Sig%3[a-zA-Z]: %llx", name, &set) == 2 && strlen(name) == 3)
      say("Sig%s %llx\n", name, set & ~of_others);
  if (file) fclose(file);
}

static int by_text(const void* left, const void* right) { return strcmp(*(char* const*)left, *(char* const*)right); }

static void environment(const char* first, const char* second) {
  (void)first, (void)second;
  char* list[1024];
  size_t count = 0;
  // LLVM's runtime notes itself by a variable with the process' number.
  for (char** entry = environ; entry && *entry && count < 1024; ++entry)
    if (strncmp(*entry, "__KMP", 5) != 0 && strncmp(*entry, "FAULTS_", 7) != 0) list[count++] = *entry;
  qsort(list, count, sizeof *list, by_text);
  for (size_t i = 0; i < count; ++i) say("env %s\n", list[i]);
}

static void state(const char* first, const char* second) {
  (void)first, (void)second;
  char folder[4096];
  char name[32] = "";
  struct itimerval timer;
  struct rlimit limit;
  cpu_set_t processors;
  const mode_t mask = umask(0);
  umask(mask);
  getitimer(ITIMER_REAL, &timer);
  prctl(PR_GET_NAME, name);
  sched_getaffinity(0, sizeof processors, &processors);
  say("cwd %s umask %o name %s timer %ld\n", getcwd(folder, sizeof folder) ? folder : "?", mask, name,
      timer.it_value.tv_sec);
  say("nice %d policy %d processors %d dumpable %d privileges %d filter %d\n", getpriority(PRIO_PROCESS, 0),
      sched_getscheduler(0), CPU_COUNT(&processors), prctl(PR_GET_DUMPABLE), prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0),
      prctl(PR_GET_SECCOMP));
  say("round %d traps %x\n", fegetround(), fegetexcept());
  for (int i = 0; i < RLIM_NLIMITS; ++i)
    if (getrlimit(i, &limit) == 0) say("limit %d %lld %lld\n", i, (long long)limit.rlim_cur, (long long)limit.rlim_max);
}

static void arguments(const char* first, const char* second) {
  (void)first, (void)second;
  char own[4096];
  const ssize_t size = readlink("/proc/self/exe", own, sizeof own - 1);
  own[size > 0 ? size : 0] = '\0';
  const char* const name = strrchr(own, '/');
  for (char** word = program_arguments + 1; *word; ++word) say("[%s]", *word);
  say(" of %s\n", name ? name + 1 : own);
}

// As getopt programs do that hide what they were given.
static void overwrite(const char* first, const char* second) {
  (void)first, (void)second;
  static char* copies[256];
  int count = 0;
  for (char** word = next_act; *word && count < 255; ++word) copies[count++] = strdup(*word);
  for (char** word = program_arguments + 1; *word; ++word) memset(*word, '*', strlen(*word));
  next_act = copies;
  say("overwritten\n");
}

static void clear_environment(const char* first, const char* second) {
  (void)first, (void)second;
  say("clearenv %d\n", clearenv());
}

static void change_folder(const char* first, const char* second) {
  (void)second;
  say("chdir %d\n", chdir(first ? first : "/"));
}

static void change_root(const char* first, const char* second) {
  (void)first, (void)second;
  mkdir("jail", 0777);
  say("chroot %d\n", chroot("jail") == 0 ? chdir("/") : -1);
}

static void change_user(const char* first, const char* second) {
  (void)second;
  const unsigned id = (unsigned)number(first, 65534);
  say("setuid %d\n", setgroups(0, NULL) == 0 && setgid(id) == 0 ? setuid(id) : -1);
}

static void change_name(const char* first, const char* second) {
  (void)second;
  say("name %d\n", prctl(PR_SET_NAME, first ? first : "renamed"));
}

static void limit(const char* first, const char* second) {
  const struct rlimit value = {(rlim_t)number(second, 4), (rlim_t)number(second, 4)};
  const int which = first && strcmp(first, "fsize") == 0 ? RLIMIT_FSIZE : RLIMIT_NOFILE;
  say("limit %d\n", setrlimit(which, &value));
}

static void filter(const char* first, const char* second) { say("filter %d\n", filter_call(first, second)); }

// As gfortran's -ffpe-trap=invalid,zero,overflow; `underflow` adds that, `all` has every rounding raise a signal.
static void traps(const char* first, const char* second) {
  (void)second;
  feclearexcept(FE_ALL_EXCEPT);
  int wanted = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW;
  if (first) wanted |= strcmp(first, "all") == 0 ? FE_ALL_EXCEPT : FE_UNDERFLOW;
  say("traps %d\n", feenableexcept(wanted) >= 0);
}

static void ignore_signals(const char* first, const char* second) {
  (void)first, (void)second;
  const int all[] = {SIGHUP, SIGINT, SIGPIPE, SIGCHLD, SIGTERM, SIGUSR1, SIGXFSZ};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) signal(all[i], SIG_IGN);
  say("ignored\n");
}

static void block_signals(const char* first, const char* second) {
  (void)first, (void)second;
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  say("blocked\n");
}

static void close_from(const char* first, const char* second) {
  (void)second;
  for (int i = (int)number(first, 3); i < 1024; ++i) close(i);
  say("closed\n");
}

static void close_all(const char* first, const char* second) {
  (void)second;
  say("close_range %d\n", close_range((unsigned)number(first, 3), ~0U, 0));
}

// Takes all low numbers for files of its own, and later on looks whether they still are.
static void take(const char* first, const char* second) {
  (void)first, (void)second;
  const int file = open("taken", O_RDWR | O_CREAT | O_TRUNC, 0666);
  for (int i = 3; i < 64; ++i)
    if (i != file) dup2(file, i);
  say("taken\n");
}

static void still_taken(const char* first, const char* second) {
  (void)first, (void)second;
  struct stat own = {0};
  struct stat there;
  int lost = stat("taken", &own) != 0;
  for (int i = 3; i < 64; ++i) lost += fstat(i, &there) != 0 || there.st_ino != own.st_ino;
  say("still taken, but for %d, %ld bytes\n", lost, (long)own.st_size);
}

// A file of the program's own, which it writes by the number that it gets.
static void own_file(const char* first, const char* second) {
  (void)first, (void)second;
  const int file = open("own", O_WRONLY | O_CREAT | O_APPEND, 0666);
  (void)!write(file, "mine\n", 5);
  say("own %d\n", file);
}

// fill-stderr: as much as its pipe holds, so that the next who writes there waits for its reader.
static void fill_stderr(const char* first, const char* second) {
  (void)first, (void)second;
  const int size = fcntl(STDERR_FILENO, F_GETPIPE_SZ);
  char* const block = calloc(1, size > 0 ? (size_t)size : 1);
  say("stderr is full %d\n", size > 0 && write(STDERR_FILENO, block, (size_t)size) == size);
  free(block);
}

// pending: whether a child has ended that the program has not heard of.
static void pending(const char* first, const char* second) {
  (void)first, (void)second;
  sigset_t set;
  sigpending(&set);
  say("a child's end is pending %d\n", sigismember(&set, SIGCHLD));
}

// load-late: a library with variables of threads that need room where the C library keeps a little of it.
static void load_late(const char* first, const char* second) {
  (void)second;
  char path[4096];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path - 16);
  if (size <= 0) return;
  path[size] = '\0';
  strcpy(strrchr(path, '/') + 1, "late.so");
  say("late.so %s\n", dlopen(path, RTLD_NOW) ? "is loaded" : "cannot be loaded");
  (void)first;
}

const struct Act kStateActs[] = {{"descriptors", descriptors},
                                 {"lowest", lowest},
                                 {"parent", is_child},
                                 {"children", children},
                                 {"signals", signals},
                                 {"environment", environment},
                                 {"state", state},
                                 {"arguments", arguments},
                                 {"overwrite", overwrite},
                                 {"clearenv", clear_environment},
                                 {"chdir", change_folder},
                                 {"chroot", change_root},
                                 {"setuid", change_user},
                                 {"name", change_name},
                                 {"limit", limit},
                                 {"filter", filter},
                                 {"traps", traps},
                                 {"ignore", ignore_signals},
                                 {"block", block_signals},
                                 {"close-from", close_from},
                                 {"close-all", close_all},
                                 {"take", take},
                                 {"still-taken", still_taken},
                                 {"own-file", own_file},
                                 {"fill-stderr", fill_stderr},
                                 {"pending", pending},
                                 {"load-late", load_late},
                                 {NULL, NULL}};
