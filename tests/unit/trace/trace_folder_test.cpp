// SPDX-License-Identifier: Apache-2.0
#include "trace/trace_folder.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "trace/ctf_metadata.hpp"
#include "unit/base/temp_folder.hpp"
#include "unit/trace/every_event.hpp"

namespace trace = foretask::trace;
using foretask::test::events_of;
using foretask::test::StreamBytes;
using foretask::test::TempFolder;
using foretask::test::write_content;
using trace::open_trace_folder;

namespace {

void write_stream(const TempFolder& folder, std::uint32_t number, std::uint32_t events) {
  StreamBytes stream(number, 0, 2);
  for (std::uint32_t i = 0; i < events; ++i) stream.event(i, FORETASK_EVENT_TASK_END);
  const auto bytes = stream.bytes();
  write_content(folder / ("stream_" + std::to_string(number)), {bytes.begin(), bytes.end()});
}

void write_description(const TempFolder& folder, trace::RunFile run) {
  if (run.state.empty()) run.state = "complete";
  write_content(folder / "run.json", trace::to_json(run));
}

void write_metadata(const TempFolder& folder) {
  trace::MetadataValues values;
  values.ticks_per_second = 2'345'678'901;
  values.run_file_bytes = 16'384;
  write_content(folder / "metadata", trace::ctf_metadata(values));
}

bool warns_of(const trace::TraceFolder& folder, const std::string& words) {
  return std::any_of(folder.warnings.begin(), folder.warnings.end(),
                     [&](const std::string& warning) { return warning.find(words) != std::string::npos; });
}

std::vector<std::size_t> events_by_stream(trace::TraceFolder& folder) {
  std::vector<std::size_t> counts;
  for (trace::StreamReader& stream : folder.streams) counts.push_back(events_of(stream).size());
  return counts;
}

trace::RunFile run_with(std::uint32_t streams) {
  trace::RunFile run;
  run.streams = streams;
  return run;
}

}  // namespace

