// SPDX-License-Identifier: Apache-2.0
// Acts with threads of the program's own.
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "acts.h"

enum { kBelow = 512 << 10, kPage = 4096 };

static void* use_openmp(void* argument) {
  *(long*)argument = run_tasks_alone(20);
  return NULL;
}

// The lowest addresses first: memory with a pattern, a page that nothing may touch, the stack.
static void small_stack(const char* first, const char* second) {
  (void)second;
  const size_t size = (size_t)number(first, 16) << 10;
  unsigned char* const memory =
      mmap(NULL, kBelow + kPage + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  memset(memory, 0xa5, kBelow);
  mprotect(memory + kBelow, kPage, PROT_NONE);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_t thread;
  static long done = -1;
  if (pthread_attr_setstack(&attributes, memory + kBelow + kPage, size) != 0 ||
      pthread_create(&thread, &attributes, use_openmp, &done) != 0) {
    say("no thread with so small a stack\n");
    return;
  }
  pthread_join(thread, NULL);
  long written = 0;
  for (size_t i = 0; i < kBelow; ++i) written += memory[i] != 0xa5;
  say("small stack %ld, %ld bytes below it written\n", done, written);
}

// One thread's opens, closes and dup2s of numbers that it knows to be its own, while tasks fill packets.
static atomic_int race_is_over;
static long race_failures;

static void* race_for_numbers(void* argument) {
  const long rounds = *(const long*)argument;
  const int target = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int low = dup(target);
  for (long i = 0; i < rounds || !atomic_load(&race_is_over); ++i) {
    // `low` is free for a moment, and then the program's again: nobody else may have it, or lose it, in between.
    race_failures += close(low) != 0;
    race_failures += fcntl(low, F_GETFD) >= 0;
    race_failures += dup2(target, low) != low;
  }
  close(low);
  close(target);
  return NULL;
}

static void race(const char* first, const char* second) {
  long rounds = number(first, 20000);
  pthread_t thread;
  atomic_store(&race_is_over, 0);
  run_tasks(10);  // LLVM's runtime opens files when it starts
  pthread_create(&thread, NULL, race_for_numbers, &rounds);
  const long done = run_tasks(number(second, 60000));
  atomic_store(&race_is_over, 1);
  pthread_join(thread, NULL);
  say("race %ld, %ld calls failed\n", done, race_failures);
}

// look-up: a variable that the program has set is always there for its threads, also when OpenMP starts.
static atomic_int look_up_is_over;

static void* look_up_variable(void* misses) {
  while (!atomic_load(&look_up_is_over)) *(long*)misses += getenv("OF_THE_PROGRAM") == NULL;
  return NULL;
}

static void look_up(const char* first, const char* second) {
  (void)first, (void)second;
  pthread_t threads[2];
  long misses[2] = {0};
  setenv("OF_THE_PROGRAM", "1", 1);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, look_up_variable, &misses[i]);
  usleep(1000);
  const long done = run_tasks(10);
  atomic_store(&look_up_is_over, 1);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  say("look-up %ld, missed %d\n", done, misses[0] + misses[1] > 0);
}

// What foretask runs beside the program must not be scheduled as the program is.
static int is_foretasks(const char* thread) {
  char path[300];
  char name[64] = "";
  snprintf(path, sizeof path, "/proc/self/task/%s/comm", thread);
  FILE* const file = fopen(path, "re");
  if (file && !fgets(name, sizeof name, file)) name[0] = '\0';
  if (file) fclose(file);
  return strncmp(name, "foretask", 8) == 0;
}

static void count_wrong(int (*is_wrong)(pid_t thread), const char* what) {
  int wrong = 1;
  // What looks at the machine binds itself to each processor in turn, for some milliseconds.
  for (int i = 0; i < 20 && wrong > 0; ++i) {
    if (i > 0) usleep(10000);
    wrong = 0;
    DIR* const folder = opendir("/proc/self/task");
    for (struct dirent* entry; folder && (entry = readdir(folder));)
      if (is_foretasks(entry->d_name)) wrong += is_wrong((pid_t)atol(entry->d_name));
    if (folder) closedir(folder);
  }
  say("threads of others %s: %d\n", what, wrong);
}

static int is_real_time(pid_t thread) { return sched_getscheduler(thread) == SCHED_FIFO; }

static void quiet(const char* first, const char* second) {
  (void)first, (void)second;
  count_wrong(is_real_time, "under SCHED_FIFO");
}

