// SPDX-License-Identifier: Apache-2.0
// Traces with chosen times, in ns from the program's start, and the graphs built from them as text that a test can
// write down by hand.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "foretask/hook.h"
#include "graph/reconstruction/graph_builder.hpp"
#include "graph/reconstruction/trace_census.hpp"
#include "unit/trace/stream_bytes.hpp"

namespace foretask::test {

// A task or a parallel region: which stream named it, and which of that stream's it is.
struct Name {
  std::uint32_t stream = 0;
  std::uint32_t number = 0;
};

using NamedCodes = std::vector<std::pair<std::uint64_t, std::uint32_t>>;   // code, kernel
using Dependences = std::vector<std::pair<std::uint64_t, std::uint32_t>>;  // address, kind

// One stream a worker. Times of a worker's events do not descend.
class TraceBuilder {
 public:
  static constexpr std::uint64_t kStart = 1'000'000;

  explicit TraceBuilder(std::uint32_t workers, std::uint32_t format_version = 2) {
    for (std::uint32_t worker = 0; worker < workers; ++worker) streams_.emplace_back(worker, kStart, format_version);
  }

  void event(std::uint32_t worker, std::int64_t at_ns, std::uint32_t kind,
             const std::vector<std::uint32_t>& payload = {}) {
    streams_[worker].event(kStart + static_cast<std::uint64_t>(at_ns), kind, payload);
  }

  // Tasks.
  Name create(std::uint32_t worker, std::int64_t at_ns, std::uint32_t flags = 0, std::uint32_t code = 0x1000) {
    const Name name = {worker, streams_[worker].next_task()};
    if (flags == 0) {
      event(worker, at_ns, FORETASK_EVENT_TASK_CREATE, {code});
    } else {
      event(worker, at_ns, FORETASK_EVENT_TASK_CREATE_FLAGGED, {code, flags});
    }
    return name;
  }
  Name create_after(std::uint32_t worker, std::int64_t at_ns, const Dependences& dependences, std::uint32_t flags = 0) {
    const Name name = create(worker, at_ns, flags | FORETASK_TASK_HAS_DEPENDENCES);
    std::vector<std::uint32_t> payload = {static_cast<std::uint32_t>(dependences.size())};
    for (const auto& [address, kind] : dependences) {
      payload.push_back(static_cast<std::uint32_t>(address));
      payload.push_back(static_cast<std::uint32_t>(address >> 32));
      payload.push_back(kind);
    }
    event(worker, at_ns, FORETASK_EVENT_DEPENDENCES, payload);
    return name;
  }
  // An annotated task, with what it reads (1), writes (2) or both (3); it starts at once.
  struct Range {
    std::uint64_t address;
    std::uint64_t bytes;
    std::uint32_t kind;
  };
  Name begin_annotated(std::uint32_t worker, std::int64_t at_ns, const std::vector<Range>& ranges) {
    const Name name = create(worker, at_ns, FORETASK_TASK_HAS_DEPENDENCES);
    for (const Range& range : ranges) {
      std::vector<std::uint32_t> payload = {1};
      append64(payload, range.address);
      append64(payload, range.bytes);
      payload.push_back(range.kind);
      event(worker, at_ns, FORETASK_EVENT_ACCESSES, payload);
    }
    run(worker, at_ns, name);
    return name;
  }
  void run(std::uint32_t worker, std::int64_t at_ns, Name task) {
    if (task.stream == worker) {
      event(worker, at_ns, FORETASK_EVENT_TASK_SWITCH_OWN, {task.number});
    } else {
      event(worker, at_ns, FORETASK_EVENT_TASK_SWITCH, {task.number, task.stream});
    }
  }
  void end(std::uint32_t worker, std::int64_t at_ns) { event(worker, at_ns, FORETASK_EVENT_TASK_END); }
  void detach(std::uint32_t worker, std::int64_t at_ns) { event(worker, at_ns, FORETASK_EVENT_TASK_DETACH); }
  void fulfill(std::uint32_t worker, std::int64_t at_ns, Name task) {
    event(worker, at_ns, FORETASK_EVENT_TASK_FULFILL, {task.number, task.stream});
  }

