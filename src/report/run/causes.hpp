// SPDX-License-Identifier: Apache-2.0
// Why the cores did less than they could, in words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "foretask/analysis/run.hpp"
#include "report/plain_text.hpp"

namespace foretask::report {

// What it is, what is most to blame, and one next step: two or three sentences.
[[nodiscard]] std::string cause_text(const analysis::Report& report, const analysis::LostTime& one);

// "Took 1.20 s on 2 workers, 1.52 times as fast as on 1": with the time without recording where that is another.
[[nodiscard]] std::string took_words(const analysis::Report& report);

// "1.30 of 2 cores did useful work; 25.7 % went to imbalance, 9.0 % went to serial.", and what is not known of it.
[[nodiscard]] std::string shares_words(const analysis::Report& report);

// The cores' time by cause: a table of all above a thousandth.
struct CauseRow {
  std::string_view name;
  std::int64_t ns = 0;
  double share = 0;
  std::string kernel;                // a short name
  std::vector<std::string> without;  // the time without it, one a number of cores of CauseTable
};
struct CauseTable {
  std::vector<std::uint32_t> cores;  // the run's own, and others
  std::vector<CauseRow> rows;
};
[[nodiscard]] CauseTable cause_table(const analysis::Report& report);

}  // namespace foretask::report
