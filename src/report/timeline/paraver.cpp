// SPDX-License-Identifier: Apache-2.0
// The format is that of Paraver's trace manual; docs/exports.md says what stands for what.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <queue>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "report/plain_text.hpp"
#include "report/timeline/graph_export.hpp"
#include "report/timeline/recorded_loops.hpp"

namespace foretask::report {
namespace {

using analysis::EdgeKind;
using analysis::kNoNode;
using analysis::NodeIndex;
using analysis::StrandPlace;

// Event types. Values: a kernel's index + 1 and a task's number + 1; 0 closes.
constexpr std::uint32_t kKernelEvent = 7000001;
constexpr std::uint32_t kTaskEvent = 7000002;
// Of recorded loops: what the schedule is (LoopSchedule + 1, or unknown); a piece's first iteration + 1, and how many
// it has.
constexpr std::uint32_t kLoopEvent = 7000003;
constexpr std::uint32_t kIterationEvent = 7000004;
constexpr std::uint32_t kPieceEvent = 7000005;

constexpr int kUnknownSchedule = 5;

constexpr int kIdle = 0;
constexpr int kRunning = 1;
constexpr std::size_t kProgressEvery = 1U << 16;

// Where a record is: cpu, application, task, thread.
std::string at(std::uint32_t cpu, std::uint32_t rank, std::uint32_t thread) {
  return fmt::format("{}:1:{}:{}", cpu, rank + 1, thread);
}

int schedule_value(const analysis::TeamLoop& loop) {
  const bool is_unknown = loop.schedule == analysis::LoopSchedule::kStatic && !loop.is_schedule_known;
  return is_unknown ? kUnknownSchedule : static_cast<int>(loop.schedule) + 1;
}

std::string piece_events(const analysis::LoopPiece& piece) {
  return fmt::format(":{}:{}:{}:{}", kIterationEvent, piece.first + 1, kPieceEvent, piece.iterations);
}

// Sorts the nodes once, for all three files. Some 45 bytes a node, and what RecordedLoops takes, whatever the size of
// the text.
class ParaverTrace {
 public:
  explicit ParaverTrace(const Timeline& timeline)
      : timeline_(timeline),
        graph_(timeline.graph),
        place_(graph_.size()),
        row_of_(graph_.size()),
        next_(graph_.size(), kNoNode),
        loops_(timeline) {
    for (NodeIndex node = 0; node < graph_.size(); ++node) {
      place_[node] = timeline.places(node);
      if (graph_.occupies_worker(node)) by_begin_.push_back(node);
    }
    find_ranks();
    find_rows();
    put_in_order();
  }

  // One record a line, in order of time; `made` is the date in the header. Ends before begins at each instant: what
  // closes is closed before what follows opens.
  void write_records(std::time_t made, const analysis::Progress& progress, Output& output) {
    write_header(made, output);
    for (std::size_t i = 0; i < rows_.size() && !output.failed(); ++i) {
      text_.clear();
      state(rows_[i], 0, first_[i] == kNoNode ? total_ns_ : place_[first_[i]].begin_ns, kIdle);
      output.write({text_.data(), text_.size()});
    }
    auto ending = by_end_.begin();
    auto beginning = by_begin_.begin();
    const double all = static_cast<double>(by_end_.size() + by_begin_.size());
    for (std::size_t done = 0; !output.failed() && (ending != by_end_.end() || beginning != by_begin_.end()); ++done) {
      if (progress && done % kProgressEvery == 0) progress(static_cast<double>(done) / all, "writing records");
      text_.clear();
      const bool ends = beginning == by_begin_.end() ||
                        (ending != by_end_.end() && place_[*ending].end_ns <= place_[*beginning].begin_ns);
      const std::int64_t now_ns = ends ? place_[*ending].end_ns : place_[*beginning].begin_ns;
      for (; !later_pieces_.empty() && std::get<0>(later_pieces_.top()) <= now_ns; later_pieces_.pop())
        text_.append(std::get<std::string>(later_pieces_.top()));
      if (ends) {
        end(*ending++);
      } else {
        begin(*beginning++);
      }
      output.write({text_.data(), text_.size()});
    }
  }

