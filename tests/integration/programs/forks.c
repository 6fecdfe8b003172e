// SPDX-License-Identifier: Apache-2.0
// forks HOW [PROGRAM]: makes ten tasks in a region, forks, and makes ten more. The child runs a region of its own
// (run), becomes PROGRAM (exec), or leaves at once (leave). Both say what they did; the parent passes on the child's
// code.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

static void be_the_child(const char* how, char* program) {
  if (strcmp(how, "leave") == 0) _exit(3);
  if (strcmp(how, "exec") == 0) {
    execl(program, program, "20", (char*)NULL);
    _exit(127);
  }
  printf("child %d\n", make_tasks(25));
  exit(3);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "run";
  printf("before %d\n", make_tasks(10));
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) be_the_child(how, argc > 2 ? argv[2] : NULL);
  int status = 0;
  waitpid(child, &status, 0);
  printf("after %d\n", make_tasks(10));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}
