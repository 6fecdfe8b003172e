// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "report/json_output.hpp"
#include "report/timeline/graph_export.hpp"
#include "report/timeline/recorded_loops.hpp"

namespace foretask::report {
namespace {

using analysis::NodeIndex;
using analysis::StrandPlace;

constexpr const char* kOfOne = " (single or masked)";
constexpr NodeIndex kProgressEvery = 1U << 16;

// Times are microseconds with three decimals: whole nanoseconds, exactly.
constexpr std::int64_t kMicro = 1000;

class PerfettoWriter {
 public:
  PerfettoWriter(const Timeline& timeline, const analysis::Progress& progress, Output& output)
      : graph_(timeline.graph), progress_(progress), output_(output), loops_(timeline), place_(graph_.size()) {
    for (NodeIndex i = 0; i < graph_.size(); ++i) {
      place_[i] = timeline.places(i);
      if (place_[i].worker != analysis::kNoWorker) order_.push_back(i);
    }
    for (const std::string& name : graph_.kernel_names) kernels_.push_back(json_string(name));
    std::stable_sort(order_.begin(), order_.end(), [this](NodeIndex a, NodeIndex b) {
      return place_[a].worker != place_[b].worker ? place_[a].worker < place_[b].worker
                                                  : place_[a].begin_ns < place_[b].begin_ns;
    });
  }

  void write(const std::string& program) {
    output_.write("{\"traceEvents\":[\n");
    event(R"({{"ph":"M","pid":1,"tid":0,"name":"process_name","args":{{"name":{}}}}})", json_string(program));
    write_tracks();
    write_slices();
    write_arrows();
    output_.write("\n],\"displayTimeUnit\":\"ns\"}\n");
  }

 private:
  template <typename... Args>
  void event(fmt::format_string<Args...> format, Args&&... args) {
    output_.write(std::exchange(separator_, ",\n"));
    add(output_, format, std::forward<Args>(args)...);
  }

  // Perfetto takes tid 0 for the idle thread: worker n is thread n + 1.
  static std::uint64_t track(const StrandPlace& place) { return std::uint64_t{place.worker} + 1; }

  void write_tracks() {
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const StrandPlace& place = place_[order_[i]];
      if (i != 0 && place_[order_[i - 1]].worker == place.worker) continue;
      event(R"({{"ph":"M","pid":1,"tid":{},"name":"thread_name","args":{{"name":"worker {}"}}}})", track(place),
            place.worker);
      event(R"({{"ph":"M","pid":1,"tid":{0},"name":"thread_sort_index","args":{{"sort_index":{0}}}}})", track(place));
    }
  }

  void report_progress(std::size_t done, const char* what) const {
    if (progress_ && done % kProgressEvery == 0)
      progress_(static_cast<double>(done) / static_cast<double>(graph_.size()), what);
  }

  // Clips place_ as it goes, so that the arrows meet the slices that were written.
  void write_slices() {
    std::int64_t free_from = 0;
    for (std::size_t i = 0; i < order_.size() && !output_.failed(); ++i) {
      report_progress(i, "writing slices");
      const NodeIndex node = order_[i];
      StrandPlace& place = place_[node];
      if (i == 0 || place_[order_[i - 1]].worker != place.worker) free_from = 0;
      place.begin_ns = std::max(place.begin_ns, free_from);
      place.end_ns = std::max(place.end_ns, place.begin_ns);
      free_from = place.end_ns;
      write_slice(node, place);
    }
  }

  void write_slice(NodeIndex node, const StrandPlace& place) {
    const RecordedLoops::Share* const share = loops_.share_of(node);
    const std::string name =
        loops_.is_of_one(node) ? json_string(graph_.kernel_names[graph_.kernel[node]] + kOfOne) : std::string();
    const std::int64_t length_ns = place.end_ns - place.begin_ns;
    event(R"({{"ph":"X","pid":1,"tid":{},"ts":{}.{:03},"dur":{}.{:03},"name":{},"args":{{"task":{},"strand":{}{}}}}})",
          track(place), place.begin_ns / kMicro, place.begin_ns % kMicro, length_ns / kMicro, length_ns % kMicro,
          name.empty() ? kernels_[graph_.kernel[node]] : name,
          graph_.task_of_node.empty() ? node : graph_.task_of_node[node], node,
          share == nullptr ? std::string() : args_of(*share));
    if (share == nullptr || share->pieces.size() < 2) return;
    for (const PieceTime& time : loops_.pieces_in(node, place)) write_piece(time, place);
  }

