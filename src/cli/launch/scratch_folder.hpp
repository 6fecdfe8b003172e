// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "foretask/result.hpp"

namespace foretask::cli {

// A private folder below $TMPDIR, removed with what is in it when the object goes.
class ScratchFolder {
 public:
  [[nodiscard]] static Result<ScratchFolder> create();

  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace foretask::cli
