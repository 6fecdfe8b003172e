// SPDX-License-Identifier: Apache-2.0
// The parallel loops of a run's report: their table, and why their threads waited.
#pragma once

#include "foretask/analysis/run.hpp"
#include "report/short_names.hpp"
#include "report/text.hpp"

namespace foretask::report {

// Nothing, where there are no loops.
void add_loops(Text& text, const analysis::Report& report, const ShortNames& names);

}  // namespace foretask::report
