// SPDX-License-Identifier: Apache-2.0
// Every kind of dependence on one address, and what must stay free of it. The tests look the tasks up by the words
// behind their pragmas.
#include <stdio.h>

static int touched;

static void touch(void) {
#pragma omp atomic
  ++touched;
}

int main(void) {
  int x = 0, y = 0, many[9];
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : x)  // first writer
    touch();
#pragma omp task depend(in : x)  // reader 1
    touch();
#pragma omp task depend(in : x)  // reader 2
    touch();
#pragma omp task depend(inout : x)  // updater
    touch();
#pragma omp task depend(mutexinoutset : x)  // exclusive 1
    touch();
#pragma omp task depend(mutexinoutset : x)  // exclusive 2
    touch();
#pragma omp task depend(in : x)  // reader 3
    touch();
#pragma omp task depend(out : x)  // last writer
    touch();
#pragma omp task depend(out : y)  // writer elsewhere
    touch();
#pragma omp task depend(in : x, y)  // reader of both
    touch();
#pragma omp task  // cousins' parent
    {
#pragma omp task depend(out : x)  // cousin
      touch();
    }
    for (int i = 0; i < 9; ++i) {
#pragma omp task depend(out : many[i])  // writer of many
      touch();
    }
#pragma omp task depend(in : many[0], many[1], many[2], many[3], many[4], many[5], many[6], many[7], many[8])  // gather
    touch();
#pragma omp task depend(iterator(i = 0 : 9), in : many[i])  // gather by iterator
    touch();
  }
  printf("%d\n", touched);
  return touched == 22 ? 0 : 1;
}
