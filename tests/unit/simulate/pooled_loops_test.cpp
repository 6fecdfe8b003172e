// SPDX-License-Identifier: Apache-2.0
// Loops that several recordings tell of: block sums counted by hand.
#include "foretask/analysis/pooled_loops.hpp"

#include <numeric>

#include "catch.hpp"
#include "foretask/analysis/loop_schedules.hpp"
#include "foretask/analysis/simulate.hpp"
#include "unit/simulate/team_graph_of.hpp"

namespace analysis = foretask::analysis;
using analysis::LoopPiece;
using analysis::LoopSchedule;
using analysis::TaskGraph;

namespace {

using Costs = std::vector<double>;

// 1 to 12 us: blocks of 21 and 57 on two threads, of 10, 26 and 42 on three.
const Costs kRising{1e3, 2e3, 3e3, 4e3, 5e3, 6e3, 7e3, 8e3, 9e3, 10e3, 11e3, 12e3};

// As a static loop's recording shows them: a block a thread, all as long.
TaskGraph blocks(const Costs& costs, std::uint32_t threads) {
  const auto length = static_cast<std::int64_t>(costs.size() / threads);
  std::vector<LoopPiece> pieces;
  for (std::uint32_t thread = 0; thread < threads; ++thread) {
    const auto from = costs.begin() + thread * length;
    pieces.push_back({thread, thread * length, (thread + 1) * length - 1, static_cast<std::uint64_t>(length),
                      std::accumulate(from, from + length, 0.0)});
  }
  return loop_graph_of(pieces, LoopSchedule::kStatic, 0);
}

TaskGraph one_by_one(const Costs& costs) {
  std::vector<LoopPiece> pieces;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const auto number = static_cast<std::int64_t>(i);
    pieces.push_back({0, number, number, 1, costs[i]});
  }
  return loop_graph_of(pieces, LoopSchedule::kDynamic, 1);
}

// A second execution of the loop, of which only what teams did is known.
void add_execution(TaskGraph& graph, const TaskGraph& next) {
  const auto nodes = static_cast<std::uint32_t>(graph.size());
  analysis::TeamPhase phase = next.team.phases.front();
  phase.first_strand += graph.team.strands.size();
  phase.end_strand += graph.team.strands.size();
  graph.team.phases.push_back(phase);
  for (analysis::TeamStrand strand : next.team.strands) {
    strand.node += nodes;
    strand.loop += static_cast<std::uint32_t>(graph.team.loops.size());
    graph.team.strands.push_back(strand);
  }
  analysis::TeamLoop loop = next.team.loops.front();
  loop.first_piece += graph.team.pieces.size();
  loop.end_piece += graph.team.pieces.size();
  graph.team.loops.push_back(loop);
  graph.team.pieces.insert(graph.team.pieces.end(), next.team.pieces.begin(), next.team.pieces.end());
  graph.duration_ns.insert(graph.duration_ns.end(), next.duration_ns.begin(), next.duration_ns.end());
}

std::vector<analysis::PooledRecording> pool(TaskGraph& graph, const std::vector<const TaskGraph*>& others) {
  const auto pooled = pool_loops(graph, others);
  REQUIRE(pooled.ok());
  REQUIRE(pooled->size() == others.size());
  return *pooled;
}

// Of the pieces from `first` on that end before `end`.
double sum(const TaskGraph& graph, std::int64_t first, std::int64_t end) {
  double weight = 0;
  for (const LoopPiece& piece : graph.team.pieces) {
    CHECK((piece.last < first || piece.first >= end || (piece.first >= first && piece.last < end)));
    if (piece.first >= first && piece.last < end) weight += piece.weight;
  }
  return weight;
}

bool same(const std::vector<LoopPiece>& a, const std::vector<LoopPiece>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const LoopPiece& x, const LoopPiece& y) {
    return x.thread == y.thread && x.first == y.first && x.last == y.last && x.iterations == y.iterations &&
           x.weight == y.weight;
  });
}

std::int64_t makespan(const TaskGraph& graph, std::uint32_t cores) {
  analysis::SimulationOptions options;
  options.cores = cores;
  options.policy = analysis::Policy::kReadyFifo;
  const auto result = simulate(graph, options);
  REQUIRE(result.ok());
  return result->makespan_ns;
}

}  // namespace

