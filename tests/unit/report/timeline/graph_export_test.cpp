// SPDX-License-Identifier: Apache-2.0
#include "report/timeline/graph_export.hpp"

#include "catch.hpp"
#include "scratch.hpp"
#include "unit/report/timeline/loop_timeline.hpp"

using namespace foretask;
using namespace foretask::report;
using analysis::EdgeKind;
using analysis::TaskGraph;

namespace {

TaskGraph two_tasks() {
  TaskGraph graph;
  graph.duration_ns = {1500, analysis::kNoDuration};
  graph.kernel = {0, 1};
  graph.kernel_names = {"f<int, 2> (a.c:1)", "say \"hi\"\\\n"};
  graph.first_successor = {0, 1, 1};
  graph.successors = {1};
  graph.id = {70, 80};
  return graph;
}

template <typename Write>
std::string text_of(Write write) {
  const foretask_test::Scratch scratch;
  auto output = Output::open(scratch / "out");
  REQUIRE(output.ok());
  write(*output);
  REQUIRE(output->finish().ok());
  return foretask_test::contents(scratch / "out");
}

}  // namespace

TEST_CASE("csv fields are quoted as RFC 4180 asks") {
  const std::string text = text_of([](Output& output) { write_csv(two_tasks(), {}, output); });
  CHECK(text == "task,kernel,duration_ns\n70,\"f<int, 2> (a.c:1)\",1500\n80,\"say \"\"hi\"\"\\\n\",\n");
}

TEST_CASE("csv of a recording has one row a strand, with its task and place") {
  TaskGraph graph = two_tasks();
  graph.id.clear();
  graph.task_of_node = {5, 5};
  graph.kernel_names = {"a", "b"};
  graph.duration_ns[1] = 7;
  const Places places = [](analysis::NodeIndex node) {
    return analysis::StrandPlace{.begin_ns = 10 + node, .end_ns = 20 + node, .worker = 3};
  };
  const std::string text = text_of([&](Output& output) { write_csv(graph, places, output); });
  CHECK(text == "task,kernel,worker,begin_ns,end_ns,duration_ns\n5,a,3,10,20,1500\n5,b,3,11,21,7\n");
}

TEST_CASE("dot escapes names and tells the kinds of edges apart") {
  TaskGraph graph = two_tasks();
  graph.edge_kind = {EdgeKind::kCreate};
  const std::string text = text_of([&](Output& output) { CHECK(write_dot(graph, 10, output).ok()); });
  CHECK(text.find(R"(n0 [label="f<int, 2> (a.c:1)\n1.50 us"];)") != std::string::npos);
  CHECK(text.find(R"(n1 [label="say \"hi\"\\\n\nnot on a core"];)") != std::string::npos);
  CHECK(text.find("n0 -> n1 [style=dashed, color=blue];") != std::string::npos);
}

TEST_CASE("a graph too large to draw is refused with its size") {
  const foretask_test::Scratch scratch;
  auto output = Output::open(scratch / "out");
  const auto written = write_dot(two_tasks(), 1, *output);
  REQUIRE_FALSE(written.ok());
  CHECK(written.error().message().find("2 nodes") != std::string::npos);
}

TEST_CASE("loops-csv has a row for each recorded piece, from its begin to its end") {
  LoopTimeline program;
  const auto rows = [&](bool is_recorded) {
    return text_of([&](Output& output) {
      write_loop_csv({.graph = program.graph,
                      .places = [&](analysis::NodeIndex node) { return program.places[node]; },
                      .is_recorded = is_recorded},
                     output);
    });
  };
  const std::string header =
      "loop,name,schedule,iterations,thread,worker,first,last,piece_iterations,begin_ns,end_ns\n";
  CHECK(rows(true) == header +
                          "0,loop,\"dynamic,2\",10,0,0,0,1,2,100,130\n"
                          "0,loop,\"dynamic,2\",10,0,0,4,5,2,130,330\n"
                          "0,loop,\"dynamic,2\",10,0,0,8,9,2,330,390\n"
                          "0,loop,\"dynamic,2\",10,1,1,2,7,4,100,200\n");
  CHECK(rows(false) == header);
  // The second thread's pieces were not seen.
  program.graph.team.loops[0].end_piece = 3;
  CHECK_THAT(rows(true), Catch::Matchers::EndsWith("0,loop,\"dynamic,2\",10,1,1,,,,100,200\n"));
}
