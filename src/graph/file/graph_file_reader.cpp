// SPDX-License-Identifier: Apache-2.0
#include "graph/file/graph_file_reader.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "base/memory.hpp"
#include "graph/file/graph_file_line.hpp"
#include "graph/file/graph_file_teams.hpp"
#include "graph/task_graph_order.hpp"

namespace foretask::graph {
namespace {

using analysis::kNoNode;
using analysis::NodeIndex;
using analysis::TaskGraph;

// Finds a task's index by the id that the file gave it. Refers to the ids, which the caller keeps.
class IdIndex {
 public:
  // `ids` empty: each of `count` tasks has its index as its id.
  IdIndex(std::span<const std::int64_t> ids, std::size_t count) : ids_(ids), count_(count) {
    if (ids_.empty()) return;
    const std::size_t size = std::bit_ceil(2 * ids_.size() + 2);
    shift_ = 64 - static_cast<unsigned>(std::countr_zero(size));
    slots_.assign(size, kNoNode);
    for (NodeIndex i = 0; i < ids_.size(); ++i) {
      const std::size_t slot = slot_of(ids_[i]);
      if (slots_[slot] != kNoNode) {
        duplicate_.emplace(slots_[slot], i);
        return;
      }
      slots_[slot] = i;
    }
  }

  // The first pair of indices, the earlier one first, that have the same id.
  [[nodiscard]] const std::optional<std::pair<analysis::NodeIndex, analysis::NodeIndex>>& duplicate() const noexcept {
    return duplicate_;
  }
  // kNoNode where no task has the id.
  [[nodiscard]] NodeIndex find(std::int64_t id) const noexcept {
    if (!ids_.empty()) return slots_[slot_of(id)];
    if (id < 0 || static_cast<std::uint64_t>(id) >= count_) return kNoNode;
    return static_cast<NodeIndex>(id);
  }

 private:
  // Where the id is, or the free slot where it would be.
  [[nodiscard]] std::size_t slot_of(std::int64_t id) const noexcept {
    auto mixed = static_cast<std::uint64_t>(id);
    mixed = (mixed ^ mixed >> 32) * 0x9e3779b97f4a7c15ULL;
    mixed = (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9ULL;
    std::size_t slot = mixed >> shift_;
    while (slots_[slot] != kNoNode && ids_[slots_[slot]] != id) slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }

  std::span<const std::int64_t> ids_;
  std::size_t count_;
  std::vector<analysis::NodeIndex> slots_;  // open addressing, at most half full
  unsigned shift_ = 0;
  std::optional<std::pair<analysis::NodeIndex, analysis::NodeIndex>> duplicate_;
};

// Appends to a column that stays empty while every entry is the default. `size` entries came before.
template <typename T>
void push_unless_default(std::vector<T>& column, std::size_t size, T value, T fallback) {
  if (column.empty()) {
    if (value == fallback) return;
    column.assign(size, fallback);
  }
  column.push_back(value);
}

// Neither is above the largest int64, which is all that a file can say: the sum stays there too.
void add_bytes(std::uint64_t& sum, std::uint64_t bytes) noexcept {
  sum = std::min<std::uint64_t>(sum + bytes, std::numeric_limits<std::int64_t>::max());
}

bool is_blank(std::string_view line) noexcept { return line.find_first_not_of(" \t\r\n") == std::string_view::npos; }

// Collects the tasks of a task-graph file line by line, then ties them together: ids become indices, predecessors
// become rows of successors. Names may point forward, so nothing is resolved before the last line.
class GraphFileBuilder {
 public:
  // `path` is for messages alone.
  explicit GraphFileBuilder(std::string path) : path_(std::move(path)) {}

