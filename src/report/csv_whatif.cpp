// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>

#include "model/csv_field.hpp"
#include "report/whatif.hpp"

namespace foretask::report {
std::string whatif_csv(const WhatIf& whatif) {
  fmt::memory_buffer text;
  auto out = std::back_inserter(text);
  fmt::format_to(out, "kernel,factor,cores,base_ns,makespan_ns,speedup,below_overhead\n");
  for (const auto* rows : {&whatif.rows, &whatif.removed}) {
    for (const WhatIfRow& row : *rows)
      fmt::format_to(out, "{},{},{},{},{},{:.9g},{}\n", model::csv_field(whatif.kernels[row.kernel].name), row.factor,
                     row.cores, row.base_ns, row.makespan_ns, row.speedup(), row.below_overhead ? 1 : 0);
  }
  return fmt::to_string(text);
}

}  // namespace foretask::report
