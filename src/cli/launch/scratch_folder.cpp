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

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace foretask::cli
