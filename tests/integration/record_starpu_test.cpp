// SPDX-License-Identifier: Apache-2.0
// StarPU programs: their tasks, the order of these, and what foretask learns of them. Counts are made by hand.
#include "integration/recorded.hpp"
#include "integration/task_edges.hpp"

using namespace record_test;
using Catch::Matchers::Contains;

namespace {

Settings starpu(int workers = 2, std::vector<std::string> warnings = {}, int exit_code = 0) {
  Settings settings;
  settings.threads = workers;
  // What StarPU measures of the machine's buses it keeps for the next test.
  settings.environment = "STARPU_NCPU=" + std::to_string(workers) +
                         " STARPU_NCUDA=0 STARPU_NOPENCL=0 STARPU_SILENT=1 STARPU_WORKERS_NOBIND=1 STARPU_HOME=" +
                         quoted(FORETASK_TEST_PROGRAMS);
  settings.warnings = std::move(warnings);
  settings.exit_code = exit_code;
  return settings;
}

std::int64_t tasks_of(const Recorded& recorded, const std::string& kernel) {
  for (const json& one : recorded.report.at("kernels"))
    if (one.at("name") == kernel) return one.at("count");
  return 0;
}

struct Expected {
  const char* how;
  int tasks;
  int edges;  // between tasks; those over an empty task count before and behind it
};

}  // namespace

TEST_CASE("StarPU's tasks and their order are those of the program") {
  // A Cholesky factorization of 6 x 6 tiles: 6 + 15 + 15 + 20 tasks. Edges: potrf 5, from syrk; trsm and syrk 15 + 10
  // each; gemm 2 * 20 from trsm, 10 from gemm.
  const Expected expected = GENERATE(Expected{"cholesky", 56, 105},
                                     // A writer before three readers, these before each of two that commute, which are
                                     // one before the other; both before a reader.
                                     Expected{"accesses", 7, 3 + 6 + 1 + 2}, Expected{"declared", 3, 2},
                                     Expected{"tags", 3, 2}, Expected{"callbacks", 5, 4}, Expected{"regenerated", 4, 3},
                                     Expected{"waits", 4, 1}, Expected{"unnamed", 3, 0}, Expected{"on_stack", 2, 0});
  CAPTURE(expected.how);
  const Scratch scratch;
  const Recorded recorded = record(scratch, "starpu_tasks", {expected.how}, starpu());
  CHECK(recorded["tasks"] == expected.tasks);
  CHECK(recorded["workers"] == 2);
  CHECK(recorded.report.at("runtime") == "starpu");
  const auto is_task = [](const std::string& kernel) { return kernel.find("main") == std::string::npos && kernel[0] != '('; };
  const TaskEdges graph(scratch, recorded.folder, is_task);
  CHECK(graph.kernels.size() == static_cast<std::size_t>(expected.tasks));
  CHECK(graph.edges.size() == static_cast<std::size_t>(expected.edges));
}
