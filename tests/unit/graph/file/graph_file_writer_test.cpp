// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "catch.hpp"
#include "foretask/analysis/task_graph.hpp"
#include "graph/file/graph_file_reader.hpp"
#include "skip.hpp"

using namespace foretask::analysis;

namespace {

const std::string kText =
    "{\"foretask_graph\": 1, \"time_unit\": \"ns\"}\n"
    "{\"id\": -4, \"kernel\": \"potrf \\\"x\\\" \\n\", \"duration\": 12500}\n"
    "{\"id\": 7, \"kernel\": \"trsm\", \"duration\": 0, \"after\": [-4, {\"id\": 9, \"bytes\": 32768}], "
    "\"release\": 5, \"priority\": -2, \"cores\": 0, \"node\": 3, \"params\": {\"n\": 512, \"a \\\"b\\\"\": -0.1}, "
    "\"on\": {\"gpu\": 1200, \"fpga\": 0}}\n"
    "{\"id\": 9, \"kernel\": \"trsm\", \"on\": {\"fpga\": 1}}\n";

std::filesystem::path temporary() {
  return std::filesystem::temp_directory_path() / "foretask_graph_file_writer_test.jsonl";
}

std::string written(const TaskGraph& graph) {
  REQUIRE(write_task_graph(graph, temporary()).ok());
  std::ifstream file(temporary());
  std::string text{std::istreambuf_iterator<char>(file), {}};
  std::filesystem::remove(temporary());
  return text;
}

}  // namespace

TEST_CASE("a graph is written as the file that it was read from") {
  const auto graph = foretask::graph::parse_task_graph(kText, "text");
  REQUIRE(graph.ok());
  CHECK(written(*graph) == kText);
}

TEST_CASE("a graph that no file described is written with its indices as ids") {
  TaskGraph graph;
  graph.duration_ns = {1, 2, 3};
  graph.kernel = {0, 0, 0};
  graph.kernel_names = {"bad \xff byte"};
  graph.first_successor = {0, 2, 3, 3};
  graph.successors = {1, 2, 2};
  CHECK(written(graph) ==
        "{\"foretask_graph\": 1, \"time_unit\": \"ns\"}\n"
        "{\"id\": 0, \"kernel\": \"bad \xef\xbf\xbd byte\", \"duration\": 1}\n"
        "{\"id\": 1, \"kernel\": \"bad \xef\xbf\xbd byte\", \"duration\": 2, \"after\": [0]}\n"
        "{\"id\": 2, \"kernel\": \"bad \xef\xbf\xbd byte\", \"duration\": 3, \"after\": [0, 1]}\n");
}

TEST_CASE("what cannot be written says why") {
  const TaskGraph empty{.first_successor = {0}};
  CHECK(write_task_graph(empty, "/nowhere/g.jsonl").error().message() ==
        "/nowhere/g.jsonl: cannot write: No such file or directory");
}

TEST_CASE("a full device is told") {
  if (!std::filesystem::exists("/dev/full")) FORETASK_SKIP("no /dev/full");
  const TaskGraph empty{.first_successor = {0}};
  CHECK(write_task_graph(empty, "/dev/full").error().message() == "/dev/full: cannot write: No space left on device");
}
