// SPDX-License-Identifier: Apache-2.0
#include "base/new_file.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

namespace foretask::base {
namespace {

constexpr int kMostLinks = 40;  // as the kernel's own limit
constexpr int kMostNames = 1000;

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

bool is_in_proc(const std::string& folder) {
  struct statfs status {};
  return ::statfs(folder.c_str(), &status) == 0 && status.f_type == PROC_SUPER_MAGIC;
}

struct Place {
  std::string path;
  bool is_descriptor = false;  // /dev/stdout, /dev/fd/3: a file that somebody has open already
};

// What `path` names, its last part no symbolic link.
Place follow_links(std::string path) {
  for (int i = 0; i < kMostLinks; ++i) {
    const std::string name = link_target(path);
    if (name.empty()) break;
    const std::string folder = folder_of(path);
    if (is_in_proc(folder)) return {std::move(path), true};
    path = name[0] == '/' ? name : folder + "/" + name;
  }
  return {std::move(path), false};
}

}  // namespace

Result<NewFile> NewFile::create(const std::string& path) {
  const auto failed = [&path](int code) { return Error{.what = "cannot write", .path = path, .code = code}; };
  const Place place = follow_links(path);
  // Not truncated: what may not be written is told here, and is left as it is.
  FileDescriptor there(::open(path.c_str(), O_WRONLY | O_CLOEXEC | (place.is_descriptor ? O_APPEND : 0)));
  if (!there.is_open() && errno != ENOENT) return failed(errno);
  struct stat status {};
  if (there.is_open()) {
    if (::fstat(there.get(), &status) != 0) return failed(errno);
    if (!S_ISREG(status.st_mode) || place.is_descriptor) return NewFile(std::move(there), {}, {});
  }
  // Hidden: readers take every other file in a trace's folder for a stream.
  const std::string stem = folder_of(place.path) + "/.foretask-" + std::to_string(::getpid()) + "-";
  for (int i = 0; i < kMostNames; ++i) {
    std::string temporary = stem + std::to_string(i);
    FileDescriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file.is_open()) {
      if (there.is_open()) (void)::fchmod(file.get(), status.st_mode & 07777);
      return NewFile(std::move(file), std::move(temporary), place.path);
    }
    if (errno != EEXIST) break;
  }
  // A file of our own in a folder that takes no other.
  const int code = errno;
  if (!there.is_open() || (code != EACCES && code != EPERM)) return failed(code);
  if (::ftruncate(there.get(), 0) != 0) return failed(errno);
  return NewFile(std::move(there), {}, {});
}

NewFile::~NewFile() {
  if (file_.is_open() && !temporary_.empty()) ::unlink(temporary_.c_str());
}

int NewFile::finish() noexcept {
  const int fd = file_.release();
  int code = ::close(fd) == 0 ? 0 : errno;
  if (temporary_.empty()) return code;
  if (code == 0 && ::rename(temporary_.c_str(), target_.c_str()) != 0) code = errno;
  if (code != 0) ::unlink(temporary_.c_str());
  return code;
}

}  // namespace foretask::base
