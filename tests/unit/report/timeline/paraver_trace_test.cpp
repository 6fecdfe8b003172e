// SPDX-License-Identifier: Apache-2.0
// The three files, read by a small reader of Paraver's format as its manual has it.
#include <algorithm>
#include <map>
#include <sstream>
#include <tuple>

#include "catch.hpp"
#include "report/timeline/graph_export.hpp"
#include "scratch.hpp"
#include "unit/report/timeline/loop_timeline.hpp"

using namespace foretask;
using namespace foretask::report;
using analysis::EdgeKind;
using analysis::StrandPlace;
using analysis::TaskGraph;

namespace {

using Fields = std::vector<std::int64_t>;

struct Prv {
  std::string header;
  std::int64_t total = 0;
  std::vector<Fields> states;
  std::vector<Fields> events;
  std::vector<Fields> communications;
  bool is_sorted = true;
};

struct Files {
  Prv prv;
  std::vector<std::string> pcf;
  std::vector<std::string> row;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

Prv parse(const std::string& text) {
  Prv prv;
  const auto lines = lines_of(text);
  prv.header = lines.at(0);
  prv.total = std::stoll(prv.header.substr(prv.header.find("):") + 2));
  std::int64_t before = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    Fields fields;
    std::istringstream in(lines[i]);
    for (std::string field; std::getline(in, field, ':');) fields.push_back(std::stoll(field));
    REQUIRE(fields.size() >= 8);
    prv.is_sorted &= fields[5] >= before;
    before = fields[5];
    (fields[0] == 1 ? prv.states : fields[0] == 2 ? prv.events : prv.communications).push_back(fields);
    if (fields[0] == 1) CHECK(fields.size() == 8);
    if (fields[0] == 2) CHECK(fields.size() % 2 == 0);
    if (fields[0] == 3) CHECK(fields.size() == 15);
  }
  return prv;
}

Files written(const Timeline& timeline) {
  const foretask_test::Scratch scratch;
  auto prv = Output::open(scratch / "prv");
  auto pcf = Output::open(scratch / "pcf");
  auto row = Output::open(scratch / "row");
  REQUIRE((prv.ok() && pcf.ok() && row.ok()));
  write_paraver(timeline, 0, {}, *prv, *pcf, *row);
  for (auto* const output : {&prv, &pcf, &row}) REQUIRE((*output)->finish().ok());
  return {parse(foretask_test::contents(scratch / "prv")), lines_of(foretask_test::contents(scratch / "pcf")),
          lines_of(foretask_test::contents(scratch / "row"))};
}

Files written(const TaskGraph& graph, const std::vector<StrandPlace>& places, std::uint32_t workers,
              bool is_one_pool = false) {
  return written(Timeline{.graph = graph,
                          .places = [&](analysis::NodeIndex node) { return places[node]; },
                          .program = "a\tprogram\n",
                          .workers = workers,
                          .is_one_pool = is_one_pool});
}

// A before B and C, both before D.
TaskGraph diamond() {
  TaskGraph graph;
  graph.duration_ns = {10, 20, 30, 5};
  graph.kernel = {0, 1, 1, 0};
  graph.kernel_names = {"potrf", "trsm"};
  graph.first_successor = {0, 2, 3, 4, 4};
  graph.successors = {1, 2, 3, 3};
  graph.edge_bytes = {100, 200, 300, 400};
  return graph;
}

const std::vector<StrandPlace> kPlaces{{0, 10, 0}, {10, 30, 0}, {12, 42, 1}, {42, 47, 1}};

// By cpu, application, task and thread: the time in a state, and that its records follow one another without a gap.
std::map<Fields, std::int64_t> time_in(const Prv& prv, std::int64_t state) {
  std::map<Fields, std::int64_t> time;
  std::map<Fields, std::int64_t> until;
  for (const Fields& record : prv.states) {
    const Fields place(record.begin() + 1, record.begin() + 5);
    CHECK(record[5] < record[6]);
    CHECK(record[6] <= prv.total);
    CHECK(until[place] == record[5]);
    until[place] = record[6];
    if (record[7] == state) time[place] += record[6] - record[5];
  }
  for (const auto& [place, end] : until) CHECK(end == prv.total);
  return time;
}

}  // namespace

TEST_CASE("a trace says how long, on how many cpus, and in which tasks and threads") {
  const Files files = written(diamond(), kPlaces, 3);
  CHECK(files.prv.header.substr(files.prv.header.find("):")) == "):47_ns:1(3):1:1(3:1)");
  CHECK(files.prv.header.rfind("#Paraver (", 0) == 0);
  CHECK(files.prv.is_sorted);
}

