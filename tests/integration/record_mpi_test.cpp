// SPDX-License-Identifier: Apache-2.0
// MPI programs: a recording a rank, and all of them as one graph. Counts of messages are those of the programs'
// sources.
#include <filesystem>
#include <map>
#include <sstream>

#include "integration/recorded.hpp"

using namespace record_test;
using Catch::Matchers::ContainsSubstring;

namespace {

using Words = std::vector<std::string>;

// Open MPI refuses to run as root, and more processes than cores, unless it is told twice.
const std::string kMpiEnvironment = "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;";

// Open MPI is "mpi". Its programs, and MPICH's, have the name before theirs.
struct Mpi {
  std::string name;
  std::string launcher;
  [[nodiscard]] bool is_open_mpi() const { return name == "mpi"; }
  [[nodiscard]] Words run(int ranks) const {
    Words words{launcher, "-n", std::to_string(ranks)};
    if (is_open_mpi()) words.insert(words.begin() + 1, "--oversubscribe");
    return words;
  }
  [[nodiscard]] std::string messages() const { return program(name + "_messages"); }
};

// "NAME=LAUNCHER|NAME=LAUNCHER"
std::vector<Mpi> every_mpi() {
  std::vector<Mpi> mpis;
  std::istringstream entries(FORETASK_TEST_MPIS);
  for (std::string entry; std::getline(entries, entry, '|');)
    mpis.push_back({entry.substr(0, entry.find('=')), entry.substr(entry.find('=') + 1)});
  return mpis;
}

Mpi each_mpi() {
  static const std::vector<Mpi> mpis = every_mpi();
  return mpis[GENERATE(range(std::size_t{0}, mpis.size()))];
}

const Words kTimeout{"timeout", "-k", "5", "120"};

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

void record_ranks(const Scratch& scratch, const Mpi& mpi, int ranks, const Words& program,
                  const std::string& folder = "run") {
  const Words recorder{cli_test::kForetask, "record", "--out", folder, "--"};
  const Outcome outcome = run(scratch, kTimeout + mpi.run(ranks) + recorder + program, kMpiEnvironment);
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.exit_code == 0);
}

Words folders(int ranks, const std::string& folder = "run") {
  Words names;
  for (int rank = 0; rank < ranks; ++rank) names.push_back(folder + ".rank" + std::to_string(rank));
  return names;
}

Outcome merge(const Scratch& scratch, const Words& runs) {
  return cli_test::foretask(scratch, Words{"merge"} + runs + Words{"-o", "merged.jsonl"});
}

void edit_run(const Scratch& scratch, const std::string& folder, const char* key, const json& value) {
  const std::string path = scratch / (folder + "/run.json");
  json run = json::parse(std::ifstream(path));
  run[key] = value;
  std::ofstream(path) << run.dump();
}

std::vector<json> merged_nodes(const Scratch& scratch) {
  std::ifstream in(scratch / "merged.jsonl");
  std::string line;
  std::getline(in, line);
  std::vector<json> nodes;
  while (std::getline(in, line)) nodes.push_back(json::parse(line));
  return nodes;
}

std::uint32_t rank_of(const json& node) { return node.value("node", 0U); }

json simulated(const Scratch& scratch, const std::string& file, const Words& options) {
  const Outcome outcome = cli_test::foretask(scratch, Words{"simulate", file, "--json"} + options);
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return json::parse(outcome.out);
}

struct Messages {
  const char* how;
  int ranks;
  int messages;
  int bytes;
  int collectives;  // MPI_Finalize is one
};

}  // namespace

