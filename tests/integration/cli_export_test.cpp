// SPDX-License-Identifier: Apache-2.0
// What a recorded run becomes in other tools' formats, and that the formats agree with one another.
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "faults/programs/filter.h"
#include "integration/cli_command.hpp"
#include "skip.hpp"

using namespace cli_test;
using nlohmann::json;

namespace {

// A tiled Cholesky with 8 x 8 tiles; false where the examples are not built.
bool record_cholesky(const Scratch& scratch) {
  if (!fs::exists(example("cholesky"))) return false;
  const Outcome outcome =
      foretask(scratch, {"record", "--out", "run", "--", example("cholesky"), "-n", "512", "-b", "64"},
               "OMP_NUM_THREADS=2; export OMP_NUM_THREADS;");
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return true;
}

std::string exported(const Scratch& scratch, const std::string& format) {
  const Outcome outcome = foretask(scratch, {"export", "run", "--format", format});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return outcome.out;
}

json report_of(const Scratch& scratch) { return json::parse(foretask(scratch, {"report", "run", "--json"}).out); }

std::int64_t ns(const json& microseconds) { return std::llround(microseconds.get<double>() * 1000); }

// The lines of the source that hold `text`, from 1.
std::vector<int> lines_with(const std::string& path, const std::string& text) {
  std::vector<int> lines;
  std::istringstream in(contents(path));
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.find(text) != std::string::npos) lines.push_back(number);
  }
  return lines;
}

}  // namespace

TEST_CASE("kernels are named after the function and the line of their pragma") {
  const Scratch scratch;
  if (!record_cholesky(scratch)) FORETASK_SKIP("the examples are not built");
  const auto pragmas = lines_with(std::string(FORETASK_SOURCE_DIR) + "/examples/cholesky.cpp", "#pragma omp task ");
  REQUIRE(pragmas.size() == 4);  // potrf, trsm, syrk, gemm
  // 8 x 8 tiles: 8 potrf, 28 trsm, 28 syrk and 56 gemm, by the algorithm's loops.
  std::vector<std::uint64_t> counts;
  const json report = report_of(scratch);
  for (const int line : pragmas) {
    const std::string name = "(cholesky.cpp:" + std::to_string(line) + ")";
    for (const json& kernel : report["kernels"])
      if (kernel["name"].get<std::string>().find(name) != std::string::npos) counts.push_back(kernel["count"]);
  }
  std::sort(counts.begin(), counts.end());
  CHECK(counts == std::vector<std::uint64_t>{8, 28, 28, 56});
}

TEST_CASE("the Perfetto trace holds every strand once, on tracks without overlaps, and arrows inside slices") {
  const Scratch scratch;
  if (!record_cholesky(scratch)) FORETASK_SKIP("the examples are not built");
  const json trace = json::parse(exported(scratch, "perfetto"));
  std::map<int, std::map<std::int64_t, std::int64_t>> slices;  // by track: begin, end
  std::size_t count = 0;
  std::map<int, int> arrows;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] != "X") continue;
    ++count;
    auto& track = slices[event["tid"]];
    const std::int64_t begin = ns(event["ts"]);
    const std::int64_t end = begin + ns(event["dur"]);
    track[begin] = std::max(track[begin], end);
  }
  CHECK(count == report_of(scratch)["strands"]);
  for (const auto& [tid, track] : slices) {
    std::int64_t free_from = 0;
    for (const auto& [begin, end] : track) {
      CHECK(begin >= free_from);
      free_from = end;
    }
  }
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] != "s" && event["ph"] != "f") continue;
    ++arrows[event["id"]];
    const auto& track = slices.at(event["tid"]);
    const auto after = track.upper_bound(ns(event["ts"]));
    REQUIRE(after != track.begin());
    CHECK(std::prev(after)->second > ns(event["ts"]));
  }
  CHECK(arrows.size() >= 120);  // at least its creation for each task that ran longer than the clock's step
  for (const auto& [id, ends] : arrows) CHECK(ends == 2);
}

TEST_CASE("csv, dot and graph agree with the report") {
  const Scratch scratch;
  if (!record_cholesky(scratch)) FORETASK_SKIP("the examples are not built");
  const json report = report_of(scratch);
  const auto strands = report["strands"].get<std::ptrdiff_t>();

  std::istringstream rows(exported(scratch, "csv"));
  std::string row;
  std::getline(rows, row);
  CHECK(row == "task,kernel,worker,begin_ns,end_ns,duration_ns");
  std::int64_t work = 0;
  std::ptrdiff_t count = 0;
  for (; std::getline(rows, row); ++count) work += std::stoll(row.substr(row.rfind(',') + 1));
  CHECK(count == strands);
  CHECK(work == report["work_ns"]);

  const std::string dot = exported(scratch, "dot");
  std::ptrdiff_t edges = 0;
  for (std::size_t at = 0; (at = dot.find(" -> ", at)) != std::string::npos; ++at) ++edges;
  CHECK(edges == report["edges"]);

  std::ofstream(scratch / "graph.jsonl") << exported(scratch, "graph");
  const auto simulated = [&scratch](const std::string& input) {
    return json::parse(
        foretask(scratch, {"simulate", input, "--cores", "1-8", "--policy", "critical-path", "--json"}).out)["runs"];
  };
  CHECK(simulated("graph.jsonl") == simulated("run"));
}

