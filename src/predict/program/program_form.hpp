// SPDX-License-Identifier: Apache-2.0
// A kind of model of a program's time T(n, p), fitted to runs. Fitted ones are const and thread safe; fitting costs
// from microseconds to 100 ms for 500 runs.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>

#include "foretask/analysis/program_table.hpp"
#include "foretask/result.hpp"

namespace foretask::predict {

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// What a model says of one (n, p), in the unit of the table. What it does not know of stays NaN, and
// work + delay + no_work = p * time where all three are there. `time` is above 0, or NaN where the model's formula
// comes to nothing that is: the model is then of no use at that (n, p), and nothing is invented in its place.
struct ProgramParts {
  double time = kUnknown;
  double work = kUnknown;
  double delay = kUnknown;
  double no_work = kUnknown;
  double serial_work = kUnknown;  // T1'
  double create_task = kUnknown;
  double wait_tasks = kUnknown;
  double span = kUnknown;
  double imbalance = 0;  // of no_work: beyond what any greedy schedule has
  double log_sd = 0;     // of the logarithm of `time`, as far as the fit itself knows; 0: it does not say
};

// The parts with this time, where it is one.
[[nodiscard]] inline ProgramParts with_time(ProgramParts parts, double time) {
  if (time > 0 && std::isfinite(time)) parts.time = time;
  return parts;
}

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

struct ProgramForm {
  std::string name;
  // The error: why these runs do not tell it.
  std::function<Result<std::unique_ptr<FittedProgram>>(std::span<const analysis::ProgramRun> runs)> fit;
  bool is_own = true;  // answers a recorded n and p as it was recorded; a published model says what it says
};

}  // namespace foretask::predict
