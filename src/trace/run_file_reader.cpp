// SPDX-License-Identifier: Apache-2.0
// The reading half of run_file.hpp.
#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/json_text.hpp"
#include "trace/event_table.hpp"
#include "trace/run_fields.hpp"
#include "trace/run_file.hpp"

namespace foretask::trace {
namespace {

using nlohmann::json;

constexpr std::size_t kLargestFile = std::size_t{64} << 20;
// Ticks a second that a counter may have: times are worked out in 64-bit ns.
constexpr double kSlowestClock = 1e3;
constexpr double kFastestClock = 1e12;
constexpr std::int64_t kLatestNs = std::int64_t{1} << 61;
constexpr double kMostProbeNs = 1e6;
constexpr double kMostPerRead = 1e9;
constexpr std::int64_t kAnyInt = std::int64_t{1} << 31;

trace::Machine machine_of(const RunFields& fields) {
  trace::Machine machine;
  machine.host = fields.text("host");
  machine.processor_model = fields.text("processor_model");
  machine.cores = fields.count<std::uint32_t>("cores");
  machine.processors = fields.count<std::uint32_t>("processors");
  machine.processors_usable = fields.count<std::uint32_t>("processors_usable");
  machine.memory_bytes = fields.count<std::uint64_t>("memory_bytes");
  machine.fingerprint = fields.text("fingerprint");
  for (const RunFields& place : fields.objects("places"))
    machine.places.push_back({.processor = place.count<std::uint32_t>("processor"),
                              .core = place.count<std::uint32_t>("core"),
                              .last_level_cache = place.count<std::uint32_t>("last_level_cache"),
                              .numa_node = place.count<std::uint32_t>("numa_node"),
                              .package = place.count<std::uint32_t>("package")});
  return machine;
}

std::vector<trace::Module> modules_of(const RunFields& root) {
  std::vector<trace::Module> modules;
  for (const RunFields& entry : root.objects("modules"))
    modules.push_back({.path = entry.text("path"),
                       .base = entry.count<std::uint64_t>("base"),
                       .begin = entry.count<std::uint64_t>("begin"),
                       .end = entry.count<std::uint64_t>("end"),
                       .build_id = entry.text("build_id")});
  return modules;
}

// A time on CLOCK_MONOTONIC, or a length of time.
std::int64_t ns_of(const RunFields& fields, const char* name) { return fields.integer(name, 0, 0, kLatestNs); }

base::ClockPair pair_of(const RunFields& fields) {
  return {fields.count<base::Ticks>("ticks"), ns_of(fields, "monotonic_ns")};
}

trace::ProbeCosts costs_of(const RunFields& fields) {
  trace::ProbeCosts costs{};
  for (const EventDescription& event : kEvents)
    costs[event.kind] = fields.number(std::string(event.name).c_str(), 0, 0, kMostProbeNs);
  return costs;
}

std::vector<Counter> counters_of(const RunFields& root) {
  std::vector<Counter> counters;
  for (const RunFields& entry : root.objects("counters"))
    counters.push_back(
        {entry.text("name"), entry.text("status"), entry.text("reason"), entry.number("per_read", 0, 0, kMostPerRead)});
  return counters;
}

void read_clock(const RunFields& clock, RunFile& run) {
  run.clock_source = clock.text("source");
  run.ticks_per_second = clock.number("ticks_per_second", 1e9, kSlowestClock, kFastestClock);
  run.start = pair_of(clock.object("start"));
  run.end = pair_of(clock.object("end"));
  run.launch_ns = ns_of(clock, "launch_ns");
  run.tool_end_ns = ns_of(clock, "tool_end_ns");
  run.exit_ns = ns_of(clock, "exit_ns");
}

RunFile run_of(const json& object) {
  RunFile run;
  const RunFields root(object, "", run.wrong_fields);
  run.format_version = root.count<std::uint32_t>("foretask_run");
  run.state = root.text("state");
  run.program = root.text("program");
  run.command = root.texts("command");
  run.folder = root.text("folder");
  run.pid = root.integer("pid", 0, 0, kLatestNs);
  run.started = root.text("started");
  run.version = root.text("version");
  const std::string id = root.text("trace_id");
  run.trace_id = trace_id_of(id);
  if (run.trace_id == trace::TraceId{} && !id.empty() && id != trace_id_text({}))
    run.wrong_fields.emplace_back("trace_id");
  const RunFields runtime = root.object("runtime");
  run.runtime = runtime.text("name");
  run.runtime_version = runtime.text("version");
  run.stand_in = runtime.text("stand_in");
  run.machine = machine_of(root.object("machine"));
  read_clock(root.object("clock"), run);
  const RunFields exit = root.object("exit");
  run.exit_code = static_cast<int>(exit.integer("code", 0, -kAnyInt, kAnyInt - 1));
  run.exit_signal = static_cast<int>(exit.integer("signal", 0, -kAnyInt, kAnyInt - 1));
  run.probe_costs = costs_of(root.object("probe_costs_ns"));
  run.modules = modules_of(root);
  run.params = root.pairs("params");
  run.environment = root.pairs("environment");
  run.rank = root.count<std::uint32_t>("rank");
  run.ranks = std::max(1U, root.count<std::uint32_t>("ranks", 1));
  run.job = root.text("job");
  run.streams = root.count<std::uint32_t>("streams");
  run.stream_bytes = root.counts("stream_bytes", trace::kMaxStreams);
  const RunFields losses = root.object("losses");
  run.dropped_events = losses.count<std::uint64_t>("dropped_events");
  run.streams_refused = losses.count<std::uint32_t>("streams_refused");
  run.threads_without_counters = losses.count<std::uint32_t>("threads_without_counters");
  run.loss_reason = losses.text("reason");
  run.counters = counters_of(root);
  run.counter_sampling = std::max(1U, root.count<std::uint32_t>("counter_sampling", 1));
  run.counter_runs = std::max(1U, root.count<std::uint32_t>("counter_runs", 1, kMostCounterRuns));
  return run;
}

}  // namespace

Result<RunFile> read_run_file(const std::string& path) {
  const Result<std::string> content = base::read_file(path, kLargestFile);
  if (!content) return content.error();
  const Result<json> root = base::parse_json<json>(*content, {.size_bytes = kLargestFile});
  if (!root) return Error{"cannot be understood: " + root.error().what, path, root.error().line};
  if (!root->is_object() || !root->contains("foretask_run") || !(*root)["foretask_run"].is_number_unsigned())
    return Error{"does not describe a recording", path};
  RunFile run = run_of(*root);
  if (run.format_version != trace::kFormatVersion && run.format_version != trace::kVersionWithoutChecksum)
    return Error{"has format version " + std::to_string(run.format_version) + ", this foretask reads " +
                     std::to_string(trace::kVersionWithoutChecksum) + " and " + std::to_string(trace::kFormatVersion),
                 path};
  run.is_changed = !checksum_matches(*content);
  return run;
}

}  // namespace foretask::trace