TEST_CASE("each message and each collective call finds its other ends") {
  const Mpi mpi = each_mpi();
  CAPTURE(mpi.name);
  const Messages expected = GENERATE(Messages{"ring", 3, 30, 120, 1}, Messages{"wildcards", 4, 9, 72, 1},
                                     Messages{"communicators", 4, 24, 96, 4}, Messages{"groups", 4, 16, 64, 9},
                                     Messages{"persistent", 2, 5, 20, 1}, Messages{"probes", 2, 2, 12, 1},
                                     Messages{"collectives", 3, 0, 0, 13}, Messages{"large", 3, 3, 12, 3});
  CAPTURE(expected.how);
  if (std::string(expected.how) == "large" && mpi.is_open_mpi()) return;  // which has no MPI 4 here
  const Scratch scratch;
  record_ranks(scratch, mpi, expected.ranks, {mpi.messages(), expected.how});
  const Outcome outcome = merge(scratch, folders(expected.ranks));
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK_THAT(outcome.err, ContainsSubstring(", " + std::to_string(expected.messages) + " messages of " +
                                            std::to_string(expected.bytes) + " bytes, " +
                                            std::to_string(expected.collectives) + " collective calls"));
  // Between ranks the edges carry the messages' bytes.
  const std::vector<json> nodes = merged_nodes(scratch);
  std::int64_t bytes = 0;
  int between = 0;
  for (const json& node : nodes) {
    if (node.at("kernel") == "(collective)" || !node.contains("after")) continue;
    for (const json& one : node.at("after")) {
      if (!one.is_object()) continue;
      if (nodes[one.at("id")].at("kernel") == "(collective)") continue;
      bytes += one.at("bytes").get<std::int64_t>();
      between += rank_of(nodes[one.at("id")]) != rank_of(node) ? 1 : 0;
    }
  }
  if (expected.messages != 0) {
    CHECK(bytes == expected.bytes);
    CHECK(between > 0);
  }
  for (const std::string& folder : folders(expected.ranks)) CHECK(report_of(scratch, folder).at("warnings").empty());
}

TEST_CASE("each of MPI's Fortran interfaces is recorded as C's is") {
  const Mpi mpi = each_mpi();
  CAPTURE(mpi.name);
  const std::string interface = GENERATE("MPIF", "MPI", "F08");
  CAPTURE(interface);
  const std::string fortran = program(mpi.name + "_fortran_" + interface);
  if (!std::filesystem::exists(fortran)) FORETASK_SKIP("no mpifort compiles here");
  const Scratch scratch;
  record_ranks(scratch, mpi, 3, {fortran});
  // 3 ranks' 10 messages of 4 bytes and one of 8 to the next one, two of 4 to the first.
  CHECK_THAT(merge(scratch, folders(3)).err, ContainsSubstring(", 35 messages of 152 bytes, 6 collective calls"));
}

TEST_CASE("each task of a Slurm step, and each process that PMIx numbers, leaves a recording") {
  const Scratch scratch;
  const std::string variables = GENERATE("SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=", "PMIX_RANK=");
  CAPTURE(variables);
  for (const char* const rank : {"0", "1"}) {
    const Words recorder{"timeout", "-k", "5", "120", cli_test::kForetask, "record", "--out", "run", "--"};
    const Outcome outcome =
        run(scratch, recorder + Words{program("kernels"), "10"}, "export " + variables + rank + ";");
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    CHECK(report_of(scratch, std::string("run.rank") + rank).at("tasks") >= 10);
  }
}

TEST_CASE("a program on another MPI than the hook's runs without the hook, and that is said") {
  if (!std::filesystem::exists(program("mpi_other"))) FORETASK_SKIP("no Open MPI");
  const Scratch scratch;
  const Outcome outcome = run(scratch, {cli_test::kForetask, "record", "--out", "run", "--", program("mpi_other")});
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.err, ContainsSubstring("messages between MPI processes are not recorded: ") &&
                              ContainsSubstring("uses libmpi.so.1, and foretask was built for libmpi.so."));
}

TEST_CASE("what waits for messages is no work, and the ranks' graph is as long as the chain of messages") {
  const Mpi mpi = each_mpi();
  CAPTURE(mpi.name);
  const Scratch scratch;
  record_ranks(scratch, mpi, 3, {mpi.messages(), "chain"});
  for (const std::string& folder : folders(3)) CHECK(report_of(scratch, folder).at("work_ns") >= 30'000'000);
  // The last rank waited for 60 ms, which is blocked time.
  CHECK(report_of(scratch, "run.rank2").at("blocked_ns") >= 55'000'000);
  REQUIRE(merge(scratch, folders(3)).exit_code == 0);
  const json one = simulated(scratch, "merged.jsonl", {"--cores", "1,3"});
  CHECK(one.at("span_ns") >= 90'000'000);
  CHECK(one.at("runs")[1].at("makespan_ns") == one.at("span_ns"));
}

