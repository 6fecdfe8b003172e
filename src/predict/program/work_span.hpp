// SPDX-License-Identifier: Apache-2.0
// time = T1'(n) / p + c span(n), never below the work and span law: the greedy bound as an estimate (eq. 3 of
// Namsraijav and Taura), c fitted in [0, 2]. T1' and span between the sizes of the runs by straight lines in the
// logarithms, beyond the largest by a power law through the larger half of the sizes. Work that grows with p, as
// through memory traffic, is not in it.
#pragma once

#include <memory>
#include <span>

#include "predict/program/program_form.hpp"

namespace foretask::predict {

// Errors: fewer than two n or two p, a time or n that is not above 0, a run that does not say its span or serial work.
[[nodiscard]] Result<std::unique_ptr<FittedProgram>> fit_work_span(std::span<const analysis::ProgramRun> runs);

}  // namespace foretask::predict
