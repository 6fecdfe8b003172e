// SPDX-License-Identifier: Apache-2.0
// What `foretask sweep` recorded, as data for its writers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "foretask/analysis/program_table.hpp"

namespace foretask::report {

struct CampaignTable {
  std::string path;    // of the file
  std::string others;  // "b=16": the parameters besides n; empty where there are none
  analysis::ProgramTable table;
};

struct CampaignFailure {
  std::string run;
  std::string why;
  std::string output;     // the file of what it wrote; empty: none
  bool is_there = false;  // its folder stands in the way of another try
};

struct CampaignResult {
  std::string folder;
  std::vector<CampaignTable> tables;
  std::vector<CampaignFailure> failed;
  std::size_t missing = 0;  // runs that were not come to, or failed
};

// The runs of one n on one number of workers.
struct CampaignRow {
  double n = 0;
  double p = 0;
  std::size_t runs = 0;
  double time = 0;     // the median
  double speedup = 0;  // of medians, against one worker; 0: not known
  double work = 0;     // this and the next two: shares of p * time, of all runs together
  double delay = 0;
  double no_work = 0;
  double baseline = 0;  // the median of the unrecorded runs' times; 0: there are none
};

// In the table's order.
[[nodiscard]] std::vector<CampaignRow> campaign_rows(const analysis::ProgramTable& table);

// Where the tables are, what is in them, what failed, and what to do next.
[[nodiscard]] std::string campaign_text(const CampaignResult& result);

// One JSON object; the keys are in docs/command_line.md.
[[nodiscard]] std::string campaign_json(const CampaignResult& result);

}  // namespace foretask::report