  // Waits.
  void wait(std::uint32_t worker, std::int64_t from_ns) { event(worker, from_ns, FORETASK_EVENT_WAIT_BEGIN); }
  void wait_end(std::uint32_t worker, std::int64_t at_ns) { event(worker, at_ns, FORETASK_EVENT_WAIT_END); }
  void group(std::uint32_t worker, std::int64_t at_ns) { event(worker, at_ns, FORETASK_EVENT_GROUP_BEGIN); }
  void group_wait(std::uint32_t worker, std::int64_t at_ns) { event(worker, at_ns, FORETASK_EVENT_GROUP_WAIT); }
  void group_end(std::uint32_t worker, std::int64_t at_ns) { event(worker, at_ns, FORETASK_EVENT_GROUP_END); }
  void barrier(std::uint32_t worker, std::int64_t from_ns) { event(worker, from_ns, FORETASK_EVENT_BARRIER_BEGIN); }
  void barrier_end(std::uint32_t worker, std::int64_t at_ns) { event(worker, at_ns, FORETASK_EVENT_BARRIER_END); }
  void want(std::uint32_t worker, std::int64_t at_ns, std::uint32_t lock = 1, std::uint32_t kind = 5) {
    event(worker, at_ns, FORETASK_EVENT_LOCK_WAIT, {lock, 0, kind});
  }
  void acquire(std::uint32_t worker, std::int64_t at_ns, std::uint32_t lock = 1) {
    event(worker, at_ns, FORETASK_EVENT_LOCK_ACQUIRED, {lock, 0});
  }
  void release(std::uint32_t worker, std::int64_t at_ns, std::uint32_t lock = 1) {
    event(worker, at_ns, FORETASK_EVENT_LOCK_RELEASED, {lock, 0});
  }

  // Regions and their members.
  Name initial(std::uint32_t worker, std::int64_t at_ns) {
    return implicit_(worker, at_ns, {FORETASK_INITIAL_REGION, FORETASK_INITIAL_REGION}, 1, 0);
  }
  Name fork(std::uint32_t worker, std::int64_t at_ns, std::uint32_t code = 0x9000) {
    const Name name = {worker, streams_[worker].next_region()};
    event(worker, at_ns, FORETASK_EVENT_REGION_BEGIN, {code, 0});
    return name;
  }
  Name member(std::uint32_t worker, std::int64_t at_ns, Name region, std::uint32_t team_size, std::uint32_t index) {
    return implicit_(worker, at_ns, region, team_size, index);
  }
  void member_end(std::uint32_t worker, std::int64_t at_ns, Name task) {
    event(worker, at_ns, FORETASK_EVENT_IMPLICIT_END, {task.number, task.stream});
  }
  void join(std::uint32_t worker, std::int64_t at_ns, Name region) {
    event(worker, at_ns, FORETASK_EVENT_REGION_END, {region.number, region.stream});
  }

  // A program's beginning: initial task from 0, fork at 10, all members of the team begin at 20.
  std::vector<Name> begin_team(std::uint32_t team_size) {
    initial_ = initial(0, 0);
    region_ = fork(0, 10);
    for (std::uint32_t index = 0; index < team_size; ++index)
      members_.push_back(member(index, 20, region_, team_size, index));
    return members_;
  }
  // Its end: the last barrier until at + 10, the first member's end at + 20, the region's at + 30, the program's at
  // + 40. The others of the team have come to the barrier already and hear no more.
  void end_team(std::int64_t at_ns) {
    barrier(0, at_ns);
    barrier_end(0, at_ns + 10);
    member_end(0, at_ns + 20, members_.front());
    join(0, at_ns + 30, region_);
    member_end(0, at_ns + 40, initial_);
  }

  StreamBytes& stream(std::uint32_t worker) { return streams_[worker]; }

  // Counters and what the program says of its tasks.
  void counters(std::uint32_t worker, std::int64_t at_ns, const std::vector<std::uint64_t>& values) {
    std::vector<std::uint32_t> payload = {static_cast<std::uint32_t>(values.size())};
    for (const std::uint64_t value : values) append64(payload, value);
    event(worker, at_ns, FORETASK_EVENT_TASK_COUNTERS, payload);
  }
  void kernel(std::uint32_t worker, std::int64_t at_ns, std::uint32_t id, const std::vector<double>& parameters) {
    std::vector<std::uint32_t> payload = {id, static_cast<std::uint32_t>(parameters.size())};
    for (const double value : parameters) append64(payload, std::bit_cast<std::uint64_t>(value));
    event(worker, at_ns, FORETASK_EVENT_TASK_KERNEL, payload);
  }
  void parameter(std::uint32_t worker, std::int64_t at_ns, std::uint32_t index, double value) {
    std::vector<std::uint32_t> payload = {index};
    append64(payload, std::bit_cast<std::uint64_t>(value));
    event(worker, at_ns, FORETASK_EVENT_TASK_PARAMETER, payload);
  }
  void sample(std::uint32_t worker, std::int64_t at_ns, std::uint32_t id, double duration_ns,
              const std::vector<double>& parameters) {
    std::vector<std::uint32_t> payload = {id};
    append64(payload, std::bit_cast<std::uint64_t>(duration_ns));
    payload.push_back(static_cast<std::uint32_t>(parameters.size()));
    for (const double value : parameters) append64(payload, std::bit_cast<std::uint64_t>(value));
    event(worker, at_ns, FORETASK_EVENT_KERNEL_SAMPLE, payload);
  }

