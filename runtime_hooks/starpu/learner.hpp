// SPDX-License-Identifier: Apache-2.0
// What follows StarPU's tasks, and what foretask tells StarPU's schedulers. Any thread.
#pragma once

#include <starpu.h>

#include "task_body.hpp"

namespace foretask::starpu {

// Runs the body as `task`, for what follows tasks: its time is a sample of its kernel on the worker's class.
void follow_body(Body body, starpu_task& task, void** buffers, void* argument);

// In us, as StarPU has it. NaN: foretask does not know. `should_try`: nor should anybody else say so, that the class
// gets a task by which it is learned.
struct ExpectedLength {
  double us;
  bool should_try;
};
[[nodiscard]] ExpectedLength expected_length(starpu_task& task, const starpu_perfmodel_arch& arch,
                                             unsigned implementation);

}  // namespace foretask::starpu
