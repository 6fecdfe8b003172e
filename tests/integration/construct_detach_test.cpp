// SPDX-License-Identifier: Apache-2.0
// Detached tasks are complete when their body is over and their event fulfilled, whichever comes last. Two threads:
// with one, libomp 14 to 19 fail an assertion of their own on any detached task.
#include "integration/strand_graph.hpp"

using namespace record_test;

TEST_CASE("a detached task that fulfils its own event ends with its body") {
  for_each_runtime({2}, [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "detach", {"early"}, settings);
    CHECK(recorded["create_task"] == 3);
    if (!names_all_tasks(settings)) return;
    const StrandGraph graph(scratch, recorded, "detach.c");
    CHECK(graph.is_before("detached", "successor"));
    CHECK(graph.is_before("detached", "after"));
  });
}

TEST_CASE("the event of a detached task may be fulfilled before the task starts") {
  for_each_runtime({2}, [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "detach", {"first"}, settings);
    CHECK(recorded["create_task"] == 4);
    if (!names_all_tasks(settings)) return;
    const StrandGraph graph(scratch, recorded, "detach.c");
    CHECK(graph.is_before("detached", "successor"));
    CHECK(graph.is_before("detached", "after"));
  });
}

TEST_CASE("a task after a detached one comes after the strand that fulfilled it") {
  for_each_runtime({2}, [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "detach", {"late"}, settings);
    CHECK(recorded["create_task"] == 4);
    if (!names_all_tasks(settings)) return;
    const StrandGraph graph(scratch, recorded, "detach.c");
    CHECK(graph.is_before("detached", "successor"));
    CHECK(graph.starts_before("fulfiller", "successor"));
    CHECK(graph.starts_before("fulfiller", "after"));
  });
}

TEST_CASE("a thread that OpenMP does not know may fulfil an event") {
  for_each_runtime({2}, [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "detach", {"foreign"}, settings);
    CHECK(recorded["create_task"] == 3);
    CHECK(recorded["workers"] == 2);
    // Fulfilled 2 ms after its body's end: its successor comes no earlier in any replay.
    CHECK(recorded["outside_ns"] >= 2'000'000);
    CHECK(recorded["span_ns"] >= recorded["outside_ns"]);
    if (!names_all_tasks(settings)) return;
    const StrandGraph graph(scratch, recorded, "detach.c");
    CHECK(graph.is_before("detached", "successor"));
    CHECK(graph.is_before("detached", "after"));
  });
}

TEST_CASE("Fortran's programs fulfil an event by a function of another name") {
  const auto check = [](const Settings& settings) {
    const Scratch scratch;
    CHECK(record(scratch, "fortran_detach", {"early"}, settings)["create_task"] == 3);
    const Scratch other;
    CHECK(record(other, "fortran_detach", {"late"}, settings)["create_task"] == 4);
  };
  for_each_runtime({2}, check, [](const Runtime& runtime) { return runtime.is_libgomp(); });
}
