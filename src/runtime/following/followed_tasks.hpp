// SPDX-License-Identifier: Apache-2.0
// HOT: the lives of tasks in this process (foretask/task_hook.h), and their sinks: samples for the learner, counts for
// the progress.
#pragma once

#include <cstddef>

#include "foretask/foretask.h"

namespace foretask::runtime {

// As openmp.h's function of this kind; the index is below FORETASK_MAX_PARAMETERS.
foretask_status set_task_parameter(std::size_t index, double value) noexcept;

}  // namespace foretask::runtime
