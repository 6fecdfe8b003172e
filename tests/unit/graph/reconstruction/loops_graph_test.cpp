// SPDX-License-Identifier: Apache-2.0
// Worksharing loops, written down by hand: whose share of what each strand is, and what other numbers of threads make
// of it.
#include <algorithm>

#include "catch.hpp"
#include "foretask/analysis/simulate.hpp"
#include "graph/reconstruction/path_analysis.hpp"
#include "unit/graph/reconstruction/trace_builder.hpp"

namespace analysis = foretask::analysis;
namespace graph = foretask::graph;
using foretask::analysis::kNoLoop;
using foretask::analysis::LoopSchedule;
using foretask::analysis::TeamWork;
using foretask::test::TraceBuilder;

namespace {

constexpr std::uint32_t kCode = 0x7000;

void begin_loop(TraceBuilder& trace, std::uint32_t worker, std::int64_t at_ns, std::uint32_t schedule,
                std::uint32_t iterations, std::uint32_t chunk = 0, std::uint32_t construct = FORETASK_CONSTRUCT_LOOP,
                std::uint32_t code = kCode) {
  trace.event(worker, at_ns, FORETASK_EVENT_LOOP_BEGIN, {code, 0, construct, schedule, iterations, 0, chunk, 0});
}

void run_chunks(TraceBuilder& trace, std::uint32_t worker, std::int64_t at_ns, std::uint32_t chunks,
                std::uint32_t iterations, std::uint32_t first, std::uint32_t last) {
  trace.event(worker, at_ns, FORETASK_EVENT_LOOP_CHUNKS, {chunks, iterations, 0, first, 0, last, 0});
}

void end_loop(TraceBuilder& trace, std::uint32_t worker, std::int64_t at_ns) {
  trace.event(worker, at_ns, FORETASK_EVENT_LOOP_END);
}

// A thread's part of a loop.
struct Share {
  std::int64_t until_ns;
  std::uint32_t chunks;
  std::uint32_t iterations;
  std::uint32_t first;
  std::uint32_t last;
};

// A loop of ten iterations on two threads, from 20 ns on. The second is done before the first.
TraceBuilder loop_of_ten(std::uint32_t schedule, std::uint32_t chunk, const Share& first, const Share& second) {
  TraceBuilder trace(2);
  trace.begin_team(2);
  begin_loop(trace, 0, 20, schedule, 10, chunk);
  begin_loop(trace, 1, 20, schedule, 10, chunk);
  const auto run = [&](std::uint32_t worker, const Share& share) {
    run_chunks(trace, worker, share.until_ns, share.chunks, share.iterations, share.first, share.last);
    end_loop(trace, worker, share.until_ns);
  };
  run(1, second);
  trace.barrier(1, second.until_ns);
  run(0, first);
  trace.end_team(first.until_ns);
  return trace;
}

// 300 ns for the first half, 100 for the second.
TraceBuilder static_loop() { return loop_of_ten(FORETASK_SCHEDULE_STATIC, 0, {320, 1, 5, 0, 4}, {120, 1, 5, 5, 9}); }

graph::KernelTotals loop_totals(const graph::RecordedGraph& built, std::uint64_t code = kCode) {
  for (std::size_t i = 0; i < built.kernels.size(); ++i)
    if (built.kernels[i].kind == graph::KernelSite::Kind::kLoop && built.kernels[i].code == code)
      return built.kernel_totals[i];
  return {};
}

analysis::TaskGraph graph_of(graph::RecordedGraph built) {
  analysis::TaskGraph result;
  graph::fill_successors(std::move(built.edges), built.strands.size(), result);
  for (const std::uint32_t task : built.strands.task) result.kernel.push_back(built.kernel_of_task[task]);
  result.duration_ns = built.strands.duration_ns;
  result.task_of_node = built.strands.task;
  result.cores = built.strands.cores;
  result.parent_of_task = built.parent_of_task;
  result.task_is_untied = built.task_is_untied;
  result.kernel_names.resize(built.kernels.size());
  result.team_start = built.team_start;
  result.team = built.team;
  return result;
}

std::int64_t makespan(const analysis::TaskGraph& replayed, std::uint32_t cores, analysis::Policy policy,
                      const std::vector<analysis::LoopChange>& loops = {}) {
  analysis::SimulationOptions options;
  options.cores = cores;
  options.policy = policy;
  options.loops = loops;
  return simulate(replayed, options).value().makespan_ns;
}

}  // namespace