  void write_names(Output& output) const {
    output.write(
        "DEFAULT_OPTIONS\n\n"
        "LEVEL               THREAD\n"
        "UNITS               NANOSEC\n"
        "LOOK_BACK           100\n"
        "SPEED               1\n"
        "FLAG_ICONS          ENABLED\n"
        "NUM_OF_STATE_COLORS 1000\n"
        "YMAX_SCALE          37\n\n\n"
        "DEFAULT_SEMANTIC\n\n"
        "THREAD_FUNC          State As Is\n\n\n"
        "STATES\n"
        "0    Idle\n"
        "1    Running\n\n\n"
        "STATES_COLOR\n"
        "0    {117,195,255}\n"
        "1    {0,0,255}\n\n\n");
    add(output, "EVENT_TYPE\n0    {}    Kernel\nVALUES\n0    End\n", kKernelEvent);
    for (std::size_t kernel = 0; kernel < graph_.kernel_names.size(); ++kernel)
      add(output, "{}    {}\n", kernel + 1, one_line(graph_.kernel_names[kernel]));
    add(output, "\n\nEVENT_TYPE\n0    {}    Task\n\n", kTaskEvent);
    if (loops_.shares().empty()) return;
    add(output,
        "\nEVENT_TYPE\n0    {}    Loop\nVALUES\n0    End\n1    static\n2    static with chunks\n3    dynamic\n"
        "4    guided\n{}    unknown schedule\n\n",
        kLoopEvent, kUnknownSchedule);
    output.write(fmt::format("\nEVENT_TYPE\n0    {}    First iteration of the piece, from 1\n\n", kIterationEvent));
    add(output, "\nEVENT_TYPE\n0    {}    Iterations of the piece\n\n", kPieceEvent);
  }

  void write_rows(Output& output) const {
    const bool has_ranks = ranks_.size() > 1;
    if (!timeline_.is_one_pool || !has_ranks) {
      add(output, "LEVEL CPU SIZE {}\n", rows_.size());
      for (const Row& row : rows_) add(output, "core {}.{}\n", ranks_[row.rank], row.worker);
    }
    add(output, "\nLEVEL TASK SIZE {}\n", ranks_.size());
    for (const std::uint32_t rank : ranks_)
      output.write(has_ranks ? fmt::format("rank {}\n", rank) : one_line(timeline_.program) + "\n");
    add(output, "\nLEVEL THREAD SIZE {}\n", rows_.size());
    for (const Row& row : rows_) {
      output.write(has_ranks ? fmt::format("rank {} worker {}\n", ranks_[row.rank], row.worker)
                             : fmt::format("worker {}\n", row.worker));
    }
  }

 private:
  // A thread of Paraver's: a worker, of one rank.
  struct Row {
    std::uint32_t rank = 0;    // index into ranks_
    std::uint32_t thread = 1;  // within the rank, from 1
    std::uint32_t cpu = 1;     // of the machine, from 1
    std::uint32_t worker = 0;
    bool has_pieces = false;  // the strand that runs is in a piece of a loop
  };

  void find_ranks() {
    std::set<std::uint32_t> ranks(timeline_.node_of_worker.begin(), timeline_.node_of_worker.end());
    if (ranks.empty() && !graph_.node.empty()) {
      for (const NodeIndex node : by_begin_) ranks.insert(graph_.node[node]);
    }
    if (ranks.empty()) ranks.insert(0);
    ranks_.assign(ranks.begin(), ranks.end());
  }

  // One rank shows all its workers, those without work included, as does a platform; of several ranks whose workers are
  // not known each shows those that worked for it.
  void find_rows() {
    using RankWorker = std::pair<std::uint32_t, std::uint32_t>;
    const std::vector<std::uint32_t>& node_of = timeline_.node_of_worker;
    const bool are_workers_known = ranks_.size() == 1 || !node_of.empty();
    const auto row_key = [&](std::uint32_t worker, NodeIndex node) -> RankWorker {
      if (ranks_.size() == 1) return {0, worker};
      const std::uint32_t rank =
          are_workers_known ? node_of[std::min<std::size_t>(worker, node_of.size() - 1)] : graph_.node[node];
      return {static_cast<std::uint32_t>(std::lower_bound(ranks_.begin(), ranks_.end(), rank) - ranks_.begin()),
              worker};
    };
    std::set<RankWorker> seen;
    auto workers = std::max<std::size_t>({timeline_.workers, node_of.size(), 1});
    for (const NodeIndex node : by_begin_) {
      seen.insert(row_key(place_[node].worker, node));
      workers = std::max<std::size_t>(workers, place_[node].worker + std::size_t{1});
    }
    if (are_workers_known)
      for (std::uint32_t worker = 0; worker < workers; ++worker) seen.insert(row_key(worker, kNoNode));
    const std::vector<RankWorker> keys(seen.begin(), seen.end());
    for (const auto& [rank, worker] : keys) {
      const bool is_first = rows_.empty() || rows_.back().rank != rank;
      const auto number = static_cast<std::uint32_t>(rows_.size()) + 1;
      rows_.push_back({.rank = rank,
                       .thread = is_first ? 1 : rows_.back().thread + 1,
                       .cpu = timeline_.is_one_pool ? worker + 1 : number,
                       .worker = worker});
    }
    for (const NodeIndex node : by_begin_) {
      const auto found = std::lower_bound(keys.begin(), keys.end(), row_key(place_[node].worker, node));
      row_of_[node] = static_cast<std::uint32_t>(found - keys.begin());
    }
  }

