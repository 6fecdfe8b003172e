// SPDX-License-Identifier: Apache-2.0
// loads_late LIBRARY: knows nothing of OpenMP until it loads a library that uses it.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  printf("before\n");
  void* library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (library == NULL) return 2;
  int (*make_tasks)(int) = (int (*)(int))dlsym(library, "make_tasks_late");
  if (make_tasks == NULL) return 3;
  printf("%d done\n", make_tasks(100));
  return 0;
}
