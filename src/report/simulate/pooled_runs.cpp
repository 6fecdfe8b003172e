// SPDX-License-Identifier: Apache-2.0
#include "report/simulate/pooled_runs.hpp"

#include <fmt/format.h>

#include "report/plain_text.hpp"
#include "report/units.hpp"

namespace foretask::report {

std::string pooled_words(const std::vector<PooledRun>& runs) {
  std::string text;
  for (const PooledRun& one : runs) {
    if (one.loops == 0) continue;  // nothing that another recording could show
    if (one.matched == 0) {
      text +=
          fmt::format("No costs of iterations come from {}: it has no matching loop execution.\n", one_line(one.run));
    } else if (one.refined == 0) {
      text += fmt::format("{} shows nothing new of what iterations cost.\n", one_line(one.run));
    } else {
      text += fmt::format("Costs of iterations also come from {}: {} of {} loop executions are in it too.\n",
                          one_line(one.run), format_count(one.matched), format_count(one.loops));
    }
  }
  return text;
}

}  // namespace foretask::report
