// SPDX-License-Identifier: Apache-2.0
// A file in the making: written under a hidden name beside its place and renamed to it when it is whole, so that what
// was there before stays until then. What is no plain file (a device, a pipe, /dev/stdout) is written in place.
#pragma once

#include <string>

#include "base/file.hpp"
#include "foretask/result.hpp"

namespace foretask::base {

class NewFile {
 public:
  // Symbolic links are followed: the link stays, what it names is replaced, with the mode that it had.
  [[nodiscard]] static Result<NewFile> create(const std::string& path);

  NewFile(NewFile&&) noexcept = default;
  NewFile& operator=(NewFile&&) = delete;
  // Without finish() nothing is left of it, but for what went to a device or a pipe.
  ~NewFile();

  // For write(); -1 after finish().
  [[nodiscard]] int fd() const noexcept { return file_.get(); }

  // Closes the file and puts it into its place. 0, or an errno: then it is gone.
  [[nodiscard]] int finish() noexcept;

 private:
  NewFile(FileDescriptor file, std::string temporary, std::string target) noexcept
      : file_(std::move(file)), temporary_(std::move(temporary)), target_(std::move(target)) {}

  FileDescriptor file_;
  std::string temporary_;  // empty: written in place, or moved from
  std::string target_;
};

}  // namespace foretask::base