TEST_CASE("a replay on other numbers of threads divides a static loop into their blocks") {
  const analysis::TaskGraph replayed = graph_of(static_loop().build());
  // Of the five iterations of a block costs fall as from the other block's middle to its own: 76, 68, 60, 52, 44, then
  // 36, 28, 20, 12, 4. Before the region, behind the loop's barrier and after the region 10 ns each.
  for (const analysis::Policy policy : {analysis::Policy::kFifo, analysis::Policy::kWorkStealing}) {
    CHECK(makespan(replayed, 2, policy) == 10 + 300 + 10 + 10);  // as recorded
    CHECK(makespan(replayed, 1, policy) == 10 + 400 + 10 + 10);
    CHECK(std::abs(makespan(replayed, 4, policy) - (10 + 76 + 68 + 60 + 10 + 10)) <= 1);
    CHECK(std::abs(makespan(replayed, 10, policy) - (10 + 76 + 10 + 10)) <= 1);
    CHECK(std::abs(makespan(replayed, 100, policy) - (10 + 76 + 10 + 10)) <= 1);
  }
}

TEST_CASE("a loop under another schedule is dealt out by that one, on the recorded threads too") {
  const analysis::TaskGraph replayed = graph_of(static_loop().build());
  const std::uint32_t kernel = replayed.team.loops[0].kernel;
  // One thread runs 76, 52, 44, 20, 12, the other 68, 60, 36, 28, 4.
  const std::vector<analysis::LoopChange> dynamic{{kernel, LoopSchedule::kDynamic, 1}};
  CHECK(std::abs(makespan(replayed, 2, analysis::Policy::kFifo, dynamic) - (10 + 204 + 10 + 10)) <= 1);
  // Chunks of two in turn: 76 + 68, 44 + 36, 12 + 4 and 60 + 52, 28 + 20.
  const std::vector<analysis::LoopChange> in_turn{{kernel, LoopSchedule::kStaticChunked, 2}};
  CHECK(std::abs(makespan(replayed, 2, analysis::Policy::kFifo, in_turn) - (10 + 240 + 10 + 10)) <= 1);
}

TEST_CASE("the span has a loop's longest iteration, and a faster loop's is shorter") {
  const analysis::TaskGraph replayed = graph_of(static_loop().build());
  // 60 ns an iteration is the mean of the costlier block.
  CHECK(analysis::span_ns(replayed) == 10 + 60 + 10 + 10);
  analysis::SimulationOptions options;
  options.cores = 1;
  options.policy = analysis::Policy::kFifo;
  options.speedups = {{replayed.team.loops[0].kernel, 2.0}};
  CHECK(simulate(replayed, options).value().makespan_ns == 10 + 200 + 10 + 10);
}

TEST_CASE("a loop is a kernel, and each thread's share of it is counted once") {
  const auto built = static_loop().build();
  CHECK(built.anomalies == 0);
  CHECK(built.tasks == 0);
  CHECK(built.create_task == 0);
  CHECK(loop_totals(built).count == 2);
  CHECK(loop_totals(built).work_ns == 400);
  CHECK(built.work_ns == 10 + 400 + 10 + 10);  // before the region, the loop, behind its barrier, after the region
}

TEST_CASE("a loop's shares and pieces are those of the trace") {
  const TeamWork team = static_loop().build().team;
  REQUIRE(team.loops.size() == 1);
  CHECK(team.loops[0].schedule == LoopSchedule::kStatic);
  CHECK(team.loops[0].is_schedule_known);
  CHECK(team.loops[0].iterations == 10);
  REQUIRE(team.loops[0].end_piece - team.loops[0].first_piece == 2);
  CHECK(team.pieces[0].thread == 0);
  CHECK(team.pieces[0].last == 4);
  CHECK(team.pieces[0].weight == 300);
  CHECK(team.pieces[1].thread == 1);
  CHECK(team.pieces[1].first == 5);
  CHECK(team.pieces[1].weight == 100);
  REQUIRE(!team.phases.empty());
  CHECK(team.phases[0].threads == 2);
  CHECK(team.phases[0].divides);
}

