// SPDX-License-Identifier: Apache-2.0
// runs_main LIBRARY ARGUMENTS: knows nothing of a runtime until it loads a library that uses it, for itself alone, and
// runs its main().
#include <dlfcn.h>
#include <stddef.h>

int main(int argc, char** argv) {
  void* library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (library == NULL) return 2;
  int (*run)(int, char**) = (int (*)(int, char**))dlsym(library, "main");
  return run == NULL ? 3 : run(argc - 1, argv + 1);
}