  // What the thread ran of the loop; nothing of its iterations where no piece was seen.
  [[nodiscard]] std::string args_of(const RecordedLoops::Share& share) const {
    const analysis::TeamLoop& loop = graph_.team.loops[share.loop];
    std::string args = fmt::format(R"(,"loop":{},"schedule":{})", share.loop, json_string(schedule_name(loop)));
    if (!share.pieces.empty()) args += fmt::format(R"(,"iterations":{})", share.iterations);
    if (loop.iterations != 0) args += fmt::format(R"(,"of_iterations":{})", loop.iterations);
    if (!share.pieces.empty()) args += fmt::format(R"(,"pieces":{})", share.pieces.size());
    return args;
  }

  void write_piece(const PieceTime& time, const StrandPlace& place) {
    const analysis::LoopPiece& piece = *time.piece;
    const std::int64_t length_ns = time.end_ns - time.begin_ns;
    event(R"({{"ph":"X","pid":1,"tid":{},"ts":{}.{:03},"dur":{}.{:03},"name":"{}","args":{{"iterations":{}}}}})",
          track(place), time.begin_ns / kMicro, time.begin_ns % kMicro, length_ns / kMicro, length_ns % kMicro,
          piece.first == piece.last ? fmt::format("iteration {}", piece.first)
                                    : fmt::format("iterations {}-{}", piece.first, piece.last),
          piece.iterations);
  }

  // An arrow binds to the slice that is open at its instant: it leaves at the last nanosecond of its slice and arrives
  // at the first. A slice without length has no inside to bind to.
  void write_arrows() {
    for (NodeIndex node = 0; node < graph_.size() && !output_.failed(); ++node) {
      report_progress(node, "writing arrows");
      const StrandPlace& from = place_[node];
      if (from.worker == analysis::kNoWorker) continue;
      for (std::uint64_t edge = graph_.first_successor[node]; edge < graph_.first_successor[node + 1]; ++edge) {
        const auto kind = graph_.edge_kind.empty() ? analysis::EdgeKind::kDependence : graph_.edge_kind[edge];
        if (kind != analysis::EdgeKind::kCreate && kind != analysis::EdgeKind::kDependence) continue;
        const StrandPlace& to = place_[graph_.successors[edge]];
        const std::int64_t leaves = std::min(from.end_ns - 1, to.begin_ns);
        if (leaves < from.begin_ns || to.begin_ns == to.end_ns || to.worker == analysis::kNoWorker) continue;
        const char* const name = kind == analysis::EdgeKind::kCreate ? "create" : "dependence";
        event(R"({{"ph":"s","pid":1,"tid":{},"ts":{}.{:03},"id":{},"cat":"{}","name":"{}"}})", track(from),
              leaves / kMicro, leaves % kMicro, edge + 1, name, name);
        event(R"({{"ph":"f","bp":"e","pid":1,"tid":{},"ts":{}.{:03},"id":{},"cat":"{}","name":"{}"}})", track(to),
              to.begin_ns / kMicro, to.begin_ns % kMicro, edge + 1, name, name);
      }
    }
  }

  const analysis::TaskGraph& graph_;
  const analysis::Progress& progress_;
  Output& output_;
  RecordedLoops loops_;
  std::vector<StrandPlace> place_;
  std::vector<NodeIndex> order_;  // by worker, then by begin
  std::vector<std::string> kernels_;
  const char* separator_ = "";
};

}  // namespace

void write_perfetto(const Timeline& timeline, const analysis::Progress& progress, Output& output) {
  PerfettoWriter(timeline, progress, output).write(timeline.program);
}

}  // namespace foretask::report
