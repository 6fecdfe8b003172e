// SPDX-License-Identifier: Apache-2.0
// What is known only after a recording has ended, put into its run.json.
#include <filesystem>
#include <functional>
#include <string>

#include "base/file.hpp"
#include "foretask/analysis/baseline.hpp"
#include "foretask/analysis/run.hpp"
#include "trace/run_file.hpp"

namespace foretask::analysis {
namespace {

// Gives the description of the recording in `folder` to `change`, and writes it again with the size that it had where
// that gives true. Errors: it cannot be read or written, or is damaged. It is then left as it is: written again, it
// would look whole.
Result<void> rewrite_run_file(const std::string& folder, const std::function<bool(trace::RunFile&)>& change) {
  const std::string path = folder + "/run.json";
  Result<trace::RunFile> run = trace::read_run_file(path);
  if (!run) return run.error();
  if (run->is_changed || !run->wrong_fields.empty()) return Error{"is damaged, and is left as it is", path};
  if (!change(*run)) return {};
  std::error_code none;
  return base::write_file_atomically(path, trace::to_json(*run, std::filesystem::file_size(path, none)));
}

}  // namespace

Result<void> note_program_end(const std::string& folder, const ProgramEnd& end) {
  return rewrite_run_file(folder, [&end](trace::RunFile& run) {
    if (end.pid != 0 && end.pid != run.pid) return false;
    run.exit_ns = end.monotonic_ns;
    run.exit_code = end.exit_code;
    run.exit_signal = end.signal;
    return true;
  });
}

Result<void> note_counter_runs(const std::string& folder, std::uint32_t runs) {
  return rewrite_run_file(folder, [runs](trace::RunFile& run) {
    run.counter_runs = runs;
    return true;
  });
}

Result<void> note_baseline(const std::string& folder, const Baseline& baseline) {
  return rewrite_run_file(folder, [&](trace::RunFile& run) {
    run.baseline = baseline;
    return true;
  });
}

}  // namespace foretask::analysis