TEST_CASE("running and idle states fill each thread, and running ones are the work") {
  const Files files = written(diamond(), kPlaces, 3);
  using Times = std::map<Fields, std::int64_t>;
  CHECK(time_in(files.prv, 1) == Times{{{1, 1, 1, 1}, 30}, {{2, 1, 1, 2}, 35}});
  CHECK(time_in(files.prv, 0) == Times{{{1, 1, 1, 1}, 17}, {{2, 1, 1, 2}, 12}, {{3, 1, 1, 3}, 47}});
}

TEST_CASE("kernels and tasks are events that a 0 closes") {
  const Files files = written(diamond(), kPlaces, 2);
  std::vector<Fields> events;
  for (const Fields& event : files.prv.events) {
    CHECK(event[6] == 7000001);
    CHECK(event[8] == 7000002);
    events.push_back({event[4], event[5], event[7], event[9]});  // thread, time, kernel, task
  }
  CHECK(events == std::vector<Fields>{{1, 0, 1, 1},
                                      {1, 10, 0, 0},
                                      {1, 10, 2, 2},
                                      {2, 12, 2, 3},
                                      {1, 30, 0, 0},
                                      {2, 42, 0, 0},
                                      {2, 42, 1, 4},
                                      {2, 47, 0, 0}});
}

TEST_CASE("each dependence is one message from an end to a begin") {
  const Files files = written(diamond(), kPlaces, 2);
  std::vector<Fields> messages;
  for (const Fields& message : files.prv.communications) {
    CHECK(message[5] == message[6]);  // logical and physical
    CHECK(message[11] == message[12]);
    CHECK(message[6] <= message[11]);
    messages.push_back({message[4], message[5], message[10], message[11], message[13]});
  }
  // thread, sent, thread, received, bytes
  CHECK(messages ==
        std::vector<Fields>{{1, 10, 1, 10, 100}, {1, 10, 2, 12, 200}, {1, 30, 2, 42, 300}, {2, 42, 2, 42, 400}});
}

TEST_CASE("a recording's edges carry their kind as the tag, and continuations are none") {
  TaskGraph graph = diamond();
  graph.edge_kind = {EdgeKind::kCreate, EdgeKind::kContinuation, EdgeKind::kJoin, EdgeKind::kDependence};
  std::vector<std::int64_t> tags;
  for (const Fields& message : written(graph, kPlaces, 2).prv.communications) tags.push_back(message[14]);
  CHECK(tags == std::vector<std::int64_t>{2, 3, 0});
}

TEST_CASE("ranks are tasks on nodes of their own, with their own threads") {
  TaskGraph graph = diamond();
  graph.node = {0, 7, 7, 7};
  const std::vector<StrandPlace> places{{0, 10, 0}, {15, 35, 4}, {15, 45, 5}, {50, 55, 4}};
  const Files files = written(graph, places, 6);
  CHECK(files.prv.header.substr(files.prv.header.find("):")) == "):55_ns:2(1,2):1:2(1:1,2:2)");
  std::vector<Fields> running;
  for (const Fields& state : files.prv.states) {
    if (state[7] == 1) running.push_back({state[1], state[3], state[4], state[5]});
  }
  CHECK(running == std::vector<Fields>{{1, 1, 1, 0}, {2, 2, 1, 15}, {3, 2, 2, 15}, {2, 2, 1, 50}});
  const std::vector<std::string> threads{"LEVEL THREAD SIZE 3", "rank 0 worker 0", "rank 7 worker 4",
                                         "rank 7 worker 5"};
  CHECK(std::search(files.row.begin(), files.row.end(), threads.begin(), threads.end()) != files.row.end());
}

TEST_CASE("a platform's nodes are ranks with all their workers, wherever a task's own node is") {
  TaskGraph graph = diamond();
  graph.node = {0, 0, 0, 0};
  const std::vector<StrandPlace> places{{0, 10, 0}, {15, 35, 2}, {15, 45, 3}, {50, 55, 2}};
  const Timeline timeline{.graph = graph,
                          .places = [&](analysis::NodeIndex node) { return places[node]; },
                          .workers = 4,
                          .node_of_worker = {0, 0, 1, 1, 1}};
  const Prv prv = written(timeline).prv;
  CHECK(prv.header.substr(prv.header.find("):")) == "):55_ns:2(2,3):1:2(2:1,3:2)");
  using Times = std::map<Fields, std::int64_t>;
  CHECK(time_in(prv, 1) == Times{{{1, 1, 1, 1}, 10}, {{3, 1, 2, 1}, 25}, {{4, 1, 2, 2}, 30}});
  CHECK(time_in(prv, 0).at({5, 1, 2, 3}) == 55);
}

