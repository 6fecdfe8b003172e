// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "base/json_text.hpp"
#include "base/new_file.hpp"
#include "foretask/analysis/task_graph.hpp"
#include "graph/file/graph_file_line.hpp"
#include "graph/task_graph_order.hpp"
#include "graph/team_shares.hpp"

namespace foretask::analysis {
namespace {

using graph::is_divided;
using graph::kMostLoopIterations;
using graph::pieces_of;
using graph::widest_team;

// An integer, or a double with the fewest digits that read back as the same.
template <typename Number>
void append_number(std::string& text, Number value) {
  char digits[32];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

template <typename Number>
void append(std::string& text, std::string_view before, Number value) {
  text += before;
  append_number(text, value);
}

// Within the loop, where a damaged recording says otherwise: replays take it so too.
LoopPiece readable(LoopPiece piece, std::uint64_t iterations) {
  const std::int64_t end = iterations == 0 ? kMostLoopIterations : static_cast<std::int64_t>(iterations);
  const bool is_outside = piece.last < piece.first || piece.last < 0 || piece.first >= end;
  piece.first = is_outside ? 0 : std::max<std::int64_t>(piece.first, 0);
  piece.last = is_outside ? end - 1 : std::min(piece.last, end - 1);
  piece.iterations =
      std::clamp<std::uint64_t>(piece.iterations, 1, static_cast<std::uint64_t>(piece.last - piece.first) + 1);
  if (!std::isfinite(piece.weight) || piece.weight < 0) piece.weight = 0;
  return piece;
}

// What the lines of a written task-graph file say of divisible work: of phases that other numbers of threads divide,
// and of no other. Each task's text in order of index, once: what holds for a loop or a phase stands on its first task.
class GraphFileTeamText {
 public:
  // The graph must stay. 4 bytes a node, and some 13 a strand, loop and piece of its teams; none where nothing divides.
  explicit GraphFileTeamText(const TaskGraph& graph) : team_(graph.team) {
    const std::uint32_t widest = widest_team(team_);
    const auto divides = [widest](const TeamPhase& phase) { return is_divided(phase, widest); };
    if (std::none_of(team_.phases.begin(), team_.phases.end(), divides)) return;
    strand_of_node_.assign(graph.size(), kNoLoop);
    phase_of_strand_.resize(team_.strands.size());
    strands_of_loop_.resize(team_.loops.size());
    is_loop_written_.resize(team_.loops.size());
    is_piece_written_.resize(team_.pieces.size());
    for (const TeamPhase& phase : team_.phases)
      if (divides(phase)) add_phase(phase);
  }

  // ", "phase": 3, ..."; empty for a task that is in no such phase. Valid until the next call.
  [[nodiscard]] std::string_view of(NodeIndex node) {
    text_.clear();
    if (strand_of_node_.empty() || strand_of_node_[node] == kNoLoop) return text_;
    const std::uint32_t at = strand_of_node_[node];
    const TeamStrand& strand = team_.strands[at];
    write_phase(strand, phase_of_strand_[at]);
    if (strand.loop != kNoLoop) {
      write_loop(strand);
    } else if (strand.is_of_one) {
      text_ += ", \"once\": true";
    } else if (phases_[phase_of_strand_[at]].rest_divides) {
      text_ += ", \"divides\": true";
    }
    return text_;
  }

 private:
  struct Phase {
    std::uint32_t strands = 0;
    std::uint32_t threads = 0;  // to be written; 0: as the tasks' threads show, or written already
    bool rest_divides = false;
  };

  void add_phase(const TeamPhase& phase) {
    std::uint32_t highest = 0;
    for (std::uint64_t at = phase.first_strand; at < phase.end_strand; ++at) {
      const TeamStrand& strand = team_.strands[at];
      highest = std::max(highest, strand.thread);
      strand_of_node_[strand.node] = static_cast<std::uint32_t>(at);
      phase_of_strand_[at] = static_cast<std::uint32_t>(phases_.size());
      if (strand.loop != kNoLoop) ++strands_of_loop_[strand.loop];
    }
    phases_.push_back({.strands = static_cast<std::uint32_t>(phase.end_strand - phase.first_strand),
                       .threads = phase.threads == highest + 1 ? 0 : phase.threads,
                       .rest_divides = phase.rest_divides});
  }

  // A phase of one task needs no number, unless the task does its work once.
  void write_phase(const TeamStrand& strand, std::uint32_t number) {
    Phase& phase = phases_[number];
    const bool is_once = strand.loop == kNoLoop && strand.is_of_one;
    if (phase.strands > 1 || is_once) append(text_, ", \"phase\": ", number);
    if (strand.thread != 0) append(text_, ", \"thread\": ", strand.thread);
    if (phase.threads != 0) append(text_, ", \"threads\": ", phase.threads);
    phase.threads = 0;
  }

  void write_loop(const TeamStrand& strand) {
    const TeamLoop& loop = team_.loops[strand.loop];
    const char* separator = ", \"loop\": {";
    const auto next = [&] {
      text_ += separator;
      separator = ", ";
    };
    if (strands_of_loop_[strand.loop] > 1) {
      next();
      append(text_, "\"number\": ", strand.loop);
    }
    if (!is_loop_written_[strand.loop]) {
      is_loop_written_[strand.loop] = true;
      if (const std::string schedule = schedule_name(loop); schedule != "static") {
        next();
        text_ += "\"schedule\": \"" + schedule + "\"";
      }
      next();
      append(text_, "\"iterations\": ", std::min<std::uint64_t>(loop.iterations, kMostLoopIterations));
    }
    const std::span<const LoopPiece> pieces = pieces_of(team_, loop, strand.thread);
    if (!pieces.empty()) {
      const auto first = static_cast<std::size_t>(pieces.data() - team_.pieces.data());
      if (!is_piece_written_[first]) {
        is_piece_written_[first] = true;
        next();
        write_pieces(loop, strand.thread);
      }
    }
    text_ += "}";
  }

  void write_pieces(const TeamLoop& loop, std::uint32_t thread) {
    const char* before = "\"pieces\": [[";
    for (const LoopPiece& recorded : pieces_of(team_, loop, thread)) {
      const LoopPiece piece = readable(recorded, std::min<std::uint64_t>(loop.iterations, kMostLoopIterations));
      append(text_, before, piece.first);
      append(text_, ", ", piece.last);
      append(text_, ", ", piece.iterations);
      append(text_, ", ", piece.weight);
      before = "], [";
    }
    text_ += "]]";
  }

  const TeamWork& team_;
  std::vector<std::uint32_t> strand_of_node_;  // or kNoLoop; empty: nothing divides
  std::vector<std::uint32_t> phase_of_strand_;
  std::vector<Phase> phases_;
  std::vector<std::uint32_t> strands_of_loop_;
  std::vector<bool> is_loop_written_;
  std::vector<bool> is_piece_written_;
  std::string text_;
};

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

// Text on its way to a descriptor. The first failure sticks.
class TextSink {
 public:
  explicit TextSink(int fd) : fd_(fd) { text_.reserve(kBufferBytes + 4096); }

  [[nodiscard]] int code() const noexcept { return code_; }
  void put(std::string_view piece) { text_ += piece; }
  template <typename Number>
  void number(Number value) {
    append_number(text_, value);
  }
  void flush_if_full() {
    if (text_.size() >= kBufferBytes) flush();
  }
  void flush() {
    if (code_ == 0) code_ = base::write_all(fd_, text_);
    text_.clear();
  }

 private:
  int fd_;
  int code_ = 0;
  std::string text_;
};

class GraphWriter {
 public:
  GraphWriter(const TaskGraph& graph, int fd)
      : graph_(graph), predecessors_(graph, !graph.edge_bytes.empty()), team_(graph), sink_(fd) {
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
    write_entries(", \"params\": {", node, graph_.parameters, next_parameter_, parameters_, &NodeParameter::name,
                  &NodeParameter::value);
    write_entries(", \"on\": {", node, graph_.class_durations, next_class_, classes_, &ClassDuration::worker_class,
                  &ClassDuration::duration_ns);
    sink_.put(team_.of(node));
    sink_.put("}\n");
  }

  void write_after(NodeIndex node) {
    std::string_view separator = ", \"after\": [";
    for (std::uint64_t e = predecessors_.first[node]; e < predecessors_.first[node + 1]; ++e) {
      sink_.put(separator);
      separator = ", ";
      const std::uint64_t bytes = graph_.edge_bytes.empty() ? 0 : graph_.edge_bytes[predecessors_.edges[e]];
      if (bytes != 0) sink_.put("{\"id\": ");
      write_id(predecessors_.nodes[e]);
      if (bytes != 0) {
        write_number(", \"bytes\": ", bytes);
        sink_.put("}");
      }
    }
    if (separator == ", ") sink_.put("]");
  }

  // The node's entries of `all`, which come next in it.
  template <typename Entry, typename Key, typename Value>
  void write_entries(std::string_view begin, NodeIndex node, const std::vector<Entry>& all, std::size_t& next,
                     const std::vector<std::string>& keys, Key Entry::*key, Value Entry::*value) {
    std::string_view separator = begin;
    for (; next < all.size() && all[next].node == node; ++next) {
      sink_.put(separator);
      separator = ", ";
      write_number(keys[all[next].*key], all[next].*value);
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
  graph::Predecessors predecessors_;
  GraphFileTeamText team_;
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
