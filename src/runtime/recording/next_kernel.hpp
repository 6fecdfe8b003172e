// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "foretask/foretask.h"

namespace foretask::runtime {

// What a thread has said of the next task that it creates.
struct NextKernel {
  foretask_kernel* kernel = nullptr;  // null: nothing
  bool has_parameters = false;
};

}  // namespace foretask::runtime