TEST_CASE("ranks that share one pool of cores share its cpus") {
  TaskGraph graph = diamond();
  graph.node = {0, 1, 0, 1};
  const Files files = written(graph, kPlaces, 2, true);
  CHECK(files.prv.header.substr(files.prv.header.find("):")) == "):47_ns:1(2):1:2(2:1,2:1)");
  for (const Fields& state : files.prv.states) CHECK(state[1] <= 2);
}

TEST_CASE("what takes no time opens and closes at once, and what has no core is not shown") {
  TaskGraph graph = diamond();
  graph.cores = {1, 0, 1, 1};
  const std::vector<StrandPlace> places{{0, 10, 0}, {10, 30, analysis::kNoWorker}, {10, 10, 0}, {10, 15, 0}};
  const Files files = written(graph, places, 1);
  CHECK(files.prv.is_sorted);
  std::vector<Fields> events;
  for (const Fields& event : files.prv.events) events.push_back({event[5], event[9]});
  CHECK(events == std::vector<Fields>{{0, 1}, {10, 0}, {10, 3}, {10, 0}, {10, 4}, {15, 0}});
  CHECK(files.prv.communications.size() == 2);  // to and from the one without length
  CHECK(time_in(files.prv, 1).begin()->second == 15);
}

TEST_CASE("a damaged recording's overlaps are clipped, and no message goes back in time") {
  const std::vector<StrandPlace> overlapping{{-5, 1000, 0}, {500, 800, 0}, {900, 1500, 0}, {100, 50, 1}};
  const Files files = written(diamond(), overlapping, 2);
  CHECK(files.prv.is_sorted);
  CHECK(time_in(files.prv, 1).begin()->second == 1500);
  CHECK(files.prv.communications.size() == 4);
  for (const Fields& message : files.prv.communications) CHECK(message[6] <= message[11]);
}

TEST_CASE("names of kernels stay on their line") {
  TaskGraph graph = diamond();
  graph.kernel_names = {" f<int>(a:b)\n {\"x\"} \xff ", "\t"};
  const Files files = written(graph, kPlaces, 2);
  const auto at = std::find(files.pcf.begin(), files.pcf.end(), "0    7000001    Kernel");
  REQUIRE(files.pcf.end() - at > 5);
  CHECK(std::vector<std::string>(at - 1, at + 5) ==
        std::vector<std::string>{"EVENT_TYPE", "0    7000001    Kernel", "VALUES", "0    End",
                                 "1    f<int>(a:b)  {\"x\"} ?", "2    (no name)"});
  CHECK(std::count(files.row.begin(), files.row.end(), "a program") == 1);
}

TEST_CASE("no task at all is a trace without a record of work") {
  const Files files = written(TaskGraph{.first_successor = {0}}, {}, 2);
  CHECK(files.prv.total == 0);
  CHECK(files.prv.states.empty());
}

TEST_CASE("a recorded loop's schedule and pieces are events, which 0 closes") {
  const LoopTimeline program;
  const Files files = written(Timeline{.graph = program.graph,
                                       .places = [&](analysis::NodeIndex node) { return program.places[node]; },
                                       .workers = 2,
                                       .is_recorded = true});
  CHECK(files.prv.is_sorted);
  std::vector<Fields> loops;   // thread, time, schedule
  std::vector<Fields> pieces;  // thread, time, first iteration, iterations
  for (const Fields& event : files.prv.events)
    for (std::size_t i = 6; i + 1 < event.size(); i += 2) {
      if (event[i] == 7000003) loops.push_back({event[4], event[5], event[i + 1]});
      if (event[i] != 7000004) continue;
      REQUIRE(event[i + 2] == 7000005);
      pieces.push_back({event[4], event[5], event[i + 1], event[i + 3]});
    }
  CHECK(loops == std::vector<Fields>{{1, 100, 3}, {2, 100, 3}, {1, 160, 0}, {2, 200, 0}, {1, 300, 3}, {1, 390, 0}});
  CHECK(pieces == std::vector<Fields>{{1, 100, 1, 2},
                                      {2, 100, 3, 4},
                                      {1, 130, 5, 2},
                                      {1, 160, 0, 0},
                                      {2, 200, 0, 0},
                                      {1, 300, 5, 2},
                                      {1, 330, 9, 2},
                                      {1, 390, 0, 0}});
  CHECK(std::count(files.pcf.begin(), files.pcf.end(), "3    dynamic") == 1);
}
