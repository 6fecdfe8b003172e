// SPDX-License-Identifier: Apache-2.0
// targets depend: target constructs on the host, before and after tasks by their dependences. targets alone: a target
// and teams, and no task or region. Prints a number.
#include <stdio.h>
#include <string.h>

#include "spin.h"

static int in_order(void) {
  int x = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : x) shared(x)  // writer
    {
      spin_ms(1);
      x = 1;
    }
#pragma omp target nowait depend(inout : x) map(tofrom : x)  // deferred
    {
      x += 5;
#pragma omp parallel num_threads(1)
      {
#pragma omp task  // inner
        spin_ms(1);
      }
    }
#pragma omp task depend(inout : x) shared(x)  // doubler
    x *= 2;
#pragma omp target depend(inout : x) map(tofrom : x)  // waited for
    x += 1;
#pragma omp target map(tofrom : x)  // no task
    x += 1;
  }
  return x;
}

static int alone(void) {
  int n = 0;
#pragma omp target map(tofrom : n)
  n += 1;
#pragma omp teams num_teams(2) reduction(+ : n)
  n += 1;
  return n;
}

int main(int argc, char** argv) {
  printf("%d\n", argc > 1 && strcmp(argv[1], "alone") == 0 ? alone() : in_order());
  return 0;
}
