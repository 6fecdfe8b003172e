// SPDX-License-Identifier: Apache-2.0
#include "trace/run_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "trace/event_names.hpp"

namespace foretask::trace {
namespace {

using nlohmann::json;
constexpr std::size_t kBlockBytes = 16 << 10;
constexpr std::size_t kRoomBytes = 4 << 10;
// The program's end, which is written into a description that is otherwise complete.
constexpr std::size_t kExitBytes = 64;
// Ticks a second that a counter may have: times are worked out in 64-bit ns.
constexpr double kSlowestClock = 1e3;
constexpr double kFastestClock = 1e12;
constexpr std::int64_t kLatestNs = std::int64_t{1} << 61;

using Pairs = std::vector<std::pair<std::string, std::string>>;

json object_of(const Pairs& pairs) {
  json object = json::object();
  for (const auto& [name, value] : pairs) object[name] = value;
  return object;
}

Pairs pairs_of(const json& object) {
  Pairs pairs;
  for (const auto& [name, value] : object.items())
    pairs.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
  return pairs;
}

json machine_json(const record::Machine& machine) {
  json places = json::array();
  for (const record::ProcessorPlace& place : machine.places)
    places.push_back({{"processor", place.processor},
                      {"core", place.core},
                      {"last_level_cache", place.last_level_cache},
                      {"numa_node", place.numa_node},
                      {"package", place.package}});
  return {{"host", machine.host},
          {"processor_model", machine.processor_model},
          {"cores", machine.cores},
          {"processors", machine.processors},
          {"processors_usable", machine.processors_usable},
          {"memory_bytes", machine.memory_bytes},
          {"fingerprint", machine.fingerprint},
          {"places", places}};
}

record::Machine machine_of(const json& object) {
  record::Machine machine;
  machine.host = object.value("host", "");
  machine.processor_model = object.value("processor_model", "");
  machine.cores = object.value("cores", 0U);
  machine.processors = object.value("processors", 0U);
  machine.processors_usable = object.value("processors_usable", 0U);
  machine.memory_bytes = object.value("memory_bytes", std::uint64_t{0});
  machine.fingerprint = object.value("fingerprint", "");
  for (const json& place : object.value("places", json::array()))
    machine.places.push_back({.processor = place.value("processor", 0U),
                              .core = place.value("core", 0U),
                              .last_level_cache = place.value("last_level_cache", 0U),
                              .numa_node = place.value("numa_node", 0U),
                              .package = place.value("package", 0U)});
  return machine;
}

json modules_json(const std::vector<record::Module>& modules) {
  json array = json::array();
  for (const record::Module& module : modules)
    array.push_back({{"path", module.path},
                     {"base", module.base},
                     {"begin", module.begin},
                     {"end", module.end},
                     {"build_id", module.build_id}});
  return array;
}

std::vector<record::Module> modules_of(const json& array) {
  std::vector<record::Module> modules;
  for (const json& entry : array)
    modules.push_back({.path = entry.value("path", ""),
                       .base = entry.value("base", std::uint64_t{0}),
                       .begin = entry.value("begin", std::uint64_t{0}),
                       .end = entry.value("end", std::uint64_t{0}),
                       .build_id = entry.value("build_id", "")});
  return modules;
}

json pair_json(const base::ClockPair& pair) { return {{"ticks", pair.ticks}, {"monotonic_ns", pair.monotonic_ns}}; }

// A time on CLOCK_MONOTONIC, or a length of time; 0, which is unknown, where no clock can have said so.
std::int64_t ns_of(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_integer()) return 0;
  const auto ns = found->get<std::int64_t>();
  return ns >= 0 && ns <= kLatestNs ? ns : 0;
}

base::ClockPair pair_of(const json& object) {
  return {object.value("ticks", base::Ticks{0}), ns_of(object, "monotonic_ns")};
}

json costs_json(const record::ProbeCosts& costs) {
  json object = json::object();
  for (const EventDescription& event : kEvents) object[std::string(event.name)] = costs[event.kind];
  return object;
}

record::ProbeCosts costs_of(const json& object) {
  record::ProbeCosts costs{};
  for (const EventDescription& event : kEvents) {
    const double cost = object.value(std::string(event.name), 0.0);
    if (cost > 0 && cost < 1e6) costs[event.kind] = cost;
  }
  return costs;
}

std::vector<std::uint64_t> stream_bytes_of(const json& array) {
  std::vector<std::uint64_t> bytes;
  for (const json& size : array)
    if (bytes.size() < record::kMaxStreams) bytes.push_back(size.is_number_unsigned() ? size.get<std::uint64_t>() : 0);
  return bytes;
}

json counters_json(const std::vector<Counter>& counters) {
  json array = json::array();
  for (const Counter& counter : counters) {
    json entry{{"name", counter.name}, {"status", counter.status}};
    if (!counter.reason.empty()) entry["reason"] = counter.reason;
    if (counter.status == kCounterOk) entry["per_read"] = counter.per_read;
    array.push_back(std::move(entry));
  }
  return array;
}

std::vector<Counter> counters_of(const json& array) {
  std::vector<Counter> counters;
  for (const json& entry : array) {
    const double per_read = entry.value("per_read", 0.0);
    counters.push_back({entry.value("name", ""), entry.value("status", ""), entry.value("reason", ""),
                        per_read > 0 && per_read < 1e9 ? per_read : 0});
  }
  return counters;
}

bool is_count(const json& value) {
  return value.is_number_unsigned() && value.get<std::uint64_t>() <= std::numeric_limits<std::uint32_t>::max();
}

bool has_dash_before(std::size_t byte) { return byte == 4 || byte == 6 || byte == 8 || byte == 10; }

RunFile run_of(const json& root) {
  RunFile run;
  run.format_version = root.value("foretask_run", 0U);
  run.state = root.value("state", "");
  run.program = root.value("program", "");
  run.command = root.value("command", std::vector<std::string>{});
  run.folder = root.value("folder", "");
  run.pid = root.value("pid", std::int64_t{0});
  run.started = root.value("started", "");
  run.version = root.value("version", "");
  run.trace_id = trace_id_of(root.value("trace_id", ""));
  const json runtime = root.value("runtime", json::object());
  run.runtime = runtime.value("name", "");
  run.runtime_version = runtime.value("version", "");
  run.stand_in = runtime.value("stand_in", "");
  run.machine = machine_of(root.value("machine", json::object()));
  const json clock = root.value("clock", json::object());
  run.clock_source = clock.value("source", "");
  run.ticks_per_second = clock.value("ticks_per_second", 1e9);
  run.start = pair_of(clock.value("start", json::object()));
  run.end = pair_of(clock.value("end", json::object()));
  run.launch_ns = ns_of(clock, "launch_ns");
  run.tool_end_ns = ns_of(clock, "tool_end_ns");
  run.exit_ns = ns_of(clock, "exit_ns");
  const json exit = root.value("exit", json::object());
  run.exit_code = exit.value("code", 0);
  run.exit_signal = exit.value("signal", 0);
  run.probe_costs = costs_of(root.value("probe_costs_ns", json::object()));
  run.modules = modules_of(root.value("modules", json::array()));
  run.params = pairs_of(root.value("params", json::object()));
  run.environment = pairs_of(root.value("environment", json::object()));
  const json losses = root.value("losses", json::object());
  run.rank = root.value("rank", 0U);
  run.ranks = std::max(1U, root.value("ranks", 1U));
  run.job = root.value("job", "");
  run.streams = root.value("streams", 0U);
  run.stream_bytes = stream_bytes_of(root.value("stream_bytes", json::array()));
  run.dropped_events = losses.value("dropped_events", std::uint64_t{0});
  run.streams_refused = losses.value("streams_refused", 0U);
  run.loss_reason = losses.value("reason", "");
  run.counters = counters_of(root.value("counters", json::array()));
  run.counter_sampling = std::max(1U, root.value("counter_sampling", 1U));
  run.threads_without_counters = losses.value("threads_without_counters", 0U);
  run.counter_runs = std::clamp(root.value("counter_runs", 1U), 1U, kMostCounterRuns);
  return run;
}

}  // namespace

