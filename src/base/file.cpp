// SPDX-License-Identifier: Apache-2.0
#include "base/file.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <vector>

namespace foretask::base {
namespace {

// In a row: then it is no signal that interrupts.
constexpr int kMostInterruptions = 100;

}  // namespace

int write_all(int fd, std::string_view content) noexcept {
  for (int interruptions = 0; !content.empty();) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && (errno != EINTR || ++interruptions == kMostInterruptions)) return errno;
    if (written < 0) continue;
    interruptions = 0;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

void FileDescriptor::reset() noexcept {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

bool exceeds_file_limit(std::uint64_t size_bytes) noexcept {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && size_bytes > limit.rlim_cur;
}

FileIdentity FileIdentity::of(const char* path) noexcept {
  struct stat status {};
  if (::stat(path, &status) != 0) return {};
  return {status.st_dev, status.st_ino};
}

FileIdentity FileIdentity::of(int descriptor) noexcept {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return {};
  return {status.st_dev, status.st_ino};
}

std::string link_target(const std::string& path) {
  std::string target(PATH_MAX, '\0');
  const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
  target.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return target;
}

Result<std::string> read_file(const std::string& path, std::size_t limit_bytes) {
  // Of a FIFO without a writer the open would wait for ever.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) return Error{"cannot open", path, 0, errno};
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return Error{"cannot read", path, 0, errno};
  if (!S_ISREG(status.st_mode)) return Error{"is no file", path};
  std::string content;
  std::vector<char> buffer(1 << 16);
  int interruptions = 0;
  for (;;) {
    const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
    if (got == 0) return content;
    if (got < 0) {
      if (errno == EINTR && ++interruptions < kMostInterruptions) continue;
      return Error{"cannot read", path, 0, errno};
    }
    if (content.size() + static_cast<std::size_t>(got) > limit_bytes) return Error{"is too large", path};
    content.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

Result<void> write_file_atomically(const std::string& path, std::string_view content) {
  if (exceeds_file_limit(content.size())) return Error{"cannot write", path, 0, EFBIG};
  // Hidden: readers take every other file beside a trace's metadata for a stream.
  const std::size_t name = path.rfind('/') + 1;
  const std::string temporary = path.substr(0, name) + "." + path.substr(name) + "." + std::to_string(::getpid());
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  FileDescriptor file(::open(temporary.c_str(), kFlags, 0666));
  // Left behind by a process of the same number that was killed, or put there by somebody else: not written into.
  if (!file.is_open() && errno == EEXIST && ::unlink(temporary.c_str()) == 0)
    file = FileDescriptor(::open(temporary.c_str(), kFlags, 0666));
  if (!file.is_open()) return Error{"cannot create", temporary, 0, errno};
  const int unwritten = write_all(file.get(), content);
  file.reset();
  if (unwritten == 0 && ::rename(temporary.c_str(), path.c_str()) == 0) return {};
  const int code = errno;
  ::unlink(temporary.c_str());
  if (unwritten != 0) return Error{"cannot write", temporary, 0, unwritten};
  return Error{"cannot rename to", path, 0, code};
}

Result<void> append_to_file(const std::string& path, std::string_view content) {
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!file.is_open()) return Error{"cannot open", path, 0, errno};
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return Error{"cannot open", path, 0, errno};
  if (S_ISREG(status.st_mode) && exceeds_file_limit(static_cast<std::uint64_t>(status.st_size) + content.size()))
    return Error{"cannot write", path, 0, EFBIG};
  if (const int code = write_all(file.get(), content); code != 0) return Error{"cannot write", path, 0, code};
  return {};
}

}  // namespace foretask::base
