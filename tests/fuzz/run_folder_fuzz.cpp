// SPDX-License-Identifier: Apache-2.0
// Any bytes as the streams of a recording: a graph is built whose sums hold, in time and memory that the bytes justify.
// So do those of the graph with small tasks as plain calls.
//
//   byte 0           bits 0-1: streams, 1 to 3; bit 2: probes cost something; bits 3-4: counters; bit 7: what follows
//   is
//                    events, not bytes
//   bytes 1-4        lengths of the first two streams, 16 bits each, where they are bytes; the last takes the rest
//   or 3 + n an event: kind and worker, ticks since the one before, flags, n words of the payload, a byte each
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "foretask/analysis/coarse_graph.hpp"
#include "graph/reconstruction/graph_builder.hpp"
#include "graph/reconstruction/path_analysis.hpp"
#include "graph/reconstruction/trace_census.hpp"
#include "unit/trace/stream_bytes.hpp"

namespace {

using Bytes = std::vector<std::uint8_t>;
namespace graph = foretask::graph;
namespace trace = foretask::trace;

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", what);
  std::abort();
}

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
  [[nodiscard]] bool empty() const { return at_ == end_; }
  std::uint8_t byte() { return empty() ? 0 : *at_++; }
  Bytes bytes(std::size_t count) {
    const std::uint8_t* from = at_;
    at_ += std::min<std::size_t>(count, static_cast<std::size_t>(end_ - at_));
    return {from, at_};
  }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

std::vector<Bytes> streams_of_bytes(Input& input, std::size_t count) {
  std::size_t lengths[2];
  for (std::size_t& length : lengths) {
    length = input.byte();
    length |= std::size_t{input.byte()} << 8;
  }
  std::vector<Bytes> streams;
  for (std::size_t i = 0; i + 1 < count; ++i) streams.push_back(input.bytes(lengths[i]));
  streams.push_back(input.bytes(~std::size_t{0}));
  return streams;
}

// A payload's word: small numbers, so that events speak of tasks that exist, and the largest, which is a name of its
// own.
std::uint32_t word_of(std::uint8_t byte) { return byte == 255 ? ~0U : byte; }

std::vector<Bytes> streams_of_events(Input& input, std::size_t count) {
  std::vector<foretask::test::StreamBytes> writers;
  for (std::uint32_t i = 0; i < count; ++i) writers.emplace_back(i);
  std::uint64_t now = 0;
  while (!input.empty()) {
    const std::uint8_t first = input.byte();
    const std::uint32_t kind = 1 + first % (FORETASK_EVENT_KINDS - 1);
    foretask::test::StreamBytes& writer = writers[first / (FORETASK_EVENT_KINDS - 1) % count];
    now += input.byte();
    const std::uint8_t flags = input.byte();
    if (flags & 1) now += std::uint64_t{1} << 27;
    if (flags & 2) writer.new_packet();
    const foretask::trace::PayloadShape shape = foretask::trace::kPayloadShapes[kind];
    if (!shape.is_event) continue;
    std::vector<std::uint32_t> payload;
    const auto fill = [&](std::size_t size) {
      while (payload.size() < size) payload.push_back(word_of(input.byte()));
    };
    if (shape.most_items != 0) {
      fill(shape.head_words - std::size_t{1});
      payload.push_back(input.byte() % (shape.most_items + 1U));
    } else {
      payload.push_back(0);  // a place to read the size of
    }
    const std::uint32_t size = shape.size(payload.data());
    if (shape.most_items == 0) payload.clear();
    fill(size);
    writer.event(now, kind, payload, (flags & 4) != 0);
  }
  std::vector<Bytes> streams;
  for (const auto& writer : writers) streams.push_back(writer.bytes());
  return streams;
}

std::vector<trace::StreamReader> readers_of(const std::vector<Bytes>& streams) {
  std::vector<trace::StreamReader> readers;
  for (const Bytes& bytes : streams) readers.push_back(trace::StreamReader::from_memory(bytes.data(), bytes.size()));
  return readers;
}

