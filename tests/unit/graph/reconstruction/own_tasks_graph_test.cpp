// SPDX-License-Identifier: Apache-2.0
// Tasks of threads of the program's own, of which nobody tells what they waited for. Counted by hand, in ns.
#include "catch.hpp"
#include "unit/graph/reconstruction/trace_builder.hpp"

using foretask::test::contradiction;
using foretask::test::Name;
using foretask::test::TraceBuilder;
namespace graph = foretask::graph;

namespace {

constexpr std::uint32_t kOwn = FORETASK_TASK_ONE_ORDER | FORETASK_TASK_OWN;

void run_own(TraceBuilder& trace, std::uint32_t worker, std::int64_t from_ns, std::int64_t to_ns) {
  const Name task = trace.create(worker, from_ns, kOwn);
  trace.run(worker, from_ns, task);
  trace.end(worker, to_ns);
}

// Whether the strand that began at `later_ns` comes after the one that began at `earlier_ns`.
bool comes_after(const graph::RecordedGraph& built, std::int64_t later_ns, std::int64_t earlier_ns) {
  std::vector<bool> reached(built.strands.size());
  for (std::size_t node = 0; node < reached.size(); ++node) {
    reached[node] = built.strands.begin_ns[node] == earlier_ns && built.strands.duration_ns[node] > 0;
    for (std::size_t i = 0; i < built.edges.size(); ++i)
      if (built.edges.to[i] == node && reached[built.edges.from[i]]) reached[node] = true;
    if (reached[node] && built.strands.begin_ns[node] == later_ns && built.strands.duration_ns[node] > 0)
      return later_ns != earlier_ns;
  }
  return false;
}

}  // namespace

TEST_CASE("tasks of the program's own threads are independent until none has run for a while") {
  TraceBuilder trace(2);
  const Name program = trace.initial(0, 0);
  run_own(trace, 0, 1'000, 5'000);
  trace.initial(1, 3'000);
  run_own(trace, 1, 3'100, 8'000);
  run_own(trace, 1, 9'000, 12'000);     // its thread came to it 1 us after the one before
  run_own(trace, 0, 100'000, 110'000);  // none ran for 88 us
  trace.member_end(0, 120'000, program);
  const auto built = trace.build();
  CHECK(built.tasks == 4);
  CHECK(built.own_tasks == 4);
  CHECK(built.workers == 2);
  CHECK_FALSE(comes_after(built, 9'000, 1'000));
  CHECK_FALSE(comes_after(built, 9'000, 3'100));
  for (const std::int64_t earlier : {1'000, 3'100, 9'000}) {
    CAPTURE(earlier);
    CHECK(comes_after(built, 100'000, earlier));
  }
  // The second thread before its first task: 100. The program alone: until 1,000, from 8,000 to 9,000, 12,000 to
  // 100,000 and 110,000 to 120,000.
  CHECK(built.work_ns == (1'000 + 1'000 + 88'000 + 10'000) + 4'000 + 4'900 + 3'000 + 10'000 + 100);
  CHECK(built.delay_ns == 0);
  CHECK(built.anomalies == 0);
  CHECK(contradiction(built).empty());
}

TEST_CASE("a task within one of the program's own threads' is its child") {
  TraceBuilder trace(1);
  const Name program = trace.initial(0, 0);
  const Name outer = trace.create(0, 10, kOwn);
  trace.run(0, 10, outer);
  run_own(trace, 0, 20, 30);
  trace.end(0, 50);
  trace.member_end(0, 60, program);
  const auto built = trace.build();
  CHECK(built.tasks == 2);
  CHECK(comes_after(built, 20, 10));
  CHECK(built.work_ns == 60);
  CHECK(built.anomalies == 0);
}
