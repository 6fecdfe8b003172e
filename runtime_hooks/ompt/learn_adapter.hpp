// SPDX-License-Identifier: Apache-2.0
// The tool interface's callbacks where tasks are learned and nothing is recorded.
#pragma once

#include <omp-tools.h>

namespace foretask::ompt {

void register_learning(ompt_set_callback_t set_callback);

}  // namespace foretask::ompt