TEST_CASE("chunks of an unknown schedule tell it") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  const auto run = [&trace](std::int64_t at_ns, const std::vector<std::uint32_t>& sizes) {
    begin_loop(trace, 0, at_ns, FORETASK_SCHEDULE_UNKNOWN, 20);
    std::uint32_t first = 100;  // GCC's bounds are values of the loop's variable
    for (const std::uint32_t size : sizes) {
      run_chunks(trace, 0, ++at_ns, 1, size, first, first + size - 1);
      first += size;
    }
    end_loop(trace, 0, at_ns);
  };
  run(30, {6, 6, 6, 2});
  run(60, {10, 5, 3, 2});
  run(90, {20});
  trace.end_team(130);
  const TeamWork team = trace.build().team;
  REQUIRE(team.loops.size() == 3);
  CHECK(team.loops[0].schedule == LoopSchedule::kDynamic);
  CHECK(team.loops[0].chunk == 6);
  CHECK_FALSE(team.loops[0].is_schedule_known);
  CHECK(team.pieces[team.loops[0].first_piece].first == 0);
  CHECK(team.loops[1].schedule == LoopSchedule::kGuided);
  CHECK(team.loops[1].chunk == 2);
  CHECK(team.loops[2].schedule == LoopSchedule::kStatic);  // all at once says nothing
}

TEST_CASE("one block for each of two threads is a static loop") {
  TraceBuilder trace(2);
  trace.begin_team(2);
  begin_loop(trace, 0, 20, FORETASK_SCHEDULE_UNKNOWN, 20);
  begin_loop(trace, 1, 20, FORETASK_SCHEDULE_UNKNOWN, 20);
  run_chunks(trace, 1, 120, 1, 10, 17, 26);
  end_loop(trace, 1, 120);
  trace.barrier(1, 120);
  run_chunks(trace, 0, 320, 1, 10, 7, 16);
  end_loop(trace, 0, 320);
  trace.end_team(320);
  const TeamWork team = trace.build().team;
  REQUIRE(team.loops.size() == 1);
  CHECK(team.loops[0].schedule == LoopSchedule::kStatic);
  CHECK(team.loops[0].is_schedule_known);
  CHECK(team.pieces[0].first == 0);
  CHECK(team.pieces[1].first == 10);
}

TEST_CASE("a share without an address is its loop's, whoever begins first, and the schedule is the one that is said") {
  constexpr std::uint32_t kAnnounced = FORETASK_SCHEDULE_GUIDED | FORETASK_SCHEDULE_UNNUMBERED;
  for (const std::uint32_t first : {0U, 1U}) {
    TraceBuilder trace(2);
    trace.begin_team(2);
    // Thread 0 forked the region: it alone knows.
    for (const std::uint32_t worker : {first, 1 - first})
      begin_loop(trace, worker, 30, worker == 0 ? kAnnounced : 0U, 8, worker == 0 ? 3 : 0, FORETASK_CONSTRUCT_LOOP,
                 worker == 0 ? kCode : 0);
    run_chunks(trace, 1, 50, 1, 4, 104, 107);
    end_loop(trace, 1, 50);
    trace.barrier(1, 50);
    run_chunks(trace, 0, 60, 1, 4, 100, 103);
    end_loop(trace, 0, 60);
    trace.end_team(60);
    const auto built = trace.build();
    CHECK(built.anomalies == 0);
    CHECK(loop_totals(built).count == 2);
    CHECK(loop_totals(built).work_ns == 20 + 30);
    CHECK(loop_totals(built, 0).count == 0);
    CHECK(std::none_of(built.kernels.begin(), built.kernels.end(), [](const graph::KernelSite& one) {
      return one.kind == graph::KernelSite::Kind::kLoop && one.code == 0;
    }));
    REQUIRE(built.team.loops.size() == 1);
    const analysis::TeamLoop& loop = built.team.loops[0];
    CHECK(built.kernels[loop.kernel].code == kCode);
    CHECK(loop.schedule == LoopSchedule::kGuided);
    CHECK(loop.chunk == 3);
    CHECK(loop.is_schedule_known);
    CHECK(built.team.pieces[0].first == 0);  // from the lowest on
    CHECK(built.team.pieces[1].first == 4);
    // The compiler's static loops are not seen.
    CHECK(built.team.phases[0].rest_divides);
  }
}

