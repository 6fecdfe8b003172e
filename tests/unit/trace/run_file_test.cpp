// SPDX-License-Identifier: Apache-2.0
#include "trace/run_file.hpp"

#include <cstring>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "unit/base/temp_folder.hpp"

namespace trace = foretask::trace;
using foretask::test::TempFolder;
using foretask::test::write_content;
using nlohmann::json;
using trace::RunFile;

namespace {

RunFile example() {
  RunFile run;
  run.state = "complete";
  run.program = "/usr/bin/app";
  run.command = {"./app", "-n", "30", "", "a \"b\" \\ c\n"};
  run.folder = "/home/user";
  run.pid = 4711;
  run.started = "2026-01-02T03:04:05Z";
  run.runtime = "openmp";
  run.runtime_version = "LLVM OMP version: 5.0.20140926";
  run.version = "0.1.0";
  run.machine = {
      "host", "A processor", 2, 4, 3, std::uint64_t{1} << 40, "0123456789abcdef", {{0, 1, 2, 3, 4}, {5, 6, 7, 8, 9}}};
  run.clock_source = "tsc";
  run.ticks_per_second = 2'299'998'765.25;
  run.start = {~std::uint64_t{0} - 5, 1};
  run.end = {~std::uint64_t{0} - 1, 123'456'789'012'345};
  run.launch_ns = 77;
  run.tool_end_ns = 88;
  run.exit_ns = 99;
  run.cpu_ns = 111;
  run.exit_code = 3;
  run.exit_signal = 11;
  run.probe_costs[FORETASK_EVENT_TASK_CREATE] = 21.5;
  run.probe_costs[FORETASK_EVENT_THREAD_END] = 0.25;
  run.modules = {{"/usr/bin/app", 0x555500000000, 0x555500000000, 0x555500009000, "00ff"},
                 {"/lib/a b.so", 1, 2, 3, ""}};
  run.params = {{"a", "1"}, {"n", "512"}};
  run.environment = {{"KMP_BLOCKTIME", "0"}, {"OMP_NUM_THREADS", "2,3"}};
  run.launch = {76, 3, 4700, 64};
  run.streams = 5;
  run.dropped_events = std::uint64_t{1} << 60;
  run.streams_refused = 2;
  run.loss_reason = "the disk is full";
  run.trace_id = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255};
  run.stream_bytes = {65'536, 0, std::uint64_t{1} << 60};
  run.counters = {{"instructions", "unsupported", "it is not there", 0}, {"x", "y"}, {"z", "ok", "", 12.5}};
  run.code_sampling = {1'000'000, 1234, 5, "it is forbidden"};
  run.counter_sampling = 7;
  run.counter_runs = 3;
  run.threads_without_counters = 4;
  run.baseline = {{"libgomp", 2'900'000'000, 3, 0}, {"libgomp", 3'910'000'000, 3, 0}};
  return run;
}

foretask::Result<RunFile> read(const std::string& content) {
  const TempFolder folder;
  write_content(folder / "run.json", content);
  return trace::read_run_file(folder / "run.json");
}

}  // namespace

