// SPDX-License-Identifier: Apache-2.0
// What is known of earlier runs of programs, kept from one process to the next: HOME/programs/MACHINE/PROGRAM.json, one
// file a program (its executable's name) and machine. Replaced by renaming, under a lock that all processes share.
// Bounded: of each input, number of workers and build kRowsOfOne runs, those with a course first and of them the
// newest; kMostRows in all. A file that cannot be read is set aside by a new name, and said by name; a row that is none
// is left out. Cold.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "foretask/result.hpp"
#include "model/store/program_row.hpp"

namespace foretask::model {

class ProgramStore {
 public:
  static constexpr std::size_t kRowsOfOne = 4;
  static constexpr std::size_t kMostRows = 64;

  // `warn` is told, in one line, of what is wrong with a file.
  ProgramStore(std::string home, std::string machine, std::function<void(const std::string&)> warn);

  [[nodiscard]] std::string path_of(const std::string& program) const;

  // Newest first; none where nothing is known of the program.
  [[nodiscard]] std::vector<ProgramRow> load(const std::string& program);

  // Adds rows, the first of them as the newest; all or none, but for those that are there already. The error, beside
  // the system's: a row with a number that is negative or not finite.
  [[nodiscard]] Result<void> add(const std::string& program, const std::vector<ProgramRow>& rows);

 private:
  [[nodiscard]] Result<std::vector<ProgramRow>> read(const std::string& program) const;

  std::string machine_;
  std::string folder_;
  std::function<void(const std::string&)> warn_;
};

}  // namespace foretask::model