  // A worker does one thing at a time: where a damaged recording says otherwise, the later strand is clipped.
  void put_in_order() {
    const auto earlier = [this](NodeIndex a, NodeIndex b) {
      const StrandPlace& left = place_[a];
      const StrandPlace& right = place_[b];
      return left.begin_ns != right.begin_ns ? left.begin_ns < right.begin_ns : left.end_ns < right.end_ns;
    };
    std::stable_sort(by_begin_.begin(), by_begin_.end(), earlier);
    std::vector<std::int64_t> free_from(rows_.size(), 0);
    std::vector<NodeIndex> last(rows_.size(), kNoNode);
    first_ = last;
    for (const NodeIndex node : by_begin_) {
      StrandPlace& place = place_[node];
      const std::uint32_t row = row_of_[node];
      place.begin_ns = std::max(place.begin_ns, free_from[row]);
      place.end_ns = std::max(place.end_ns, place.begin_ns);
      free_from[row] = place.end_ns;
      total_ns_ = std::max(total_ns_, place.end_ns);
      if (place.begin_ns == place.end_ns) continue;
      by_end_.push_back(node);
      (last[row] == kNoNode ? first_[row] : next_[last[row]]) = node;
      last[row] = node;
    }
    if (!std::is_sorted(by_begin_.begin(), by_begin_.end(), earlier))
      std::stable_sort(by_begin_.begin(), by_begin_.end(), earlier);
    std::stable_sort(by_end_.begin(), by_end_.end(),
                     [this](NodeIndex a, NodeIndex b) { return place_[a].end_ns < place_[b].end_ns; });
  }

  // "#Paraver (dd/mm/yyyy at hh:mm):TIME_ns:NODES(CPUS,...):APPLICATIONS:TASKS(THREADS:NODE,...)"
  void write_header(std::time_t made, Output& output) {
    std::tm date{};
    ::localtime_r(&made, &date);

    std::vector<std::uint32_t> threads(ranks_.size(), 0);
    std::uint32_t pool = timeline_.workers;
    for (const Row& row : rows_) {
      ++threads[row.rank];
      pool = std::max(pool, row.worker + 1);
    }
    const bool is_one_node = timeline_.is_one_pool || ranks_.size() == 1;
    std::string machine;
    std::string application;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      const char* const comma = rank == 0 ? "" : ",";
      if (!is_one_node) machine += fmt::format("{}{}", comma, threads[rank]);
      application += fmt::format("{}{}:{}", comma, threads[rank], is_one_node ? 1 : rank + 1);
    }
    if (is_one_node) machine = fmt::format("{}", pool);
    add(output, "#Paraver ({:%d/%m/%Y at %H:%M}):{}_ns:{}({}):1:{}({})\n", date, total_ns_,
        is_one_node ? 1 : ranks_.size(), machine, ranks_.size(), application);
  }

  void state(const Row& row, std::int64_t begin_ns, std::int64_t end_ns, int state) {
    if (begin_ns == end_ns) return;
    add(text_, "1:{}:{}:{}:{}\n", at(row.cpu, row.rank, row.thread), begin_ns, end_ns, state);
  }

  void begin(NodeIndex node) {
    const StrandPlace& place = place_[node];
    const Row& row = rows_[row_of_[node]];
    state(row, place.begin_ns, place.end_ns, kRunning);
    const std::uint64_t task = graph_.task_of_node.empty() ? node : graph_.task_of_node[node];
    add(text_, "2:{}:{}:{}:{}:{}:{}", at(row.cpu, row.rank, row.thread), place.begin_ns, kKernelEvent,
        graph_.kernel[node] + std::uint64_t{1}, kTaskEvent, task + 1);
    begin_loop(node);
    text_.push_back('\n');
    if (place.end_ns == place.begin_ns) end(node);
  }

