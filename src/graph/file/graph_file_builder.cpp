// SPDX-License-Identifier: Apache-2.0
#include "graph/file/graph_file_builder.hpp"

#include <algorithm>
#include <limits>

#include "graph/task_graph_order.hpp"

namespace foretask::graph {

using analysis::kNoNode;
using analysis::NodeIndex;
using analysis::TaskGraph;

namespace {

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

}  // namespace

bool GraphFileBuilder::fail(std::string what, std::size_t line) {
  if (!failed_) error_ = Error{.what = std::move(what), .path = path_, .line = line};
  failed_ = true;
  return false;
}

bool GraphFileBuilder::add_line(std::string_view line) {
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

bool GraphFileBuilder::add_task(const TaskLine& task) {
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

std::uint32_t GraphFileBuilder::kernel_index(std::string_view name) {
  // Neighbours are often of one kernel.
  if (!graph_.kernel.empty() && graph_.kernel_names[graph_.kernel.back()] == name) return graph_.kernel.back();
  const auto found = kernels_.find(name);
  if (found != kernels_.end()) return found->second;
  const auto index = static_cast<std::uint32_t>(graph_.kernel_names.size());
  graph_.kernel_names.emplace_back(name);
  kernels_.emplace(name, index);
  return index;
}

std::uint32_t GraphFileBuilder::class_index(const std::string& name) {
  const auto [entry, is_new] = classes_.try_emplace(name, static_cast<std::uint32_t>(graph_.class_names.size()));
  if (is_new) graph_.class_names.push_back(name);
  return entry->second;
}

void GraphFileBuilder::add_parameters(const TaskLine& task, NodeIndex index) {
  for (const ParameterValue& parameter : task.params) {
    const auto [entry, is_new] =
        parameter_names_.try_emplace(parameter.name, static_cast<std::uint32_t>(graph_.parameter_names.size()));
    if (is_new) graph_.parameter_names.push_back(parameter.name);
    graph_.parameters.push_back({index, entry->second, parameter.value});
  }
}

Result<TaskGraph> GraphFileBuilder::finish() && {
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

bool GraphFileBuilder::resolve_predecessors(const IdIndex& index) {
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
void GraphFileBuilder::merge_duplicates() {
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

void GraphFileBuilder::build_rows() {
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

bool GraphFileBuilder::check_acyclic() {
  const NodeIndex task = node_on_cycle(graph_);
  if (task == kNoNode) return true;
  return fail("task " + std::to_string(id_of(task)) + " is on a cycle: it comes after itself", line_of(task));
}

std::size_t GraphFileBuilder::line_of(NodeIndex task) const {
  // The first task is always a jump.
  const auto behind = std::upper_bound(line_jumps_.begin(), line_jumps_.end(), task,
                                       [](NodeIndex index, const auto& jump) { return index < jump.first; });
  const auto& [first, line] = *(behind - 1);
  return line + (task - first);
}

std::int64_t GraphFileBuilder::id_of(NodeIndex task) const {
  return graph_.id.empty() ? static_cast<std::int64_t>(task) : graph_.id[task];
}

}  // namespace foretask::graph
