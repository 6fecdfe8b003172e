// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/scratch_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace foretask::cli {

Result<ScratchFolder> ScratchFolder::create() {
  std::error_code ignored;
  const auto parent = std::filesystem::temp_directory_path(ignored);
  std::string path = ((ignored ? std::filesystem::path("/tmp") : parent) / "foretask-scratch-XXXXXX").string();
  if (::mkdtemp(path.data()) == nullptr) return Error{.what = "cannot make a folder", .path = path, .code = errno};
  return ScratchFolder(std::move(path));
}

void ScratchFolder::remove() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(std::exchange(path_, {}), ignored);
}

}  // namespace foretask::cli
