// SPDX-License-Identifier: Apache-2.0
// moves FOLDER: changes its working directory before its first region.
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc > 1 && chdir(argv[1]) != 0) return 2;
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; ++i) {
#pragma omp task shared(done)  // task
    {
#pragma omp atomic
      ++done;
    }
  }
  printf("%d done\n", done);
  return 0;
}
