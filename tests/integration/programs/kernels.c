// SPDX-License-Identifier: Apache-2.0
// kernels N [kill]: names N tasks and gives them parameters, leaves N nameless, times N scopes within tasks, and hands
// over N times of its own from a thread that OpenMP does not know: 1000 ns x k. Every fifth task lacks a parameter that
// only its body knows. Prints the time of the named tasks and of the scopes, in ns, as its own clock has them. kill: by
// SIGKILL before the end.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "foretask/foretask.h"
#include "foretask/openmp.h"
#include "spin.h"

static foretask_kernel* outside;
static int n;

static void* measure(void* unused) {
  for (int k = 1; k <= n; ++k) {
    const double parameter = k;
    foretask_learn(outside, &parameter, 1, 1000.0 * k);
  }
  return unused;
}

int main(int argc, char** argv) {
  n = argc > 1 ? atoi(argv[1]) : 100;
  const char* const named_parameters[] = {"n", "twice n", "inner"};
  const char* const one[] = {"k"};
  foretask_kernel* const named = foretask_kernel_define("named", named_parameters, 3);
  foretask_kernel* const odd = foretask_kernel_define("odd \"name\", a \\ and \xc3\xa9", one, 1);
  long long named_ns = 0, scope_ns = 0;
#pragma omp parallel
#pragma omp single
  {
    foretask_kernel* const late = foretask_kernel_define("scoped", one, 1);
    for (int i = 0; i < n; ++i) {
      const double size = 1 + i % 4;
      const double parameters[] = {size, 2 * size};
      foretask_openmp_next_task(named, parameters, 2);
#pragma omp task firstprivate(i, size)  // named
      {
        if (i % 5 != 0) foretask_openmp_set(2, size * size);
        const long long took = spin_ms(0.02 * size);
#pragma omp atomic
        named_ns += took;
      }
#pragma omp task firstprivate(i)  // nameless
      {
        foretask_scope scope;
        const double k = i % 3;
        foretask_scope_begin(&scope, late, &k, 1);
        const long long took = spin_ms(0.02);
        foretask_scope_end(&scope);
#pragma omp atomic
        scope_ns += took;
      }
    }
    const double seven = 7;
    foretask_openmp_next_task(odd, &seven, 1);
#pragma omp task  // odd
    spin_ms(0.1);
  }
  outside = foretask_kernel_define("outside", one, 1);
  pthread_t thread;
  if (pthread_create(&thread, NULL, measure, NULL) != 0) return 2;
  pthread_join(thread, NULL);
  printf("%lld %lld\n", named_ns, scope_ns);
  fflush(stdout);
  if (argc > 2 && strcmp(argv[2], "kill") == 0) raise(SIGKILL);
  return 0;
}
