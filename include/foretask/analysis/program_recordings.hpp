// SPDX-License-Identifier: Apache-2.0
// What recorded runs of one program say of it as a whole, each of them opened once: the table that models of T(n, p)
// are fitted to, and the searches of its or-parallel sections.
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
  double n = 0;        // size of its input; 0: not known, and the same in all
  std::vector<SpeculativeSearches> sections;
};

struct ProgramRecordings {
  // As program_table_of_runs() gives it. Its error: nothing is wrong with the recordings, but they are too few for a
  // table, have none with p = 1, or, being all of the same parameters, do not say which one is n.
  Result<ProgramTable> table = ProgramTable{};
  std::string program;
  std::string size_name;                   // empty: not known
  std::vector<RecordedSearches> searches;  // of the recordings that have any, as they were named
  std::vector<std::string> warnings;       // in words, those of the table too
};

// Arguments as those of program_table_of_runs(). Thread safe. Memory: a number for each search, besides one recording
// at a time. Errors: those of program_table_of_runs() but for the ones above.
[[nodiscard]] Result<ProgramRecordings> read_program_recordings(
    const std::vector<std::string>& folders, const std::string& size_name,
    const std::function<void(double done, const char* what)>& progress = {});

}  // namespace foretask::analysis
