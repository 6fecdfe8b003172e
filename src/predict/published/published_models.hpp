// SPDX-License-Identifier: Apache-2.0
// The published models of a program's T(n, p), most of them a file here. docs/program_models.md has their formulas. Any
// thread. All refuse a time or an n that is not above 0, and runs that do not determine them.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "predict/program/program_form.hpp"

namespace foretask::predict {

using ProgramFit = Result<std::unique_ptr<FittedProgram>>;
using ProgramRuns = std::span<const analysis::ProgramRun>;

// `n_log_n`: eq. 11 with n log(n) in place of the printed log(n). The paper holds a and b above zero, here c to f are
// too, as counts and times are.
[[nodiscard]] ProgramFit fit_two_step(ProgramRuns runs, bool n_log_n);   // 3 n, 2 p, serial work
[[nodiscard]] ProgramFit fit_one_step_lasso(ProgramRuns runs);           // 3 n, 2 p
[[nodiscard]] ProgramFit fit_log_log(ProgramRuns runs, bool quadratic);  // 2 n, 2 p; quadratic: 3 p
[[nodiscard]] ProgramFit fit_piecewise(ProgramRuns runs);                // 2 n, 2 p
[[nodiscard]] ProgramFit fit_extra_p(ProgramRuns runs);                  // 5 n, 5 p, run together
[[nodiscard]] ProgramFit fit_work_span(ProgramRuns runs);                // 2 n, 2 p, serial work, span

// All of them, with the names that --model takes.
[[nodiscard]] inline std::span<const ProgramForm> published_models() {
  static const std::array kModels{
      ProgramForm{"two-step", [](ProgramRuns runs) { return fit_two_step(runs, false); }, false},
      ProgramForm{"two-step-nlogn", [](ProgramRuns runs) { return fit_two_step(runs, true); }, false},
      ProgramForm{"one-step-lasso", fit_one_step_lasso, false},
      ProgramForm{"log-log", [](ProgramRuns runs) { return fit_log_log(runs, false); }, false},
      ProgramForm{"log-log-quadratic", [](ProgramRuns runs) { return fit_log_log(runs, true); }, false},
      ProgramForm{"piecewise", fit_piecewise, false},
      ProgramForm{"extra-p", fit_extra_p, false},
      ProgramForm{"work-span", fit_work_span, false},
  };
  return kModels;
}

}  // namespace foretask::predict