TEST_CASE("a loop of which no thread says where it is is its region's") {
  TraceBuilder trace(2);
  trace.begin_team(2);
  for (const std::uint32_t worker : {0U, 1U})
    begin_loop(trace, worker, 30, FORETASK_SCHEDULE_UNKNOWN, 8, 0, FORETASK_CONSTRUCT_LOOP, 0);
  end_loop(trace, 1, 50);
  trace.barrier(1, 50);
  end_loop(trace, 0, 60);
  trace.end_team(60);
  const auto built = trace.build();
  CHECK(loop_totals(built, 0).count == 0);
  CHECK(loop_totals(built, 0x9000).count == 2);  // where begin_team forks
  CHECK(loop_totals(built, 0x9000).work_ns == 20 + 30);
}

TEST_CASE("of a loop that the program's end cuts short those iterations count that were handed out") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  begin_loop(trace, 0, 30, FORETASK_SCHEDULE_DYNAMIC, 4000, 1);
  run_chunks(trace, 0, 40, 3, 3, 0, 2);
  run_chunks(trace, 0, 50, 2, 2, 3, 4);
  const auto built = trace.build();
  REQUIRE(built.team.loops.size() == 1);
  CHECK(built.team.loops[0].is_cut);
  CHECK(built.team.loops[0].iterations == 5);
  CHECK_FALSE(built.team.phases[0].divides);
}

TEST_CASE("iterations that depend on each other go on in order, and are no tasks") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  begin_loop(trace, 0, 30, FORETASK_SCHEDULE_DYNAMIC, 4, 1);
  for (const std::uint32_t kind : {FORETASK_DEPENDENCE_SINK, FORETASK_DEPENDENCE_SOURCE})
    trace.event(0, 35, FORETASK_EVENT_DEPENDENCES, {1, 1, 0, kind});
  end_loop(trace, 0, 40);
  trace.end_team(50);
  const auto built = trace.build();
  CHECK(built.anomalies == 0);
  CHECK_FALSE(built.team.phases[0].divides);
}

TEST_CASE("a single of which nothing says the end may be followed by a static loop, on one thread") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  begin_loop(trace, 0, 30, 0, 1, 0, FORETASK_CONSTRUCT_SINGLE);
  trace.end_team(50);
  const auto built = trace.build();
  REQUIRE(built.team.strands.size() >= 2);
  CHECK_FALSE(built.team.strands[0].is_of_one);
  CHECK_FALSE(built.team.strands[1].is_of_one);
  CHECK(built.strands.duration_ns[built.team.strands[1].node] == 20);
  CHECK(built.team.phases[0].rest_divides);
}

TEST_CASE("what goes on in order, or is cut short, is not divided") {
  for (const bool is_ordered : {true, false}) {
    TraceBuilder trace(1);
    trace.begin_team(1);
    begin_loop(trace, 0, 30, FORETASK_SCHEDULE_DYNAMIC, 4, 1);
    if (is_ordered) {
      trace.event(0, 32, FORETASK_EVENT_LOCK_WAIT, {1, 0, 7});
      trace.event(0, 32, FORETASK_EVENT_LOCK_ACQUIRED, {1, 0});
    } else {
      trace.event(0, 32, FORETASK_EVENT_CANCEL, {FORETASK_CANCEL_LOOP | FORETASK_CANCEL_ACTIVATED});
    }
    run_chunks(trace, 0, 40, 4, 4, 0, 3);
    end_loop(trace, 0, 40);
    trace.end_team(50);
    CHECK_FALSE(trace.build().team.phases[0].divides);
  }
}

TEST_CASE("a phase in which tasks are made is not divided") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  begin_loop(trace, 0, 30, FORETASK_SCHEDULE_STATIC, 4);
  trace.create(0, 35);
  end_loop(trace, 0, 40);
  trace.end_team(50);
  const auto built = trace.build();
  REQUIRE(!built.team.phases.empty());
  CHECK_FALSE(built.team.phases[0].divides);
}

TEST_CASE("what one thread does of a single is marked, and is no loop") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  begin_loop(trace, 0, 30, 0, 1, 0, FORETASK_CONSTRUCT_SINGLE);
  end_loop(trace, 0, 40);
  trace.end_team(50);
  const auto built = trace.build();
  CHECK(built.team.loops.empty());
  REQUIRE(built.team.strands.size() >= 3);  // before it, it, behind it
  CHECK_FALSE(built.team.strands[0].is_of_one);
  CHECK(built.team.strands[1].is_of_one);
  CHECK(built.strands.duration_ns[built.team.strands[1].node] == 10);
  CHECK(built.team.strands[1].loop == kNoLoop);
  CHECK_FALSE(built.team.strands[2].is_of_one);
}