TEST_CASE("two and three blocks together are four, and meet all five sums") {
  TaskGraph graph = blocks(kRising, 2);
  const TaskGraph thirds = blocks(kRising, 3);
  const auto pooled = pool(graph, {&thirds});
  CHECK(pooled[0].loops == 1);
  CHECK(pooled[0].matched == 1);
  REQUIRE(graph.team.pieces.size() == 4);
  const std::vector<std::pair<std::int64_t, std::int64_t>> ranges{{0, 3}, {4, 5}, {6, 7}, {8, 11}};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(graph.team.pieces[i].thread == i / 2);
    CHECK(graph.team.pieces[i].first == ranges[i].first);
    CHECK(graph.team.pieces[i].last == ranges[i].second);
    CHECK(graph.team.pieces[i].iterations == static_cast<std::uint64_t>(ranges[i].second - ranges[i].first + 1));
  }
  CHECK(sum(graph, 0, 6) == Approx(21e3).epsilon(1e-12));
  CHECK(sum(graph, 6, 12) == Approx(57e3).epsilon(1e-12));
  CHECK(sum(graph, 0, 4) == Approx(10e3).epsilon(0.005));
  CHECK(sum(graph, 4, 8) == Approx(26e3).epsilon(0.005));
  CHECK(sum(graph, 8, 12) == Approx(42e3).epsilon(0.005));
}