  // The events that a loop adds to its share's begin.
  void begin_loop(NodeIndex node) {
    const RecordedLoops::Share* const share = loops_.share_of(node);
    if (share == nullptr) return;
    add(text_, ":{}:{}", kLoopEvent, schedule_value(graph_.team.loops[share->loop]));
    Row& row = rows_[row_of_[node]];
    const std::span<const PieceTime> pieces = loops_.pieces_in(node, place_[node]);
    row.has_pieces = !pieces.empty();
    if (row.has_pieces) text_.append(piece_events(*pieces.front().piece));
    for (std::size_t i = 1; i < pieces.size(); ++i)
      later_pieces_.emplace(pieces[i].begin_ns, row_of_[node],
                            fmt::format("2:{}:{}{}\n", at(row.cpu, row.rank, row.thread), pieces[i].begin_ns,
                                        piece_events(*pieces[i].piece)));
  }

  void end(NodeIndex node) {
    const std::int64_t end_ns = place_[node].end_ns;
    Row& row = rows_[row_of_[node]];
    add(text_, "2:{}:{}:{}:0:{}:0", at(row.cpu, row.rank, row.thread), end_ns, kKernelEvent, kTaskEvent);
    if (loops_.share_of(node) != nullptr) add(text_, ":{}:0", kLoopEvent);
    if (std::exchange(row.has_pieces, false)) add(text_, ":{}:0:{}:0", kIterationEvent, kPieceEvent);
    text_.push_back('\n');
    communications(node);
    if (end_ns == place_[node].begin_ns) return;
    state(row, end_ns, next_[node] == kNoNode ? total_ns_ : place_[next_[node]].begin_ns, kIdle);
  }

  // What a node made ready, but for the continuation of its own task: sent at its end, received at the other's begin.
  void communications(NodeIndex node) {
    const Row& from = rows_[row_of_[node]];
    const std::int64_t sent_ns = place_[node].end_ns;
    for (std::uint64_t edge = graph_.first_successor[node]; edge < graph_.first_successor[node + 1]; ++edge) {
      const EdgeKind kind = graph_.edge_kind.empty() ? EdgeKind::kDependence : graph_.edge_kind[edge];
      const NodeIndex next = graph_.successors[edge];
      if (kind == EdgeKind::kContinuation || !graph_.occupies_worker(next)) continue;
      const Row& to = rows_[row_of_[next]];
      const std::int64_t received_ns = std::max(place_[next].begin_ns, sent_ns);
      add(text_, "3:{}:{}:{}:{}:{}:{}:{}:{}\n", at(from.cpu, from.rank, from.thread), sent_ns, sent_ns,
          at(to.cpu, to.rank, to.thread), received_ns, received_ns,
          graph_.edge_bytes.empty() ? 0 : graph_.edge_bytes[edge], static_cast<int>(kind));
    }
  }

  const Timeline& timeline_;
  const analysis::TaskGraph& graph_;
  std::vector<analysis::StrandPlace> place_;  // clipped: those of a row never overlap
  std::int64_t total_ns_ = 0;
  std::vector<std::uint32_t> ranks_;  // the machine's nodes that something ran on, ascending
  std::vector<Row> rows_;
  std::vector<std::uint32_t> row_of_;  // one a node
  std::vector<NodeIndex> by_begin_;    // those that occupied a worker
  std::vector<NodeIndex> by_end_;      // of them, those that took time
  std::vector<NodeIndex> next_;        // on the same row, of those that took time
  std::vector<NodeIndex> first_;       // of each row
  RecordedLoops loops_;
  // Of the strands that run, the records of pieces to come: begin in ns, row, text. Those of one strand a row at most.
  using LaterPiece = std::tuple<std::int64_t, std::uint32_t, std::string>;
  std::priority_queue<LaterPiece, std::vector<LaterPiece>, std::greater<>> later_pieces_;
  Text text_;  // of the records at hand
};

}  // namespace

void write_paraver(const Timeline& timeline, std::time_t made, const analysis::Progress& progress, Output& records,
                   Output& names, Output& rows) {
  ParaverTrace trace(timeline);
  trace.write_names(names);
  trace.write_rows(rows);
  trace.write_records(made, progress, records);
}

}  // namespace foretask::report
