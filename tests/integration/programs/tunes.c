/* SPDX-License-Identifier: Apache-2.0 */
/* Programs for foretask tune. "KIND N" each; what they print does not depend on how their tasks are run. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static long fib(int n) {
  long a, b;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

static long untied_fib(int n) {
  long a, b;
  if (n < 2) return n;
#pragma omp task untied shared(a)
  a = untied_fib(n - 1);
#pragma omp task untied shared(b)
  b = untied_fib(n - 2);
#pragma omp taskwait
  return a + b;
}

/* No more tasks below a final one. */
static long final_fib(int n) {
  long a, b;
  if (n < 2) return n;
#pragma omp task shared(a) final(n < 8) mergeable
  a = final_fib(n - 1);
#pragma omp task shared(b) if (n > 5)
  b = final_fib(n - 2);
#pragma omp taskwait
  return a + b;
}

/* Each task makes the next, and nobody waits: as deep as there are tasks, if they are run at once. */
static void chain(long n, long* count) {
#pragma omp atomic
  ++*count;
  if (n > 1) {
#pragma omp task firstprivate(n)
    chain(n - 1, count);
  }
}

/* A lock that the creator holds, and that its tasks take. Fewer at a time than runtimes run at once by themselves. */
enum { kAtATime = 50 };
static omp_lock_t lock;
static void locked(long* sum) {
#pragma omp taskgroup
  for (int i = 0; i < kAtATime; ++i) {
    omp_set_lock(&lock);
#pragma omp task
    {
      omp_set_lock(&lock);
      ++*sum;
      omp_unset_lock(&lock);
    }
    omp_unset_lock(&lock);
  }
}

static void enter(long* sum) {
#pragma omp critical(name)
  ++*sum;
}

static void critical(long* sum) {
#pragma omp taskgroup
  for (int i = 0; i < kAtATime; ++i) {
#pragma omp critical(name)
    {
#pragma omp task
      enter(sum);
    }
  }
}

