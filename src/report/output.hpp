// SPDX-License-Identifier: Apache-2.0
// Where a writer's bytes go: a file or standard output, gzip when asked. Buffered; one thread. A failed write is kept
// and told by finish(), so that a full disk or a closed pipe is never silence.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "foretask/result.hpp"
#include "report/plain_text.hpp"

namespace foretask::report {

enum class Compression { kNone, kGzip };

class Output {
 public:
  // An empty path is standard output. What is at `path` is replaced by finish(), and only then (base::NewFile).
  [[nodiscard]] static Result<Output> open(const std::string& path, Compression compression = Compression::kNone);

  Output(Output&&) noexcept;
  Output& operator=(Output&&) noexcept;
  // Without finish() a file is left as it was.
  ~Output();

  // After a failure the bytes are dropped.
  void write(std::string_view bytes);

  // True once a write failed: a long writer may stop early.
  [[nodiscard]] bool failed() const noexcept;

  // Flushes and closes. The error is the first one that happened; the file is then left as it was.
  [[nodiscard]] Result<void> finish();

 private:
  struct Impl;
  explicit Output(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

template <typename... Args>
void add(Output& output, fmt::format_string<Args...> format, Args&&... args) {
  Text text;
  add(text, format, std::forward<Args>(args)...);
  output.write({text.data(), text.size()});
}

// `text` to standard output.
[[nodiscard]] Result<void> print(std::string_view text);

}  // namespace foretask::report
