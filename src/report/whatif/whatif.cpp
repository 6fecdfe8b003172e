// SPDX-License-Identifier: Apache-2.0
#include "report/whatif/whatif.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace foretask::report {

namespace {

double ratio_of(std::int64_t base_ns, std::int64_t makespan_ns) noexcept {
  if (makespan_ns == base_ns) return 1;
  return makespan_ns == 0 ? std::numeric_limits<double>::infinity()
                          : static_cast<double>(base_ns) / static_cast<double>(makespan_ns);
}

}  // namespace

double WhatIfRow::speedup() const noexcept { return ratio_of(base_ns, makespan_ns); }
double MoreCores::speedup() const noexcept { return ratio_of(base_ns, makespan_ns); }

std::string gain_spread(const WhatIfRow& row) {
  return row.sampled ? fmt::format(" ± {:.1f}", 50 * (row.sampled->p95 - row.sampled->p05)) : std::string{};
}

ShortNames short_names(const std::vector<WhatIfKernel>& kernels, std::size_t columns) {
  std::vector<std::string> names;
  for (const WhatIfKernel& kernel : kernels) names.push_back(kernel.name);
  return ShortNames(names, columns);
}

std::string WhatIf::label(std::size_t kernel) const {
  const ShortNames shown = short_names(kernels, ShortNames::kSentenceColumns);
  const auto function = [&shown](const WhatIfKernel& one) {
    return std::string(parts_of(shown.of(one.name)).function);
  };
  const std::string own = function(kernels[kernel]);
  const bool is_of_several = std::any_of(kernels.begin(), kernels.end(), [&](const WhatIfKernel& other) {
    return other.name != kernels[kernel].name && function(other) == own;
  });
  return is_of_several ? shown.of(kernels[kernel].name) : own;
}

}  // namespace foretask::report