void check_sums(const graph::RecordedGraph& built) {
  const graph::StrandTable& strands = built.strands;
  std::int64_t work = 0;
  for (const std::int64_t duration : strands.duration_ns) {
    check(duration >= 0, "no strand is of negative length");
    check(!__builtin_add_overflow(work, duration, &work) || built.elapsed_ns > 1'000'000'000'000'000, "work fits");
  }
  for (const std::uint32_t task : strands.task) check(task < built.kernel_of_task.size(), "every strand has a task");
  for (const std::uint32_t kernel : built.kernel_of_task) check(kernel < built.kernels.size(), "every task a kernel");
  check(built.kernels.size() == built.kernel_totals.size(), "every kernel has its sums");
  std::size_t counted = 0;
  for (std::uint32_t task = 0; task < built.kernel_of_task.size(); ++task) {
    const double* const values = built.counters.find(task);
    counted += values ? 1 : 0;
    for (std::uint32_t i = 0; values && i < built.counters.width(); ++i) check(values[i] >= 0, "no count is below 0");
  }
  check(counted == built.counters.size(), "what is counted is a task's");
  for (std::size_t i = 0; i < strands.size(); ++i)
    check(strands.duration_ns[i] == 0 || built.kernel_totals[built.kernel_of_task[strands.task[i]]].count != 0,
          "what ran is counted in its kernel");
  for (std::size_t i = 0; i < built.edges.size(); ++i) {
    check(built.edges.from[i] < built.edges.to[i], "edges lead forwards");
    check(built.edges.to[i] < strands.size(), "edges lead to strands");
    check(i == 0 || built.edges.to[i - 1] <= built.edges.to[i], "edges are grouped by target");
  }
  // Doubles hold ns exactly up to some 100 days; damaged stamps may be centuries away.
  if (built.oversubscribed_ns != 0 || built.recorded_elapsed_ns > 1'000'000'000'000'000) return;
  check(built.elapsed_ns >= 0 && built.delay_ns >= 0 && built.no_work_ns >= 0, "no time is below nothing");
  const double sum =
      static_cast<double>(built.work_ns) + static_cast<double>(built.delay_ns) + static_cast<double>(built.no_work_ns);
  const double whole = static_cast<double>(built.workers) * static_cast<double>(built.elapsed_ns);
  constexpr double kFits = 9e18;  // more of the workers' time does not fit into 63 bits
  check(whole > kFits || std::abs(sum - whole) <= 3 + built.workers + 1e-6 * whole,
        "work + delay + no_work is p times elapsed");
}

// Small tasks become plain calls, whatever the tasks are: the graph that is left has the same work, and no cycle.
void check_coarse(const foretask::analysis::TaskGraph& from, std::int64_t grain_ns) {
  const auto coarse = foretask::analysis::coarsened(from, {.grain_ns = grain_ns, .kernels = {}});
  if (!coarse) return;  // a task before its creation, in a damaged trace
  const foretask::analysis::TaskGraph& graph = coarse->graph;
  constexpr std::int64_t kFits = 1'000'000'000'000'000'000;
  const std::int64_t work = foretask::analysis::work_ns(from);
  check(work > kFits || foretask::analysis::work_ns(graph) == work, "calls change no work");
  check(graph.size() <= from.size() && graph.edge_count() <= from.edge_count(), "calls add nothing");
  std::uint64_t tasks = from.parent_of_task.size();
  for (const foretask::analysis::NodeSubtree& subtree : from.subtrees) tasks += subtree.tasks;
  check(graph.parent_of_task.size() + coarse->calls <= tasks, "a call is a task less");
  for (std::uint32_t task = 0; task < graph.parent_of_task.size(); ++task)
    check(graph.parent_of_task[task] == graph::kNoNode || graph.parent_of_task[task] < task, "parents come first");
  for (const std::uint32_t task : graph.task_of_node) check(task < graph.parent_of_task.size(), "tasks are left");
  for (graph::NodeIndex node = 0; node < graph.size(); ++node)
    for (std::uint64_t e = graph.first_successor[node]; e < graph.first_successor[node + 1]; ++e)
      check(graph.successors[e] > node && graph.successors[e] < graph.size(), "edges that are left lead forwards");
  for (const auto& strand : graph.team.strands) check(strand.node < graph.size(), "a team's strands are left");
}

foretask::analysis::TaskGraph graph_of(graph::RecordedGraph&& built) {
  foretask::analysis::TaskGraph into;
  graph::fill_successors(std::move(built.edges), built.strands.size(), into);
  for (const std::uint32_t task : built.strands.task) into.kernel.push_back(built.kernel_of_task[task]);
  into.kernel_names.resize(built.kernels.size());
  into.duration_ns = std::move(built.strands.duration_ns);
  into.task_of_node = std::move(built.strands.task);
  into.cores = std::move(built.strands.cores);
  into.parent_of_task = std::move(built.parent_of_task);
  into.task_is_untied = std::move(built.task_is_untied);
  into.team_start = built.team_start;
  into.subtrees = std::move(built.subtrees);
  into.team = std::move(built.team);
  return into;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const std::uint8_t options = input.byte();
  const std::size_t count = 1 + std::size_t{options & 3U} % 3;
  const std::vector<Bytes> streams =
      (options & 128) != 0 ? streams_of_events(input, count) : streams_of_bytes(input, count);

  std::vector<trace::StreamReader> first = readers_of(streams);
  const graph::TraceCensus census = graph::take_census(first, [](std::uint64_t) {});
  std::size_t total = 0;
  for (const Bytes& bytes : streams) total += bytes.size();
  check(census.events <= total / 4, "an event takes a word at least");
  std::uint64_t tasks = 0;
  std::uint64_t regions = 0;
  for (const graph::StreamCensus& stream : census.streams) {
    tasks += stream.tasks;
    regions += stream.regions;
  }
  check(tasks <= total / 4, "no more tasks are expected than the bytes could hold");
  check(regions <= total / 4, "no more regions are expected than the bytes could hold");

  graph::BuildOptions build;
  build.start_ticks = census.first_ticks;
  if ((options & 4) != 0) build.probe_costs.fill(20.5);
  build.counter_bias.assign((options >> 3) % 4, 3.5);
  std::vector<trace::StreamReader> second = readers_of(streams);
  graph::RecordedGraph built = graph::build_graph(second, census, build);
  check(built.strands.size() <= 4 * census.events + 4, "an event makes a few strands at most");
  check_sums(built);

  const graph::Path longest = graph::longest_work_path(built);
  check(longest.nodes.size() <= built.strands.size(), "a path passes a strand once");
  (void)graph::largest_delay_path(built);
  (void)graph::longest_gaps(built, graph::last_finisher_path(built), 10);
  check(graph::burdened_span_ns(built, 0, built.strands.duration_ns) == longest.length, "no burden, no difference");
  const std::size_t edges = built.edges.size();
  const foretask::analysis::TaskGraph whole = graph_of(std::move(built));
  check(whole.successors.size() == edges, "no edge is lost");
  for (const std::int64_t grain_ns : {std::int64_t{1}, std::int64_t{1000}, std::int64_t{1} << 62})
    check_coarse(whole, grain_ns);
  return 0;
}
