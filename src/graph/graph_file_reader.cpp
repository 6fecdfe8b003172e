// SPDX-License-Identifier: Apache-2.0
#include "graph/graph_file_reader.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "graph/graph_file_builder.hpp"

namespace foretask::graph {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

// Gives the complete lines of [begin, end) to the builder. Returns where the incomplete last one begins, or nullptr
// where a line is wrong.
const char* add_complete_lines(GraphFileBuilder& builder, const char* begin, const char* end) {
  while (begin != end) {
    const auto* newline = static_cast<const char*>(std::memchr(begin, '\n', static_cast<std::size_t>(end - begin)));
    if (newline == nullptr) break;
    if (!builder.add_line({begin, static_cast<std::size_t>(newline - begin)})) return nullptr;
    begin = newline + 1;
  }
  return begin;
}

// Errno of what failed, 0 when all is read or a line is wrong.
int add_file(GraphFileBuilder& builder, int fd) {
  std::vector<char> buffer(2 * kChunkBytes);
  std::size_t kept = 0;  // bytes at the buffer's begin that are an incomplete line
  for (;;) {
    if (buffer.size() - kept < kChunkBytes) buffer.resize(2 * buffer.size());
    const ssize_t got = ::read(fd, buffer.data() + kept, buffer.size() - kept);
    if (got < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    if (got == 0) break;
    const std::size_t filled = kept + static_cast<std::size_t>(got);
    // What was kept has no line end in it.
    const void* newline = std::memchr(buffer.data() + kept, '\n', static_cast<std::size_t>(got));
    if (newline == nullptr) {
      kept = filled;
      continue;
    }
    const char* const rest = add_complete_lines(builder, buffer.data(), buffer.data() + filled);
    if (rest == nullptr) return 0;
    kept = static_cast<std::size_t>(buffer.data() + filled - rest);
    std::memmove(buffer.data(), rest, kept);
  }
  if (kept != 0) builder.add_line({buffer.data(), kept});
  return 0;
}

}  // namespace

Result<analysis::TaskGraph> parse_task_graph(std::string_view text, const std::string& path) {
  GraphFileBuilder builder(path);
  const char* const end = text.data() + text.size();
  const char* const rest = add_complete_lines(builder, text.data(), end);
  if (rest != nullptr && rest != end) builder.add_line({rest, static_cast<std::size_t>(end - rest)});
  return std::move(builder).finish();
}

}  // namespace foretask::graph

namespace foretask::analysis {

Result<TaskGraph> read_task_graph(const std::string& path) {
  try {
    const base::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.is_open()) return Error{.what = "cannot open", .path = path, .code = errno};
    graph::GraphFileBuilder builder(path);
    if (const int code = graph::add_file(builder, file.get()); code != 0) {
      return Error{.what = "cannot read", .path = path, .code = code};
    }
    return std::move(builder).finish();
  } catch (const std::bad_alloc&) {
    return Error{.what = "not enough memory for the graph", .path = path};
  }
}

}  // namespace foretask::analysis