  // One line, without its end; blank ones count as lines and hold nothing. False once something is wrong.
  bool add_line(std::string_view line) {
    if (failed_) return false;
    ++lines_;
    if (lines_ == 1 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
    if (is_blank(line)) return true;
    if (!has_header_) {
      std::string problem = parse_header_line(line, header_);
      if (!problem.empty()) return fail(std::move(problem), lines_);
      has_header_ = true;
      graph_.team.guided_halves = header_.guided_halves;
      return true;
    }
    std::string problem = parse_task_line(line, header_, line_);
    if (!problem.empty()) return fail(std::move(problem), lines_);
    return add_task(line_);
  }

  // Tasks, edges, parameters and pieces of loops of the lines so far.
  [[nodiscard]] std::size_t tasks() const noexcept { return graph_.size(); }
  [[nodiscard]] std::size_t edges() const noexcept { return predecessor_id_.size(); }
  [[nodiscard]] std::size_t parameters() const noexcept { return graph_.parameters.size(); }
  [[nodiscard]] std::size_t pieces() const noexcept { return teams_.pieces(); }

  // After the last line.
  [[nodiscard]] Result<TaskGraph> finish() && {
    if (!failed_ && !has_header_) {
      fail("the header line {\"foretask_graph\": 1, \"time_unit\": ...} is missing", std::max<std::size_t>(lines_, 1));
    }
    if (failed_) return error_;
    const IdIndex index(graph_.id, graph_.size());
    if (const auto& duplicate = index.duplicate()) {
      const auto [first, second] = *duplicate;
      fail("duplicate id " + std::to_string(id_of(second)) + ", first on line " + std::to_string(line_of(first)),
           line_of(second));
      return error_;
    }
    if (!resolve_predecessors(index)) return error_;
    merge_duplicates();
    build_rows();
    if (points_forward_ && !check_acyclic()) return error_;
    if (const auto problem = teams_.finish(graph_)) {
      fail(problem->what, line_of(problem->task));
      return error_;
    }
    return std::move(graph_);
  }

 private:
  bool add_task(const TaskLine& task) {
    const std::size_t count = graph_.size();
    if (count >= kNoNode) return fail("more than 4,294,967,294 tasks", lines_);
    const auto index = static_cast<NodeIndex>(count);
    if (count == 0 || lines_ != last_task_line_ + 1) line_jumps_.emplace_back(index, lines_);
    last_task_line_ = lines_;

    std::int64_t latest_end_ns = 0;
    if (task.duration_ns > 0 && __builtin_add_overflow(work_ns_, task.duration_ns, &work_ns_)) {
      return fail("the sum of the durations does not fit in 63 bits of nanoseconds", lines_);
    }
    last_release_ns_ = std::max(last_release_ns_, task.release_ns);
    if (__builtin_add_overflow(work_ns_, last_release_ns_, &latest_end_ns)) {
      return fail("the latest release and all durations together do not fit in 63 bits of nanoseconds", lines_);
    }

    graph_.duration_ns.push_back(task.duration_ns);
    graph_.kernel.push_back(kernel_index(task.kernel));
    if (graph_.id.empty() && task.id != static_cast<std::int64_t>(count)) {
      graph_.id.resize(count);
      for (std::size_t i = 0; i < count; ++i) graph_.id[i] = static_cast<std::int64_t>(i);
      graph_.id.push_back(task.id);
    } else if (!graph_.id.empty()) {
      graph_.id.push_back(task.id);
    }
    push_unless_default<std::int64_t>(graph_.release_ns, count, task.release_ns, 0);
    push_unless_default<std::int64_t>(graph_.priority, count, task.priority, 0);
    push_unless_default<std::uint8_t>(graph_.cores, count, task.cores, 1);
    push_unless_default<std::uint32_t>(graph_.node, count, task.node, 0);
    for (const ClassTime& time : task.on) {
      graph_.class_durations.push_back({index, class_index(time.worker_class), time.duration_ns});
    }
    if (!task.params.empty()) add_parameters(task, index);
    if (task.team.is_given) teams_.add(index, task.cores != 0 && task.duration_ns != analysis::kNoDuration, task.team);
    for (const Predecessor& predecessor : task.after) {
      push_unless_default<std::uint64_t>(predecessor_bytes_, predecessor_id_.size(), predecessor.bytes, 0);
      predecessor_id_.push_back(predecessor.id);
    }
    first_predecessor_.push_back(predecessor_id_.size());
    return true;
  }

  std::uint32_t kernel_index(std::string_view name) {
    // Neighbours are often of one kernel.
    if (!graph_.kernel.empty() && graph_.kernel_names[graph_.kernel.back()] == name) return graph_.kernel.back();
    const auto found = kernels_.find(name);
    if (found != kernels_.end()) return found->second;
    const auto index = static_cast<std::uint32_t>(graph_.kernel_names.size());
    graph_.kernel_names.emplace_back(name);
    kernels_.emplace(name, index);
    return index;
  }

  std::uint32_t class_index(const std::string& name) {
    const auto [entry, is_new] = classes_.try_emplace(name, static_cast<std::uint32_t>(graph_.class_names.size()));
    if (is_new) graph_.class_names.push_back(name);
    return entry->second;
  }

  void add_parameters(const TaskLine& task, NodeIndex index) {
    for (const ParameterValue& parameter : task.params) {
      const auto [entry, is_new] =
          parameter_names_.try_emplace(parameter.name, static_cast<std::uint32_t>(graph_.parameter_names.size()));
      if (is_new) graph_.parameter_names.push_back(parameter.name);
      graph_.parameters.push_back({index, entry->second, parameter.value});
    }
  }

  bool resolve_predecessors(const IdIndex& index) {
    predecessor_.resize(predecessor_id_.size());
    for (NodeIndex task = 0; task < graph_.size(); ++task) {
      for (std::uint64_t e = first_predecessor_[task]; e < first_predecessor_[task + 1]; ++e) {
        const NodeIndex predecessor = index.find(predecessor_id_[e]);
        if (predecessor == kNoNode) {
          return fail("task " + std::to_string(id_of(task)) + " comes after " + std::to_string(predecessor_id_[e]) +
                          ", but no task has that id",
                      line_of(task));
        }
        points_forward_ |= predecessor >= task;
        predecessor_[e] = predecessor;
      }
    }
    predecessor_id_ = {};
    return true;
  }

  // A predecessor that a task names again is one edge, which carries the bytes of both.
  void merge_duplicates() {
    constexpr auto kUnseen = std::numeric_limits<std::uint64_t>::max();
    std::vector<std::uint64_t> last_edge(graph_.size(), kUnseen);
    const bool has_bytes = !predecessor_bytes_.empty();
    std::uint64_t kept = 0;
    std::uint64_t begin = 0;
    for (NodeIndex task = 0; task < graph_.size(); ++task) {
      const std::uint64_t end = first_predecessor_[task + 1];
      const std::uint64_t kept_begin = kept;
      for (std::uint64_t e = begin; e < end; ++e) {
        std::uint64_t& last = last_edge[predecessor_[e]];
        if (last != kUnseen && last >= kept_begin) {
          if (has_bytes) add_bytes(predecessor_bytes_[last], predecessor_bytes_[e]);
          continue;
        }
        last = kept;
        predecessor_[kept] = predecessor_[e];
        if (has_bytes) predecessor_bytes_[kept] = predecessor_bytes_[e];
        ++kept;
      }
      begin = end;
      first_predecessor_[task + 1] = kept;
    }
    predecessor_.resize(kept);
    if (has_bytes) predecessor_bytes_.resize(kept);
  }

  void build_rows() {
    const std::size_t count = graph_.size();
    auto& first = graph_.first_successor;
    first.assign(count + 1, 0);
    for (const NodeIndex predecessor : predecessor_) ++first[predecessor + 1];
    for (std::size_t i = 0; i < count; ++i) first[i + 1] += first[i];
    graph_.successors.resize(predecessor_.size());
    graph_.edge_bytes.resize(predecessor_bytes_.size());
    // Filling moves each row's begin to its end, which is the next row's begin: shifted back below.
    for (NodeIndex task = 0; task < count; ++task) {
      for (std::uint64_t e = first_predecessor_[task]; e < first_predecessor_[task + 1]; ++e) {
        const std::uint64_t place = first[predecessor_[e]]++;
        graph_.successors[place] = task;
        if (!predecessor_bytes_.empty()) graph_.edge_bytes[place] = predecessor_bytes_[e];
      }
    }
    for (std::size_t i = count; i > 0; --i) first[i] = first[i - 1];
    first[0] = 0;
  }

  bool check_acyclic() {
    const NodeIndex task = node_on_cycle(graph_);
    if (task == kNoNode) return true;
    return fail("task " + std::to_string(id_of(task)) + " is on a cycle: it comes after itself", line_of(task));
  }

  bool fail(std::string what, std::size_t line) {
    if (!failed_) error_ = Error{.what = std::move(what), .path = path_, .line = line};
    failed_ = true;
    return false;
  }

  [[nodiscard]] std::size_t line_of(NodeIndex task) const {
    // The first task is always a jump.
    const auto behind = std::ranges::upper_bound(line_jumps_, task, {}, [](const auto& jump) { return jump.first; });
    const auto& [first, line] = *(behind - 1);
    return line + (task - first);
  }

  [[nodiscard]] std::int64_t id_of(NodeIndex task) const {
    return graph_.id.empty() ? static_cast<std::int64_t>(task) : graph_.id[task];
  }

  struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const noexcept { return std::hash<std::string_view>{}(name); }
  };

