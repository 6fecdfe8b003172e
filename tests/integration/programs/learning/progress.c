/* SPDX-License-Identifier: Apache-2.0 */
/* A program that asks how far it is: so many scopes of a millisecond, on a size that it says, and beside it another
 * number, which it says late. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "foretask/foretask.h"

static void show(const char* when) {
  foretask_progress_state state = FORETASK_PROGRESS_STATE_INIT;
  const foretask_status status = foretask_progress(&state);
  printf("%s: %s, %u, %llu tasks, %.2f done, %s left in its interval\n", when, foretask_status_text(status),
         state.knowledge, (unsigned long long)state.tasks, state.done,
         state.low_ns <= state.remaining_ns && state.remaining_ns <= state.high_ns ? "what is" : "nothing");
}

int main(int argc, char** argv) {
  const int tasks = argc > 1 ? atoi(argv[1]) : 40;
  foretask_progress_state old = FORETASK_PROGRESS_STATE_INIT;
  old.size = 4;
  printf("another version's: %s\n", foretask_status_text(foretask_progress(&old)));
  printf("start: %s\n", foretask_status_text(foretask_progress_start()));
  printf("input: %s\n", foretask_status_text(foretask_progress_input("n", tasks)));
  printf("no size: %s\n", foretask_status_text(foretask_progress_input("n", -3)));
  foretask_kernel* kernel = foretask_kernel_define("pause", NULL, 0);
  for (int i = 0; i < tasks; ++i) {
    if (i == tasks / 2) show("half");
    foretask_scope scope;
    foretask_scope_begin(&scope, kernel, NULL, 0);
    const struct timespec pause = {0, 1000000};
    nanosleep(&pause, NULL);
    foretask_scope_end(&scope);
  }
  show("end");
  if (argc > 2) {
    printf("other: %s\n", foretask_status_text(foretask_progress_input("b", atof(argv[2]))));
    show("other");
  }
  return 0;
}
