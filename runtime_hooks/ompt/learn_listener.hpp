// SPDX-License-Identifier: Apache-2.0
// The tool interface's callbacks where tasks are learned and nothing is recorded.
#pragma once

#include "progress_listener.hpp"

namespace foretask::ompt {

[[nodiscard]] Listener learner();

}  // namespace foretask::ompt
