// SPDX-License-Identifier: Apache-2.0
// HOT: the end of a timed scope, for what is timed as one and recorded otherwise.
#pragma once

#include <cstdint>
#include <span>

#include "foretask/foretask.h"

namespace foretask::runtime {

// As foretask_scope_end_with(), its sample handed to `what` alone, of what is done now (Activity).
foretask_status end_scope(foretask_scope& scope, std::uint32_t what, std::span<const double> rest = {}) noexcept;

}  // namespace foretask::runtime