TEST_CASE("a cancelled loop is over at its barrier, and replays go on behind it") {
  TraceBuilder trace(2);
  trace.begin_team(2);
  for (const std::uint32_t worker : {0U, 1U}) begin_loop(trace, worker, 30, FORETASK_SCHEDULE_DYNAMIC, 40, 1);
  run_chunks(trace, 1, 40, 3, 3, 0, 2);
  trace.barrier(1, 40);  // without a word of the loop's end
  trace.barrier(0, 50);
  trace.barrier_end(0, 55);
  trace.barrier_end(1, 55);
  trace.barrier(1, 60);
  trace.end_team(60);
  const auto built = trace.build();
  CHECK(built.anomalies == 0);
  CHECK(loop_totals(built).count == 2);
  CHECK(loop_totals(built).work_ns == 20 + 10);
  CHECK(built.team.loops[0].is_cut);
  CHECK(built.team.loops[0].iterations == 3);
  CHECK_FALSE(built.team.phases[0].divides);
  // 10 before the region, 10 + 20 until the first barrier, 5 until the second, 10 behind it, 10 after the region.
  const analysis::TaskGraph replayed = graph_of(built);
  for (const std::uint32_t cores : {1U, 2U, 5U})
    CHECK(makespan(replayed, cores, analysis::Policy::kWorkStealing) >= 10 + 30 + 5 + 10 + 10);
  CHECK(makespan(replayed, 2, analysis::Policy::kWorkStealing) == 10 + 30 + 5 + 10 + 10);
}

TEST_CASE("a loop outside of regions is one thread's, and contradicts nothing") {
  TraceBuilder trace(1);
  trace.initial(0, 0);
  begin_loop(trace, 0, 10, FORETASK_SCHEDULE_DYNAMIC, 4, 1);
  run_chunks(trace, 0, 30, 1, 4, 0, 3);
  end_loop(trace, 0, 30);
  trace.barrier(0, 30);
  trace.barrier_end(0, 31);
  trace.member_end(0, 40, {0, 0});
  const auto built = trace.build();
  CHECK(built.anomalies == 0);
  CHECK(built.work_ns == 40);
  CHECK(loop_totals(built).work_ns == 20);
  CHECK(built.team.phases.empty());
}

TEST_CASE("handing out chunks is delay, and replays add it again for their own number of threads") {
  // Ten iterations one by one, 300 ns of six on the first thread, 180 of four on the second.
  const auto dynamic_loop = [] {
    return loop_of_ten(FORETASK_SCHEDULE_DYNAMIC, 1, {320, 6, 6, 1, 9}, {200, 4, 4, 0, 6});
  };
  const auto plain = dynamic_loop().build();
  const auto built = dynamic_loop().build({}, 0, {}, false, {{.threads = 2, .chunk_ns = 20}});
  CHECK(built.work_ns == plain.work_ns - 10 * 20);
  CHECK(built.delay_ns == plain.delay_ns + 10 * 20);
  CHECK(built.runtime_ns == 10 * 20);
  CHECK(loop_totals(built).work_ns == 480 - 10 * 20);
  CHECK(built.team.loops[0].hand_outs == 10);
  // Too long for the loop: no more than it took.
  CHECK(loop_totals(dynamic_loop().build({}, 0, {}, false, {{.threads = 2, .chunk_ns = 60}})).work_ns == 0);

  const analysis::TaskGraph replayed = graph_of(built);
  analysis::SimulationOptions options;
  options.policy = analysis::Policy::kWorkStealing;
  options.costs = {.teams = {{.threads = 2, .chunk_ns = 20}}, .is_calibrated = true, .calibrated_threads = 2};
  const auto takes = [&](std::uint32_t cores) {
    options.cores = cores;
    return simulate(replayed, options).value().makespan_ns;
  };
  CHECK(takes(2) == 10 + 300 + 10 + 10);            // as recorded
  CHECK(takes(1) == 10 + 480 - 10 * 20 + 10 + 10);  // a thread that is alone is given all at once
  options.loops = {{replayed.team.loops[0].kernel, LoopSchedule::kStatic, 0}};
  CHECK(takes(2) < 10 + 300 - 6 * 20 + 10 + 10);
  options.policy = analysis::Policy::kReadyFifo;  // ideal
  options.loops.clear();
  CHECK(takes(2) == 10 + 300 - 6 * 20 + 10 + 10);
}

