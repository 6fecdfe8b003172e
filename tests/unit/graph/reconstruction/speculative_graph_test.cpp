// SPDX-License-Identifier: Apache-2.0
// Cancelled taskgroups as or-parallel sections, counted by hand.
#include <algorithm>

#include "catch.hpp"
#include "unit/graph/reconstruction/search_trace.hpp"

namespace graph = foretask::graph;
using foretask::graph::MemberEnd;
using foretask::graph::SpeculativeGroup;
using namespace foretask::test;

TEST_CASE("a cancelled taskgroup is an or-parallel section with a winner, a loser and the rest") {
  const auto built = search(true).build();
  CHECK(built.anomalies == 0);
  REQUIRE(built.speculative_groups.size() == 1);
  const SpeculativeGroup& group = built.speculative_groups.front();
  CHECK(built.kernels[group.kernel].code == 0x2000);
  CHECK(group.begin_ns == 30);
  CHECK(group.cancel_ns == 150);
  CHECK(group.left_ns == 190);
  REQUIRE(group.members.size() == 4);
  CHECK(group.members[0].end == MemberEnd::kEnded);
  CHECK(group.members[1].end == MemberEnd::kWon);
  CHECK(group.members[2].end == MemberEnd::kCutShort);
  CHECK(group.members[3].end == MemberEnd::kNeverRan);
  CHECK(group.members[0].work_ns == 30);
  CHECK(group.members[1].work_ns == 95);
  CHECK(group.members[2].work_ns == 75);
  CHECK(group.members[3].work_ns == 0);
  REQUIRE(built.task_is_cut.size() == built.kernel_of_task.size());
  for (const graph::SpeculativeMember& member : group.members)
    CHECK((built.task_is_cut[member.task] != 0) == (member.end == MemberEnd::kCutShort));
}

TEST_CASE("without a word of who cancels there is no section, and what ended with the group may be cut short") {
  const auto built = search(false).build();
  CHECK(built.anomalies == 0);
  CHECK(built.speculative_groups.empty());
  CHECK(built.cancelled_tasks == 1);
  REQUIRE(built.task_is_cut.size() == built.kernel_of_task.size());
  CHECK(std::count(built.task_is_cut.begin(), built.task_is_cut.end(), 1) == 2);
}

TEST_CASE("a task that finds a solution after the first one did not win, and was not cut short") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  trace.group(0, 30);
  const Name first = trace.create(0, 40);
  const Name second = trace.create(0, 40);
  trace.group_wait(0, 50);
  trace.run(0, 50, first);
  trace.run(0, 60, second);  // within the first one
  cancel(trace, 0, 70, kCancels);
  end_cancelled(trace, 0, 70, second);
  cancel(trace, 0, 85, kCancels);
  end_cancelled(trace, 0, 85, first);
  trace.group_end(0, 90);
  trace.end_team(100);
  const auto built = trace.build();
  REQUIRE(built.speculative_groups.size() == 1);
  const SpeculativeGroup& group = built.speculative_groups.front();
  CHECK(group.cancel_ns == 70);
  CHECK(group.members[0].end == MemberEnd::kAlsoFound);
  CHECK(group.members[0].work_ns == 25);
  CHECK(group.members[1].end == MemberEnd::kWon);
  CHECK(built.task_is_cut.empty());
}

TEST_CASE("a group of searches without a solution counts, a group of other tasks does not") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  const auto run_group = [&trace](std::int64_t from_ns, std::uint32_t code, bool cancels) {
    trace.group(0, from_ns);
    const Name task = trace.create(0, from_ns, 0, code);
    trace.group_wait(0, from_ns);
    trace.run(0, from_ns, task);
    if (cancels) cancel(trace, 0, from_ns + 5, kCancels);
    cancels ? end_cancelled(trace, 0, from_ns + 5, task) : trace.end(0, from_ns + 5);
    trace.group_end(0, from_ns + 5);
  };
  run_group(30, 0x2000, false);
  run_group(40, 0x3000, false);
  run_group(50, 0x2000, true);
  // Cancelling the region around it makes nothing of it.
  cancel(trace, 0, 60, FORETASK_CANCEL_PARALLEL | FORETASK_CANCEL_ACTIVATED);
  trace.end_team(70);
  const auto built = trace.build();
  REQUIRE(built.speculative_groups.size() == 2);
  CHECK(built.speculative_groups[0].begin_ns == 30);
  CHECK_FALSE(built.speculative_groups[0].is_cancelled());
  CHECK(built.speculative_groups[0].members.front().end == MemberEnd::kEnded);
  CHECK(built.speculative_groups[1].begin_ns == 50);
  CHECK(built.speculative_groups[1].is_cancelled());
}

TEST_CASE("the work of a taskgroup within a member is that member's") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  trace.group(0, 30);
  const Name member = trace.create(0, 30, 0, 0x2000);
  trace.group_wait(0, 30);
  trace.run(0, 30, member);
  trace.group(0, 40);
  const Name inner = trace.create(0, 40, 0, 0x3000);
  trace.group_wait(0, 40);
  trace.run(0, 40, inner);
  trace.end(0, 47);
  trace.group_end(0, 50);
  cancel(trace, 0, 55, kCancels);
  end_cancelled(trace, 0, 55, member);
  trace.group_end(0, 60);
  trace.end_team(70);
  const auto built = trace.build();
  REQUIRE(built.speculative_groups.size() == 1);
  REQUIRE(built.speculative_groups[0].members.size() == 1);
  CHECK(built.speculative_groups[0].members[0].end == MemberEnd::kWon);
  CHECK(built.speculative_groups[0].members[0].work_ns == 15);
  CHECK(built.speculative_groups[0].members[0].inner_ns == 7);
}

TEST_CASE("what runs a hundred thousand taskgroups deep within a member is counted once") {
  constexpr std::int64_t kDepth = 100'000;
  TraceBuilder trace(1);
  trace.begin_team(1);
  trace.group(0, 30);
  const Name member = trace.create(0, 30, 0, 0x2000);
  trace.group_wait(0, 30);
  trace.run(0, 30, member);
  for (std::int64_t i = 0; i < kDepth; ++i) {
    trace.group(0, 31 + i);
    const Name inner = trace.create(0, 31 + i, 0, 0x3000);
    trace.group_wait(0, 31 + i);
    trace.run(0, 31 + i, inner);  // for one nanosecond, then a group of its own
  }
  std::int64_t now_ns = 31 + kDepth;
  for (std::int64_t i = 0; i < kDepth; ++i) {
    trace.end(0, now_ns);
    trace.group_end(0, now_ns);
  }
  cancel(trace, 0, now_ns + 5, kCancels);
  end_cancelled(trace, 0, now_ns + 5, member);
  trace.group_end(0, now_ns + 5);
  trace.end_team(now_ns + 10);
  const auto built = trace.build();
  REQUIRE(built.speculative_groups.size() == 1);
  REQUIRE(built.speculative_groups[0].members.size() == 1);
  CHECK(built.speculative_groups[0].members[0].work_ns == 1 + 5);
  CHECK(built.speculative_groups[0].members[0].inner_ns == kDepth);
}
