// SPDX-License-Identifier: Apache-2.0
#include "analysis/rewrite_run_file.hpp"

#include <filesystem>

#include "base/file.hpp"

namespace foretask::wiring {

Result<void> rewrite_run_file(const std::string& folder, const std::function<bool(trace::RunFile&)>& change) {
  const std::string path = folder + "/run.json";
  Result<trace::RunFile> run = trace::read_run_file(path);
  if (!run) return run.error();
  if (run->is_changed || !run->wrong_fields.empty()) return Error{"is damaged, and is left as it is", path};
  if (!change(*run)) return {};
  std::error_code none;
  return base::write_file_atomically(path, trace::to_json(*run, std::filesystem::file_size(path, none)));
}

}  // namespace foretask::wiring
