// SPDX-License-Identifier: Apache-2.0
// What the runtime takes for its own work is measured when an answer needs it, once, stored, copied into later
// recordings, and said where it is missing.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "integration/cli_command.hpp"

using namespace cli_test;
using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

namespace {

const std::string kClang = FORETASK_CLANG;
// A store of the test's own, and calibrations as users have them.
const std::string kOwnStore = "export FORETASK_HOME=store; unset FORETASK_CALIBRATE OMP_THREAD_LIMIT;";
const std::string kMeasures = "measuring what the OpenMP runtime's own work takes";

// 124,000 tasks that do nothing.
const char* const kProgram = R"(#include <stdio.h>
__attribute__((noinline)) static void tree(int depth) {
  if (depth == 0) return;
#pragma omp task
  tree(depth - 1);
#pragma omp task
  tree(depth - 1);
#pragma omp taskwait
}
int main(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 2000; ++i) tree(5);
  return 0;
})";

bool build(const Scratch& scratch) {
  return !kClang.empty() && compile(scratch, kClang, "app", kProgram, {"-fopenmp"});
}

Outcome record(const Scratch& scratch, const std::string& folder, const std::string& before) {
  return foretask(scratch, {"record", "--out", folder, "--", "./app"}, before);
}

const std::string kWithout = kOwnStore + "export FORETASK_CALIBRATE=0;";

json costs_of(const Scratch& scratch, const std::string& folder) {
  const Outcome outcome = foretask(scratch, {"report", folder, "--json"}, kWithout);
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return json::parse(outcome.out).at("costs");
}

void write_text(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

std::vector<std::string> stored(const Scratch& scratch) {
  std::vector<std::string> files;
  const std::filesystem::path folder = std::filesystem::path(scratch.path()) / "store" / "costs";
  if (std::filesystem::exists(folder))
    for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  return files;
}

}  // namespace

TEST_CASE("the first answer measures the runtime and says so, and what follows takes what is stored") {
  const Scratch scratch;
  if (!build(scratch)) FORETASK_SKIP("no Clang with OpenMP");
  const Outcome first = record(scratch, "first", kOwnStore);
  INFO(first.err);
  CHECK(first.exit_code == 0);
  CHECK_THAT(first.err, !ContainsSubstring(kMeasures));
  CHECK(stored(scratch).empty());
  CHECK(costs_of(scratch, "first").at("calibrated") == false);
  const Outcome answer = foretask(scratch, {"simulate", "first", "--cores", "2", "--json"}, kOwnStore);
  CHECK_THAT(answer.err, ContainsSubstring(kMeasures));
  CHECK(json::parse(answer.out).at("costs").at("calibrated") == true);
  REQUIRE(stored(scratch).size() == 1);
  CHECK_THAT(foretask(scratch, {"report", "first"}, kOwnStore).err, !ContainsSubstring(kMeasures));
  CHECK(costs_of(scratch, "first").at("calibrated") == true);
  REQUIRE(record(scratch, "second", kOwnStore).exit_code == 0);
  CHECK(json::parse(contents(scratch / "second/run.json")).at("runtime_costs").at("teams").size() > 0);
  const json costs = costs_of(scratch, "second");
  CHECK(costs.at("calibrated") == true);
  CHECK(costs.at("teams").front().at("threads") == 1);
  for (const json& team : costs.at("teams")) CHECK(team.at("create_ns") > 0);
}

TEST_CASE("what a runtime takes because a recorder listens is left out, as its probes are") {
  const Scratch scratch;
  if (!build(scratch)) FORETASK_SKIP("no Clang with OpenMP");
  REQUIRE(foretask(scratch, {"doctor", "--calibrate"}, kOwnStore).exit_code == 0);
  const std::string file = stored(scratch).front();
  json costs = json::parse(contents(file));
  REQUIRE(record(scratch, "run", kOwnStore + "export OMP_NUM_THREADS=1 FORETASK_GRAIN_NS=0;").exit_code == 0);
  REQUIRE(record(scratch, "counted", kOwnStore + "export OMP_NUM_THREADS=1 FORETASK_GRAIN_NS=10000;").exit_code == 0);
  constexpr std::int64_t kListenNs = 10;
  for (const char* const folder : {"run", "counted"}) {
    INFO(folder);
    std::vector<std::int64_t> left_out;
    std::int64_t tasks = 0;
    for (const std::int64_t ns : {std::int64_t{0}, kListenNs}) {
      costs["listen_ns"] = ns;
      const std::string run = scratch / folder + "/run.json";
      json facts = json::parse(contents(run));
      facts["runtime_costs"] = costs;
      write_text(run, facts.dump());
      const json report = json::parse(foretask(scratch, {"report", folder, "--json"}, kWithout).out);
      left_out.push_back(report.at("probe_ns"));
      tasks = report.at("tasks");
    }
    // What a strand or a gap is too short for is given back.
    CHECK(tasks > 1000);
    CHECK(left_out[1] - left_out[0] <= kListenNs * tasks);
    CHECK(left_out[1] - left_out[0] > kListenNs * tasks / 4);
  }
}

