// SPDX-License-Identifier: Apache-2.0
#include "predict/published/published_models.hpp"

#include <array>

namespace foretask::predict {

std::span<const ProgramForm> published_models() {
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
