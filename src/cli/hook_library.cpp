// SPDX-License-Identifier: Apache-2.0
#include "cli/hook_library.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace foretask::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHookLibrary = "libforetask_ompt.so";

}  // namespace

Result<std::string> find_hook_library() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return Error{.what = "cannot find this program's folder", .code = error.value()};
  const fs::path prefix = self.parent_path().parent_path();
  for (const char* const folder : {FORETASK_LIBDIR, "lib", "lib64"}) {
    const fs::path candidate = prefix / folder / kHookLibrary;
    if (fs::exists(candidate, error)) return candidate.string();
  }
  return Error{fmt::format("{} is not in {}: the installation is not whole, or was built without omp-tools.h",
                           kHookLibrary, (prefix / FORETASK_LIBDIR).string())};
}

}  // namespace foretask::cli