TEST_CASE("a loop whose chunks are too small says so, and what suits it better") {
  const Scratch scratch;
  // Told by a variable of the program's: no compiler sees a constant.
  const char* const program = R"(static volatile int count = 200000;
int main(void) {
  const int n = count;
#pragma omp parallel for schedule(dynamic, 1)
  for (int i = 0; i < n; ++i) __asm__ volatile("");
  return 0;
})";
  if (kClang.empty() || !compile(scratch, kClang, "app", program, {"-fopenmp"})) FORETASK_SKIP("no Clang with OpenMP");
  REQUIRE(foretask(scratch, {"doctor", "--calibrate"}, kOwnStore).exit_code == 0);
  const std::string file = stored(scratch).front();
  json costs = json::parse(contents(file));
  if (costs.at("teams").size() < 2) FORETASK_SKIP("this machine has one processor");
  CHECK(costs.at("teams")[0].at("chunk_ns") == 0);
  CHECK(costs.at("teams")[1].at("chunk_ns") > 0);
  // However busy the machine is, no chunk takes as long as this: the whole loop is its hand-outs.
  costs["teams"][1]["chunk_ns"] = 1'000'000;
  write_text(file, costs.dump());
  REQUIRE(record(scratch, "run", kOwnStore + "export OMP_NUM_THREADS=2;").exit_code == 0);
  const json report = json::parse(foretask(scratch, {"report", "run", "--json"}).out);
  CHECK(report.at("loops")[0].at("hand_outs") == 200'000);
  CHECK_THAT(foretask(scratch, {"report", "run"}).out, ContainsSubstring("The loop's chunks are too small"));
  const Outcome schedules = foretask(scratch, {"whatif", "run", "--schedules", "--cores", "2"});
  CHECK_THAT(schedules.out, ContainsSubstring("use schedule(static"));
  CHECK_THAT(schedules.out, ContainsSubstring("as calibrated"));
}

TEST_CASE("what is stored of another runtime or machine is not used, and is measured anew") {
  const Scratch scratch;
  if (!build(scratch)) FORETASK_SKIP("no Clang with OpenMP");
  REQUIRE(foretask(scratch, {"doctor", "--calibrate"}, kOwnStore).exit_code == 0);
  REQUIRE(stored(scratch).size() == 1);
  const std::string file = stored(scratch).front();
  json costs = json::parse(contents(file));
  for (const char* const key : {"library", "fingerprint"}) {
    INFO(key);
    json other = costs;
    other[key] = "0123456789abcdef";
    write_text(file, other.dump());
    const std::string folder = std::string("other-") + key;
    CHECK(record(scratch, folder, kOwnStore).exit_code == 0);
    CHECK(costs_of(scratch, folder).at("calibrated") == false);
  }
  // One that knows less than can run here.
  if (costs.at("teams").size() > 1) {
    costs["teams"].erase(costs["teams"].size() - 1);
    costs["tried_threads"] = costs["teams"].back()["threads"];
    write_text(file, costs.dump());
    REQUIRE(record(scratch, "fewer", kOwnStore).exit_code == 0);
    CHECK_THAT(foretask(scratch, {"report", "fewer"}, kOwnStore).err, ContainsSubstring(kMeasures));
    CHECK(json::parse(contents(file)).at("teams").size() > costs.at("teams").size());
  }
}

TEST_CASE("where one thread alone can run, larger teams are not measured and no better calibration is lost") {
  const Scratch scratch;
  const std::string limited = kOwnStore + "export OMP_THREAD_LIMIT=1;";
  const Outcome alone = foretask(scratch, {"doctor", "--calibrate"}, limited);
  INFO(alone.err);
  CHECK(alone.exit_code == 0);
  CHECK_THAT(alone.out, ContainsSubstring("Only a team of one could be measured"));
  CHECK_THAT(alone.err, !ContainsSubstring("OMP: Warning"));
  const Outcome whole = foretask(scratch, {"doctor", "--calibrate"}, kOwnStore);
  REQUIRE(stored(scratch).size() == 1);
  const std::string kept = contents(stored(scratch).front());
  if (json::parse(kept).at("teams").size() < 2) FORETASK_SKIP("this machine has one processor");
  CHECK_THAT(whole.out, ContainsSubstring("Stored in "));
  CHECK_THAT(foretask(scratch, {"doctor", "--calibrate"}, limited).out, ContainsSubstring("Not stored: "));
  CHECK(contents(stored(scratch).front()) == kept);
}

