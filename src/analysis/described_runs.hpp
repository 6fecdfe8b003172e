// SPDX-License-Identifier: Apache-2.0
// The descriptions of several recordings, and whether they can stand in one table.
#pragma once

#include <string>
#include <vector>

#include "foretask/analysis/program_table.hpp"
#include "foretask/result.hpp"
#include "model/store/program_input.hpp"
#include "trace/run_file.hpp"

namespace foretask::wiring {

// A recording's folder and its description, which is read before the events of any: what cannot stand in one table is
// known at once.
struct Described {
  std::string folder;
  trace::RunFile run;
};

// Of the recordings that the paths name. Errors: those of analysis::recordings_in(), a description that cannot be read.
[[nodiscard]] Result<std::vector<Described>> describe(const std::vector<std::string>& paths);

// The executable's name.
[[nodiscard]] std::string program_of(const trace::RunFile& run);

// Its parameters that are numbers.
[[nodiscard]] model::InputNumbers numbers_of(const trace::RunFile& run);

[[nodiscard]] bool have_same_parameters(const std::vector<Described>& all);

// Errors name the first one that is of another program or machine, or of one of several processes.
[[nodiscard]] Result<void> check_one_program(const std::vector<Described>& all);

// The build that all are of, or a warning.
void note_versions(const std::vector<Described>& all, analysis::ProgramTable& table);

// The recording's parameter `size_name`. Errors: it has none, or one that is no number above 0.
[[nodiscard]] Result<double> size_of(const Described& one, const std::string& size_name);

// Which parameter is n: the one asked for, else the only number that varies. Errors: none is, or another one varies.
[[nodiscard]] Result<std::string> size_name_of(const std::vector<Described>& all, const std::string& asked);

}  // namespace foretask::wiring