TEST_CASE("the recorder may be outside of mpirun as well") {
  const Mpi mpi = each_mpi();
  CAPTURE(mpi.name);
  const Scratch scratch;
  const Words recorder{"timeout", "-k", "5", "120", cli_test::kForetask, "record", "--out", "run", "--"};
  const Outcome outcome = run(scratch, recorder + mpi.run(2) + Words{mpi.messages(), "ring"}, kMpiEnvironment);
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK_THAT(merge(scratch, folders(2)).err,
             ContainsSubstring("2 ranks") && ContainsSubstring("20 messages of 80 bytes"));
  // The ranks' folders are there now.
  const Outcome again = run(scratch, recorder + mpi.run(2) + Words{mpi.messages(), "ring"}, kMpiEnvironment);
  CHECK_THAT(again.err, ContainsSubstring("nothing is recorded") && ContainsSubstring("cannot create the folder"));
}

TEST_CASE("ranks whose MPI comes with a library that they load are recorded") {
  const Mpi mpi = each_mpi();
  CAPTURE(mpi.name);
  const Scratch scratch;
  const Words ranks{program("runs_main"), program(mpi.name + "_late_messages.so"), "ring"};
  record_ranks(scratch, mpi, 2, ranks);
  CHECK_THAT(merge(scratch, folders(2)).err, ContainsSubstring(", 20 messages of 80 bytes, 1 collective calls"));
  const Words recorder{cli_test::kForetask, "record", "--out", "outside", "--"};
  REQUIRE(run(scratch, kTimeout + recorder + mpi.run(2) + ranks, kMpiEnvironment).exit_code == 0);
  CHECK_THAT(merge(scratch, folders(2, "outside")).err, ContainsSubstring(", 20 messages of 80 bytes"));
}

TEST_CASE("a program on one MPI that the other's launcher starts is not changed") {
  const std::vector<Mpi> mpis = every_mpi();
  if (mpis.size() < 2) FORETASK_SKIP("one MPI only");
  const std::size_t which = GENERATE(0, 1);
  CAPTURE(mpis[which].name);
  const Scratch scratch;
  const Words recorder{cli_test::kForetask, "record", "--out", "run", "--"};
  // Each process is then the only one of its world, and sends to itself.
  const Words ranks = mpis[which].run(2) + Words{mpis[1 - which].messages(), "ring"};
  const Outcome outcome = run(scratch, kTimeout + recorder + ranks, kMpiEnvironment);
  INFO(outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK(report_of(scratch, "run.rank1").at("blocked_ns") > 0);
}

TEST_CASE("ranks that are missing, there twice or of another run are named") {
  const Mpi mpi = each_mpi();
  CAPTURE(mpi.name);
  const Scratch scratch;
  record_ranks(scratch, mpi, 3, {mpi.messages(), "ring"});
  record_ranks(scratch, mpi, 2, {mpi.messages(), "ring"}, "two");
  const auto refused = [&](const Words& runs, const std::string& text) {
    const Outcome outcome = merge(scratch, runs);
    CHECK(outcome.exit_code == 1);
    CHECK_THAT(outcome.err, ContainsSubstring(text));
    CHECK(!cli_test::fs::exists(scratch / "merged.jsonl"));
  };
  refused({"run.rank1"}, "of 3 ranks these are missing: 0, 2");
  refused({"run.rank0", "run.rank1", "run.rank1"}, "is rank 1, and so is run.rank1");
  refused({"run.rank0", "run.rank1", "two.rank0"}, "is rank 0 of 2, and run.rank0 one of 3");
  refused({"run.rank0", "nowhere"}, "nowhere");
  // The same program with as many ranks once more.
  if (mpi.is_open_mpi()) {  // whose launcher names its runs
    record_ranks(scratch, mpi, 3, {mpi.messages(), "ring"}, "other");
    refused({"run.rank0", "other.rank1", "run.rank2"},
            "other.rank1: is from another run of the program than run.rank0");
  }
  // Where no launcher told the runs apart, messages do: what one received the other has not sent.
  record_ranks(scratch, mpi, 3, {mpi.messages(), "wildcards"}, "third");
  edit_run(scratch, "third.rank1", "job", "");
  refused({"run.rank0", "third.rank1", "run.rank2"}, "rank 2 received 1 messages with tag 0 from rank 1, which sent 0");
  edit_run(scratch, "run.rank0", "ranks", 3'000'000);
  refused({"run.rank0"}, "of 3000000 ranks these are missing: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2999989 more");
  edit_run(scratch, "run.rank0", "ranks", -5);
  CHECK_THAT(report_of(scratch, "run.rank0").at("warnings").dump(), ContainsSubstring("ranks has an impossible value"));
  refused({"run.rank0"}, "is not one of several ranks");
}

TEST_CASE("what the ranks of a program have that was killed or aborted in one of them is used") {
  const Mpi mpi = each_mpi();
  CAPTURE(mpi.name);
  const std::string how = GENERATE("killed", "aborted");
  CAPTURE(how);
  const Scratch scratch;
  const Words recorder{cli_test::kForetask, "record", "--out", "run", "--"};
  CHECK(run(scratch, kTimeout + mpi.run(4) + recorder + Words{mpi.messages(), how}, kMpiEnvironment).exit_code != 0);
  const Outcome outcome = merge(scratch, folders(4));
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  // The ring's ten rounds, the barrier and the call that rank 1 is missing from.
  CHECK_THAT(outcome.err, ContainsSubstring("the recordings of ranks 0, 1, 2, 3 do not come to MPI_Finalize") &&
                              ContainsSubstring("1 collective call lacks some ranks") &&
                              ContainsSubstring("40 messages of 160 bytes, 2 collective calls"));
  CHECK(simulated(scratch, "merged.jsonl", {"--cores", "4"}).at("span_ns") >= 20'000'000);
}

TEST_CASE("a recording of one process is no rank, and a message that nobody receives is told") {
  const Mpi mpi = each_mpi();
  CAPTURE(mpi.name);
  const Scratch scratch;
  const Outcome alone =
      run(scratch, {cli_test::kForetask, "record", "--out", "alone", "--", mpi.messages(), "ring"}, kMpiEnvironment);
  INFO(alone.err);
  REQUIRE(alone.exit_code == 0);
  const Outcome outcome = merge(scratch, {"alone"});
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.err, ContainsSubstring("alone: is not one of several ranks"));
  record_ranks(scratch, mpi, 2, {mpi.messages(), "lost"});
  CHECK_THAT(merge(scratch, folders(2)).err, ContainsSubstring("1 message was sent and never received"));
}

