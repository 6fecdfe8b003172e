// SPDX-License-Identifier: Apache-2.0
// No OpenMP at all. Passes its first argument on as its exit code.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  printf("plain\n");
  return argc > 1 ? atoi(argv[1]) : 0;
}
