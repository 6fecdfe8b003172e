// SPDX-License-Identifier: Apache-2.0
#include "report/output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <utility>

namespace foretask::report {
namespace {

constexpr std::size_t kBufferBytes = 256 * 1024;
constexpr int kGzipWindowBits = 15 + 16;  // zlib: 16 more asks for a gzip header
constexpr int kZlibMemoryLevel = 8;       // zlib's default

// 0 or errno.
int write_all(int fd, const char* bytes, std::size_t size) {
  while (size != 0) {
    const ssize_t written = ::write(fd, bytes, size);
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
  return 0;
}

}  // namespace

struct Output::Impl {
  std::string path;  // empty: standard output
  int fd = -1;
  int first_errno = 0;
  bool compressed = false;
  bool finished = false;
  z_stream zlib{};
  std::string buffer;

  void emit(const char* bytes, std::size_t size) {
    if (first_errno == 0) first_errno = write_all(fd, bytes, size);
  }

  // Through zlib when asked; `flush` is Z_NO_FLUSH or Z_FINISH.
  void drain(int flush) {
    if (!compressed) {
      emit(buffer.data(), buffer.size());
    } else {
      std::array<char, 64 * 1024> packed;
      zlib.next_in = reinterpret_cast<Bytef*>(buffer.data());
      zlib.avail_in = static_cast<uInt>(buffer.size());
      do {
        zlib.next_out = reinterpret_cast<Bytef*>(packed.data());
        zlib.avail_out = static_cast<uInt>(packed.size());
        deflate(&zlib, flush);
        emit(packed.data(), packed.size() - zlib.avail_out);
      } while (zlib.avail_out == 0);
    }
    buffer.clear();
  }

  void close_file() {
    if (path.empty() || fd < 0) return;
    if (::close(std::exchange(fd, -1)) != 0 && first_errno == 0) first_errno = errno;
  }

  // A device (/dev/full) or a pipe is not ours to remove.
  void remove_file() const {
    struct stat status {};
    if (!path.empty() && ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode)) ::unlink(path.c_str());
  }

  ~Impl() {
    if (compressed) deflateEnd(&zlib);
    close_file();
    if (!finished) remove_file();
  }
};

Output::Output(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Output::Output(Output&&) noexcept = default;
Output& Output::operator=(Output&&) noexcept = default;
Output::~Output() = default;

Result<Output> Output::open(const std::string& path, Compression compression) {
  auto impl = std::make_unique<Impl>();
  impl->fd = STDOUT_FILENO;
  if (!path.empty()) {
    impl->fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (impl->fd < 0) {
      impl->finished = true;  // nothing of ours is there
      return Error{.what = "cannot write", .path = path, .code = errno};
    }
    impl->path = path;
  }
  if (compression == Compression::kGzip) {
    if (deflateInit2(&impl->zlib, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindowBits, kZlibMemoryLevel,
                     Z_DEFAULT_STRATEGY) != Z_OK)
      return Error{.what = "zlib has no memory for a stream", .path = path};
    impl->compressed = true;
  }
  impl->buffer.reserve(kBufferBytes);
  return Output(std::move(impl));
}

void Output::write(std::string_view bytes) {
  if (impl_->first_errno != 0) return;
  // In slices, so that one huge piece of text never doubles in memory.
  while (!bytes.empty()) {
    const std::string_view slice = bytes.substr(0, kBufferBytes - impl_->buffer.size());
    impl_->buffer.append(slice);
    bytes.remove_prefix(slice.size());
    if (impl_->buffer.size() == kBufferBytes) impl_->drain(Z_NO_FLUSH);
  }
}

bool Output::failed() const noexcept { return impl_->first_errno != 0; }

Result<void> Output::finish() {
  impl_->drain(Z_FINISH);
  impl_->close_file();
  if (impl_->first_errno != 0) {
    return Error{.what = "cannot write",
                 .path = impl_->path.empty() ? "standard output" : impl_->path,
                 .code = impl_->first_errno};
  }
  impl_->finished = true;
  return {};
}

Result<void> print(std::string_view text) {
  auto output = Output::open("");
  if (!output) return output.error();
  output->write(text);
  return output->finish();
}

}  // namespace foretask::report
