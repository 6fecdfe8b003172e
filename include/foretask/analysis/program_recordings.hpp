// SPDX-License-Identifier: Apache-2.0
// What recordings of one program say of it as a whole: the table for models of T(n, p), and the searches of its
// or-parallel sections. Each recording is opened once.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "foretask/analysis/program_table.hpp"
#include "foretask/analysis/speculation.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

// The or-parallel sections of one recording.
struct RecordedSearches {
  std::string source;  // the run's folder
  double n = 0;        // input size; 0: not known, and the same in all
  std::vector<SpeculativeSearches> sections;
};

struct ProgramRecordings {
  // As from program_table_of_runs(). An error where the recordings make no table: too few, none with p = 1, or all with
  // the same parameters, so that n is not known.
  Result<ProgramTable> table = ProgramTable{};
  std::string program;
  std::string size_name;                   // empty: not known
  std::vector<RecordedSearches> searches;  // of recordings that have any, in the order given
  std::vector<std::string> warnings;       // the table's too
};

// Arguments and errors as for program_table_of_runs(), except for the errors above. Thread safe. Memory: one recording
// at a time, and a number a search.
[[nodiscard]] Result<ProgramRecordings> read_program_recordings(
    const std::vector<std::string>& folders, const std::string& size_name,
    const std::function<void(double done, const char* what)>& progress = {});

}  // namespace foretask::analysis