  std::string path_;
  Error error_;
  bool failed_ = false;
  std::size_t lines_ = 0;
  bool has_header_ = false;
  HeaderLine header_;
  TaskLine line_;  // the task at hand

  analysis::TaskGraph graph_;
  GraphFileTeams teams_;
  std::unordered_map<std::string, std::uint32_t, NameHash, std::equal_to<>> kernels_;
  std::unordered_map<std::string, std::uint32_t> classes_;
  std::unordered_map<std::string, std::uint32_t> parameter_names_;
  // Predecessors of task i: [first_predecessor_[i], first_predecessor_[i + 1]) of the arrays, as ids, then as indices.
  std::vector<std::uint64_t> first_predecessor_{0};
  std::vector<std::int64_t> predecessor_id_;
  std::vector<analysis::NodeIndex> predecessor_;
  std::vector<std::uint64_t> predecessor_bytes_;  // empty while all are 0
  bool points_forward_ = false;                   // some task comes after a later one, or after itself
  // (task, line) where a task's line is not that of the task before plus one.
  std::vector<std::pair<analysis::NodeIndex, std::size_t>> line_jumps_;
  std::size_t last_task_line_ = 0;
  std::int64_t work_ns_ = 0;
  std::int64_t last_release_ns_ = 0;
};

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
