// SPDX-License-Identifier: Apache-2.0
// Samples of where threads were, put into strands by hand.
#include "graph/reconstruction/code_samples.hpp"

#include "catch.hpp"

namespace graph = foretask::graph;

namespace {

// Two workers. Worker 0: kernel 0 from 100 to 200 and from 300 to 400; worker 1: kernel 1 from 100 to 400.
graph::RecordedGraph two_workers() {
  graph::RecordedGraph built;
  const auto add = [&built](std::int64_t begin_ns, std::int64_t end_ns, std::uint32_t task, std::uint16_t worker) {
    built.strands.begin_ns.push_back(begin_ns);
    built.strands.end_ns.push_back(end_ns);
    built.strands.duration_ns.push_back(end_ns - begin_ns);
    built.strands.task.push_back(task);
    built.strands.worker.push_back(worker);
    built.strands.cores.push_back(1);
  };
  add(100, 200, 0, 0);
  add(100, 400, 1, 1);
  add(300, 400, 2, 0);
  built.kernel_of_task = {0, 1, 0};
  return built;
}

constexpr std::uint32_t kThread = 4711;
constexpr std::uint32_t kOther = 4712;

}  // namespace

TEST_CASE("samples count for the kernel whose strand their thread ran then") {
  graph::CodeSamples samples;
  samples.begin_thread(kThread, 0, 50);
  samples.begin_thread(kOther, 1, 60);
  samples.add({150, 0x10, kThread, 1000});
  samples.add({199, 0x10, kThread, 1000});
  samples.add({250, 0x10, kThread, 1000});  // between its strands
  samples.add({350, 0x20, kThread, 2000});
  samples.add({350, 0x10, kOther, 1000});
  samples.add({40, 0x10, kOther, 1000});   // before its beginning
  samples.add({400, 0x10, kOther, 1000});  // at its strand's end
  samples.add({150, 0x10, 99, 1000});      // a thread that nobody recorded
  const std::vector<graph::CodeTime> times = samples.in_strands(two_workers());
  REQUIRE(times.size() == 3);
  CHECK((times[0].kernel == 0 && times[0].address == 0x10 && times[0].samples == 2 && times[0].time_ns == 2000));
  CHECK((times[1].kernel == 0 && times[1].address == 0x20 && times[1].samples == 1 && times[1].time_ns == 2000));
  CHECK((times[2].kernel == 1 && times[2].address == 0x10 && times[2].samples == 1 && times[2].time_ns == 1000));
}

TEST_CASE("a thread's number that the system uses again is the later thread's from its beginning on") {
  graph::CodeSamples samples;
  samples.begin_thread(kThread, 0, 50);
  samples.begin_thread(kThread, 1, 250);
  samples.add({150, 0x10, kThread, 1000});
  samples.add({350, 0x10, kThread, 1000});
  const std::vector<graph::CodeTime> times = samples.in_strands(two_workers());
  REQUIRE(times.size() == 2);
  CHECK(times[0].kernel == 0);
  CHECK(times[1].kernel == 1);
}
