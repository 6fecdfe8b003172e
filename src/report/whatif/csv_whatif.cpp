// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>

#include "model/table/csv_field.hpp"
#include "report/whatif/whatif.hpp"

namespace foretask::report {
std::string whatif_csv(const WhatIf& whatif) {
  fmt::memory_buffer text;
  auto out = std::back_inserter(text);
  const bool sampled = !whatif.rows.empty() && whatif.rows.front().sampled;
  fmt::format_to(out, "kernel,factor,cores,base_ns,makespan_ns,speedup,below_overhead{}\n",
                 sampled ? ",gain_p05,gain_p50,gain_p95" : "");
  for (const auto* rows : {&whatif.rows, &whatif.removed}) {
    for (const WhatIfRow& row : *rows) {
      fmt::format_to(out, "{},{},{},{},{},{:.9g},{}", model::csv_field(whatif.kernels[row.kernel].name), row.factor,
                     row.cores, row.base_ns, row.makespan_ns, row.speedup(), row.below_overhead ? 1 : 0);
      if (row.sampled)
        fmt::format_to(out, ",{:.9g},{:.9g},{:.9g}", row.sampled->p05, row.sampled->p50, row.sampled->p95);
      fmt::format_to(out, "\n");
    }
  }
  return fmt::to_string(text);
}

}  // namespace foretask::report
