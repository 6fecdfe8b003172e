// SPDX-License-Identifier: Apache-2.0
#include "trace/run_file.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/json_text.hpp"
#include "base/number_text.hpp"
#include "trace/event_table.hpp"
#include "trace/packet.hpp"
#include "trace/run_fields.hpp"

namespace foretask::trace {
namespace {

using nlohmann::json;
constexpr std::size_t kBlockBytes = 16 << 10;
constexpr std::size_t kRoomBytes = 4 << 10;
// What is written into a description that is otherwise complete: the program's end, its unrecorded runs.
constexpr std::size_t kLaterBytes = 1 << 10;
// How the checksum's line begins: of the outermost object's keys alone, since those further in stand further right.
constexpr std::string_view kChecksumKey = "\n \"checksum\": \"";
constexpr std::size_t kChecksumDigits = 16;

constexpr std::size_t kLargestFile = std::size_t{64} << 20;
// Ticks a second that a counter may have: times are worked out in 64-bit ns.
constexpr double kSlowestClock = 1e3;
constexpr double kFastestClock = 1e12;
constexpr std::int64_t kLatestNs = std::int64_t{1} << 61;
constexpr double kMostProbeNs = 1e6;
constexpr double kMostPerRead = 1e9;
constexpr double kMostCores = 1e6;

// The fields, which to_json() writes and read_run_file() reads: `fields` is a FieldWriter or a FieldReader, which the
// limits are for.

void place_fields(auto& fields, auto& place) {
  fields.value("processor", place.processor);
  fields.value("core", place.core);
  fields.value("last_level_cache", place.last_level_cache);
  fields.value("numa_node", place.numa_node);
  fields.value("package", place.package);
}

void machine_fields(auto& fields, auto& machine) {
  fields.value("host", machine.host);
  fields.value("processor_model", machine.processor_model);
  fields.value("cores", machine.cores);
  fields.value("processors", machine.processors);
  fields.value("processors_usable", machine.processors_usable);
  fields.value("memory_bytes", machine.memory_bytes);
  fields.value("fingerprint", machine.fingerprint);
  fields.list("places", machine.places, [](auto& inner, auto& place) { place_fields(inner, place); });
}

void module_fields(auto& fields, auto& module) {
  fields.value("path", module.path);
  fields.value("base", module.base);
  fields.value("begin", module.begin);
  fields.value("end", module.end);
  fields.value("build_id", module.build_id);
}

// A time on CLOCK_MONOTONIC, or a length of time.
void ns_field(auto& fields, const char* name, auto& ns) { fields.value(name, ns, std::int64_t{0}, kLatestNs); }

void clock_pair_fields(auto& fields, auto& pair) {
  fields.value("ticks", pair.ticks);
  ns_field(fields, "monotonic_ns", pair.monotonic_ns);
}

void clock_fields(auto& fields, auto& run) {
  fields.value("source", run.clock_source);
  fields.value("ticks_per_second", run.ticks_per_second, kSlowestClock, kFastestClock);
  fields.object("start", [&](auto& inner) { clock_pair_fields(inner, run.start); });
  fields.object("end", [&](auto& inner) { clock_pair_fields(inner, run.end); });
  ns_field(fields, "launch_ns", run.launch_ns);
  ns_field(fields, "tool_end_ns", run.tool_end_ns);
  ns_field(fields, "exit_ns", run.exit_ns);
  ns_field(fields, "cpu_ns", run.cpu_ns);
}

void counter_fields(auto& fields, auto& counter) {
  fields.value("name", counter.name);
  fields.value("status", counter.status);
  fields.value_if(!counter.reason.empty(), "reason", counter.reason);
  fields.value_if(counter.status == kCounterOk, "per_read", counter.per_read, 0.0, kMostPerRead);
}

void launched_fields(auto& fields, auto& run) {
  fields.value("runtime", run.runtime);
  ns_field(fields, "elapsed_ns", run.elapsed_ns);
  fields.value("exit_code", run.exit_code);
  fields.value("signal", run.signal);
}

void baseline_fields(auto& fields, auto& baseline) {
  launched_fields(fields, baseline.own);
  fields.object("recorded", [&](auto& inner) { launched_fields(inner, baseline.recorded); });
}

void run_fields(auto& fields, auto& run) {
  fields.value("foretask_run", run.format_version);
  fields.value("state", run.state);
  fields.value("program", run.program);
  fields.value("command", run.command);
  fields.value("folder", run.folder);
  ns_field(fields, "pid", run.pid);
  fields.value("started", run.started);
  fields.value("version", run.version);
  fields.value("trace_id", run.trace_id);
  fields.object("runtime", [&](auto& inner) {
    inner.value("name", run.runtime);
    inner.value("version", run.runtime_version);
  });
  fields.object("machine", [&](auto& inner) { machine_fields(inner, run.machine); });
  fields.object("core_limits", [&](auto& inner) {
    inner.value("quota", run.core_limits.quota, 0.0, kMostCores);
    ns_field(inner, "throttled_ns", run.core_limits.throttled_ns);
    inner.value("threads_beyond_processors", run.core_limits.threads_beyond_processors);
  });
  fields.object("clock", [&](auto& inner) { clock_fields(inner, run); });
  fields.object("exit", [&](auto& inner) {
    inner.value("code", run.exit_code);
    inner.value("signal", run.exit_signal);
  });
  fields.object("probe_costs_ns", [&](auto& inner) {
    for (const EventDescription& event : kEvents)
      inner.value(std::string(event.name).c_str(), run.probe_costs[event.kind], 0.0, kMostProbeNs);
  });
  fields.object("runtime_costs", [&](auto& inner) { runtime_costs_fields(inner, run.runtime_costs); });
  fields.list("modules", run.modules, [](auto& inner, auto& module) { module_fields(inner, module); });
  fields.value("params", run.params);
  fields.value("environment", run.environment);
  fields.value("rank", run.rank);
  fields.value("ranks", run.ranks);
  fields.value("job", run.job);
  fields.object("launch", [&](auto& inner) {
    ns_field(inner, "start_ns", run.launch.start_ns);
    inner.value("process", run.launch.process);
    ns_field(inner, "parent", run.launch.parent);
    inner.value("most_processes", run.launch.most_processes);
  });
  fields.value("streams", run.streams);
  fields.value("stream_bytes", run.stream_bytes, kMaxStreams);
  fields.object("losses", [&](auto& inner) {
    inner.value("dropped_events", run.dropped_events);
    inner.value("streams_refused", run.streams_refused);
    inner.value("threads_without_counters", run.threads_without_counters);
    inner.value("reason", run.loss_reason);
  });
  fields.list("counters", run.counters, [](auto& inner, auto& counter) { counter_fields(inner, counter); });
  fields.value("counter_sampling", run.counter_sampling);
  fields.value("grain_ns", run.grain_ns);
  fields.value("counter_runs", run.counter_runs, 0U, kMostCounterRuns);
  fields.object("code_sampling", [&](auto& inner) {
    inner.value("period_ns", run.code_sampling.period_ns);
    inner.value("samples", run.code_sampling.samples);
    inner.value("lost", run.code_sampling.lost);
    inner.value("reason", run.code_sampling.reason);
  });
  fields.object_if(run.baseline.own.elapsed_ns != 0, "baseline",
                   [&](auto& inner) { baseline_fields(inner, run.baseline); });
}

// Where the checksum's digits are in `text`; npos where it has none.
std::size_t checksum_place(std::string_view text) {
  const std::size_t at = text.find(kChecksumKey);
  if (at == std::string_view::npos) return at;
  const std::size_t digits = at + kChecksumKey.size();
  return text.size() - digits > kChecksumDigits && text[digits + kChecksumDigits] == '"' ? digits
                                                                                         : std::string_view::npos;
}

// Of a description without its padding, its own digits taken for zeros.
std::string checksum_digits(std::string text, std::size_t place) {
  text.replace(place, kChecksumDigits, kChecksumDigits, '0');
  return base::text_of("%016llx", static_cast<unsigned long long>(trace::checksum_of(text.data(), text.size())));
}

bool has_dash_before(std::size_t byte) { return byte == 4 || byte == 6 || byte == 8 || byte == 10; }

}  // namespace

std::string trace_id_text(const trace::TraceId& id) {
  std::string text;
  for (std::size_t i = 0; i < id.size(); ++i) {
    if (has_dash_before(i)) text += '-';
    text += base::text_of("%02x", static_cast<unsigned>(id[i]));
  }
  return text;
}

trace::TraceId trace_id_of(std::string_view text) {
  trace::TraceId id{};
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
  FieldWriter fields;
  run_fields(fields, run);
  json root = fields.take();
  if (run.format_version == 0) root["foretask_run"] = kFormatVersion;
  root["checksum"] = std::string(kChecksumDigits, '0');
  // A command line need not be UTF-8; what is not is replaced rather than refused.
  std::string text = root.dump(1, ' ', false, json::error_handler_t::replace);
  const std::size_t place = checksum_place(text);
  text.replace(place, kChecksumDigits, checksum_digits(text, place));
  const std::size_t later = run.exit_ns == 0 ? kLaterBytes : 0;
  if (text.size() + later >= bytes) bytes = (text.size() + kRoomBytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
  text.resize(bytes, ' ');
  text.back() = '\n';
  return text;
}

bool checksum_matches(std::string_view text) {
  const std::size_t place = checksum_place(text);
  if (place == std::string_view::npos) return true;
  const std::size_t end = text.find_last_not_of(" \n") + 1;
  return checksum_digits(std::string(text.substr(0, end)), place) == text.substr(place, kChecksumDigits);
}

Result<RunFile> read_run_file(const std::string& path) {
  const Result<std::string> content = base::read_file(path, kLargestFile);
  if (!content) return content.error();
  const Result<json> root = base::parse_json<json>(*content, {.size_bytes = kLargestFile});
  if (!root) return Error{"cannot be understood: " + root.error().what, path, root.error().line};
  if (!root->is_object() || !root->contains("foretask_run") || !(*root)["foretask_run"].is_number_unsigned())
    return Error{"does not describe a recording", path};
  RunFile run;
  FieldReader fields(*root, "", run.wrong_fields);
  run_fields(fields, run);
  run.ranks = std::max(1U, run.ranks);
  run.counter_sampling = std::max(1U, run.counter_sampling);
  run.counter_runs = std::max(1U, run.counter_runs);
  if (!trace::is_readable_version(run.format_version))
    return Error{"has format version " + std::to_string(run.format_version) + ", this foretask reads " +
                     std::to_string(trace::kVersionWithoutChecksum) + " and " + std::to_string(trace::kFormatVersion),
                 path};
  run.is_changed = !checksum_matches(*content);
  return run;
}

}  // namespace foretask::trace
