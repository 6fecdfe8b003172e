// SPDX-License-Identifier: Apache-2.0
// What follows StarPU's tasks, and what foretask tells StarPU's schedulers. Any thread.
#pragma once

#include <starpu.h>

#include "codelet_kernel.hpp"
#include "foretask/task_hook.h"

namespace foretask::starpu {

// A task's body for what follows tasks, from the constructor to the destructor: its time is a sample of its kernel on
// the worker's class.
class FollowedBody {
 public:
  explicit FollowedBody(starpu_task& task);
  ~FollowedBody();
  FollowedBody(const FollowedBody&) = delete;
  FollowedBody& operator=(const FollowedBody&) = delete;

 private:
  bool is_followed_ = false;
  foretask_hook_task* followed_ = nullptr;
  UnusedClasses* unused_ = nullptr;  // null: none is to be told
  Parameters parameters_;
  int worker_class_ = -1;
  double begin_ns_ = 0;
};

// In us, as StarPU has it. NaN: foretask does not know. `should_try`: nor should anybody else say so, that the class
// gets a task by which it is learned.
struct ExpectedLength {
  double us;
  bool should_try;
};
[[nodiscard]] ExpectedLength expected_length(starpu_task& task, const starpu_perfmodel_arch& arch,
                                             unsigned implementation);

}  // namespace foretask::starpu
