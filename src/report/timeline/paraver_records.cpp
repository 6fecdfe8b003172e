// SPDX-License-Identifier: Apache-2.0
// The .prv: a header and one record a line, by time.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "report/timeline/paraver.hpp"

namespace foretask::report {

using analysis::EdgeKind;
using analysis::kNoNode;
using analysis::StrandPlace;

namespace {

constexpr int kIdle = 0;
constexpr int kRunning = 1;
constexpr std::size_t kProgressEvery = 1U << 16;

// Where a record is: cpu, application, task, thread.
std::string at(std::uint32_t cpu, std::uint32_t rank, std::uint32_t thread) {
  return fmt::format("{}:1:{}:{}", cpu, rank + 1, thread);
}

ParaverSchedule schedule_of(const analysis::TeamLoop& loop) {
  switch (loop.schedule) {
    case analysis::LoopSchedule::kStatic:
      return loop.is_schedule_known ? ParaverSchedule::kStatic : ParaverSchedule::kUnknown;
    case analysis::LoopSchedule::kStaticChunked:
      return ParaverSchedule::kStaticChunked;
    case analysis::LoopSchedule::kDynamic:
      return ParaverSchedule::kDynamic;
    case analysis::LoopSchedule::kGuided:
      return ParaverSchedule::kGuided;
  }
  return ParaverSchedule::kUnknown;
}

std::string piece_events(const analysis::LoopPiece& piece) {
  return fmt::format(":{}:{}:{}:{}", kParaverIterationEvent, piece.first + 1, kParaverPieceEvent, piece.iterations);
}

}  // namespace

// "#Paraver (dd/mm/yyyy at hh:mm):TIME_ns:NODES(CPUS,...):APPLICATIONS:TASKS(THREADS:NODE,...)"
void ParaverTrace::write_header(std::time_t made, Output& output) {
  std::tm date{};
  ::localtime_r(&made, &date);
  std::array<char, 32> when{};
  std::strftime(when.data(), when.size(), "%d/%m/%Y at %H:%M", &date);

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
  output.write(fmt::format("#Paraver ({}):{}_ns:{}({}):1:{}({})\n", when.data(), total_ns_,
                           is_one_node ? 1 : ranks_.size(), machine, ranks_.size(), application));
}

void ParaverTrace::state(const Row& row, std::int64_t begin_ns, std::int64_t end_ns, int state) {
  if (begin_ns == end_ns) return;
  fmt::format_to(std::back_inserter(text_), "1:{}:{}:{}:{}\n", at(row.cpu, row.rank, row.thread), begin_ns, end_ns,
                 state);
}

void ParaverTrace::begin(NodeIndex node) {
  const StrandPlace& place = place_[node];
  const Row& row = rows_[row_of_[node]];
  state(row, place.begin_ns, place.end_ns, kRunning);
  const std::uint64_t task = graph_.task_of_node.empty() ? node : graph_.task_of_node[node];
  fmt::format_to(std::back_inserter(text_), "2:{}:{}:{}:{}:{}:{}", at(row.cpu, row.rank, row.thread), place.begin_ns,
                 kParaverKernelEvent, graph_.kernel[node] + std::uint64_t{1}, kParaverTaskEvent, task + 1);
  begin_loop(node);
  text_ += '\n';
  if (place.end_ns == place.begin_ns) end(node);
}

// The events that a loop adds to its share's begin.
void ParaverTrace::begin_loop(NodeIndex node) {
  const RecordedLoops::Share* const share = loops_.share_of(node);
  if (share == nullptr) return;
  fmt::format_to(std::back_inserter(text_), ":{}:{}", kParaverLoopEvent,
                 static_cast<int>(schedule_of(graph_.team.loops[share->loop])));
  const std::span<const PieceTime> pieces = loops_.pieces_in(node, place_[node]);
  pieces_.begin(row_of_[node], pieces);
  if (!pieces.empty()) text_ += piece_events(*pieces.front().piece);
}

// On to another piece of the same share.
void ParaverTrace::next_piece() {
  const OpenPieces::Next next = pieces_.take_next();
  const Row& row = rows_[next.row];
  fmt::format_to(std::back_inserter(text_), "2:{}:{}{}\n", at(row.cpu, row.rank, row.thread), next.time.begin_ns,
                 piece_events(*next.time.piece));
}

void ParaverTrace::end(NodeIndex node) {
  const std::int64_t end_ns = place_[node].end_ns;
  const Row& row = rows_[row_of_[node]];
  fmt::format_to(std::back_inserter(text_), "2:{}:{}:{}:0:{}:0", at(row.cpu, row.rank, row.thread), end_ns,
                 kParaverKernelEvent, kParaverTaskEvent);
  if (loops_.share_of(node) != nullptr) fmt::format_to(std::back_inserter(text_), ":{}:0", kParaverLoopEvent);
  if (pieces_.end(row_of_[node]))
    fmt::format_to(std::back_inserter(text_), ":{}:0:{}:0", kParaverIterationEvent, kParaverPieceEvent);
  text_ += '\n';
  communications(node);
  if (end_ns == place_[node].begin_ns) return;
  state(row, end_ns, next_[node] == kNoNode ? total_ns_ : place_[next_[node]].begin_ns, kIdle);
}

// What a node made ready, but for the continuation of its own task: sent at its end, received at the other's begin.
void ParaverTrace::communications(NodeIndex node) {
  const Row& from = rows_[row_of_[node]];
  const std::int64_t sent_ns = place_[node].end_ns;
  for (std::uint64_t edge = graph_.first_successor[node]; edge < graph_.first_successor[node + 1]; ++edge) {
    const EdgeKind kind = graph_.edge_kind.empty() ? EdgeKind::kDependence : graph_.edge_kind[edge];
    const NodeIndex next = graph_.successors[edge];
    if (kind == EdgeKind::kContinuation || !graph_.occupies_worker(next)) continue;
    const Row& to = rows_[row_of_[next]];
    const std::int64_t received_ns = std::max(place_[next].begin_ns, sent_ns);
    fmt::format_to(std::back_inserter(text_), "3:{}:{}:{}:{}:{}:{}:{}:{}\n", at(from.cpu, from.rank, from.thread),
                   sent_ns, sent_ns, at(to.cpu, to.rank, to.thread), received_ns, received_ns,
                   graph_.edge_bytes.empty() ? 0 : graph_.edge_bytes[edge], static_cast<int>(kind));
  }
}

// Ends before begins at each instant: what closes is closed before what follows opens.
void ParaverTrace::write_records(std::time_t made, const analysis::Progress& progress, Output& output) {
  write_header(made, output);
  for (std::size_t i = 0; i < rows_.size() && !output.failed(); ++i) {
    text_.clear();
    state(rows_[i], 0, first_[i] == kNoNode ? total_ns_ : place_[first_[i]].begin_ns, kIdle);
    output.write(text_);
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
    while (pieces_.has_next(now_ns)) next_piece();
    if (ends) {
      end(*ending++);
    } else {
      begin(*beginning++);
    }
    output.write(text_);
  }
}

}  // namespace foretask::report
