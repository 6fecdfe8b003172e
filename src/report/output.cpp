// SPDX-License-Identifier: Apache-2.0
#include "report/output.hpp"

#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/file.hpp"
#include "base/new_file.hpp"

namespace foretask::report {
namespace {

constexpr std::size_t kBufferBytes = 256 * 1024;
constexpr int kGzipWindowBits = 15 + 16;  // zlib: 16 more asks for a gzip header
constexpr int kZlibMemoryLevel = 8;       // zlib's default

}  // namespace

struct Output::Impl {
  std::string path;  // empty: standard output
  std::optional<base::NewFile> file;
  int first_errno = 0;
  bool compressed = false;
  z_stream zlib{};
  std::string buffer;

  void emit(const char* bytes, std::size_t size) {
    if (first_errno == 0) first_errno = base::write_all(file ? file->fd() : STDOUT_FILENO, {bytes, size});
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

  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (compressed) deflateEnd(&zlib);
  }
};

Output::Output(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Output::Output(Output&&) noexcept = default;
Output& Output::operator=(Output&&) noexcept = default;
Output::~Output() = default;

Result<Output> Output::open(const std::string& path, Compression compression) {
  auto impl = std::make_unique<Impl>();
  if (!path.empty()) {
    auto file = base::NewFile::create(path);
    if (!file) return file.error();
    impl->file.emplace(std::move(*file));
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
  if (impl_->file && impl_->first_errno == 0) impl_->first_errno = impl_->file->finish();
  impl_->file.reset();
  if (impl_->first_errno != 0) {
    return Error{.what = "cannot write",
                 .path = impl_->path.empty() ? "standard output" : impl_->path,
                 .code = impl_->first_errno};
  }
  return {};
}

Result<void> print(std::string_view text) {
  auto output = Output::open("");
  if (!output) return output.error();
  output->write(text);
  return output->finish();
}

}  // namespace foretask::report
