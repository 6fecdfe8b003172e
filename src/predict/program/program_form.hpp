// SPDX-License-Identifier: Apache-2.0
// A kind of model of a program's time T(n, p), fitted to runs. Fitted ones are const and thread safe; fitting costs
// from microseconds to 100 ms for 500 runs.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "foretask/analysis/program_table.hpp"
#include "foretask/result.hpp"

namespace foretask::predict {

// What a model says of one (n, p), in the unit of the table. What it does not know of stays NaN; `time` is always
// there, and work + delay + no_work = p * time where all three are.
struct ProgramParts {
  double time = 0;
  double work = 0;
  double delay = 0;
  double no_work = 0;
  double serial_work = 0;  // T1'
  double create_task = 0;
  double wait_tasks = 0;
  double span = 0;
  double log_sd = 0;  // of the logarithm of `time`, as far as the fit itself knows; 0: it does not say
};

class FittedProgram {
 public:
  FittedProgram() = default;
  FittedProgram(const FittedProgram&) = delete;
  FittedProgram& operator=(const FittedProgram&) = delete;
  virtual ~FittedProgram() = default;

  // n above 0, p from 1.
  [[nodiscard]] virtual ProgramParts at(double n, double p) const = 0;

  // Its formula with the coefficients, in one line or several short ones.
  [[nodiscard]] virtual std::string formula() const = 0;
};

using FitProgram = Result<std::unique_ptr<FittedProgram>> (*)(std::span<const analysis::ProgramRun> runs);

struct ProgramForm {
  const char* name;
  FitProgram fit;  // the error: why these runs do not tell it
};

}  // namespace foretask::predict