static int is_bound(pid_t thread) {
  cpu_set_t its;
  cpu_set_t of_process;
  if (sched_getaffinity(thread, sizeof its, &its) != 0) return 0;
  if (sched_getaffinity(getpid(), sizeof of_process, &of_process) != 0) return 0;
  return CPU_COUNT(&its) < CPU_COUNT(&of_process);
}

static void* use_openmp_bound(void* argument) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
  *(long*)argument = run_tasks_alone(200);
  return NULL;
}

// A thread that has bound itself to one processor is the first to use OpenMP.
static void bound(const char* first, const char* second) {
  (void)first, (void)second;
  static long done = -1;
  pthread_t thread;
  pthread_create(&thread, NULL, use_openmp_bound, &done);
  pthread_join(thread, NULL);
  count_wrong(is_bound, "bound");
}

// A handler that forks, as some profilers have. The child does nothing but end.
static volatile sig_atomic_t forked;

static void fork_in_handler(int signal_number) {
  (void)signal_number;
  const int before = errno;
  const pid_t child = fork();
  if (child == 0) _exit(0);
  if (child > 0) {
    waitpid(child, NULL, 0);
    forked = 1;
  }
  errno = before;
}

static void catch_alarms(void) {
  struct sigaction action = {.sa_handler = fork_in_handler, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
}

static void set_alarms(int microseconds, int again_microseconds) {
  const struct itimerval often = {{0, again_microseconds}, {0, microseconds}};
  setitimer(ITIMER_REAL, &often, NULL);
}

// In the midst of a region alone, and in one of one thread: where LLVM's runtime begins or ends one, it hangs by
// itself.
static void alarm_fork(const char* first, const char* second) {
  (void)second;
  catch_alarms();
  run_tasks_alone(10);
  long done = 0;
#pragma omp parallel num_threads(1)
  {
    set_alarms(2000, 2000);
    done = make_tasks(number(first, 60000));
    while (!forked) continue;
    set_alarms(0, 0);
  }
  say("alarms forked, %ld\n", done);
}

// One alarm so long after the first use of OpenMP, which alone takes a millisecond or two.
static void alarm_soon(const char* first, const char* second) {
  (void)second;
  catch_alarms();
  forked = 0;
  set_alarms((int)number(first, 5000), 0);
  const long done = run_tasks_alone(10);
  while (!forked) continue;
  say("alarm forked, %ld\n", done);
}

static void* work_beside(void* argument) {
  *(long*)argument = run_tasks_alone(50);
  return NULL;
}

static void beside(const char* first, const char* second) {
  (void)first, (void)second;
  pthread_t thread;
  long done = -1;
  pthread_create(&thread, NULL, work_beside, &done);
  pthread_join(thread, NULL);
  say("beside %ld\n", done);
}

static void* make_one_task(void* done) {
  *(long*)done += run_tasks_alone(1);
  return NULL;
}

// short-threads:COUNT: threads one after the other, each with one region and a task in it.
static void short_threads(const char* first, const char* second) {
  (void)second;
  long done = 0;
  for (long i = 0; i < number(first, 100); ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, make_one_task, &done) == 0) pthread_join(thread, NULL);
  }
  say("short threads %ld\n", done);
}

// threads: how many the process has, and whether the C library takes no locks for its files.
static void threads(const char* first, const char* second) {
  (void)first, (void)second;
  int count = 0;
  DIR* const folder = opendir("/proc/self/task");
  for (struct dirent* entry; folder && (entry = readdir(folder));) count += entry->d_name[0] != '.';
  if (folder) closedir(folder);
  say("threads %d, single %d\n", count, __libc_single_threaded);
}

static void keeps_errno(const char* first, const char* second) {
  (void)second;
  long done = 0;
  long wrong = 0;
  for (long i = 0; i < number(first, 2000); ++i) {
    errno = EDOM;
    count_task();
#pragma omp task if (0) shared(done)
    ++done;
    wrong += errno != EDOM;
  }
  say("errno %ld, %ld changed\n", done, wrong);
}

const struct Act kThreadActs[] = {{"small-stack", small_stack},
                                  {"race", race},
                                  {"quiet", quiet},
                                  {"bound", bound},
                                  {"alarm-fork", alarm_fork},
                                  {"look-up", look_up},
                                  {"beside", beside},
                                  {"alarm-soon", alarm_soon},
                                  {"errno", keeps_errno},
                                  {"short-threads", short_threads},
                                  {"threads", threads},
                                  {NULL, NULL}};
