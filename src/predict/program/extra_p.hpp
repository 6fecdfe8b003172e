// SPDX-License-Identifier: Apache-2.0
// Extra-P: the performance model normal form, sums of x^i log2(x)^j, of Calotoiu, Hoefler, Poke and Wolf, "Using
// automated performance modeling to find scalability bugs in complex codes", SC 2013; for two parameters as in
// Calotoiu et al., "Fast multi-parameter performance modeling", CLUSTER 2016. One term for each parameter, found by
// itself on means over the other, of the 42 (i, j) of Extra-P's default space; for p also p^-i, its option for a
// problem of fixed size. Then f(n) g(p), f + g, f + f g and g + f g, each beside a constant, and the best of them over
// all runs. "Best": the least symmetric mean absolute percentage error of points left out one at a time.
#pragma once

#include <memory>
#include <span>

#include "predict/program/program_form.hpp"

namespace foretask::predict {

// Errors: fewer than five n or five p (what Extra-P asks for) that were run together, a time or n that is not above 0.
[[nodiscard]] Result<std::unique_ptr<FittedProgram>> fit_extra_p(std::span<const analysis::ProgramRun> runs);

}  // namespace foretask::predict