TEST_CASE("libgomp and oneTBB are measured as well, each under its own library") {
  const Scratch scratch;
  const std::string limited = kOwnStore + "export OMP_THREAD_LIMIT=1;";
  std::size_t measured = 0;
  for (const char* const runtime : {"libgomp", "libtbb"}) {
    const Outcome outcome = foretask(scratch, {"doctor", "--calibrate", "--runtime", runtime}, limited);
    INFO(outcome.err);
    if (outcome.err.find("the installation is incomplete") != std::string::npos) continue;
    CHECK(outcome.exit_code == 0);
    CHECK(stored(scratch).size() == ++measured);
  }
  if (measured == 0) FORETASK_SKIP("neither g++ with OpenMP nor oneTBB");
  for (const std::string& file : stored(scratch)) CHECK(json::parse(contents(file)).at("teams")[0].at("create_ns") > 0);
}

TEST_CASE("without a calibration a replay on other cores says that the runtime's part is not known there") {
  const Scratch scratch;
  if (!build(scratch)) FORETASK_SKIP("no Clang with OpenMP");
  REQUIRE(record(scratch, "run", kOwnStore + "export OMP_NUM_THREADS=1;").exit_code == 0);
  CHECK_THAT(foretask(scratch, {"simulate", "run", "--cores", "64"}, kWithout).out,
             ContainsSubstring("foretask doctor --calibrate"));
}

TEST_CASE("a calibration that cannot be stored is a warning, and the answer is given") {
  const Scratch scratch;
  if (!build(scratch)) FORETASK_SKIP("no Clang with OpenMP");
  REQUIRE(record(scratch, "run", kOwnStore).exit_code == 0);
  const Outcome outcome =
      foretask(scratch, {"report", "run", "--json"}, kOwnStore + "export FORETASK_HOME=/dev/null/nowhere;");
  INFO(outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.err, ContainsSubstring("warning: that cannot be measured"));
  CHECK(json::parse(outcome.out).at("costs").at("calibrated") == false);
}

TEST_CASE("the library is measured that the program ran on, though others would find another one") {
  const Scratch scratch;
  if (!build(scratch)) FORETASK_SKIP("no Clang with OpenMP");
  // The system's library under another build id: the bytes of the note are changed.
  const Outcome listed = run(scratch, {"ldd", "./app"});
  const std::size_t arrow = listed.out.find(" => ", listed.out.find("libomp.so"));
  REQUIRE(arrow != std::string::npos);
  const std::string system = listed.out.substr(arrow + 4, listed.out.find(" (", arrow) - arrow - 4);
  const std::string name = std::filesystem::path(listed.out.substr(0, arrow)).filename().string();
  std::string bytes = contents(system);
  const std::size_t note = bytes.find(std::string("\4\0\0\0\24\0\0\0\3\0\0\0GNU\0", 16));
  if (note == std::string::npos) FORETASK_SKIP("the library has no build id of 20 bytes");
  bytes[note + 16] = static_cast<char>(~bytes[note + 16]);
  std::filesystem::create_directory(scratch / "own");
  write_text(scratch / ("own/" + name.substr(name.find_first_not_of(" \t"))), bytes);
  REQUIRE(compile(scratch, kClang, "app", kProgram, {"-fopenmp", "-Wl,-rpath,$ORIGIN/own"}));
  REQUIRE(record(scratch, "run", kOwnStore).exit_code == 0);
  CHECK_THAT(foretask(scratch, {"report", "run"}, kOwnStore).err, ContainsSubstring(kMeasures));
  CHECK(stored(scratch).size() == 1);
  CHECK_THAT(foretask(scratch, {"report", "run"}, kOwnStore).err, !ContainsSubstring(kMeasures));
  CHECK(costs_of(scratch, "run").at("calibrated") == true);
}

TEST_CASE("a recording of another machine is not measured here, which is said") {
  const Scratch scratch;
  if (!build(scratch)) FORETASK_SKIP("no Clang with OpenMP");
  REQUIRE(record(scratch, "run", kOwnStore).exit_code == 0);
  std::string description = contents(scratch / "run/run.json");
  const json before = json::parse(description);
  const std::string own = before.at("machine").at("fingerprint");
  description.replace(description.find(own), own.size(), std::string(own.size(), '0'));
  write_text(scratch / "run/run.json", description);
  const Outcome outcome = foretask(scratch, {"report", "run"}, kOwnStore);
  CHECK_THAT(outcome.err, !ContainsSubstring(kMeasures) && ContainsSubstring("the recording is of another machine"));
  CHECK(stored(scratch).empty());
}