TEST_CASE("simulate says what was measured beside the prediction") {
  const Scratch scratch;
  if (!record_cholesky(scratch)) FORETASK_SKIP("the examples are not built");
  const json found = json::parse(foretask(scratch, {"simulate", "run", "--cores", "1,2", "--json"}).out);
  const json report = report_of(scratch);
  CHECK(found["runs"][0]["policy"] == "work-stealing");
  CHECK(found["measured"]["workers"] == 2);
  CHECK(found["measured"]["elapsed_ns"] == report["elapsed_ns"]);
  CHECK(found["tasks"] == report["tasks"]);
  const Outcome text = foretask(scratch, {"simulate", "run", "--cores", "1,2"});
  CHECK(text.out.find("   measured ") != std::string::npos);
}

TEST_CASE("gzip holds the same trace") {
  const Scratch scratch;
  if (!record_cholesky(scratch)) FORETASK_SKIP("the examples are not built");
  REQUIRE(foretask(scratch, {"export", "run", "--format", "perfetto", "--gzip", "-o", "trace.gz"}).exit_code == 0);
  const gzFile in = gzopen((scratch / "trace.gz").c_str(), "rb");
  REQUIRE(in != nullptr);
  std::string unpacked(16 << 20, '\0');
  unpacked.resize(static_cast<std::size_t>(gzread(in, unpacked.data(), static_cast<unsigned>(unpacked.size()))));
  gzclose(in);
  CHECK(unpacked == exported(scratch, "perfetto"));
}

TEST_CASE("a refused or failed export leaves the file that was there") {
  const Scratch scratch;
  const std::string graph = std::string(FORETASK_TESTS_DIR) + "/golden/graphs/cholesky12.jsonl";
  std::ofstream(scratch / "kept") << "as it was";
  const auto fails = [&](const std::vector<std::string>& options, const std::string& before = "") {
    for (const std::string output : {"kept", "new"}) {
      std::vector<std::string> words{"export", graph, "-o", output};
      words.insert(words.end(), options.begin(), options.end());
      INFO(Catch::Detail::stringify(words));
      CHECK(foretask(scratch, words, before).exit_code == 1);
    }
  };
  fails({"--format", "dot", "--max-nodes", "10"});
  // In 512 bytes: some of it can be written.
  for (const char* const format : {"graph", "dot", "csv"}) fails({"--format", format}, "ulimit -f 4;");
  fails({"--format", "graph", "--gzip"}, "ulimit -f 1;");
  CHECK(contents(scratch / "kept") == "as it was");
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(scratch.path())) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  CHECK(names == std::vector<std::string>{"kept", "stderr", "stdout"});
  CHECK(foretask(scratch, {"export", graph, "--format", "graph", "-o", "kept"}).exit_code == 0);
  CHECK(contents(scratch / "kept").rfind("{\"foretask_graph\": 1", 0) == 0);
}

TEST_CASE("doctor answers for each subject") {
  const Scratch scratch;
  const Outcome outcome = foretask(scratch, {"doctor"});
  CHECK(outcome.exit_code == 0);
  for (const char* const subject :
       {"recorder", "OpenMP", "MPI", "StarPU", "clock", "topology", "own cost", "counters", "folder"})
    CHECK(("\n" + outcome.out).find(std::string("\n") + subject) != std::string::npos);
  CHECK(outcome.out.find("libforetask_gomp.so: programs that GCC built") != std::string::npos);
}

TEST_CASE("doctor names the setting for samples where the system forbids them, not where it has none") {
  const Scratch scratch;
  for (const auto& [error, is_forbidden] : {std::pair{"EACCES", true}, std::pair{"ENOSYS", false}}) {
    int status = -1;
    Outcome outcome;
    // A filter is the thread's, and what it starts has it, too.
    std::thread([&, name = error] {
      if ((status = filter_call("perf_event_open", name)) == 0) outcome = foretask(scratch, {"doctor"});
    }).join();
    if (status != 0) FORETASK_SKIP("seccomp filters are not to be had here");
    CHECK(outcome.out.find("reports name no functions within kernels: perf_event_open: ") != std::string::npos);
    CHECK((outcome.out.find("sysctl kernel.perf_event_paranoid") != std::string::npos) == is_forbidden);
  }
}
