// SPDX-License-Identifier: Apache-2.0
#include "report/whatif.hpp"

#include <limits>

namespace foretask::report {

double WhatIfRow::speedup() const noexcept {
  if (makespan_ns == base_ns) return 1;
  return makespan_ns == 0 ? std::numeric_limits<double>::infinity()
                          : static_cast<double>(base_ns) / static_cast<double>(makespan_ns);
}

}  // namespace foretask::report
