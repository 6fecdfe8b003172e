// SPDX-License-Identifier: Apache-2.0
#include "trace/run_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "trace/event_table.hpp"
#include "trace/packet_checksum.hpp"

namespace foretask::trace {
namespace {

using nlohmann::json;
constexpr std::size_t kBlockBytes = 16 << 10;
constexpr std::size_t kRoomBytes = 4 << 10;
// The program's end, which is written into a description that is otherwise complete.
constexpr std::size_t kExitBytes = 64;
// How the checksum's line begins: of the outermost object's keys alone, since those further in stand further right.
constexpr std::string_view kChecksumKey = "\n \"checksum\": \"";
constexpr std::size_t kChecksumDigits = 16;

using Pairs = std::vector<std::pair<std::string, std::string>>;

json object_of(const Pairs& pairs) {
  json object = json::object();
  for (const auto& [name, value] : pairs) object[name] = value;
  return object;
}

json machine_json(const trace::Machine& machine) {
  json places = json::array();
  for (const trace::ProcessorPlace& place : machine.places)
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

json modules_json(const std::vector<trace::Module>& modules) {
  json array = json::array();
  for (const trace::Module& module : modules)
    array.push_back({{"path", module.path},
                     {"base", module.base},
                     {"begin", module.begin},
                     {"end", module.end},
                     {"build_id", module.build_id}});
  return array;
}

json pair_json(const base::ClockPair& pair) { return {{"ticks", pair.ticks}, {"monotonic_ns", pair.monotonic_ns}}; }

json costs_json(const trace::ProbeCosts& costs) {
  json object = json::object();
  for (const EventDescription& event : kEvents) object[std::string(event.name)] = costs[event.kind];
  return object;
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

std::string hex_of(std::uint64_t number) {
  std::array<char, kChecksumDigits + 1> hex{};
  std::snprintf(hex.data(), hex.size(), "%016llx", static_cast<unsigned long long>(number));
  return hex.data();
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
  return hex_of(trace::checksum_of(text.data(), text.size()));
}

bool has_dash_before(std::size_t byte) { return byte == 4 || byte == 6 || byte == 8 || byte == 10; }

}  // namespace

std::string trace_id_text(const trace::TraceId& id) {
  std::string text;
  for (std::size_t i = 0; i < id.size(); ++i) {
    if (has_dash_before(i)) text += '-';
    std::array<char, 3> hex{};
    std::snprintf(hex.data(), hex.size(), "%02x", static_cast<unsigned>(id[i]));
    text += hex.data();
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
  const json root = {
      {"foretask_run", run.format_version == 0 ? trace::kFormatVersion : run.format_version},
      {"checksum", std::string(kChecksumDigits, '0')},
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
  const std::size_t place = checksum_place(text);
  text.replace(place, kChecksumDigits, checksum_digits(text, place));
  const std::size_t later = run.exit_ns == 0 ? kExitBytes : 0;
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

}  // namespace foretask::trace
