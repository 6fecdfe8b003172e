// SPDX-License-Identifier: Apache-2.0
// Exports of a run and of a replay of it: Paraver, Perfetto and profiles agree with the report and with simulate.
#include <zlib.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "integration/cli_command.hpp"

using namespace cli_test;
using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

namespace {

const std::string kCholesky = std::string(FORETASK_TESTS_DIR) + "/golden/graphs/cholesky12.jsonl";
const std::string kExpected = std::string(FORETASK_TESTS_DIR) + "/golden/graphs/expected.json";

std::vector<std::vector<std::int64_t>> rows_of(const std::string& text, char separator) {
  std::vector<std::vector<std::int64_t>> rows;
  std::istringstream in(text);
  std::string line;
  std::getline(in, line);  // the heading
  while (std::getline(in, line)) {
    rows.emplace_back();
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, separator);) rows.back().push_back(std::stoll(field));
  }
  return rows;
}

std::string exported(const Scratch& scratch, std::vector<std::string> words) {
  words.insert(words.begin(), "export");
  const Outcome outcome = foretask(scratch, words);
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return outcome.out;
}

// What each thread ran for, and whether it did one thing at a time.
std::int64_t running_ns(const std::vector<std::vector<std::int64_t>>& records) {
  std::map<std::int64_t, std::int64_t> until;
  std::int64_t running = 0;
  for (const auto& record : records) {
    if (record[0] != 1) continue;
    CHECK(record[5] >= until[record[4]]);
    until[record[4]] = record[6];
    if (record[7] == 1) running += record[6] - record[5];
  }
  return running;
}

}  // namespace

TEST_CASE("a replay in Paraver's format takes the makespan that others found, and does all the work") {
  const Scratch scratch;
  const json expected = json::parse(contents(kExpected))["cholesky12.jsonl"];
  for (const std::string policy : {"critical-path", "fifo"}) {
    exported(scratch, {kCholesky, "--format", "paraver", "--cores", "4", "--policy", policy, "-o", "r.prv"});
    const std::string prv = contents(scratch / "r.prv");
    CHECK_THAT(prv, ContainsSubstring("):" + expected["makespan_ns"][policy]["4"].dump() + "_ns:1(4):1:1(4:1)\n"));
    const auto records = rows_of(prv, ':');
    CHECK(running_ns(records) == expected["work_ns"]);
    const auto count = [&](std::int64_t kind) {
      return std::count_if(records.begin(), records.end(), [&](const auto& record) { return record[0] == kind; });
    };
    CHECK(count(2) == 2 * expected["tasks"].get<std::ptrdiff_t>());
    CHECK(count(3) == expected["edges"].get<std::ptrdiff_t>());
    CHECK(std::is_sorted(records.begin(), records.end(), [](const auto& a, const auto& b) { return a[5] < b[5]; }));
    CHECK_THAT(contents(scratch / "r.pcf"), ContainsSubstring("1    potrf\n2    trsm\n3    syrk\n4    gemm\n"));
    CHECK_THAT(contents(scratch / "r.row"), ContainsSubstring("LEVEL THREAD SIZE 4\nworker 0\n"));
  }
}

TEST_CASE("a Paraver trace is compressed by itself, and a failed one leaves nothing") {
  const Scratch scratch;
  const std::vector<std::string> replay{"export", kCholesky, "--format", "paraver", "--cores", "3", "-o"};
  const auto to = [&](std::vector<std::string> more, const std::string& before = "") {
    more.insert(more.begin(), replay.begin(), replay.end());
    return foretask(scratch, more, before).exit_code;
  };
  REQUIRE(to({"plain.prv"}) == 0);
  REQUIRE(to({"packed.prv.gz", "--gzip"}) == 0);
  CHECK(to({"packed.prv", "--gzip"}) == 1);
  const gzFile in = gzopen((scratch / "packed.prv.gz").c_str(), "rb");
  REQUIRE(in != nullptr);
  std::string unpacked(4 << 20, '\0');
  unpacked.resize(static_cast<std::size_t>(gzread(in, unpacked.data(), static_cast<unsigned>(unpacked.size()))));
  gzclose(in);
  const std::string plain = contents(scratch / "plain.prv");
  CHECK(unpacked.substr(unpacked.find("):")) == plain.substr(plain.find("):")));  // the dates may differ
  CHECK(contents(scratch / "packed.pcf") == contents(scratch / "plain.pcf"));
  CHECK(to({"failed.prv"}, "ulimit -f 8;") == 1);  // 4 kB of some 200
  for (const char* const name : {"failed.prv", "failed.pcf", "failed.row", "packed.prv"})
    CHECK(!fs::exists(scratch / name));
}

