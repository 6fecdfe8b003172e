// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/baseline.hpp"

#include "analysis/rewrite_run_file.hpp"

namespace foretask {

Result<void> analysis::note_baseline(const std::string& folder, const Baseline& baseline) {
  return wiring::rewrite_run_file(folder, [&](trace::RunFile& run) {
    run.baseline = baseline;
    return true;
  });
}

}  // namespace foretask
