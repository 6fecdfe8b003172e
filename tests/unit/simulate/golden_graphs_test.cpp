// SPDX-License-Identifier: Apache-2.0
// Makespans that another implementation of the documented event order found: tests/golden/graphs/expected.json.
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "catch.hpp"
#include "foretask/analysis/simulate.hpp"

using namespace foretask;

namespace {

const std::string kFolder = std::string(FORETASK_TESTS_DIR) + "/golden/graphs/";

nlohmann::json expected() {
  std::ifstream file(kFolder + "expected.json");
  return nlohmann::json::parse(file);
}

}  // namespace

TEST_CASE("every golden graph is read with its tasks, edges, work and span") {
  const nlohmann::json graphs = expected();
  for (const auto& [name, figures] : graphs.items()) {
    CAPTURE(name);
    const auto graph = analysis::read_task_graph(kFolder + name);
    REQUIRE(graph.ok());
    CHECK(graph->size() == figures["tasks"].get<std::size_t>());
    CHECK(graph->edge_count() == figures["edges"].get<std::size_t>());
    CHECK(work_ns(*graph) == figures["work_ns"].get<std::int64_t>());
    CHECK(span_ns(*graph) == figures["span_ns"].get<std::int64_t>());
  }
}

TEST_CASE("every golden makespan is reproduced to the nanosecond") {
  std::size_t makespans = 0;
  const nlohmann::json graphs = expected();
  for (const auto& [name, figures] : graphs.items()) {
    const auto graph = analysis::read_task_graph(kFolder + name);
    REQUIRE(graph.ok());
    for (const auto& [policy, by_cores] : figures["makespan_ns"].items()) {
      for (const auto& [cores, makespan_ns] : by_cores.items()) {
        CAPTURE(name, policy, cores);
        analysis::SimulationOptions options;
        options.policy = analysis::policy_from_name(policy).value();
        options.cores = static_cast<std::uint32_t>(std::stoul(cores));
        const auto result = simulate(*graph, options);
        REQUIRE(result.ok());
        CHECK(result->makespan_ns == makespan_ns.get<std::int64_t>());
        ++makespans;
      }
    }
  }
  CHECK(makespans >= 10 * 4 * 7);
}
