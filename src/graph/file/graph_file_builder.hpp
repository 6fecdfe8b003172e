// SPDX-License-Identifier: Apache-2.0
// Collects the tasks of a task-graph file line by line, then ties them together: ids become indices, predecessors
// become rows of successors. Names may point forward, so nothing is resolved before the last line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "foretask/analysis/task_graph.hpp"
#include "graph/file/graph_file_ids.hpp"
#include "graph/file/graph_file_line.hpp"
#include "graph/file/graph_file_teams.hpp"

namespace foretask::graph {

class GraphFileBuilder {
 public:
  // `path` is for messages alone.
  explicit GraphFileBuilder(std::string path) : path_(std::move(path)) {}

  // One line, without its end; blank ones count as lines and hold nothing. False once something is wrong.
  bool add_line(std::string_view line);

  // Tasks, edges, parameters and pieces of loops of the lines so far.
  [[nodiscard]] std::size_t tasks() const noexcept { return graph_.size(); }
  [[nodiscard]] std::size_t edges() const noexcept { return predecessor_id_.size(); }
  [[nodiscard]] std::size_t parameters() const noexcept { return graph_.parameters.size(); }
  [[nodiscard]] std::size_t pieces() const noexcept { return teams_.pieces(); }

  // After the last line.
  [[nodiscard]] Result<analysis::TaskGraph> finish() &&;

 private:
  bool add_task(const TaskLine& task);
  std::uint32_t kernel_index(std::string_view name);
  std::uint32_t class_index(const std::string& name);
  void add_parameters(const TaskLine& task, analysis::NodeIndex index);
  bool resolve_predecessors(const IdIndex& index);
  void merge_duplicates();
  void build_rows();
  bool check_acyclic();

  bool fail(std::string what, std::size_t line);
  [[nodiscard]] std::size_t line_of(analysis::NodeIndex task) const;
  [[nodiscard]] std::int64_t id_of(analysis::NodeIndex task) const;

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

}  // namespace foretask::graph
