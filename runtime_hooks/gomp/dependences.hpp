// SPDX-License-Identifier: Apache-2.0
// The array in which GCC's programs name the dependences of a task.
#pragma once

#include "thread.hpp"

namespace foretask::gomp {

// Tells the listeners. `task` was created last.
void tell_dependences(ompt_data_t& task, void** depend);

}  // namespace foretask::gomp
