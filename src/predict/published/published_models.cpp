// SPDX-License-Identifier: Apache-2.0
#include "predict/published/published_models.hpp"

#include <array>

namespace foretask::predict {

namespace {

constexpr std::array kModels{
    ProgramForm{"two-step", [](ProgramRuns runs) { return fit_two_step(runs, {.n_log_n = false}); }},
    ProgramForm{"two-step-nlogn", [](ProgramRuns runs) { return fit_two_step(runs, {.n_log_n = true}); }},
    ProgramForm{"one-step-lasso", fit_one_step_lasso},
    ProgramForm{"log-log", [](ProgramRuns runs) { return fit_log_log(runs, false); }},
    ProgramForm{"log-log-quadratic", [](ProgramRuns runs) { return fit_log_log(runs, true); }},
    ProgramForm{"piecewise", fit_piecewise},
    ProgramForm{"extra-p", fit_extra_p},
    ProgramForm{"work-span", fit_work_span},
};

}  // namespace

std::span<const ProgramForm> published_models() { return kModels; }

}  // namespace foretask::predict