TEST_CASE("a recorded run in Paraver's format has the strands and the span of time of its csv") {
  const Scratch scratch;
  if (!fs::exists(example("cholesky"))) FORETASK_SKIP("the examples are not built");
  REQUIRE(foretask(scratch, {"record", "--out", "run", "--", example("cholesky"), "-n", "512", "-b", "64"},
                   "OMP_NUM_THREADS=2; export OMP_NUM_THREADS;")
              .exit_code == 0);
  exported(scratch, {"run", "--format", "paraver", "-o", "run.prv"});
  const std::string prv = contents(scratch / "run.prv");
  CHECK_THAT(prv, ContainsSubstring("_ns:1(2):1:1(2:1)\n"));
  std::int64_t busy = 0;
  std::int64_t last = 0;
  std::istringstream csv(exported(scratch, {"run", "--format", "csv"}));
  std::string row;
  for (std::getline(csv, row); std::getline(csv, row);) {
    // ...,begin_ns,end_ns,duration_ns: a kernel's name may hold commas.
    std::vector<std::int64_t> fields;
    for (int i = 0; i < 3; ++i) {
      fields.push_back(std::stoll(row.substr(row.rfind(',') + 1)));
      row.erase(row.rfind(','));
    }
    busy += fields[1] - fields[2];
    last = std::max(last, fields[1]);
  }
  CHECK(running_ns(rows_of(prv, ':')) == busy);
  CHECK_THAT(prv, ContainsSubstring("):" + std::to_string(last) + "_ns:"));

  const auto profile = rows_of(exported(scratch, {"run", "--format", "profile-csv"}), ',');
  std::int64_t area = 0;
  for (std::size_t i = 1; i < profile.size(); ++i) {
    CHECK(profile[i - 1][1] <= 2);
    area += profile[i - 1][1] * (profile[i][0] - profile[i - 1][0]);
  }
  CHECK(area == busy);
  CHECK(profile.back() == std::vector<std::int64_t>{last, 0});
}

TEST_CASE("a replay in Perfetto's format has each task once, and ends with the makespan") {
  const Scratch scratch;
  const json expected = json::parse(contents(kExpected))["cholesky12.jsonl"];
  const json trace = json::parse(exported(scratch, {kCholesky, "--format", "perfetto", "--cores", "4"}));
  std::int64_t count = 0;
  std::int64_t last = 0;
  std::map<int, std::int64_t> until;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] != "X") continue;
    ++count;
    const auto begin = std::llround(event["ts"].get<double>() * 1000);
    CHECK(begin >= until[event["tid"]]);
    until[event["tid"]] = begin + std::llround(event["dur"].get<double>() * 1000);
    last = std::max(last, until[event["tid"]]);
  }
  CHECK(count == expected["tasks"]);
  CHECK(last == expected["makespan_ns"]["critical-path"]["4"]);
  CHECK(until.size() == 4);
}

TEST_CASE("profiles before and after a speed-up enclose the work of each, and end with its makespan") {
  const Scratch scratch;
  const json before = json::parse(foretask(scratch, {"simulate", kCholesky, "--cores", "8", "--json"}).out);
  const json after =
      json::parse(foretask(scratch, {"simulate", kCholesky, "--cores", "8", "--speedup", "trsm=3", "--json"}).out);
  const std::vector<std::string> replay{kCholesky, "--cores", "8", "--speedup", "trsm=3", "--format"};
  auto words = replay;
  words.push_back("profile-csv");
  const auto rows = rows_of(exported(scratch, words), ',');
  std::int64_t work[2] = {0, 0};
  std::int64_t end[2] = {0, 0};
  for (std::size_t i = 1; i < rows.size(); ++i) {
    for (std::size_t which = 0; which < 2; ++which) {
      work[which] += rows[i - 1][1 + which] * (rows[i][0] - rows[i - 1][0]);
      if (rows[i - 1][1 + which] != 0) end[which] = rows[i][0];
    }
  }
  CHECK(work[0] == before["work_ns"]);
  CHECK(work[1] == after["work_ns"]);
  CHECK(end[0] == before["runs"][0]["makespan_ns"]);
  CHECK(end[1] == after["runs"][0]["makespan_ns"]);
  words.back() = "profile-svg";
  const std::string svg = exported(scratch, words);
  CHECK_THAT(svg, ContainsSubstring("cholesky12, 8 cores, critical-path: ") &&
                      ContainsSubstring("with trsm 3 times as fast: "));
}

