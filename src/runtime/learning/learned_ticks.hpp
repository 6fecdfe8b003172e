// SPDX-License-Identifier: Apache-2.0
// What is learned, by this process or those before it, for decisions that are made in ticks.
#pragma once

#include <cstddef>

#include "base/clock.hpp"
#include "foretask/foretask.h"

namespace foretask::runtime {

// The mean time with these parameters, in ticks above 0; 0: nothing that is certain. Any thread, some 50 ns.
[[nodiscard]] base::Ticks learned_ticks(const foretask_kernel* kernel, const double* parameters,
                                        std::size_t count) noexcept;

}  // namespace foretask::runtime
