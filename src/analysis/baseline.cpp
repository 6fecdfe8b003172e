// SPDX-License-Identifier: Apache-2.0
#include "analysis/baseline.hpp"

#include "analysis/rewrite_run_file.hpp"

namespace foretask {
namespace {

analysis::LaunchedRun from_file(const trace::LaunchedRun& run) {
  return {run.runtime, run.elapsed_ns, run.exit_code, run.signal};
}

trace::LaunchedRun to_file(const analysis::LaunchedRun& run) {
  return {run.runtime, run.elapsed_ns, run.exit_code, run.signal};
}

}  // namespace

std::optional<analysis::Baseline> wiring::baseline_of(const trace::Baseline& recorded) {
  if (recorded.own.elapsed_ns == 0 || recorded.recorded.elapsed_ns == 0) return std::nullopt;
  return analysis::Baseline{from_file(recorded.own), from_file(recorded.recorded)};
}

Result<void> analysis::note_baseline(const std::string& folder, const Baseline& baseline) {
  return wiring::rewrite_run_file(folder, [&](trace::RunFile& run) {
    run.baseline.own = to_file(baseline.own);
    run.baseline.recorded = to_file(baseline.recorded);
    return true;
  });
}

}  // namespace foretask
