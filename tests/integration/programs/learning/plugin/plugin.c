// SPDX-License-Identifier: Apache-2.0
// A library that is loaded late: it defines kernels, and runs tasks of a runtime's that are learned by their code.
#include <stddef.h>
#include <stdint.h>

#include "foretask/foretask.h"
#include "foretask/task_hook.h"

__attribute__((visibility("default"))) int plugin_learn(const char* name, int samples) {
  foretask_kernel* const kernel = foretask_kernel_define(name, NULL, 0);
  int taken = 0;
  for (int i = 0; i < samples; ++i) taken += foretask_learn(kernel, NULL, 0, 1000) == FORETASK_OK;
  return taken;
}

__attribute__((visibility("default"))) void plugin_run(int tasks) {
  for (int i = 0; i < tasks; ++i) {
    foretask_hook_task* const task = foretask_hook_task_create((const void*)(uintptr_t)&plugin_run);
    foretask_hook_task_switch(task);
    foretask_hook_task_end(task, NULL);
  }
}