std::string trace_id_text(const record::TraceId& id) {
  std::string text;
  for (std::size_t i = 0; i < id.size(); ++i) {
    if (has_dash_before(i)) text += '-';
    std::array<char, 3> hex{};
    std::snprintf(hex.data(), hex.size(), "%02x", static_cast<unsigned>(id[i]));
    text += hex.data();
  }
  return text;
}

record::TraceId trace_id_of(std::string_view text) {
  record::TraceId id{};
  for (std::size_t i = 0; i < id.size(); ++i) {
    if (has_dash_before(i) && !text.empty()) text.remove_prefix(1);
    const char* const end = text.data() + std::min<std::size_t>(2, text.size());
    const auto [rest, error] = std::from_chars(text.data(), end, id[i], 16);
    if (error != std::errc() || rest != text.data() + 2) return {};
    text.remove_prefix(2);
  }
  return id;
}

std::string to_json(const RunFile& run, std::size_t bytes) {
  const json root = {
      {"foretask_run", record::kFormatVersion},
      {"state", run.state},
      {"program", run.program},
      {"command", run.command},
      {"folder", run.folder},
      {"pid", run.pid},
      {"started", run.started},
      {"version", run.version},
      {"trace_id", trace_id_text(run.trace_id)},
      {"runtime", {{"name", run.runtime}, {"version", run.runtime_version}, {"stand_in", run.stand_in}}},
      {"machine", machine_json(run.machine)},
      {"clock",
       {{"source", run.clock_source},
        {"ticks_per_second", run.ticks_per_second},
        {"start", pair_json(run.start)},
        {"end", pair_json(run.end)},
        {"launch_ns", run.launch_ns},
        {"tool_end_ns", run.tool_end_ns},
        {"exit_ns", run.exit_ns}}},
      {"exit", {{"code", run.exit_code}, {"signal", run.exit_signal}}},
      {"probe_costs_ns", costs_json(run.probe_costs)},
      {"modules", modules_json(run.modules)},
      {"params", object_of(run.params)},
      {"environment", object_of(run.environment)},
      {"rank", run.rank},
      {"ranks", run.ranks},
      {"job", run.job},
      {"streams", run.streams},
      {"stream_bytes", run.stream_bytes},
      {"losses",
       {{"dropped_events", run.dropped_events},
        {"streams_refused", run.streams_refused},
        {"threads_without_counters", run.threads_without_counters},
        {"reason", run.loss_reason}}},
      {"counters", counters_json(run.counters)},
      {"counter_sampling", run.counter_sampling},
      {"counter_runs", run.counter_runs},
  };
  // A command line need not be UTF-8; what is not is replaced rather than refused.
  std::string text = root.dump(1, ' ', false, json::error_handler_t::replace);
  const std::size_t later = run.exit_ns == 0 ? kExitBytes : 0;
  if (text.size() + later >= bytes) bytes = (text.size() + kRoomBytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
  text.resize(bytes, ' ');
  text.back() = '\n';
  return text;
}

Result<RunFile> read_run_file(const std::string& path) {
  Result<std::string> content = base::read_file(path, std::size_t{64} << 20);
  if (!content) return content.error();
  try {
    const json root = json::parse(*content);
    if (!root.is_object() || !root.contains("foretask_run")) return Error{"is no description of a recording", path};
    for (const char* const count : {"rank", "ranks"})
      if (root.contains(count) && !is_count(root[count]))
        return Error{std::string("cannot be understood: \"") + count + "\" is no count of processes", path};
    RunFile run = run_of(root);
    if (run.format_version != record::kFormatVersion)
      return Error{"has format version " + std::to_string(run.format_version) + ", this foretask reads " +
                       std::to_string(record::kFormatVersion),
                   path};
    if (!(run.ticks_per_second >= kSlowestClock && run.ticks_per_second <= kFastestClock))
      return Error{"cannot be understood: no clock has " + std::to_string(run.ticks_per_second) + " ticks a second",
                   path};
    return run;
  } catch (const json::exception& problem) {
    return Error{std::string("cannot be understood: ") + problem.what(), path};
  }
}

}  // namespace foretask::trace
