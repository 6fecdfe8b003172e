// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/csv_field.hpp"
#include "report/text.hpp"
#include "report/whatif/whatif.hpp"

namespace foretask::report {
std::string whatif_csv(const WhatIf& whatif) {
  Text text;
  const bool sampled = !whatif.rows.empty() && whatif.rows.front().sampled;
  add(text, "kernel,factor,cores,base_ns,makespan_ns,speedup,below_overhead{}\n",
      sampled ? ",gain_p05,gain_p50,gain_p95" : "");
  for (const auto* rows : {&whatif.rows, &whatif.removed}) {
    for (const WhatIfRow& row : *rows) {
      add(text, "{},{},{},{},{},{:.9g},{}", base::csv_field(whatif.kernels[row.kernel].name), row.factor, row.cores,
          row.base_ns, row.makespan_ns, row.speedup(), row.below_overhead ? 1 : 0);
      if (row.sampled) add(text, ",{:.9g},{:.9g},{:.9g}", row.sampled->p05, row.sampled->p50, row.sampled->p95);
      add(text, "\n");
    }
  }
  return fmt::to_string(text);
}

}  // namespace foretask::report
