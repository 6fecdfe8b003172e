// SPDX-License-Identifier: Apache-2.0
#include "graph/file/graph_file_reader.hpp"

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "catch.hpp"

using foretask::Result;
using foretask::analysis::NodeIndex;
using foretask::analysis::TaskGraph;

namespace {

const std::string kHeader = "{\"foretask_graph\": 1, \"time_unit\": \"us\"}\n";

Result<TaskGraph> parse(const std::string& tasks, const std::string& header = kHeader) {
  return foretask::graph::parse_task_graph(header + tasks, "g.jsonl");
}

TaskGraph graph_of(const std::string& tasks, const std::string& header = kHeader) {
  auto graph = parse(tasks, header);
  INFO((graph.ok() ? "" : graph.error().message()));
  REQUIRE(graph.ok());
  return *graph;
}

std::string error_of(const std::string& tasks, const std::string& header = kHeader) {
  const auto graph = parse(tasks, header);
  return graph.ok() ? "read without error" : graph.error().message();
}

std::vector<NodeIndex> successors(const TaskGraph& graph, NodeIndex node) {
  return {graph.successors.begin() + static_cast<std::ptrdiff_t>(graph.first_successor[node]),
          graph.successors.begin() + static_cast<std::ptrdiff_t>(graph.first_successor[node + 1])};
}

}  // namespace

TEST_CASE("the example of the format's description is read") {
  const TaskGraph graph = graph_of(
      "{\"id\": 0, \"kernel\": \"potrf\", \"duration\": 12.5}\n"
      "{\"id\": 1, \"kernel\": \"trsm\", \"duration\": 30, \"after\": [0, {\"id\": 7, \"bytes\": 32768}], "
      "\"release\": 5, \"priority\": 2, \"cores\": 1, \"node\": 3, \"params\": {\"n\": 512}, \"on\": {\"gpu\": 1.2}}\n"
      "{\"id\": 7, \"kernel\": \"potrf\", \"on\": {\"gpu\": 4}, \"cores\": 0}\n");
  REQUIRE(graph.size() == 3);
  CHECK(graph.duration_ns == std::vector<std::int64_t>{12500, 30000, foretask::analysis::kNoDuration});
  CHECK(graph.kernel_names == std::vector<std::string>{"potrf", "trsm"});
  CHECK(graph.kernel == std::vector<std::uint32_t>{0, 1, 0});
  CHECK(graph.id == std::vector<std::int64_t>{0, 1, 7});
  CHECK(graph.release_ns == std::vector<std::int64_t>{0, 5000, 0});
  CHECK(graph.priority == std::vector<std::int64_t>{0, 2, 0});
  CHECK(graph.cores == std::vector<std::uint8_t>{1, 1, 0});
  CHECK(graph.node == std::vector<std::uint32_t>{0, 3, 0});
  CHECK(successors(graph, 0) == std::vector<NodeIndex>{1});
  CHECK(successors(graph, 1).empty());
  CHECK(successors(graph, 2) == std::vector<NodeIndex>{1});
  CHECK(graph.edge_bytes == std::vector<std::uint64_t>{0, 32768});
  CHECK(graph.class_names == std::vector<std::string>{"gpu"});
  REQUIRE(graph.class_durations.size() == 2);
  CHECK(graph.class_durations[0].node == 1);
  CHECK(graph.class_durations[0].duration_ns == 1200);
  CHECK(graph.class_durations[1].node == 2);
  CHECK(graph.class_durations[1].duration_ns == 4000);
  CHECK(graph.parameter_names == std::vector<std::string>{"n"});
  REQUIRE(graph.parameters.size() == 1);
  CHECK(graph.parameters[0].node == 1);
  CHECK(graph.parameters[0].value == 512);
}