namespace {

// A taskloop of two tasks, which run on the other thread.
graph::RecordedGraph taskloop_of_two(std::uint32_t schedule, bool makes_another = false) {
  TraceBuilder trace(2);
  trace.begin_team(2);
  trace.barrier(1, 25);
  begin_loop(trace, 0, 30, schedule, 9, 0, FORETASK_CONSTRUCT_TASKLOOP);
  const auto first = trace.create(0, 30, FORETASK_TASK_LOOP);
  const auto second = trace.create(0, 30, FORETASK_TASK_LOOP);
  const auto other = trace.create(0, 40);
  trace.run(1, 50, first);
  if (makes_another) {
    const auto inner = trace.create(1, 60);
    trace.end(1, 70);
    trace.run(1, 70, inner);
  }
  trace.end(1, 80);
  trace.run(1, 80, second);
  trace.end(1, 90);
  trace.run(1, 90, other);
  trace.end(1, 95);
  trace.end_team(100);
  return trace.build();
}

}  // namespace

TEST_CASE("a taskloop whose number of tasks is the runtime's choice is told with its tasks") {
  const graph::RecordedGraph built = taskloop_of_two(FORETASK_SCHEDULE_AUTO);
  CHECK(built.anomalies == 0);
  REQUIRE(built.team.loops.size() == 1);
  CHECK(built.team.loops[0].is_taskloop);
  CHECK(built.team.loops[0].iterations == 9);
  CHECK(built.team.phases.back().threads == 2);
  CHECK(built.team.phases.back().divides);
  REQUIRE(built.team.strands.size() >= 2);
  const auto* const strands = built.team.strands.data() + built.team.phases.back().first_strand;
  CHECK(built.strands.duration_ns[strands[0].node] == 30);
  CHECK(built.strands.duration_ns[strands[1].node] == 10);
  CHECK(built.team.pieces.back().first == 5);
  CHECK(built.team.pieces.back().last == 8);
}

TEST_CASE("a taskloop that says how many tasks it has, or whose tasks make others, has them on any number of threads") {
  CHECK(taskloop_of_two(FORETASK_SCHEDULE_UNKNOWN).team.loops.empty());
  CHECK(taskloop_of_two(FORETASK_SCHEDULE_AUTO, true).team.loops.empty());
}

TEST_CASE("a taskloop's tasks for each of which its creator waits stay as they were recorded") {
  TraceBuilder trace(2);
  trace.begin_team(2);
  trace.barrier(1, 25);
  begin_loop(trace, 0, 30, FORETASK_SCHEDULE_AUTO, 9, 0, FORETASK_CONSTRUCT_TASKLOOP);
  for (const std::int64_t at_ns : {30, 50}) {
    const auto task = trace.create(0, at_ns, FORETASK_TASK_LOOP | FORETASK_TASK_UNDEFERRED | FORETASK_TASK_IF_CLAUSE);
    trace.run(0, at_ns, task);
    trace.end(0, at_ns + 10);
  }
  trace.end_team(100);
  CHECK(trace.build().team.loops.empty());
}

TEST_CASE("a taskloop of a damaged trace may claim any number of iterations") {
  for (const std::uint32_t high : {0U, 0x7fffffffU, 0xffffffffU}) {
    TraceBuilder trace(1);
    trace.begin_team(1);
    trace.event(0, 30, FORETASK_EVENT_LOOP_BEGIN,
                {kCode, 0, FORETASK_CONSTRUCT_TASKLOOP, FORETASK_SCHEDULE_AUTO, 0xffffffff, high, 0, 0});
    for (const std::int64_t at_ns : {30, 50, 70}) {
      const auto task = trace.create(0, at_ns, FORETASK_TASK_LOOP | FORETASK_TASK_UNDEFERRED);
      trace.run(0, at_ns, task);
      trace.end(0, at_ns + 10);
    }
    trace.end_team(100);
    const graph::RecordedGraph built = trace.build();
    REQUIRE(built.team.pieces.size() == 3);
    for (const analysis::LoopPiece& piece : built.team.pieces) CHECK(piece.first <= piece.last);
    CHECK(built.team.pieces.back().last + 1 == static_cast<std::int64_t>(built.team.loops[0].iterations));
  }
}