TEST_CASE("a whole folder opens without a word, its streams by their numbers") {
  const TempFolder folder;
  write_metadata(folder);
  write_description(folder, run_with(11));
  for (std::uint32_t i = 0; i < 11; ++i) write_stream(folder, i, i + 1);
  auto opened = open_trace_folder(folder.path());
  REQUIRE(opened.ok());
  CHECK(opened->warnings.empty());
  CHECK(events_by_stream(*opened) == std::vector<std::size_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  CHECK(trace::is_trace_folder(folder.path()));
}

TEST_CASE("missing streams are said and read as empty") {
  const TempFolder folder;
  write_description(folder, run_with(4));
  write_stream(folder, 0, 5);
  write_stream(folder, 2, 7);
  auto opened = open_trace_folder(folder.path());
  REQUIRE(opened.ok());
  CHECK(opened->warnings == std::vector<std::string>{"stream_1, stream_3 are missing"});
  CHECK(events_by_stream(*opened) == std::vector<std::size_t>{5, 0, 7, 0});
  write_stream(folder, 3, 1);
  CHECK(open_trace_folder(folder.path()).value().warnings == std::vector<std::string>{"stream_1 is missing"});
}

TEST_CASE("a number of streams that cannot be costs one line, not the machine's memory") {
  const TempFolder folder;
  write_description(folder, run_with(4'000'000'000));
  for (const std::uint32_t number : {0, 2, 4, 6, 8, 11, 13}) write_stream(folder, number, 1);
  const auto opened = open_trace_folder(folder.path());
  REQUIRE(opened.ok());
  CHECK(opened->streams.size() == 65'535);
  CHECK(opened->warnings ==
        std::vector<std::string>{"stream_1, stream_3, stream_5, stream_7 and 65524 more are missing"});
  std::filesystem::remove(folder / "stream_2");
  write_stream(folder, 1, 1);
  for (const std::uint32_t number : {3, 5, 7, 9, 10, 12}) write_stream(folder, number, 1);
  CHECK(open_trace_folder(folder.path()).value().warnings ==
        std::vector<std::string>{"stream_2, stream_14 to stream_65534 are missing"});
}

TEST_CASE("a stream that is shorter than it was at the recording's end is said") {
  const TempFolder folder;
  for (std::uint32_t i = 0; i < 4; ++i) write_stream(folder, i, 10 + i);
  trace::RunFile run = run_with(4);
  for (std::uint32_t i = 0; i < 4; ++i)
    run.stream_bytes.push_back(std::filesystem::file_size(folder / ("stream_" + std::to_string(i))));
  write_description(folder, run);
  CHECK(open_trace_folder(folder.path()).value().warnings.empty());
  std::filesystem::resize_file(folder / "stream_1", run.stream_bytes[1] - 8);
  std::filesystem::resize_file(folder / "stream_3", 0);
  const auto opened = open_trace_folder(folder.path());
  REQUIRE(opened.ok());
  CHECK(opened->warnings.size() == 2);
  CHECK(warns_of(*opened, "stream_1 has lost its end: " + std::to_string(run.stream_bytes[1] - 8) + " of " +
                              std::to_string(run.stream_bytes[1]) + " bytes are there"));
  CHECK(warns_of(*opened, "stream_3 has lost its end: 0 of "));
}

TEST_CASE("a stream of another recording is refused by its name") {
  const TempFolder folder;
  write_stream(folder, 0, 3);
  write_stream(folder, 1, 4);
  std::string other = foretask::test::content_of(folder / "stream_1");
  trace::RunFile run = run_with(2);
  std::copy_n(other.begin() + 4, run.trace_id.size(), run.trace_id.begin());
  other[4] = static_cast<char>(other[4] ^ 0x55);
  bool described = true;
  SECTION("known by the description's id") { write_description(folder, run); }
  SECTION("known by the metadata's id, where the description is gone") {
    described = false;
    trace::MetadataValues values;
    values.uuid = run.trace_id;
    write_content(folder / "metadata", trace::ctf_metadata(values));
  }
  CHECK(open_trace_folder(folder.path()).value().warnings.empty() == described);
  write_content(folder / "stream_1", other);
  auto opened = open_trace_folder(folder.path());
  REQUIRE(opened.ok());
  CHECK(warns_of(*opened, "stream_1 is of another recording: it is left out"));
  CHECK(events_by_stream(*opened) == std::vector<std::size_t>{3, 0});
  // One damaged head is damage.
  StreamBytes two(1, 0, 2);
  two.event(1, FORETASK_EVENT_TASK_END);
  two.new_packet();
  two.event(2, FORETASK_EVENT_TASK_END);
  auto bytes = two.bytes();
  bytes[4] ^= 0x55;
  write_content(folder / "stream_1", {bytes.begin(), bytes.end()});
  auto damaged = open_trace_folder(folder.path());
  REQUIRE(damaged.ok());
  CHECK_FALSE(warns_of(*damaged, "another recording"));
  CHECK(events_by_stream(*damaged) == std::vector<std::size_t>{3, 1});
}

TEST_CASE("what is no plain file is said, and not waited for") {
  const TempFolder folder;
  write_stream(folder, 0, 2);
  write_metadata(folder);
  SECTION("a stream") {
    write_description(folder, run_with(2));
    REQUIRE(::mkfifo((folder / "stream_1").c_str(), 0600) == 0);
    CHECK(warns_of(open_trace_folder(folder.path()).value(), "stream_1: is no file"));
  }
  SECTION("the description") {
    REQUIRE(::mkfifo((folder / "run.json").c_str(), 0600) == 0);
    CHECK(warns_of(open_trace_folder(folder.path()).value(), "run.json: is no file"));
  }
}

TEST_CASE("a stream that cannot be opened is said and reads as empty") {
  const TempFolder folder;
  write_description(folder, run_with(2));
  std::filesystem::create_directory(folder / "stream_0");
  write_stream(folder, 1, 3);
  auto opened = open_trace_folder(folder.path());
  REQUIRE(opened.ok());
  CHECK(warns_of(*opened, "stream_0"));
  CHECK(events_by_stream(*opened) == std::vector<std::size_t>{0, 3});
}

TEST_CASE("files that are no stream of ours are left alone, and those nearly called as one are named") {
  const TempFolder folder;
  write_description(folder, run_with(2));
  write_stream(folder, 0, 1);
  write_stream(folder, 1, 2);
  for (const char* name : {"stream", "notes.txt", ".stream_5", "my_stream_0"}) write_content(folder / name, "?");
  CHECK(open_trace_folder(folder.path()).value().warnings.empty());
  std::filesystem::copy_file(folder / "stream_0", folder / "stream_00");
  const auto one = open_trace_folder(folder.path());
  REQUIRE(one.ok());
  CHECK(one->warnings == std::vector<std::string>{"stream_00 is not the name of a stream: it is not read"});
  for (const char* name : {"stream_", "stream_x", "stream_1~", "stream_+1", "stream_-1", "stream_ 1", "stream_99999"})
    write_content(folder / name, "?");
  auto opened = open_trace_folder(folder.path());
  REQUIRE(opened.ok());
  CHECK(opened->warnings ==
        std::vector<std::string>{"stream_, stream_ 1, stream_+1, stream_-1, stream_00, stream_1~, stream_99999, "
                                 "stream_x are not the names of streams: they are not read"});
  CHECK(events_by_stream(*opened) == std::vector<std::size_t>{1, 2});
}

TEST_CASE("a stream under another number is left out, and said to be one") {
  const TempFolder folder;
  write_description(folder, run_with(2));
  write_stream(folder, 0, 3);
  write_stream(folder, 1, 4);
  SECTION("a copy is not counted twice") {
    std::filesystem::copy_file(folder / "stream_1", folder / "stream_2");
    auto opened = open_trace_folder(folder.path());
    REQUIRE(opened.ok());
    CHECK(opened->warnings == std::vector<std::string>{"stream_2 holds the events of stream_1: it is left out"});
    CHECK(events_by_stream(*opened) == std::vector<std::size_t>{3, 4, 0});
  }
  SECTION("a copy in another one's place") {
    std::filesystem::copy_file(folder / "stream_1", folder / "stream_0",
                               std::filesystem::copy_options::overwrite_existing);
    auto opened = open_trace_folder(folder.path());
    REQUIRE(opened.ok());
    CHECK(warns_of(*opened, "stream_0 holds the events of stream_1: it is left out"));
    CHECK(events_by_stream(*opened) == std::vector<std::size_t>{0, 4});
  }
  SECTION("one packet of another stream is damage") {
    const std::string own = foretask::test::content_of(folder / "stream_0");
    write_content(folder / "stream_0", own + foretask::test::content_of(folder / "stream_1"));
    auto opened = open_trace_folder(folder.path());
    REQUIRE(opened.ok());
    CHECK(events_by_stream(*opened) == std::vector<std::size_t>{3, 4});
    CHECK(opened->streams[0].damage().misplaced_packets == 1);
  }
}

TEST_CASE("wrong fields and a changed description are said") {
  const TempFolder folder;
  trace::RunFile run = run_with(1);
  run.state = "complete";
  run.pid = 4711;
  std::string text = trace::to_json(run);
  text.replace(text.find("4711"), 4, "4712");
  write_content(folder / "run.json", text);
  write_stream(folder, 0, 1);
  CHECK(warns_of(open_trace_folder(folder.path()).value(), "run.json was changed after it was written"));
  write_content(
      folder / "run.json",
      R"({"foretask_run": 1, "state": "complete", "streams": 1, "pid": "x", "clock": {"ticks_per_second": 0}})");
  write_metadata(folder);
  const auto opened = open_trace_folder(folder.path());
  REQUIRE(opened.ok());
  CHECK(warns_of(*opened, "run.json: pid, clock.ticks_per_second have impossible values: their defaults are used"));
  CHECK(opened->run.ticks_per_second == 2'345'678'901.0);
}

TEST_CASE("time stamps that are not the run's are not used") {
  const TempFolder folder;
  trace::RunFile run = run_with(2);
  run.state = "complete";
  run.start = {1'000'000'000'000, 1'000'000'000'000};
  run.end = {1'001'000'000'000, 1'001'000'000'000};
  const auto write = [&](std::uint32_t number, std::uint64_t begin, std::uint32_t version) {
    StreamBytes stream(number, begin, version);
    stream.event(begin + 1, FORETASK_EVENT_TASK_END);
    const auto bytes = stream.bytes();
    write_content(folder / ("stream_" + std::to_string(number)), {bytes.begin(), bytes.end()});
  };
  SECTION("without checksums the stream is wrong") {
    run.format_version = 1;
    write_description(folder, run);
    write(0, 1'000'500'000'000, 1);
    write(1, 9'000'500'000'000, 1);
    auto opened = open_trace_folder(folder.path());
    REQUIRE(opened.ok());
    CHECK(events_by_stream(*opened) == std::vector<std::size_t>{1, 0});
    CHECK(opened->streams[1].damage().mistimed_packets == 1);
    CHECK(opened->run.start.ticks == run.start.ticks);
  }
  SECTION("where its checksum holds the description is wrong") {
    write_description(folder, run);
    write(0, 9'000'500'000'000, 2);
    write(1, 9'000'500'000'000, 2);
    auto opened = open_trace_folder(folder.path());
    REQUIRE(opened.ok());
    CHECK(warns_of(*opened, "the clock in run.json does not fit the streams"));
    CHECK(events_by_stream(*opened) == std::vector<std::size_t>{1, 1});
    CHECK(opened->run.start.ticks == 0);
  }
  SECTION("a clock that contradicts itself is not used") {
    run.start.ticks = 5;
    write_description(folder, run);
    write(0, 1'000'500'000'000, 2);
    write(1, 1'000'500'000'000, 2);
    auto opened = open_trace_folder(folder.path());
    REQUIRE(opened.ok());
    CHECK(warns_of(*opened, "run.json's clock contradicts itself"));
    CHECK(events_by_stream(*opened) == std::vector<std::size_t>{1, 1});
  }
}

TEST_CASE("without a description the metadata's clock is used, and the loss is said") {
  const TempFolder folder;
  write_metadata(folder);
  write_stream(folder, 0, 2);
  SECTION("missing") {}
  SECTION("broken") { write_content(folder / "run.json", "{\n \"foretask_run\": 1, "); }
  auto opened = open_trace_folder(folder.path());
  REQUIRE(opened.ok());
  CHECK(opened->run.ticks_per_second == 2'345'678'901.0);
  CHECK(warns_of(*opened, "run.json"));
  CHECK(events_by_stream(*opened) == std::vector<std::size_t>{2});
}

TEST_CASE("a metadata file without a clock leaves the default, not a division by zero") {
  const TempFolder folder;
  write_stream(folder, 0, 1);
  for (const char* metadata :
       {"", "freq = ", "freq = 0;", "freq = -3;", "freq = x", "freq = 99999999999999999999999;"}) {
    write_content(folder / "metadata", metadata);
    CAPTURE(metadata);
    CHECK(open_trace_folder(folder.path()).value().run.ticks_per_second == 1e9);
  }
}

TEST_CASE("another version's recording is refused, not misread") {
  const TempFolder folder;
  write_metadata(folder);
  write_stream(folder, 0, 1);
  write_content(folder / "run.json", R"({"foretask_run": 3})");
  const auto opened = open_trace_folder(folder.path());
  REQUIRE_FALSE(opened.ok());
  CHECK(opened.error().message().find("version 3") != std::string::npos);
}

TEST_CASE("a folder that is no recording, or no folder, is an error") {
  const TempFolder folder;
  CHECK_FALSE(open_trace_folder(folder.path()).ok());
  CHECK_FALSE(open_trace_folder(folder / "missing").ok());
  write_content(folder / "file", "");
  CHECK_FALSE(open_trace_folder(folder / "file").ok());
  CHECK_FALSE(trace::is_trace_folder(folder.path()));
  CHECK_FALSE(trace::is_trace_folder(folder / "file"));
  CHECK_FALSE(trace::is_trace_folder(folder / "missing"));
}

TEST_CASE("what the recorder lost is said with its reason") {
  const TempFolder folder;
  trace::RunFile run = run_with(1);
  run.dropped_events = 12;
  run.streams_refused = 3;
  run.loss_reason = "the disk is full";
  write_description(folder, run);
  write_stream(folder, 0, 1);
  const auto opened = open_trace_folder(folder.path());
  REQUIRE(opened.ok());
  CHECK(warns_of(*opened, "12 events were dropped (the disk is full)"));
  CHECK(warns_of(*opened, "3 threads could not be recorded (the disk is full)"));
}

TEST_CASE("a recording that did not end in order is used, and said to be one") {
  const TempFolder folder;
  trace::RunFile run = run_with(0);
  run.state = "recording";
  write_description(folder, run);
  write_stream(folder, 0, 4);
  auto opened = open_trace_folder(folder.path());
  REQUIRE(opened.ok());
  CHECK(warns_of(*opened,
                 "did not end in order (the program was killed, or ended by _exit(), exec(), or exit() in several "
                 "threads at once)"));
  std::ofstream(folder / ".exiting").flush();
  CHECK(warns_of(*open_trace_folder(folder.path()),
                 "did not end in order (the program called exit(), which did not come to its end"));
  CHECK(events_by_stream(*opened) == std::vector<std::size_t>{4});
}

TEST_CASE("of a program whose end was seen its end is said") {
  const TempFolder folder;
  trace::RunFile run = run_with(0);
  run.state = "recording";
  run.exit_ns = 5;
  std::string ending;
  SECTION("by itself") {
    run.exit_code = 7;
    ending = "(the program exited with 7 before its OpenMP runtime had ended";
  }
  SECTION("by a signal") {
    run.exit_code = 137;
    run.exit_signal = 9;
    ending = "(signal 9 ended the program)";
  }
  write_description(folder, run);
  write_stream(folder, 0, 4);
  CHECK(warns_of(open_trace_folder(folder.path()).value(), "did not end in order " + ending));
}