TEST_CASE("of params the numbers are kept, and what a double does not hold is left out") {
  const TaskGraph graph = graph_of(
      "{\"id\": 0, \"kernel\": \"k\", \"duration\": 1, \"params\": {\"a\": 0.1, \"b\": [1, {\"c\": 2}], "
      "\"d\": \"3\", \"e\": null, \"f\": 1e400, \"g\": -2.5e3, \"a\": 7}}\n"
      "{\"id\": 1, \"kernel\": \"k\", \"duration\": 1, \"params\": [1, 2]}\n"
      "{\"id\": 2, \"kernel\": \"k\", \"duration\": 1, \"params\": {}}\n"
      "{\"id\": 3, \"kernel\": \"k\", \"duration\": 1, \"params\": {\"a\": 9007199254740993}}\n");
  CHECK(graph.parameter_names == std::vector<std::string>{"g", "a"});
  std::string found;
  for (const auto& [node, name, value] : graph.parameters)
    found += std::to_string(node) + graph.parameter_names[name] + std::to_string(value) + " ";
  CHECK(found == "0g-2500.000000 0a7.000000 3a9007199254740992.000000 ");
  CHECK(error_of("{\"id\": 0, \"kernel\": \"k\", \"duration\": 1, \"params\": {\"a\": 01}}") ==
        "g.jsonl:2: a parameter: expected a number, found '0'");
}

TEST_CASE("each unit is what it says") {
  for (const auto& [unit, ns] : {std::pair{"ns", 3}, {"us", 2500}, {"ms", 2500000}}) {
    const auto header = std::string("{\"foretask_graph\": 1, \"time_unit\": \"") + unit + "\"}\n";
    CHECK(graph_of("{\"id\": 0, \"kernel\": \"k\", \"duration\": 2.5}", header).duration_ns[0] == ns);
  }
  CHECK(graph_of("{\"id\": 0, \"kernel\": \"k\", \"duration\": 2.5}", "{\"time_unit\": \"s\", \"foretask_graph\": 1}\n")
            .duration_ns[0] == 2500000000);
}

TEST_CASE("columns stay empty where every task has the default") {
  const TaskGraph graph = graph_of(
      "{\"id\": 0, \"kernel\": \"k\", \"duration\": 1, \"release\": 0, \"priority\": 0, \"cores\": 1, \"node\": 0}\n"
      "{\"id\": 1, \"kernel\": \"k\", \"duration\": 1, \"after\": []}\n");
  CHECK(graph.id.empty());
  CHECK(graph.release_ns.empty());
  CHECK(graph.priority.empty());
  CHECK(graph.cores.empty());
  CHECK(graph.node.empty());
  CHECK(graph.edge_bytes.empty());
  CHECK(graph.first_successor == std::vector<std::uint64_t>{0, 0, 0});
}

TEST_CASE("ids may be any 64-bit integers, and predecessors may come later") {
  const TaskGraph graph = graph_of(
      "{\"id\": -9223372036854775808, \"kernel\": \"k\", \"duration\": 1, \"after\": [9223372036854775807, -1]}\n"
      "{\"id\": 9223372036854775807, \"kernel\": \"k\", \"duration\": 2}\n"
      "{\"id\": -1, \"kernel\": \"k\", \"duration\": 3, \"after\": [9223372036854775807]}\n");
  CHECK(successors(graph, 1) == std::vector<NodeIndex>{0, 2});
  CHECK(successors(graph, 2) == std::vector<NodeIndex>{0});
}

TEST_CASE("a predecessor named twice is one edge with the bytes of both") {
  const TaskGraph graph = graph_of(
      "{\"id\": 0, \"kernel\": \"k\", \"duration\": 1}\n"
      "{\"id\": 1, \"kernel\": \"k\", \"duration\": 1}\n"
      "{\"id\": 2, \"kernel\": \"k\", \"duration\": 1, \"after\": [{\"id\": 0, \"bytes\": 5}, 1, {\"id\": 0, "
      "\"bytes\": "
      "7}, 1]}\n"
      "{\"id\": 3, \"kernel\": \"k\", \"duration\": 1, \"after\": [0, 0]}\n");
  CHECK(graph.edge_count() == 3);
  CHECK(successors(graph, 0) == std::vector<NodeIndex>{2, 3});
  CHECK(graph.edge_bytes == std::vector<std::uint64_t>{12, 0, 0});
}

