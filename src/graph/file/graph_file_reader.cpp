// SPDX-License-Identifier: Apache-2.0
#include "graph/file/graph_file_reader.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "base/available_memory.hpp"
#include "base/file.hpp"
#include "graph/file/graph_file_builder.hpp"

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

// What reading takes at its most, the arrays' growth included: measured on a file of two million tasks, and rounded up.
// It is more than the graph and a replay on identical cores take after it.
constexpr double kBytesATask = 52;
constexpr double kBytesAnEdge = 20;
constexpr double kBytesAParameter = 32;  // while its array grows to twice the size
constexpr double kBytesAPiece = 160;     // the same, of what was read and of what is made of it

// Whether the whole file will have room, as far as its first `read_bytes` can tell: better now than after minutes.
Result<void> check_room(const GraphFileBuilder& builder, double read_bytes, int fd, const std::string& path) {
  struct stat status {};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || read_bytes <= 0) return {};
  const double times = static_cast<double>(status.st_size) / read_bytes;
  const double tasks = static_cast<double>(builder.tasks()) * times;
  const double edges = static_cast<double>(builder.edges()) * times;
  const double parameters = static_cast<double>(builder.parameters()) * times;
  const double pieces = static_cast<double>(builder.pieces()) * times;
  const double needed =
      tasks * kBytesATask + edges * kBytesAnEdge + parameters * kBytesAParameter + pieces * kBytesAPiece;
  const auto available = static_cast<double>(base::available_memory_bytes());
  if (needed <= available) return {};
  constexpr double kMillion = 1e6;
  std::array<char, 128> counts{};
  std::snprintf(counts.data(), counts.size(), "some %.1f million tasks and %.1f million edges", tasks / kMillion,
                edges / kMillion);
  return Error{.what = "needs about " + base::gigabytes(needed) + " of memory (" + counts.data() + "), but only " +
                       base::gigabytes(available) + " is available",
               .path = path};
}

// The error is for what cannot be read or has no room. A wrong line is the builder's to tell.
Result<void> add_file(GraphFileBuilder& builder, int fd, const std::string& path) {
  std::vector<char> buffer(2 * kChunkBytes);
  bool checked = false;
  std::size_t kept = 0;  // bytes at the buffer's begin that are an incomplete line
  for (;;) {
    if (buffer.size() - kept < kChunkBytes) buffer.resize(2 * buffer.size());
    const ssize_t got = ::read(fd, buffer.data() + kept, buffer.size() - kept);
    if (got < 0) {
      if (errno == EINTR) continue;
      return Error{.what = "cannot read", .path = path, .code = errno};
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
    if (rest == nullptr) return {};
    if (!checked) {
      checked = true;
      if (auto room = check_room(builder, static_cast<double>(rest - buffer.data()), fd, path); !room) return room;
    }
    kept = static_cast<std::size_t>(buffer.data() + filled - rest);
    std::memmove(buffer.data(), rest, kept);
  }
  if (kept != 0) builder.add_line({buffer.data(), kept});
  return {};
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
    if (auto added = graph::add_file(builder, file.get(), path); !added) return added.error();
    return std::move(builder).finish();
  } catch (const std::bad_alloc&) {
    return Error{.what = "not enough memory for the graph", .path = path};
  }
}

}  // namespace foretask::analysis
