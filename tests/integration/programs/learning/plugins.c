// SPDX-License-Identifier: Apache-2.0
// Loads the first library (argument 1), unloads it and loads the second one (argument 2) in its place. Says whether
// that is where the first one was.
#include <dlfcn.h>
#include <stdio.h>

#include "foretask/foretask.h"

static void* use(const char* path, const char* name, void** place) {
  void* const plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  int (*learn)(const char*, int) = NULL;
  void (*run)(int) = NULL;
  if (plugin) {
    *(void**)&learn = dlsym(plugin, "plugin_learn");
    *(void**)&run = dlsym(plugin, "plugin_run");
  }
  if (!learn || !run) {
    printf("%s\n", dlerror());
    return NULL;
  }
  *place = *(void**)&run;
  // The learner's next round, in which it sees what was unloaded.
  foretask_flush(10000);
  run(50);
  if (learn(name, 10) + learn("both", 20) != 30) printf("not all samples are taken\n");
  foretask_flush(10000);
  return plugin;
}

int main(int argc, char** argv) {
  if (argc < 3) return 1;
  void* first = NULL;
  void* second = NULL;
  void* const plugin = use(argv[1], "first", &first);
  if (!plugin || dlclose(plugin) != 0) return 2;
  if (!use(argv[2], "second", &second)) return 2;
  printf("%s\n", first == second ? "in its place" : "elsewhere");
  return 0;
}
