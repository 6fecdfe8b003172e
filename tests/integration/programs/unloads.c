// SPDX-License-Identifier: Apache-2.0
// unloads LIBRARY: loads libforetask, annotates ten tasks, unloads it, and ends by exit(3).
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void* library;

static void* find(const char* name) {
  void* const function = dlsym(library, name);
  if (function == NULL) {
    printf("%s\n", dlerror());
    exit(1);
  }
  return function;
}

int main(int argc, char** argv) {
  if (argc < 2) return 1;
  library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    printf("%s\n", dlerror());
    return 1;
  }
  void* (*define)(const char*, const char* const*, size_t);
  int (*begin)(void*, const double*, size_t, const void*, size_t);
  int (*end)(void);
  *(void**)&define = find("foretask_kernel_define");
  *(void**)&begin = find("foretask_task_begin");
  *(void**)&end = find("foretask_task_end");
  void* const kernel = define("unloads", NULL, 0);
  for (int i = 0; i < 10; ++i) {
    begin(kernel, NULL, 0, NULL, 0);
    end();
  }
  dlclose(library);
  exit(3);
}
