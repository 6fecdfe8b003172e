// SPDX-License-Identifier: Apache-2.0
#include "report/whatif.hpp"

#include <limits>

namespace foretask::report {

double WhatIfRow::speedup() const noexcept {
  if (makespan_ns == base_ns) return 1;
  return makespan_ns == 0 ? std::numeric_limits<double>::infinity()
                          : static_cast<double>(base_ns) / static_cast<double>(makespan_ns);
}

std::string WhatIf::label(std::size_t kernel) const {
  const auto function = [](const std::string& name) { return name.substr(0, name.find(" (")); };
  const std::string own = function(kernels[kernel].name);
  std::size_t others = 0;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    others += kernels[i].name != kernels[kernel].name && function(kernels[i].name) == own ? 1 : 0;
  return others == 0 ? own : kernels[kernel].name;
}

}  // namespace foretask::report