TEST_CASE("in an LU over MPI the serial panel matters more than the updates that are nearly all of the work") {
  const Mpi mpi = each_mpi();
  CAPTURE(mpi.name);
  const Scratch scratch;
  record_ranks(scratch, mpi, 2, {cli_test::example(mpi.name + "_lu"), "-n", "768", "-b", "12", "-w", "3"});
  REQUIRE(merge(scratch, folders(2)).exit_code == 0);
  std::vector<json> nodes = merged_nodes(scratch);
  // Two cores and two ranks: a process that loses its core for a while makes one of its tasks a hundred times as long.
  // Each kernel's tasks therefore take its median here; what starts and checks the program takes nothing.
  std::map<std::string, std::vector<std::int64_t>> times;
  for (const json& node : nodes) times[node.at("kernel")].push_back(node.at("duration"));
  for (auto& [kernel, list] : times) std::sort(list.begin(), list.end());
  std::ofstream file(scratch / "medians.jsonl");
  file << R"({"foretask_graph": 1, "time_unit": "ns"})" << '\n';
  for (json& node : nodes) {
    const auto kernel = node.at("kernel").get<std::string>();
    const auto& list = times.at(kernel);
    node["duration"] = kernel == "fact" || kernel == "update" ? list[list.size() / 2] : 0;
    file << node.dump() << '\n';
  }
  file.close();
  // 64 panels; each is updated by those before it, in four parts.
  CHECK(times.at("fact").size() == 64);
  CHECK(times.at("update").size() == 4 * 64 * 63 / 2);
  const auto makespan = [&](const char* cores, const char* speedup) {
    return simulated(scratch, "medians.jsonl", {"--cores", cores, "--speedup", speedup})
        .at("runs")[0]
        .at("makespan_ns")
        .get<double>();
  };
  const auto gain = [&](const char* cores, const char* kernel) {
    return makespan(cores, "fact=1") / makespan(cores, (std::string(kernel) + "=2").c_str());
  };
  CHECK(gain("2", "update") > 1.8);  // a core a rank
  CHECK(gain("2", "fact") < 1.05);
  CHECK(gain("128", "fact") > gain("128", "update"));  // 64 cores a rank
}
