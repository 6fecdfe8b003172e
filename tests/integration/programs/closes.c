// SPDX-License-Identifier: Apache-2.0
// closes N: closes every file descriptor above 2, first before and then after its first region, and writes its results
// to files that it opens then, whose descriptors others may have had. Makes N tasks in each of two regions.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void close_all(void) {
  for (int fd = 3; fd < 256; ++fd) close(fd);
}

static int make_tasks(int n) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < n; ++i) {
#pragma omp task shared(done)  // task
    {
#pragma omp atomic
      ++done;
    }
  }
  return done;
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1000;
  close_all();
  const int before = make_tasks(n);
  close_all();
  int files[16];
  for (int i = 0; i < 16; ++i) {
    char name[16], text[32];
    snprintf(name, sizeof name, "own_%d", i);
    snprintf(text, sizeof text, "mine %d\n", i);
    files[i] = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);
    if (files[i] < 0 || write(files[i], text, strlen(text)) < 0) return 2;
  }
  const int after = make_tasks(n);
  for (int i = 0; i < 16; ++i)
    if (close(files[i]) != 0) return 3;  // still this program's own
  printf("%d %d\n", before, after);
  return 0;
}
