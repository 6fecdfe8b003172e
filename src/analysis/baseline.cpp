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
  analysis::Baseline baseline{from_file(recorded.own), std::nullopt, from_file(recorded.recorded)};
  if (recorded.stand_in.elapsed_ns != 0) baseline.stand_in = from_file(recorded.stand_in);
  return baseline;
}

Result<void> analysis::note_baseline(const std::string& folder, const Baseline& baseline) {
  return wiring::rewrite_run_file(folder, [&](trace::RunFile& run) {
    run.baseline.own = to_file(baseline.own);
    run.baseline.stand_in = baseline.stand_in ? to_file(*baseline.stand_in) : trace::LaunchedRun{};
    run.baseline.recorded = to_file(baseline.recorded);
    return true;
  });
}

}  // namespace foretask
