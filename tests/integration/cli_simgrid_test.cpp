// SPDX-License-Identifier: Apache-2.0
// Platforms whose network is SimGrid's, through the command line. The figures are SimGrid's own for one message.
#include <nlohmann/json.hpp>

#include "integration/cli_command.hpp"

using namespace cli_test;
using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

namespace {

bool has_simgrid() { return fs::exists(std::string(FORETASK_BIN_DIR) + "/../lib/foretask/libforetask_simgrid.so"); }

// A message of 100 kB from node 0 to node 1, and nothing else; the platform file names `network`.
Outcome simulated(const Scratch& scratch, const std::string& network) {
  std::ofstream(scratch / "g.jsonl") << R"({"foretask_graph": 1, "time_unit": "ns"}
{"id": 1, "kernel": "a", "duration": 0}
{"id": 2, "kernel": "b", "duration": 0, "node": 1, "after": [{"id": 1, "bytes": 100000}]}
)";
  fs::create_directory(scratch / "machine");
  fs::copy_file(std::string(FORETASK_TESTS_DIR) + "/golden/platforms/one_link.xml", scratch / "machine/one_link.xml");
  std::ofstream(scratch / "machine/p.json")
      << R"({"foretask_platform": 1, "nodes": [{"count": 2}], "network": )" + network + "}";
  return foretask(scratch, {"simulate", "g.jsonl", "--platform", "machine/p.json", "--json"});
}

}  // namespace

TEST_CASE("100 kB over 10 ms and 1 Mbps take what SimGrid says, by the model that the platform file names") {
  if (!has_simgrid()) FORETASK_SKIP("this build has no SimGrid (Debian: libsimgrid-dev)");
  const auto makespan = [](const std::string& network) {
    const Scratch scratch;
    const Outcome outcome = simulated(scratch, network);
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    return json::parse(outcome.out)["runs"][0]["makespan_ns"].get<double>();
  };
  CHECK(makespan(R"({"simgrid": "one_link.xml", "model": "CM02"})") == 810'000'000);
  CHECK(makespan(R"({"simgrid": "one_link.xml"})") == Approx(996'079'000).epsilon(1e-6));
}

TEST_CASE("a platform of SimGrid's that cannot be read is an error that names the file") {
  if (!has_simgrid()) FORETASK_SKIP("this build has no SimGrid (Debian: libsimgrid-dev)");
  const Scratch missing;
  const Outcome outcome = simulated(missing, R"({"simgrid": "none.xml"})");
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.err, ContainsSubstring("machine/none.xml: cannot be read"));
  const Scratch no_xml;
  const Outcome other = simulated(no_xml, R"({"simgrid": "p.json"})");
  CHECK(other.exit_code == 1);
  CHECK_THAT(other.err, ContainsSubstring("p.json"));
}