/* In the order of their dependences. */
static long ordered(int n) {
  long value = 1;
#pragma omp taskgroup
  for (int i = 0; i < n; ++i) {
#pragma omp task depend(inout : value) shared(value)
    value = (value * 3 + 1) % 1000003;
  }
  return value;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void add_locked(long* sum) {
  pthread_mutex_lock(&mutex);
  ++*sum;
  pthread_mutex_unlock(&mutex);
}
static void with_mutex(long* sum) {
#pragma omp taskgroup
  for (int i = 0; i < kAtATime; ++i) {
    pthread_mutex_lock(&mutex);
#pragma omp task
    add_locked(sum);
    pthread_mutex_unlock(&mutex);
  }
}

/* On the host where there is no device. */
static long on_device(int n) {
  long sum = 0;
#pragma omp taskgroup
  for (int i = 0; i < n; ++i) {
#pragma omp target nowait map(tofrom : sum)
#pragma omp atomic
    ++sum;
  }
  return sum;
}

static void sleeping(long* sum, int n) {
#pragma omp taskgroup
  for (int i = 0; i < n; ++i) {
#pragma omp task
    {
      usleep(200);
#pragma omp atomic
      ++*sum;
    }
  }
}

static long nested(int n) {
  long sum = 0;
#pragma omp taskgroup
  for (int i = 0; i < n; ++i) {
#pragma omp task shared(sum)
    {
      long own = 0;
#pragma omp parallel num_threads(2) reduction(+ : own)
      own += 1;
#pragma omp atomic
      sum += own > 0;
    }
  }
  return sum;
}

/* Work, and in its midst a chain that should come first. Nothing begins before all of it is made, which takes less than
 * the first task. Prints whether the chain began among the first ones. */
static long graph(void) {
  enum { kWork = 80, kChain = 10 };
  static char gate, cells[kWork], link;
  long begun = 0, chain_begun = 0;
#pragma omp task depend(out : gate)
  usleep(100000);
  for (int i = 0; i < kWork; ++i) {
#pragma omp task depend(in : gate) depend(inout : cells[i]) shared(begun)
    {
#pragma omp atomic
      ++begun;
      usleep(1000);
    }
    for (int j = 0; i == kWork / 2 && j < kChain; ++j) {
#pragma omp task depend(in : gate) depend(inout : link) shared(begun, chain_begun)
      {
        long before;
#pragma omp atomic capture
        before = begun++;
        if (j == 0) chain_begun = before;
        usleep(10000);
      }
    }
  }
#pragma omp taskwait
  return chain_begun < 10;
}

/* Priorities within tasks, where GCC's runtime fails if it looks at them. */
static void prioritised(int depth, long* sum) {
  char cells[4];
  for (int i = 0; i < 4; ++i) {
#pragma omp task depend(inout : cells[i % 3]) priority(1 + (depth + i) % 9)
    {
      if (depth > 0) prioritised(depth - 1, sum);
#pragma omp atomic
      ++*sum;
    }
#pragma omp taskloop priority(i + 1) num_tasks(2)
    for (int j = 0; j < 4; ++j) {
#pragma omp atomic
      ++*sum;
    }
  }
#pragma omp taskwait
}

/* A task that ends when its creator says so, and one that comes after it: it must not be run at once. */
static long detached(int n) {
  long sum = 0;
  for (int i = 0; i < n; ++i) {
    omp_event_handle_t event = (omp_event_handle_t)0;
    int x = 0, y = 0;
#pragma omp task detach(event) depend(out : x) shared(x)
    x = 1;
#pragma omp task depend(in : x) depend(out : y) shared(x, y)
    y = x + 1;
    omp_fulfill_event(event);
#pragma omp taskwait
    sum += y;
  }
  return sum;
}

/* Two loops whose iterations go to the same threads, as the program has said. */
static long same_threads(int n) {
  static int a[20000];
  long wrong = 0;
  omp_set_schedule(omp_sched_static, 0);
  for (int run = 0; run < n; ++run) {
#pragma omp parallel reduction(+ : wrong)
    {
#pragma omp for schedule(runtime) nowait
      for (int i = 0; i < 20000; ++i) a[i] = run + i;
#pragma omp for schedule(runtime) nowait
      for (int i = 0; i < 20000; ++i) wrong += a[i] != run + i;
    }
  }
  return wrong;
}

/* GCC's runtime runs some of these iterations twice, or for ever, with other schedules than its own. */
static long huge_steps(int n) {
  long count = 0;
  for (int run = 0; run < n; ++run) {
#pragma omp parallel for schedule(runtime) reduction(+ : count)
    for (long long i = 0; i < 4000000000000000000LL; i += 50000000000000000LL) ++count;
  }
  return count;
}

/* Tasks that wait for one that is made after them, by yielding. */
static long yielding(int n) {
  long sum = 0;
  for (int i = 0; i < n; ++i) {
    int is_set = 0;
#pragma omp taskgroup
    {
#pragma omp task shared(is_set, sum)
      {
        int seen = 0;
        while (!seen) {
#pragma omp taskyield
#pragma omp atomic read
          seen = is_set;
        }
#pragma omp atomic
        ++sum;
      }
#pragma omp task shared(is_set)
      {
#pragma omp atomic write
        is_set = 1;
      }
    }
  }
  return sum;
}

/* Tasks with dependences of which none is open when the next one is made. */
static long waited(int n) {
  long sum = 0;
  for (int i = 0; i < n; ++i) {
#pragma omp task depend(inout : sum) shared(sum)
    sum += i;
#pragma omp taskwait
  }
  return sum;
}

/* Loops that leave their schedule to the runtime, of iterations that take nothing. */
static long loops(int n, int* fewer) {
  long sum = 0;
  for (int run = 0; run < n; ++run) {
#pragma omp parallel
    {
#pragma omp for schedule(runtime) reduction(+ : sum)
      for (int i = 0; i < 20000; ++i) sum += i;
#pragma omp for schedule(auto) reduction(+ : sum)
      for (int i = 0; i < 1000; ++i) sum += i;
#pragma omp single
      *fewer += omp_get_num_threads() < omp_get_max_threads();
    }
  }
  return sum;
}

/* Taskloops that do not say how many tasks there are to be, alone and around others. */
static long taskloops(int n) {
  long sum = 0;
  for (int run = 0; run < n; ++run) {
#pragma omp taskloop shared(sum)
    for (int i = 0; i < 100; ++i) {
#pragma omp atomic
      sum += i;
    }
#pragma omp taskloop shared(sum) if (run % 10 == 0)
    for (int i = 0; i < 4; ++i) {
      long own = 0;
#pragma omp taskloop shared(own)
      for (int j = 0; j < 3; ++j) {
#pragma omp atomic
        ++own;
      }
#pragma omp atomic
      sum += own;
    }
  }
  return sum;
}

/* So many variables are told to the region's threads. */
static long many_arguments(int n) {
  int a = n, b = n, c = n, d = n, e = n, f = n, g = n, h = n, i = n, j = n, k = n, l = n, m = n, o = n, p = n, q = n,
      r = n, s = n, t = n, u = n;
#pragma omp parallel for schedule(runtime)
  for (int x = 0; x < 20; ++x) {
#pragma omp critical
    { ++a, ++b, ++c, ++d, ++e, ++f, ++g, ++h, ++i, ++j, ++k, ++l, ++m, ++o, ++p, ++q, ++r, ++s, ++t, ++u; }
  }
  return a + b + c + d + e + f + g + h + i + j + k + l + m + o + p + q + r + s + t + u;
}

int main(int argc, char** argv) {
  const char* kind = argc > 1 ? argv[1] : "";
  const int n = argc > 2 ? atoi(argv[2]) : 0;
  long result = 0;
  int fewer = 0;
  omp_init_lock(&lock);
  if (strcmp(kind, "same") == 0) result = same_threads(n);
  if (strcmp(kind, "huge") == 0) result = huge_steps(n);
  if (strcmp(kind, "threads") == 0) result = omp_get_max_threads();
  if (strcmp(kind, "loops") == 0) result = loops(n, &fewer);
  if (strcmp(kind, "loops") == 0 && argc > 3) result = fewer > 0;
  for (int i = 0; strcmp(kind, "arguments") == 0 && i < n; ++i) result += many_arguments(i);
#pragma omp parallel
#pragma omp single
  {
    if (strcmp(kind, "fib") == 0 || strcmp(kind, "fork") == 0) result = fib(n);
    if (strcmp(kind, "untied") == 0) result = untied_fib(n);
    if (strcmp(kind, "final") == 0) result = final_fib(n);
    if (strcmp(kind, "chain") == 0) chain(n, &result);
    for (int i = 0; i < n / kAtATime; ++i) {
      if (strcmp(kind, "locked") == 0) locked(&result);
      if (strcmp(kind, "critical") == 0) critical(&result);
      if (strcmp(kind, "mutex") == 0) with_mutex(&result);
    }
    if (strcmp(kind, "ordered") == 0) result = ordered(n);
    if (strcmp(kind, "priorities") == 0) prioritised(n, &result);
    if (strcmp(kind, "taskloops") == 0) result = taskloops(n);
    if (strcmp(kind, "yielding") == 0) result = yielding(n);
    if (strcmp(kind, "detached") == 0) result = detached(n);
    if (strcmp(kind, "waited") == 0) result = waited(n);
    if (strcmp(kind, "graph") == 0) result = graph();
    if (strcmp(kind, "sleeping") == 0) sleeping(&result, n);
    if (strcmp(kind, "nested") == 0) result = nested(n);
    if (strcmp(kind, "device") == 0) result = on_device(n);
    if (strcmp(kind, "exit") == 0) {
      for (int i = 0; i < n; ++i) {
#pragma omp task
        if (i == n - 1) exit(7);
      }
    }
  }
  printf("%ld\n", result);
  if (strcmp(kind, "fork") == 0) {
    int status = 0;
    fflush(stdout);
    if (fork() == 0) exit(4);
    wait(&status);
    return WEXITSTATUS(status);
  }
  return 3;
}