TEST_CASE("blank lines, CR LF, a byte-order mark and a missing last line end are read over") {
  const std::string text =
      "\xef\xbb\xbf\r\n{\"foretask_graph\": 1, \"time_unit\": \"ns\"}\r\n\r\n"
      "  {\"id\": 0, \"kernel\": \"k\", \"duration\": 1}\t\r\n \n{\"id\": 1, \"kernel\": \"k\", \"duration\": 2}";
  const auto graph = foretask::graph::parse_task_graph(text, "g.jsonl");
  REQUIRE(graph.ok());
  CHECK(graph->duration_ns == std::vector<std::int64_t>{1, 2});
  CHECK(
      error_of("\n\n{\"id\": 0, \"kernel\": \"k\", \"duration\": 1}\n\n\n{\"id\": 0, \"kernel\": \"k\", \"duration\": "
               "1}\n") == "g.jsonl:7: duplicate id 0, first on line 4");
}

TEST_CASE("names keep every character") {
  const TaskGraph graph = graph_of(
      "{\"id\": 0, \"kernel\": \"a\\\"b\\\\c\\/\\n\\u00e9\\ud83d\\ude00\", \"duration\": 1}\n"
      "{\"id\": 1, \"kernel\": \"gemm<\xc3\xa9> (a.cpp:1)\", \"duration\": 1}\n"
      "{\"id\": 2, \"duration\": 1}\n");
  CHECK(graph.kernel_names ==
        std::vector<std::string>{"a\"b\\c/\n\xc3\xa9\xf0\x9f\x98\x80", "gemm<\xc3\xa9> (a.cpp:1)", ""});
}

TEST_CASE("keys that the format does not know are checked and left out") {
  const TaskGraph graph = graph_of(
      "{\"x\": {\"id\": [1, {}, [], \"]\", null, true, false, -1.5e-3]}, \"id\": 0, \"\\u006bernel\": \"k\", "
      "\"duration\": 1, \"y\": \"\\\"\"}\n");
  CHECK(graph.kernel_names == std::vector<std::string>{"k"});
}

TEST_CASE("a graph of no tasks is a graph") {
  CHECK(graph_of("").size() == 0);
  CHECK(graph_of("").first_successor == std::vector<std::uint64_t>{0});
}

TEST_CASE("the header says how large guided chunks are") {
  const std::string task =
      "{\"id\": 0, \"kernel\": \"k\", \"duration\": 8, \"loop\": {\"schedule\": \"guided\", \"iterations\": 9}}";
  const auto header = [](const std::string& guided) {
    return "{\"foretask_graph\": 1, \"time_unit\": \"ns\"" + guided + "}\n";
  };
  CHECK(graph_of(task, header("")).team.guided_halves);
  CHECK(graph_of(task, header(", \"guided\": \"half\"")).team.guided_halves);
  CHECK_FALSE(graph_of(task, header(", \"guided\": \"whole\"")).team.guided_halves);
  CHECK(error_of("", header(", \"guided\": \"third\"")) == "g.jsonl:1: guided 'third' is neither half nor whole");
}

TEST_CASE("a file's header is asked for") {
  CHECK(error_of("", "").find("g.jsonl:1: the header line") == 0);
  CHECK(error_of("", "\n\n").find("the header line") != std::string::npos);
  CHECK(error_of("", "{\"id\": 0, \"kernel\": \"k\", \"duration\": 1}\n").find("g.jsonl:1: the first line has no") ==
        0);
  CHECK(error_of("", "{\"foretask_graph\": 2, \"time_unit\": \"us\"}\n") ==
        "g.jsonl:1: version 2 of the format is not known");
  CHECK(error_of("", "{\"foretask_graph\": 1}\n") == "g.jsonl:1: the header has no time_unit (ns, us, ms or s)");
  CHECK(error_of("", "{\"foretask_graph\": 1, \"time_unit\": \"min\"}\n") ==
        "g.jsonl:1: time_unit 'min' is not one of ns, us, ms, s");
  CHECK(error_of("", "{\"foretask_graph\": 1, \"time_unit\": 3}\n").find("g.jsonl:1: expected a string") == 0);
  CHECK(error_of("", "[]\n").find("g.jsonl:1: expected '{'") == 0);
}