TEST_CASE("a replay on six threads has the costly iterations that only both recordings show") {
  // Halves of 48 and 24 us, thirds of 8, 48 and 16: the two costly iterations are 4 and 5, and six blocks of two cost
  // 4, 4, 40, 8, 8 and 8. Fork and end take 10 ns each.
  const Costs costs{2e3, 2e3, 2e3, 2e3, 20e3, 20e3, 4e3, 4e3, 4e3, 4e3, 4e3, 4e3};
  TaskGraph graph = blocks(costs, 2);
  const TaskGraph thirds = blocks(costs, 3);
  // Alone: 8 us an iteration in the first half, 4 in the second, and a slope between: 9.33 in the first sixth.
  CHECK(static_cast<double>(makespan(graph, 6)) == Approx(20 + 18667).epsilon(0.001));
  pool(graph, {&thirds});
  CHECK(static_cast<double>(makespan(graph, 6)) == Approx(20 + 40e3).epsilon(0.01));
  CHECK(makespan(graph, 2) == 20 + 48'000);
}

TEST_CASE("of another recording's times only their shares count") {
  Costs slower = kRising;
  for (double& cost : slower) cost *= 3;
  TaskGraph graph = blocks(kRising, 2);
  const TaskGraph thirds = blocks(slower, 3);
  pool(graph, {&thirds});
  CHECK(sum(graph, 0, 4) == Approx(10e3).epsilon(0.005));
  CHECK(sum(graph, 8, 12) == Approx(42e3).epsilon(0.005));
}

TEST_CASE("one recording of iterations one by one leaves nothing unseen") {
  TaskGraph graph = blocks(kRising, 2);
  const TaskGraph chunks = one_by_one(kRising);
  const auto unseen = [](const TaskGraph& of) {
    const auto trials = try_schedules(of, {}, divisible_loops(of), {3});
    REQUIRE(trials.ok());
    return trials->front().front().unseen;
  };
  CHECK(unseen(graph) == 1);
  pool(graph, {&chunks});
  CHECK(unseen(graph) == 0);
  REQUIRE(graph.team.pieces.size() == 12);
  for (std::size_t i = 0; i < 12; ++i) CHECK(graph.team.pieces[i].weight == Approx(kRising[i]));
}

TEST_CASE("what one thread ran is known from a recording on two, and no longer taken for even") {
  TaskGraph graph = blocks(kRising, 1);
  const TaskGraph halves = blocks(kRising, 2);
  CHECK(assumed_even_ns(graph) == 78'000);
  CHECK(makespan(graph, 2) == 20 + 39'000);
  pool(graph, {&halves});
  CHECK(assumed_even_ns(graph) == 0);
  CHECK(makespan(graph, 2) == 20 + 57'000);
}

TEST_CASE("a loop of another name or number of iterations is not matched") {
  TaskGraph graph = blocks(kRising, 2);
  const std::vector<LoopPiece> before = graph.team.pieces;
  const TaskGraph shorter = blocks({1e3, 2e3, 3e3, 4e3, 5e3, 6e3, 7e3, 8e3, 9e3}, 3);
  TaskGraph other_name = blocks(kRising, 3);
  other_name.kernel_names[2] = "b.c:9 loop";
  const auto pooled = pool(graph, {&shorter, &other_name});
  CHECK(pooled[0].loops == 1);
  CHECK(pooled[0].matched == 0);
  CHECK(pooled[1].matched == 0);
  CHECK(same(graph.team.pieces, before));
}

TEST_CASE("the k-th execution matches the k-th, and one without a partner stays as it is") {
  Costs falling(kRising.rbegin(), kRising.rend());
  const Costs other{1e3, 2e3, 3e3, 4e3, 5e3, 6e3};
  TaskGraph graph = blocks(kRising, 2);
  add_execution(graph, blocks(falling, 2));
  add_execution(graph, blocks(other, 2));
  TaskGraph thirds = blocks(kRising, 3);
  add_execution(thirds, blocks(falling, 3));
  const auto pooled = pool(graph, {&thirds});
  CHECK(pooled[0].loops == 3);
  CHECK(pooled[0].matched == 2);
  CHECK(pooled[0].refined == 2);
  REQUIRE(graph.team.pieces.size() == 10);
  CHECK(graph.team.loops[1].first_piece == 4);
  CHECK(graph.team.loops[2].first_piece == 8);
  CHECK(graph.team.loops[2].end_piece == 10);
  CHECK(graph.team.pieces[4].weight == Approx(42e3).epsilon(0.005));
  CHECK(graph.team.pieces[8].weight == 6e3);
}

TEST_CASE("where one recording has more executions of a loop, none is matched") {
  TaskGraph graph = blocks(kRising, 2);
  add_execution(graph, blocks(kRising, 2));
  const TaskGraph thirds = blocks(kRising, 3);
  CHECK(pool(graph, {&thirds})[0].matched == 0);
  CHECK(graph.team.pieces.size() == 4);
}

TEST_CASE("what differs by noise alone makes no iterations uneven") {
  const Costs even(60, 1e3);
  TaskGraph graph = blocks(even, 2);
  TaskGraph thirds = blocks(even, 3);
  TaskGraph fifths = blocks(even, 5);
  // A thread's share that took 3 % longer, and one that took 3 % less.
  thirds.team.pieces[0].weight *= 1.03;
  thirds.duration_ns[thirds.team.strands[0].node] += 600;
  fifths.team.pieces[1].weight *= 0.97;
  fifths.duration_ns[fifths.team.strands[1].node] -= 360;
  pool(graph, {&thirds, &fifths});
  CHECK(makespan(graph, 60) == 20 + 1'000);
}

TEST_CASE("a cut execution, and one whose chunks were lost, tell nothing") {
  TaskGraph cut = blocks(kRising, 3);
  cut.team.loops[0].is_cut = true;
  TaskGraph lost = blocks(kRising, 3);
  lost.team.pieces.pop_back();
  lost.team.loops[0].end_piece = 2;
  TaskGraph graph = blocks(kRising, 2);
  const auto pooled = pool(graph, {&cut, &lost});
  CHECK(pooled[0].matched == 0);
  CHECK(pooled[1].matched == 0);
  CHECK(graph.team.pieces.size() == 2);
}

TEST_CASE("pieces that cost nothing stay so, and give nothing away that was measured") {
  // The first half of the run's own recording took no time: there is nothing to divide.
  TaskGraph idle = blocks({0, 0, 0, 0, 0, 0, 7e3, 8e3, 9e3, 10e3, 11e3, 12e3}, 2);
  const TaskGraph thirds = blocks(kRising, 3);
  pool(idle, {&thirds});
  REQUIRE(idle.team.pieces.size() == 3);
  CHECK(idle.team.pieces[0].weight == 0);
  CHECK(sum(idle, 6, 12) == Approx(57e3));
  // Another one's first half did: of the second third all is in its second half.
  TaskGraph three = blocks(kRising, 3);
  const TaskGraph half = blocks({0, 0, 0, 0, 0, 0, 7e3, 8e3, 9e3, 10e3, 11e3, 12e3}, 2);
  pool(three, {&half});
  REQUIRE(three.team.pieces.size() == 4);
  CHECK(three.team.pieces[0].weight == 10e3);
  CHECK(three.team.pieces[1].weight == 0);
  CHECK(three.team.pieces[2].weight == Approx(26e3));
  // All parts of the first half cost nothing there, and something here: they are alike.
  TaskGraph two = blocks(kRising, 2);
  const TaskGraph chunks = one_by_one({0, 0, 0, 0, 0, 0, 1e3, 1e3, 1e3, 1e3, 1e3, 1e3});
  pool(two, {&chunks});
  REQUIRE(two.team.pieces.size() == 12);
  CHECK(two.team.pieces[0].weight == Approx(3500));
  CHECK(two.team.pieces[5].weight == Approx(3500));
  // A recording of nothing at all.
  TaskGraph unchanged = blocks(kRising, 2);
  const TaskGraph nothing = blocks(Costs(12, 0), 3);
  pool(unchanged, {&nothing});
  CHECK(unchanged.team.pieces.size() == 2);
}

TEST_CASE("a recording with itself is as it was") {
  TaskGraph graph = blocks(kRising, 2);
  const TaskGraph before = graph;
  const auto pooled = pool(graph, {&before, &before});
  CHECK(pooled[1].matched == 1);
  CHECK(same(graph.team.pieces, before.team.pieces));
  // Chunks of two threads that were joined into pieces which lie in each other: 0, 2, 4 and 1, 3, 5, and so on.
  TaskGraph joined = loop_graph_of({{0, 0, 4, 3, 9e3}, {0, 6, 10, 3, 27e3}, {1, 1, 5, 3, 12e3}, {1, 7, 11, 3, 30e3}},
                                   LoopSchedule::kDynamic, 1);
  const TaskGraph as_joined = joined;
  pool(joined, {&as_joined});
  for (const std::uint32_t cores : {1U, 3U, 4U, 6U}) CHECK(makespan(joined, cores) == makespan(as_joined, cores));
}

TEST_CASE("shares of static chunks lie in each other: they do not say which iterations cost what") {
  // schedule(static,2) on two threads: 0, 1, 4, 5, 8, 9 and 2, 3, 6, 7, 10, 11.
  const TaskGraph chunked = loop_graph_of({{0, 0, 9, 6, 33e3}, {1, 2, 11, 6, 45e3}}, LoopSchedule::kStaticChunked, 2);
  TaskGraph graph = blocks(kRising, 2);
  const TaskGraph before = graph;
  CHECK(pool(graph, {&chunked})[0].matched == 1);
  CHECK(same(graph.team.pieces, before.team.pieces));
  // The other way round each thread's share is divided among the halves, 39 of 78 us of the iterations being even.
  TaskGraph shares = chunked;
  pool(shares, {&before});
  CHECK(shares.team.pieces.size() == 4);
  CHECK(sum(shares, 0, 6) == Approx(21e3).epsilon(0.005));
  std::uint64_t of_first = 0;
  for (const LoopPiece& piece : shares.team.pieces)
    if (piece.thread == 0) of_first += piece.iterations;
  CHECK(of_first == 6);
}

TEST_CASE("a loop of very many pieces is split at some of them") {
  constexpr std::int64_t kIterations = 300'000;
  TaskGraph graph = loop_graph_of({{0, 0, kIterations - 1, kIterations, 3e6}}, LoopSchedule::kStatic, 0);
  std::vector<LoopPiece> pieces;
  for (std::int64_t i = 0; i < kIterations; ++i) pieces.push_back({0, i, i, 1, i < kIterations / 2 ? 5.0 : 15.0});
  const TaskGraph chunks = loop_graph_of(pieces, LoopSchedule::kDynamic, 1);
  pool(graph, {&chunks});
  CHECK(graph.team.pieces.size() > 50'000);
  CHECK(graph.team.pieces.size() < 70'000);
  CHECK(static_cast<double>(makespan(graph, 2)) == Approx(2.25e6).epsilon(0.001));
}
