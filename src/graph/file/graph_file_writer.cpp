// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cerrno>
#include <new>
#include <string>
#include <string_view>

#include "base/json_text.hpp"
#include "base/new_file.hpp"
#include "foretask/analysis/task_graph.hpp"
#include "graph/file/graph_file_number.hpp"
#include "graph/file/graph_file_team_text.hpp"

namespace foretask::analysis {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

// Text on its way to a descriptor. The first failure sticks.
class TextSink {
 public:
  explicit TextSink(int fd) : fd_(fd) { text_.reserve(kBufferBytes + 4096); }

  [[nodiscard]] int code() const noexcept { return code_; }
  void put(std::string_view piece) { text_ += piece; }
  template <typename Number>
  void number(Number value) {
    graph::append_number(text_, value);
  }
  void flush_if_full() {
    if (text_.size() >= kBufferBytes) flush();
  }
  void flush() {
    for (std::string_view rest = text_; !rest.empty() && code_ == 0;) {
      const ssize_t written = ::write(fd_, rest.data(), rest.size());
      if (written >= 0) {
        rest.remove_prefix(static_cast<std::size_t>(written));
      } else if (errno != EINTR) {
        code_ = errno;
      }
    }
    text_.clear();
  }

 private:
  int fd_;
  int code_ = 0;
  std::string text_;
};

// What the file says the other way round: each node's predecessors, in order of index.
struct Predecessors {
  std::vector<std::uint64_t> first;
  std::vector<NodeIndex> nodes;
  std::vector<std::uint64_t> bytes;  // empty: all 0

  explicit Predecessors(const TaskGraph& graph) : first(graph.size() + 1, 0), nodes(graph.edge_count()) {
    bytes.resize(graph.edge_bytes.size());
    for (const NodeIndex successor : graph.successors) ++first[successor + 1];
    for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
    std::vector<std::uint64_t> next(first.begin(), first.end() - 1);
    for (NodeIndex node = 0; node < graph.size(); ++node) {
      for (std::uint64_t e = graph.first_successor[node]; e < graph.first_successor[node + 1]; ++e) {
        const std::uint64_t place = next[graph.successors[e]]++;
        nodes[place] = node;
        if (!bytes.empty()) bytes[place] = graph.edge_bytes[e];
      }
    }
  }
};

class GraphWriter {
 public:
  GraphWriter(const TaskGraph& graph, int fd) : graph_(graph), predecessors_(graph), team_(graph), sink_(fd) {
    for (const std::string& name : graph.kernel_names) kernels_.push_back(", \"kernel\": " + base::json_string(name));
    for (const std::string& name : graph.parameter_names) parameters_.push_back(base::json_string(name) + ": ");
    for (const std::string& name : graph.class_names) classes_.push_back(base::json_string(name) + ": ");
  }

  int write() {
    sink_.put("{\"foretask_graph\": 1, \"time_unit\": \"ns\"");
    if (!graph_.team.loops.empty() && !graph_.team.guided_halves) sink_.put(", \"guided\": \"whole\"");
    sink_.put("}\n");
    for (NodeIndex node = 0; node < graph_.size() && sink_.code() == 0; ++node) {
      write_node(node);
      sink_.flush_if_full();
    }
    sink_.flush();
    return sink_.code();
  }

 private:
  void write_node(NodeIndex node) {
    sink_.put("{\"id\": ");
    write_id(node);
    sink_.put(kernels_[graph_.kernel[node]]);
    if (graph_.duration_ns[node] != kNoDuration) write_number(", \"duration\": ", graph_.duration_ns[node]);
    write_after(node);
    if (!graph_.release_ns.empty() && graph_.release_ns[node] != 0) {
      write_number(", \"release\": ", graph_.release_ns[node]);
    }
    if (!graph_.priority.empty() && graph_.priority[node] != 0) write_number(", \"priority\": ", graph_.priority[node]);
    if (!graph_.cores.empty() && graph_.cores[node] != 1) write_number(", \"cores\": ", int{graph_.cores[node]});
    if (!graph_.node.empty() && graph_.node[node] != 0) write_number(", \"node\": ", graph_.node[node]);
    write_params(node);
    write_on(node);
    sink_.put(team_.of(node));
    sink_.put("}\n");
  }

  void write_after(NodeIndex node) {
    std::string_view separator = ", \"after\": [";
    for (std::uint64_t e = predecessors_.first[node]; e < predecessors_.first[node + 1]; ++e) {
      sink_.put(separator);
      separator = ", ";
      const std::uint64_t bytes = predecessors_.bytes.empty() ? 0 : predecessors_.bytes[e];
      if (bytes != 0) sink_.put("{\"id\": ");
      write_id(predecessors_.nodes[e]);
      if (bytes != 0) {
        write_number(", \"bytes\": ", bytes);
        sink_.put("}");
      }
    }
    if (separator == ", ") sink_.put("]");
  }

  void write_params(NodeIndex node) {
    std::string_view separator = ", \"params\": {";
    for (; next_parameter_ < graph_.parameters.size() && graph_.parameters[next_parameter_].node == node;
         ++next_parameter_) {
      sink_.put(separator);
      separator = ", ";
      const NodeParameter& entry = graph_.parameters[next_parameter_];
      write_number(parameters_[entry.name], entry.value);
    }
    if (separator == ", ") sink_.put("}");
  }

  void write_on(NodeIndex node) {
    std::string_view separator = ", \"on\": {";
    for (; next_class_ < graph_.class_durations.size() && graph_.class_durations[next_class_].node == node;
         ++next_class_) {
      sink_.put(separator);
      separator = ", ";
      const ClassDuration& entry = graph_.class_durations[next_class_];
      write_number(classes_[entry.worker_class], entry.duration_ns);
    }
    if (separator == ", ") sink_.put("}");
  }

  void write_id(NodeIndex node) {
    if (graph_.id.empty()) {
      sink_.number(node);
    } else {
      sink_.number(graph_.id[node]);
    }
  }

  template <typename Number>
  void write_number(std::string_view key, Number value) {
    sink_.put(key);
    sink_.number(value);
  }

  const TaskGraph& graph_;
  Predecessors predecessors_;
  graph::GraphFileTeamText team_;
  TextSink sink_;
  std::vector<std::string> kernels_;  // with their key, quoted
  std::vector<std::string> classes_;
  std::vector<std::string> parameters_;
  std::size_t next_class_ = 0;
  std::size_t next_parameter_ = 0;
};

}  // namespace

Result<void> write_task_graph(const TaskGraph& graph, const std::string& path) {
  try {
    auto file = base::NewFile::create(path);
    if (!file) return file.error();
    int code = GraphWriter(graph, file->fd()).write();
    if (code == 0) code = file->finish();
    if (code != 0) return Error{.what = "cannot write", .path = path, .code = code};
    return {};
  } catch (const std::bad_alloc&) {
    return Error{.what = "not enough memory to write the graph", .path = path};
  }
}

}  // namespace foretask::analysis