TEST_CASE("errors between tasks name the line") {
  const std::string a = "{\"id\": 0, \"kernel\": \"k\", \"duration\": 1}\n";
  CHECK(error_of(a + a) == "g.jsonl:3: duplicate id 0, first on line 2");
  CHECK(error_of("{\"id\": 5, \"duration\": 1}\n{\"id\": 6, \"duration\": 1}\n{\"id\": 5, \"duration\": 1}\n") ==
        "g.jsonl:4: duplicate id 5, first on line 2");
  CHECK(error_of(a + "{\"id\": 1, \"duration\": 1, \"after\": [0, 9]}\n") ==
        "g.jsonl:3: task 1 comes after 9, but no task has that id");
  CHECK(error_of("{\"id\": 0, \"duration\": 1, \"after\": [0]}\n") ==
        "g.jsonl:2: task 0 is on a cycle: it comes after itself");
}

TEST_CASE("a cycle is found wherever it hides, and the task named is on it") {
  // 10 -> 11 -> 12 -> 11, and 12 -> 13: only 11 and 12 are on the cycle.
  const std::string error = error_of(
      "{\"id\": 10, \"duration\": 1}\n{\"id\": 11, \"duration\": 1, \"after\": [10, 12]}\n"
      "{\"id\": 12, \"duration\": 1, \"after\": [11]}\n{\"id\": 13, \"duration\": 1, \"after\": [12]}\n");
  const bool eleven = error == "g.jsonl:3: task 11 is on a cycle: it comes after itself";
  const bool twelve = error == "g.jsonl:4: task 12 is on a cycle: it comes after itself";
  CAPTURE(error);
  CHECK((eleven || twelve));
}

TEST_CASE("errors inside a task name the line and what is wrong") {
  const auto check = [](const std::string& task, const std::string& expected) {
    const std::string error = error_of("{\"id\": 8, \"duration\": 1}\n" + task + "\n");
    CAPTURE(task, error);
    CHECK(error.find("g.jsonl:3: ") == 0);
    CHECK(error.find(expected) != std::string::npos);
  };
  check("{\"kernel\": \"k\", \"duration\": 1}", "no id");
  check("{\"id\": 1, \"kernel\": \"k\"}", "no duration");
  check("{\"id\": 1, \"duration\": -1}", "duration is negative");
  check("{\"id\": 1, \"duration\": -1e-30}", "duration is negative");
  check("{\"id\": 1, \"duration\": 1e999}", "duration does not fit");
  check("{\"id\": 1, \"duration\": 9223372036854776}", "duration does not fit");
  check("{\"id\": 1, \"duration\": NaN}", "duration is not a finite number");
  check("{\"id\": 1, \"duration\": Infinity}", "duration is not a finite number");
  check("{\"id\": 1, \"duration\": -Infinity}", "duration is not a finite number");
  check("{\"id\": 1, \"duration\": \"1\"}", "duration: expected a number");
  check("{\"id\": 1, \"duration\": null}", "duration: expected a number");
  check("{\"id\": 1, \"duration\": 1, \"release\": -5}", "release is negative");
  check("{\"id\": 1, \"duration\": 1, \"priority\": 0.5}", "priority is not an integer");
  check("{\"id\": 1, \"duration\": 1, \"cores\": 2}", "cores is out of range");
  check("{\"id\": 1, \"duration\": 1, \"cores\": -1}", "cores is negative");
  check("{\"id\": 1, \"duration\": 1, \"node\": -1}", "node is negative");
  check("{\"id\": 1, \"duration\": 1, \"node\": 4294967296}", "node is out of range");
  check("{\"id\": 1.5, \"duration\": 1}", "id is not an integer");
  check("{\"id\": 9223372036854775808, \"duration\": 1}", "id is not an integer of 64 bits");
  check("{\"id\": \"a\", \"duration\": 1}", "id: expected a number");
  check("{\"id\": 1, \"duration\": 1, \"after\": 8}", "expected '['");
  check("{\"id\": 1, \"duration\": 1, \"after\": [\"8\"]}", "expected a number");
  check("{\"id\": 1, \"duration\": 1, \"after\": [{\"bytes\": 3}]}", "a predecessor has no id");
  check("{\"id\": 1, \"duration\": 1, \"after\": [{\"id\": 8, \"bytes\": -3}]}", "bytes is negative");
  check("{\"id\": 1, \"duration\": 1, \"after\": [8,]}", "expected a number");
  check("{\"id\": 1, \"duration\": 1, \"on\": {\"gpu\": -1}}", "a duration of 'on' is negative");
  check("{\"id\": 1, \"duration\": 1, \"on\": {\"gpu\": 1, \"gpu\": 1}}", "worker class twice");
  check("{\"id\": 1, \"on\": {}}", "no duration");
  check("{\"id\": 1, \"id\": 2, \"duration\": 1}", "id is given twice");
  check("{\"id\": 1, \"duration\": 1, \"kernel\": 3}", "expected a string");
  check("{\"id\": 1, \"duration\": 1", "expected '}'");
  check("{\"id\": 1, \"duration\": 1}}", "after the object");
  check("{\"id\": 1, \"duration\": 1,}", "expected a string");
  check("{\"id\": 1 \"duration\": 1}", "expected '}'");
  check("{\"id\": 01, \"duration\": 1}", "expected a number");
  check("{id: 1}", "expected a string");
  check("[1]", "expected '{'");
  check("hello", "expected '{'");
  check("{\"id\": 1, \"duration\": 1, \"kernel\": \"a", "a string has no end");
  check("{\"id\": 1, \"duration\": 1, \"kernel\": \"\\x\"}", "unknown escape");
  check("{\"id\": 1, \"duration\": 1, \"kernel\": \"\\ud800\"}", "lone surrogate");
  check("{\"id\": 1, \"duration\": 1, \"kernel\": \"\\udc00\"}", "lone surrogate");
  check("{\"id\": 1, \"duration\": 1, \"kernel\": \"\\u12g4\"}", "hexadecimal");
  check("{\"id\": 1, \"duration\": 1, \"kernel\": \"a\tb\"}", "control character");
  check("{\"id\": 1, \"duration\": 1, \"kernel\": \"\xff\"}", "not UTF-8");
  check("{\"id\": 1, \"duration\": 1, \"kernel\": \"\xc0\xaf\"}", "not UTF-8");
  check("{\"id\": 1, \"duration\": 1, \"kernel\": \"\xed\xa0\x80\"}", "not UTF-8");
  check("{\"id\": 1, \"duration\": 1, \"x\": " + std::string(100000, '[') + "}", "nested too deeply");
  check("{\"id\": 1, \"duration\": 1, \"x\": tru}", "expected a number");
}

