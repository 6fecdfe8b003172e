// SPDX-License-Identifier: Apache-2.0
#include "trace/ctf_metadata.hpp"

#include "foretask/foretask.h"
#include "trace/event_table.hpp"
#include "trace/run_file.hpp"

namespace foretask::trace {
namespace {

// TSDL strings are C's; what could end one early is left out.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text)
    if (c >= ' ' && c != '"' && c != '\\' && static_cast<unsigned char>(c) < 127) result += c;
  return result + '"';
}

constexpr const char* kTypes = R"(
typealias integer { size = 8; align = 8; signed = false; } := uint8;
typealias integer { size = 32; align = 32; signed = false; } := uint32;
typealias integer { size = 64; align = 32; signed = false; } := uint64;
typealias integer { size = 64; align = 32; signed = true; } := int64;
typealias integer { size = 32; align = 32; signed = false; base = hex; } := hex32;
typealias integer { size = 64; align = 32; signed = false; base = hex; } := hex64;
typealias floating_point { exp_dig = 11; mant_dig = 53; byte_order = le; align = 32; } := float64;
)";

constexpr const char* kStream = R"(
typealias integer { size = 8; align = 8; signed = false; map = clock.ticks.value; } := ticks8;
typealias integer { size = 27; align = 1; signed = false; map = clock.ticks.value; } := ticks27;
typealias integer { size = 64; align = 32; signed = false; map = clock.ticks.value; } := ticks64;

struct event_header {
  enum : integer { size = 5; align = 1; signed = false; } { compact = 0 ... 30, extended = 31 } id;
  variant <id> {
    struct { ticks27 timestamp; } compact;
    struct { uint32 id; ticks64 timestamp; } extended;
  } v;
} align(32);

stream {
  id = 0xC1FC1FC1;
  event.header := struct event_header;
  packet.context := struct {
    hex64 trace_id_low;
    hex64 trace_id_high;
    uint32 format_version;
    ticks64 timestamp_begin;
    uint64 content_size;
    uint64 packet_size;
    uint64 events_dropped;
    uint64 packet_number;
    uint32 worker;
    uint32 first_task;
    uint32 first_region;
    hex32 code_high;
    hex64 checksum;
  };
};
)";

}  // namespace

std::string ctf_metadata(const MetadataValues& values) {
  const std::string uuid = trace_id_text(values.uuid);
  std::string text = "/* CTF 1.8 */\n";
  text += kTypes;
  text += "\ntrace {\n  major = 1;\n  minor = 8;\n  uuid = \"" + uuid + "\";\n  byte_order = le;\n";
  text += "  packet.header := struct { uint32 stream_id; };\n};\n";
  text += "\nenv {\n  tracer_name = \"foretask\";\n  tracer_version = " + quoted(foretask_version()) + ";\n";
  text += "  format_version = " + std::to_string(trace::kFormatVersion) + ";\n";
  text += "  program = " + quoted(values.program) + ";\n  hostname = " + quoted(values.host) + ";\n};\n";
  text += "\nclock {\n  name = \"ticks\";\n  description = \"time-stamp counter\";\n";
  text += "  freq = " + std::to_string(values.ticks_per_second) + ";\n";
  text += "  offset_s = " + std::to_string(values.offset_seconds) + ";\n";
  text += "  offset = " + std::to_string(values.offset_ticks) + ";\n};\n";
  text += kStream;
  text += "\nstream {\n  id = " + std::to_string(kRunFileStreamId) + ";\n  event.header := struct event_header;\n";
  text += "  packet.context := struct { uint8 text[" + std::to_string(values.run_file_bytes - 5) +
          "]; ticks8 timestamp_begin; };\n};\n";
  for (const EventDescription& event : kEvents) {
    text += "\nevent {\n  name = \"" + std::string(event.name) + "\";\n  id = " + std::to_string(event.kind) +
            ";\n  stream_id = 0xC1FC1FC1;\n  fields := struct { " + std::string(event.fields) + " };\n};\n";
  }
  return text;
}

}  // namespace foretask::trace
