// SPDX-License-Identifier: Apache-2.0
// Whether others understand our traces: what CTF 1.8 asks of the metadata, and babeltrace2 as the referee.
#include "trace/ctf_metadata.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "catch.hpp"
#include "skip.hpp"
#include "trace/event_table.hpp"
#include "trace/run_file.hpp"
#include "unit/base/temp_folder.hpp"
#include "unit/trace/every_event.hpp"

namespace trace = foretask::trace;
using foretask::test::EveryEvent;
using foretask::test::TempFolder;
using foretask::test::write_content;

namespace {

trace::MetadataValues example() {
  trace::MetadataValues values;
  values.uuid = {0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0x4d, 0xef, 0x80, 1, 2, 3, 4, 5, 6, 7};
  values.ticks_per_second = 1'000'000'000;
  values.offset_seconds = 1'700'000'000;
  values.offset_ticks = 123'456'789;
  values.program = "a \"quoted\" \\ program\n";
  values.host = "host";
  values.run_file_bytes = 32'768;
  return values;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string output_of(const std::string& command) {
  std::string output;
  FILE* pipe = ::popen(command.c_str(), "r");
  if (!pipe) return output;
  std::array<char, 4096> buffer{};
  for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) != 0;)
    output.append(buffer.data(), got);
  return ::pclose(pipe) == 0 ? output : "failed: " + output;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("the metadata has what CTF 1.8 asks for") {
  const std::string text = trace::ctf_metadata(example());
  CHECK(text.rfind("/* CTF 1.8 */", 0) == 0);  // section 7.1: how plain text metadata begins
  for (const char* part : {"major = 1;", "minor = 8;", "uuid = \"12345678-9abc-4def-8001-020304050607\";",
                           "byte_order = le;", "packet.header := struct", "freq = 1000000000;",
                           "offset_s = 1700000000;", "offset = 123456789;", "packet.context := struct", "content_size",
                           "packet_size", "events_dropped", "packet_number", "event.header := struct event_header;"}) {
    CAPTURE(part);
    CHECK(contains(text, part));
  }
  CHECK(contains(text, "program = \"a quoted  program\";"));
  CHECK(std::count(text.begin(), text.end(), '{') == std::count(text.begin(), text.end(), '}'));
  CHECK(std::count(text.begin(), text.end(), '"') % 2 == 0);
}

TEST_CASE("the description's packet is the description's file") {
  const std::string text = trace::ctf_metadata(example());
  CHECK(contains(text, "id = " + std::to_string(trace::kRunFileStreamId) + ";"));
  CHECK(contains(text, "struct { uint8 text[32763]; ticks8 timestamp_begin; };"));
}

TEST_CASE("every stream class says when its packets begin") {
  // All of them have a clock, by their events' header. babeltrace2 2.1 ends at a class with a clock and no such field.
  const std::string text = trace::ctf_metadata(example());
  std::size_t classes = 0;
  for (std::size_t at = 0; (at = text.find("\nstream {", at)) != std::string::npos; ++classes, ++at) {
    const std::string declaration = text.substr(at, text.find("\n};", at) - at);
    CAPTURE(declaration);
    CHECK(contains(declaration, "event.header := struct event_header;"));
    CHECK(contains(declaration, " timestamp_begin;"));
  }
  CHECK(classes == 2);
  // Names that make it ask for the packets' ends as well.
  CHECK_FALSE(contains(text, "events_discarded"));
  CHECK_FALSE(contains(text, "packet_seq_num"));
}

TEST_CASE("babeltrace2 reads the same events, with the same values and times") {
  if (std::system("babeltrace2 --version > /dev/null 2>&1") != 0) FORETASK_SKIP("no babeltrace2 to compare with");
  const TempFolder folder;
  const EveryEvent every(2);
  const auto bytes = every.stream.bytes();
  write_content(folder / "stream_0", {bytes.begin(), bytes.end()});
  const std::string run = trace::to_json({});
  write_content(folder / "run.json", run);
  trace::MetadataValues values = example();
  values.run_file_bytes = run.size();
  write_content(folder / "metadata", trace::ctf_metadata(values));

  const auto lines = lines_of(output_of("babeltrace2 --clock-cycles --no-delta '" + folder.path() + "' 2>&1"));
  REQUIRE(lines.size() == every.events.size());
  // Sorted by time: all stamps of the example ascend, but for one that is 7 ticks early.
  std::vector<foretask::test::SeenEvent> expected = every.events;
  std::stable_sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) { return a.ticks < b.ticks; });
  std::vector<std::string> seen = lines;
  std::stable_sort(seen.begin(), seen.end(),
                   [](const auto& a, const auto& b) { return a.substr(0, 22) < b.substr(0, 22); });
  for (std::size_t i = 0; i < expected.size(); ++i) {
    char stamp[32];
    std::snprintf(stamp, sizeof stamp, "[%020llu]", static_cast<unsigned long long>(expected[i].ticks));
    const auto description = std::find_if(trace::kEvents.begin(), trace::kEvents.end(),
                                          [&](const auto& event) { return event.kind == expected[i].kind; });
    CAPTURE(i, seen[i]);
    CHECK(seen[i].rfind(stamp, 0) == 0);
    CHECK(contains(seen[i], " " + std::string(description->name) + ":"));
  }
  const std::string all = output_of("babeltrace2 '" + folder.path() + "' 2>&1");
  CHECK(contains(all, "{ region = 0, creator = 0, team_size = 2, index = 1 }"));
  CHECK(contains(all, "{ code = 0x3000, flags = 0x10 }"));
  CHECK(
      contains(all, "{ count = 2, list = [ [0] = { address = 0x1, kind = 1 }, [1] = { address = 0x2, kind = 3 } ] }"));
  CHECK(contains(all, "{ lock = 0x200000001, kind = 3 }"));
}