TEST_CASE("a platform's nodes are Paraver's tasks, and its messages go between them") {
  const Scratch scratch;
  // On node 0 two tasks of 10 ns, one after the other; from the first 1,000 bytes to node 1, which take 5,100 ns.
  std::ofstream(scratch / "g.jsonl") << R"({"foretask_graph": 1, "time_unit": "ns"}
{"id": 1, "kernel": "a", "duration": 10}
{"id": 2, "kernel": "a", "duration": 10, "after": [1]}
{"id": 3, "kernel": "b", "duration": 20, "node": 1, "after": [{"id": 1, "bytes": 1000}]}
)";
  std::ofstream(scratch / "p.json") << R"({"foretask_platform": 1, "nodes": [{"count": 2, "workers": {"cpu": 2}}],
"network": {"latency_us": 0.1, "bandwidth_bytes_per_s": 2e8}})";
  exported(scratch, {"g.jsonl", "--format", "paraver", "--platform", "p.json", "-o", "p.prv"});
  const std::string prv = contents(scratch / "p.prv");
  CHECK_THAT(prv, ContainsSubstring("):5130_ns:2(2,2):1:2(2:1,2:2)\n"));
  CHECK_THAT(prv, ContainsSubstring("\n1:1:1:1:1:0:10:1\n"));
  CHECK_THAT(prv, ContainsSubstring("\n3:1:1:1:1:10:10:3:1:2:1:5110:5110:1000:0\n"));
  CHECK_THAT(prv, ContainsSubstring("\n1:3:1:2:1:5110:5130:1\n"));
  CHECK_THAT(contents(scratch / "p.row"), ContainsSubstring("rank 0 worker 1\nrank 1 worker 2\n"));
  // One plain core a node instead.
  exported(scratch, {"g.jsonl", "--format", "paraver", "--platform", "p.json", "--cores", "1", "-o", "q.prv"});
  CHECK_THAT(contents(scratch / "q.prv"), ContainsSubstring("):5130_ns:2(1,1):1:2(1:1,1:2)\n"));
  CHECK_THAT(exported(scratch, {kCholesky, "--format", "profile-svg", "--workers", "cpu=3"}),
             ContainsSubstring("cholesky12, 3 workers, critical-path"));
}

TEST_CASE("an export says what keeps it from being made") {
  const Scratch scratch;
  const auto error_of = [&](std::vector<std::string> words, int exit_code) {
    words.insert(words.begin(), {"export", kCholesky});
    const Outcome outcome = foretask(scratch, words);
    CHECK(outcome.exit_code == exit_code);
    return outcome.err;
  };
  for (const std::string format : {"perfetto", "profile-csv", "profile-svg"})
    CHECK_THAT(error_of({"--format", format}, 1), ContainsSubstring("needs a recorded run, or --cores N"));
  CHECK_THAT(error_of({"--format", "paraver", "-o", "a.prv"}, 1),
             ContainsSubstring("needs a recorded run, or --cores N"));
  CHECK_THAT(error_of({"--format", "paraver", "--cores", "2"}, 1), ContainsSubstring("-o FILE.prv"));
  CHECK_THAT(error_of({"--format", "paraver", "--cores", "2", "-o", "a.txt"}, 1), ContainsSubstring("FILE.prv"));
  CHECK_THAT(error_of({"--format", "dot", "--cores", "2"}, 1), ContainsSubstring("leave out --cores"));
  CHECK_THAT(error_of({"--format", "csv", "--speedup", "trsm=2"}, 2), ContainsSubstring("--cores"));
  CHECK_THAT(error_of({"--format", "csv", "--cores", "2", "--workers", "cpu=2"}, 2), ContainsSubstring("--workers"));
  CHECK_THAT(error_of({"--format", "csv", "--cores", "0"}, 2), ContainsSubstring("1 to 1000000"));
  CHECK_THAT(error_of({"--format", "csv", "--cores", "2", "--speedup", "nothing=2"}, 1), ContainsSubstring("nothing"));
  CHECK(!fs::exists(scratch / "a.prv"));
}
