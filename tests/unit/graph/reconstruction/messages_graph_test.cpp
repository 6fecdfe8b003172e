// SPDX-License-Identifier: Apache-2.0
// Calls of MPI in a rank's trace: their time is no work, and messages cut the strands.

#include "catch.hpp"
#include "unit/graph/reconstruction/trace_builder.hpp"

using foretask::test::contradiction;
using foretask::test::edges_of;
using foretask::test::Name;
using foretask::test::strands_of;
using foretask::test::TraceBuilder;
namespace graph = foretask::graph;

namespace {

using Lines = std::vector<std::string>;

void block(TraceBuilder& trace, std::int64_t at_ns) {
  trace.event(0, at_ns, FORETASK_EVENT_BLOCK_BEGIN, {FORETASK_BLOCK_MPI});
}
void unblock(TraceBuilder& trace, std::int64_t at_ns) { trace.event(0, at_ns, FORETASK_EVENT_BLOCK_END); }

}  // namespace

TEST_CASE("a call in which nothing comes or goes is taken out of the strand") {
  TraceBuilder trace(1);
  const Name main = trace.initial(0, 0);
  block(trace, 100);
  unblock(trace, 5'100);
  trace.member_end(0, 6'000, main);
  const graph::RecordedGraph built = trace.build();
  CHECK(contradiction(built) == "");
  CHECK(built.anomalies == 0);
  CHECK(strands_of(built) == Lines{"0@0 0-6000 net 1000"});
  CHECK(built.blocked_ns == 5'000);
}

TEST_CASE("a message that is sent ends a strand, one that is received begins one") {
  TraceBuilder trace(1);
  const Name main = trace.initial(0, 0);
  block(trace, 100);
  trace.event(0, 110, FORETASK_EVENT_MESSAGE_SENT, {3, 7, 1, 0, 64, 0});
  unblock(trace, 150);
  block(trace, 200);
  trace.event(0, 290, FORETASK_EVENT_MESSAGE_RECEIVED, {2, 8, 1, 0, 32, 0, 5});
  trace.event(0, 290, FORETASK_EVENT_MESSAGE_RECEIVED, {1, 8, 1, 0, 16, 0, 4});
  unblock(trace, 300);
  trace.member_end(0, 400, main);
  const graph::RecordedGraph built = trace.build();
  CHECK(contradiction(built) == "");
  CHECK(strands_of(built) == Lines{"0@0 0-100", "0@0 150-200", "0@0 300-400"});
  CHECK(edges_of(built) == Lines{"0>1c", "1>2c"});
  REQUIRE(built.messages.sent.size() == 1);
  CHECK(built.messages.sent[0].strand == 0);
  CHECK(built.messages.sent[0].peer == 3);
  CHECK(built.messages.sent[0].bytes == 64);
  REQUIRE(built.messages.received.size() == 2);
  CHECK(built.messages.received[0].strand == 2);
  CHECK(built.messages.received[1].strand == 2);
  CHECK(built.messages.received[1].posted == 4);
}

TEST_CASE("a collective call that is waited for later is left there") {
  TraceBuilder trace(1);
  const Name main = trace.initial(0, 0);
  block(trace, 100);
  trace.event(0, 100, FORETASK_EVENT_COLLECTIVE_ENTER, {9, 0, 4, FORETASK_COLLECTIVE_ALL, 1, 0, 2, 8, 0});
  unblock(trace, 110);
  trace.begin_annotated(0, 120, {});
  block(trace, 200);
  trace.event(0, 250, FORETASK_EVENT_COLLECTIVE_LEAVE, {9, 0, 4});
  unblock(trace, 260);
  trace.end(0, 300);
  trace.member_end(0, 400, main);
  const graph::RecordedGraph built = trace.build();
  CHECK(contradiction(built) == "");
  CHECK(strands_of(built) == Lines{"0@0 0-100", "0@0 110-120", "1@0 120-200", "1@0 260-300", "0@0 300-400"});
  REQUIRE(built.messages.collectives.size() == 1);
  CHECK(built.messages.collectives[0].enter == 0);
  CHECK(built.messages.collectives[0].leave == 3);
  CHECK(built.messages.collectives[0].number == 4);
}

TEST_CASE("messages outside of calls, and ends of calls that never began, are counted and make nothing") {
  TraceBuilder trace(1);
  trace.initial(0, 0);
  unblock(trace, 10);
  trace.event(0, 20, FORETASK_EVENT_MESSAGE_SENT, {3, 7, 1, 0, 64, 0});
  trace.event(0, 30, FORETASK_EVENT_COLLECTIVE_LEAVE, {9, 0, 4});
  const graph::RecordedGraph built = trace.build();
  CHECK(built.anomalies == 3);
  CHECK(built.messages.sent.empty());
}
