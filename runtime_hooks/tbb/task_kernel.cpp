// SPDX-License-Identifier: Apache-2.0
#include "task_kernel.hpp"

#include "foretask/hook.h"

namespace foretask::tbb {

TaskKernel kernel_of_new_task_slow(const Task& task, Shadow& shadow) noexcept {
  TaskBody& body = shadow.body();
  if (shadow.kind() == TaskClass::Kind::kLoop) {
    TaskKernel kernel{shadow.code()};
    if (body.iterations_of(task) != 0)
      kernel.counts_iterations = foretask_hook_next_loop_part(kernel.code, &kernel.named) != 0;
    return kernel;
  }
  const void* const code = body.code_of(task);
  return {code ? code : shadow.code()};
}

}  // namespace foretask::tbb