TEST_CASE("times whose sum leaves 63 bits are refused where they do") {
  const std::string header = "{\"foretask_graph\": 1, \"time_unit\": \"ns\"}\n";
  const std::string half = std::to_string(std::numeric_limits<std::int64_t>::max() / 2 + 1);
  CHECK(error_of("{\"id\": 0, \"duration\": " + half + "}\n{\"id\": 1, \"duration\": " + half + "}\n", header)
            .find("g.jsonl:3: the sum of the durations") == 0);
  CHECK(error_of("{\"id\": 0, \"duration\": " + half + "}\n{\"id\": 1, \"duration\": 0, \"release\": " + half + "}\n",
                 header)
            .find("g.jsonl:3: the latest release and all durations") == 0);
}

TEST_CASE("files are read in pieces without losing a line") {
  const auto path = std::filesystem::temp_directory_path() / "foretask_graph_file_reader_test.jsonl";
  {
    std::ofstream file(path);
    file << kHeader;
    // Some 5 MB: several pieces. One line alone is longer than a piece.
    for (int i = 0; i < 60000; ++i) {
      file << "{\"id\": " << i << ", \"kernel\": \"k\", \"duration\": " << i % 100 << ", \"after\": [";
      if (i == 30000) {
        for (int before = 0; before < i; ++before) file << (before == 0 ? "" : ", ") << std::string(40, ' ') << before;
      } else if (i > 0) {
        file << i - 1;
      }
      file << "]}\n";
    }
  }
  const auto graph = foretask::analysis::read_task_graph(path);
  REQUIRE(graph.ok());
  CHECK(graph->size() == 60000);
  CHECK(graph->edge_count() == 59998 + 30000);
  CHECK(work_ns(*graph) == std::int64_t{600} * 4950 * 1000);
  std::filesystem::remove(path);
}

TEST_CASE("what cannot be opened or read says why") {
  CHECK(foretask::analysis::read_task_graph("/nowhere/at/all.jsonl").error().message() ==
        "/nowhere/at/all.jsonl: cannot open: No such file or directory");
  CHECK(foretask::analysis::read_task_graph("/").error().message() == "/: cannot read: Is a directory");
}
