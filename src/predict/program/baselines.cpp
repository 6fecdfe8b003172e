// SPDX-License-Identifier: Apache-2.0
#include "predict/program/baselines.hpp"

#include <array>

#include "predict/program/extra_p.hpp"
#include "predict/program/log_log.hpp"
#include "predict/program/one_step_lasso.hpp"
#include "predict/program/piecewise.hpp"
#include "predict/program/two_step.hpp"
#include "predict/program/work_span.hpp"

namespace foretask::predict {

namespace {

using Runs = std::span<const analysis::ProgramRun>;

constexpr std::array kForms{
    ProgramForm{"two-step", [](Runs runs) { return fit_two_step(runs, {.n_log_n = false}); }},
    ProgramForm{"two-step-nlogn", [](Runs runs) { return fit_two_step(runs, {.n_log_n = true}); }},
    ProgramForm{"one-step-lasso", fit_one_step_lasso},
    ProgramForm{"log-log", [](Runs runs) { return fit_log_log(runs, false); }},
    ProgramForm{"log-log-quadratic", [](Runs runs) { return fit_log_log(runs, true); }},
    ProgramForm{"piecewise", fit_piecewise},
    ProgramForm{"extra-p", fit_extra_p},
    ProgramForm{"work-span", fit_work_span},
};

}  // namespace

std::span<const ProgramForm> baseline_forms() { return kForms; }

}  // namespace foretask::predict