TEST_CASE("a run's description is read back as it was written") {
  const RunFile wrote = example();
  const auto result = read(trace::to_json(wrote));
  REQUIRE(result.ok());
  const RunFile& run = *result;
  CHECK(run.format_version == 2);
  CHECK(run.wrong_fields.empty());
  CHECK_FALSE(run.is_changed);
  CHECK(run.state == wrote.state);
  CHECK(run.program == wrote.program);
  CHECK(run.command == wrote.command);
  CHECK(run.folder == wrote.folder);
  CHECK(run.pid == wrote.pid);
  CHECK(run.started == wrote.started);
  CHECK(run.runtime == wrote.runtime);
  CHECK(run.runtime_version == wrote.runtime_version);
  CHECK(run.version == wrote.version);
  CHECK(run.machine.host == wrote.machine.host);
  CHECK(run.machine.processor_model == wrote.machine.processor_model);
  CHECK(run.machine.cores == 2);
  CHECK(run.machine.processors == 4);
  CHECK(run.machine.processors_usable == 3);
  CHECK(run.machine.memory_bytes == wrote.machine.memory_bytes);
  CHECK(run.machine.fingerprint == wrote.machine.fingerprint);
  REQUIRE(run.machine.places.size() == 2);
  CHECK(run.machine.places[1].processor == 5);
  CHECK(run.machine.places[1].core == 6);
  CHECK(run.machine.places[1].last_level_cache == 7);
  CHECK(run.machine.places[1].numa_node == 8);
  CHECK(run.machine.places[1].package == 9);
  CHECK(run.clock_source == "tsc");
  CHECK(run.ticks_per_second == wrote.ticks_per_second);
  CHECK(run.start.ticks == wrote.start.ticks);
  CHECK(run.start.monotonic_ns == 1);
  CHECK(run.end.ticks == wrote.end.ticks);
  CHECK(run.end.monotonic_ns == wrote.end.monotonic_ns);
  CHECK(run.launch_ns == 77);
  CHECK(run.tool_end_ns == 88);
  CHECK(run.exit_ns == 99);
  CHECK(run.cpu_ns == 111);
  CHECK(run.exit_code == 3);
  CHECK(run.exit_signal == 11);
  CHECK(run.probe_costs == wrote.probe_costs);
  REQUIRE(run.modules.size() == 2);
  CHECK(run.modules[0].path == "/usr/bin/app");
  CHECK(run.modules[0].base == 0x555500000000);
  CHECK(run.modules[0].begin == 0x555500000000);
  CHECK(run.modules[0].end == 0x555500009000);
  CHECK(run.modules[0].build_id == "00ff");
  CHECK(run.modules[1].path == "/lib/a b.so");
  CHECK(run.params == wrote.params);
  CHECK(run.environment == wrote.environment);
  CHECK(run.launch.start_ns == 76);
  CHECK(run.launch.process == 3);
  CHECK(run.launch.parent == 4700);
  CHECK(run.launch.most_processes == 64);
  CHECK(run.streams == 5);
  CHECK(run.dropped_events == wrote.dropped_events);
  CHECK(run.streams_refused == 2);
  CHECK(run.loss_reason == wrote.loss_reason);
  CHECK(run.trace_id == wrote.trace_id);
  CHECK(run.stream_bytes == wrote.stream_bytes);
  REQUIRE(run.counters.size() == 3);
  CHECK(run.counters[0].name == "instructions");
  CHECK(run.counters[0].status == "unsupported");
  CHECK(run.counters[0].reason == "it is not there");
  CHECK(run.counters[1].status == "y");
  CHECK(run.counters[2].per_read == 12.5);
  CHECK(run.counter_sampling == 7);
  CHECK(run.counter_runs == 3);
  CHECK(run.threads_without_counters == 4);
  CHECK(run.baseline.own.runtime == "libgomp");
  CHECK(run.baseline.own.elapsed_ns == 2'900'000'000);
  CHECK(run.baseline.own.exit_code == 3);
  CHECK(run.baseline.own.signal == 0);
  CHECK(run.baseline.recorded.elapsed_ns == 3'910'000'000);
}

TEST_CASE("a recording without unrecorded runs says nothing of them") {
  RunFile run = example();
  run.baseline = {};
  const std::string text = trace::to_json(run);
  CHECK(text.find("baseline") == std::string::npos);
  CHECK(read(text).value().baseline.own.elapsed_ns == 0);
}

TEST_CASE("a description begins as a CTF packet of its own stream class, and keeps its size when it is written again") {
  RunFile run = example();
  const std::string first = trace::to_json(run);
  CHECK(first.size() % 16'384 == 0);
  std::uint32_t number = 0;
  std::memcpy(&number, first.data(), 4);
  CHECK(number == trace::kRunFileStreamId);
  CHECK(first.back() == '\n');
  // The end of a recording adds no more than there is room for.
  run.modules.resize(10, {std::string(200, 'x'), 1, 2, 3, std::string(40, 'f')});
  const std::string last = trace::to_json(run, first.size());
  CHECK(last.size() == first.size());
  CHECK(read(last).ok());
  // More than that makes it larger, never cut.
  run.modules.resize(1'000, {std::string(200, 'x'), 1, 2, 3, ""});
  const std::string larger = trace::to_json(run, first.size());
  CHECK(larger.size() > first.size());
  CHECK(read(larger).value().modules.size() == 1'000);
}

TEST_CASE("the program's end and its unrecorded runs always find room in a description") {
  RunFile run = example();
  const foretask::analysis::LaunchedRun longest{"libgomp", std::int64_t{1} << 61, 255, 64};
  run.baseline = {};
  run.exit_ns = 0;
  run.exit_code = 0;
  run.exit_signal = 0;
  const std::size_t room = trace::to_json(run).size();
  for (std::size_t length = room - 4'096; length < room; ++length) {
    run.loss_reason.assign(length, 'x');
    const std::size_t before = trace::to_json(run, room).size();
    RunFile ended = run;
    ended.exit_ns = std::int64_t{1} << 61;
    ended.exit_code = 255;
    ended.exit_signal = 64;
    REQUIRE(trace::to_json(ended, before).size() == before);
    ended.baseline = {longest, longest};
    REQUIRE(trace::to_json(ended, before).size() == before);
  }
}

TEST_CASE("as many streams as there can be are described within a megabyte or two") {
  RunFile run = example();
  run.stream_bytes.assign(65'535, std::uint64_t{1} << 40);
  const std::string text = trace::to_json(run);
  CHECK(text.size() < 2 << 20);
  CHECK(read(text).value().stream_bytes == run.stream_bytes);
}

TEST_CASE("a trace's id is read as it was written, and what is none is unknown") {
  const foretask::trace::TraceId id{0, 17, 34, 51, 68, 85, 102, 119, 136, 153, 170, 187, 204, 221, 238, 255};
  CHECK(trace::trace_id_text(id) == "00112233-4455-6677-8899-aabbccddeeff");
  CHECK(trace::trace_id_of(trace::trace_id_text(id)) == id);
  for (const char* text : {"", "00", "00112233-4455-6677-8899-aabbccddeef", "0g112233-4455-6677-8899-aabbccddeeff"})
    CHECK(trace::trace_id_of(text) == foretask::trace::TraceId{});
}

TEST_CASE("a command line that is no UTF-8 is kept readable") {
  RunFile run = example();
  run.command = {"app", "caf\xe9"};
  const auto result = read(trace::to_json(run));
  REQUIRE(result.ok());
  CHECK(result->command == std::vector<std::string>{"app", "caf\xef\xbf\xbd"});
}

TEST_CASE("what a description lacks has its default") {
  const auto result = read(R"({"foretask_run": 1})");
  REQUIRE(result.ok());
  CHECK(result->state.empty());
  CHECK(result->ticks_per_second == 1e9);
  CHECK(result->command.empty());
  CHECK(result->streams == 0);
  CHECK(result->modules.empty());
}

TEST_CASE("another format version is an error that says both") {
  const auto result = read(R"({"foretask_run": 7, "state": "complete"})");
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().what.find("format version 7") != std::string::npos);
  CHECK(result.error().what.find("reads 1 and 2") != std::string::npos);
}

TEST_CASE("what is no description is an error that names the file") {
  const TempFolder folder;
  CHECK_FALSE(trace::read_run_file(folder / "run.json").ok());
  for (const char* content : {"", "{", "[]", "null", "7", "{}", "{\"foretask\": 1}", "not json",
                              "{\"foretask_run\": \"1\"}", "{\"foretask_run\": -1}", "{\"foretask_run\": 0}"}) {
    write_content(folder / "run.json", content);
    const auto result = trace::read_run_file(folder / "run.json");
    CAPTURE(content);
    REQUIRE_FALSE(result.ok());
    CHECK(result.error().path == folder / "run.json");
  }
}

TEST_CASE("a description nested without end is an error, not the end of the process") {
  for (const char* open : {"[", "{\"a\":", "{\"foretask_run\":1,\"params\":["}) {
    std::string text;
    for (int i = 0; i < 200'000; ++i) text += open;
    const auto result = read(text);
    REQUIRE_FALSE(result.ok());
    CHECK(result.error().what.find("nested too deeply") != std::string::npos);
  }
}

TEST_CASE("a wrong field has its default and is named, and the others are kept") {
  const json whole = json::parse(trace::to_json(example()));
  const auto wrong_with = [&](const char* pointer, const json& value) {
    json root = whole;
    root[json::json_pointer(pointer)] = value;
    const auto result = read(root.dump());
    REQUIRE(result.ok());
    CHECK(result->program == (std::string(pointer) == "/program" ? "" : "/usr/bin/app"));
    CHECK(result->streams == (std::string(pointer) == "/streams" ? 0 : 5));
    return result->wrong_fields;
  };
  using Names = std::vector<std::string>;
  CHECK(wrong_with("/program", 5) == Names{"program"});
  CHECK(wrong_with("/streams", -1) == Names{"streams"});
  CHECK(wrong_with("/streams", 4294967296) == Names{"streams"});
  CHECK(wrong_with("/pid", "x") == Names{"pid"});
  CHECK(wrong_with("/pid", ~std::uint64_t{0}) == Names{"pid"});
  CHECK(wrong_with("/command", json::object()) == Names{"command"});
  CHECK(wrong_with("/command/1", 7) == Names{"command[1]"});
  CHECK(wrong_with("/trace_id", "0g") == Names{"trace_id"});
  CHECK(wrong_with("/machine", nullptr) == Names{"machine"});
  CHECK(wrong_with("/machine/places/1/core", 0.5) == Names{"machine.places[1].core"});
  CHECK(wrong_with("/modules/0", 1) == Names{"modules[0]"});
  CHECK(wrong_with("/counters/2/per_read", "1") == Names{"counters[2].per_read"});
  CHECK(wrong_with("/clock/start/ticks", -3) == Names{"clock.start.ticks"});
  CHECK(wrong_with("/clock/exit_ns", json::array()) == Names{"clock.exit_ns"});
  CHECK(wrong_with("/clock/exit_ns", -1) == Names{"clock.exit_ns"});
  CHECK(wrong_with("/exit/code", 1e10) == Names{"exit.code"});
  CHECK(wrong_with("/rank", -5) == Names{"rank"});
  CHECK(wrong_with("/counter_runs", 65) == Names{"counter_runs"});
  CHECK(wrong_with("/stream_bytes/1", "?") == Names{"stream_bytes[1]"});
  CHECK(wrong_with("/losses", 0) == Names{"losses"});
  CHECK(wrong_with("/params", 0) == Names{"params"});
  CHECK(wrong_with("/state", json::object()) == Names{"state"});
  CHECK(wrong_with("/baseline", 2.9) == Names{"baseline"});
  CHECK(wrong_with("/baseline/elapsed_ns", -1) == Names{"baseline.elapsed_ns"});
  CHECK(wrong_with("/baseline/elapsed_ns", 2.9e9) == Names{"baseline.elapsed_ns"});
  CHECK(wrong_with("/baseline/runtime", nullptr) == Names{"baseline.runtime"});
  CHECK(wrong_with("/baseline/recorded/exit_code", "3") == Names{"baseline.recorded.exit_code"});
  for (const json& rate : {json(0), json(-1e9), json(1e-300), json(1e30), json("fast")})
    CHECK(wrong_with("/clock/ticks_per_second", rate) == Names{"clock.ticks_per_second"});
}

TEST_CASE("a description says whether it was changed after it was written") {
  const std::string text = trace::to_json(example());
  CHECK_FALSE(read(text).value().is_changed);
  const std::size_t content = text.find_last_not_of(" \n") + 1;
  std::size_t read_changed = 0;
  for (std::size_t at = 0; at < content; ++at) {
    if (text[at] < '0' || text[at] > '9') continue;
    std::string changed = text;
    changed[at] = changed[at] == '9' ? '8' : static_cast<char>(changed[at] + 1);
    const auto result = read(changed);
    if (!result) continue;
    ++read_changed;
    REQUIRE(result->is_changed);
  }
  CHECK(read_changed > 100);
  // Written anew by another program, which knows nothing of the checksum's form.
  CHECK_FALSE(read(json::parse(text).dump()).value().is_changed);
  // Less padding, as an editor may leave it.
  CHECK_FALSE(read(text.substr(0, content) + "\n").value().is_changed);
}

TEST_CASE("a description keeps the version that its streams have") {
  const auto first = read(R"({"foretask_run": 1})");
  REQUIRE(first.ok());
  CHECK(first->format_version == 1);
  CHECK(read(trace::to_json(*first)).value().format_version == 1);
}

TEST_CASE("costs that cannot be are not taken out, and are named") {
  const auto result = read(
      R"({"foretask_run": 1, "probe_costs_ns": {"task_end": -5, "task_create": 1e300, "taskwait_end": 30, "unheard_of": 1}})");
  REQUIRE(result.ok());
  CHECK(result->wrong_fields == std::vector<std::string>{"probe_costs_ns.task_create", "probe_costs_ns.task_end"});
  CHECK(result->probe_costs[FORETASK_EVENT_TASK_END] == 0);
  CHECK(result->probe_costs[FORETASK_EVENT_TASK_CREATE] == 0);
  CHECK(result->probe_costs[FORETASK_EVENT_WAIT_END] == 30);
}

TEST_CASE("a description cut at any byte is read whole or refused") {
  std::string text = trace::to_json(example());
  const std::size_t content = text.find_last_not_of(" \n") + 1;
  text.resize(content);
  for (std::size_t size = 0; size < content; ++size) REQUIRE_FALSE(read(text.substr(0, size)).ok());
  CHECK(read(text).ok());
}
