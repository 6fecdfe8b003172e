// SPDX-License-Identifier: Apache-2.0
// Files as checked values: a descriptor that closes itself, whole-file reading, and writing that is all or nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "foretask/result.hpp"

namespace foretask::base {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) noexcept : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~FileDescriptor() { reset(); }

  [[nodiscard]] int get() const noexcept { return fd_; }
  [[nodiscard]] bool is_open() const noexcept { return fd_ >= 0; }
  void reset() noexcept;
  // Open, and the caller's to close.
  [[nodiscard]] int release() noexcept { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

// Whether this process may not write a file so large (RLIMIT_FSIZE): trying would be its death by SIGXFSZ.
[[nodiscard]] bool exceeds_file_limit(std::uint64_t size_bytes) noexcept;

// What a symbolic link names; empty where `path` is none that can be read.
[[nodiscard]] std::string link_target(const std::string& path);

// Which file or folder a path names now: after a chroot, or a rename, it may name another. Zeros: none.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  [[nodiscard]] static FileIdentity of(const char* path) noexcept;
  [[nodiscard]] static FileIdentity of(int descriptor) noexcept;
  [[nodiscard]] bool operator==(const FileIdentity&) const = default;
};

// Writes all of `content`. 0, or what errno was.
[[nodiscard]] int write_all(int fd, std::string_view content) noexcept;

// A plain file's bytes (those of /proc included), at most `limit_bytes` of them (a longer file is an error).
[[nodiscard]] Result<std::string> read_file(const std::string& path, std::size_t limit_bytes = std::size_t{1} << 30);

// Writes a temporary file beside `path`, then renames it: a reader sees the old content or the new, never a part.
[[nodiscard]] Result<void> write_file_atomically(const std::string& path, std::string_view content);

// Appends `content` with one write: lines of several processes do not mix.
[[nodiscard]] Result<void> append_to_file(const std::string& path, std::string_view content);

}  // namespace foretask::base
