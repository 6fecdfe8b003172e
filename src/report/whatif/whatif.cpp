// SPDX-License-Identifier: Apache-2.0
#include "report/whatif/whatif.hpp"

#include <fmt/format.h>

#include <limits>

#include "report/plain_text.hpp"

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

std::string WhatIf::label(std::size_t kernel) const {
  const auto function = [](const std::string& name) { return name.substr(0, name.find(" (")); };
  const std::string own = function(kernels[kernel].name);
  std::size_t others = 0;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    others += kernels[i].name != kernels[kernel].name && function(kernels[i].name) == own ? 1 : 0;
  return one_line(others == 0 ? own : kernels[kernel].name);
}

}  // namespace foretask::report