  // `counter_bias`: one a counter that the trace has.
  [[nodiscard]] graph::RecordedGraph build(const trace::ProbeCosts& costs = {}, std::int64_t exit_ns = 0,
                                           const std::vector<double>& counter_bias = {}, bool rename_buffers = false,
                                           const std::vector<analysis::TeamCosts>& team_costs = {},
                                           const NamedCodes& named_codes = {}, std::uint32_t processors = 0) const {
    std::vector<std::vector<std::uint8_t>> bytes;
    for (const StreamBytes& stream : streams_) bytes.push_back(stream.bytes());
    const auto readers = [&] {
      std::vector<trace::StreamReader> result;
      for (const auto& stream : bytes) result.push_back(trace::StreamReader::from_memory(stream.data(), stream.size()));
      return result;
    };
    std::vector<trace::StreamReader> first = readers();
    const graph::TraceCensus census = graph::take_census(first, [](std::uint64_t) {});
    std::vector<trace::StreamReader> second = readers();
    graph::BuildOptions options;
    options.start_ticks = kStart;
    options.probe_costs = costs;
    options.exit_ns = exit_ns;
    options.counter_bias = counter_bias;
    options.rename_buffers = rename_buffers;
    options.team_costs = team_costs;
    options.named_codes = named_codes;
    options.processors = processors;
    return graph::build_graph(second, census, options);
  }

 private:
  static void append64(std::vector<std::uint32_t>& payload, std::uint64_t value) {
    payload.push_back(static_cast<std::uint32_t>(value));
    payload.push_back(static_cast<std::uint32_t>(value >> 32));
  }
  Name implicit_(std::uint32_t worker, std::int64_t at_ns, Name region, std::uint32_t team_size, std::uint32_t index) {
    const Name name = {worker, streams_[worker].next_task()};
    event(worker, at_ns, FORETASK_EVENT_IMPLICIT_BEGIN, {region.number, region.stream, team_size, index});
    return name;
  }

  std::vector<StreamBytes> streams_;
  Name initial_;
  Name region_;
  std::vector<Name> members_;
};

// "task@worker begin-end", and the net duration where it is another; "task* time" for a join node.
inline std::vector<std::string> strands_of(const graph::RecordedGraph& graph) {
  std::vector<std::string> lines;
  const graph::StrandTable& strands = graph.strands;
  for (std::size_t i = 0; i < strands.size(); ++i) {
    std::string line = std::to_string(strands.task[i]);
    if (strands.cores[i] == 0) {
      line += "* " + std::to_string(strands.begin_ns[i]);
    } else {
      line += "@" + std::to_string(strands.worker[i]) + " " + std::to_string(strands.begin_ns[i]) + "-" +
              std::to_string(strands.end_ns[i]);
    }
    if (strands.duration_ns[i] != strands.end_ns[i] - strands.begin_ns[i])
      line += " net " + std::to_string(strands.duration_ns[i]);
    lines.push_back(line);
  }
  return lines;
}

// "from>to" in the graph's order, with c for a continuation, n for a creation, j for a join, d for a dependence.
inline std::vector<std::string> edges_of(const graph::RecordedGraph& graph) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < graph.edges.size(); ++i)
    lines.push_back(std::to_string(graph.edges.from[i]) + ">" + std::to_string(graph.edges.to[i]) +
                    "dcnj"[static_cast<std::size_t>(graph.edges.kind[i])]);
  return lines;
}

// The edges into one strand, sorted as text.
inline std::vector<std::string> edges_into(const graph::RecordedGraph& graph, graph::NodeIndex strand) {
  std::vector<std::string> lines;
  for (std::string line : edges_of(graph))
    if (line.substr(line.find('>') + 1, line.size() - line.find('>') - 2) == std::to_string(strand))
      lines.push_back(std::move(line));
  std::sort(lines.begin(), lines.end());
  return lines;
}

// p times elapsed is work, delay and no work; edges lead forwards and are grouped by target. What breaks it, or "".
inline std::string contradiction(const graph::RecordedGraph& graph) {
  std::int64_t work = 0;
  for (const std::int64_t duration : graph.strands.duration_ns) {
    if (duration < 0) return "a strand of negative length";
    work += duration;
  }
  if (work != graph.work_ns + graph.outside_ns) return "the nodes' sum is not the work and the waiting outside";
  const std::int64_t sum = graph.work_ns + graph.delay_ns + graph.no_work_ns;
  const std::int64_t whole = graph.elapsed_ns * graph.workers;
  // Each of the terms is rounded to a ns of its own, elapsed times p.
  if (graph.oversubscribed_ns == 0 && std::abs(sum - whole) > 3 + graph.workers)
    return "work + delay + no_work = " + std::to_string(sum) + ", p * elapsed = " + std::to_string(whole);
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    if (graph.edges.from[i] >= graph.edges.to[i]) return "an edge leads backwards";
    if (graph.edges.to[i] >= graph.strands.size()) return "an edge leads nowhere";
    if (i != 0 && graph.edges.to[i] < graph.edges.to[i - 1]) return "edges are not grouped by target";
  }
  return "";
}

}  // namespace foretask::test
