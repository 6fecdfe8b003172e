// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/hook_library.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>
#include <system_error>

namespace foretask::cli {
namespace {

namespace fs = std::filesystem;

}  // namespace

Result<std::string> find_hook_library(const std::string& name) {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return Error{.what = "cannot find this program's folder", .code = error.value()};
  const fs::path prefix = self.parent_path().parent_path();
  for (const char* const folder : {FORETASK_LIBDIR, "lib", "lib64"}) {
    const fs::path candidate = prefix / folder / name;
    if (!fs::exists(candidate, error)) continue;
    if (candidate.string().find(':') != std::string::npos)
      return Error{.what = "no library can be loaded from a folder whose name has a colon", .path = candidate.string()};
    return candidate.string();
  }
  return Error{
      fmt::format("{} is not in {}: the installation is incomplete, or was built without a library that the hook needs",
                  name, (prefix / FORETASK_LIBDIR).string())};
}

std::string other_openmp_tools(const std::string* list) {
  std::string others;
  std::istringstream entries(list == nullptr ? std::string() : *list);
  for (std::string entry; std::getline(entries, entry, ':');) {
    // A launcher around this one has named the hook already.
    if (entry.empty() || fs::path(entry).filename() == kOpenmpHook) continue;
    others += (others.empty() ? "" : ":") + entry;
  }
  return others;
}

}  // namespace foretask::cli
