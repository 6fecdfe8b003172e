// SPDX-License-Identifier: Apache-2.0
// Any bytes as a platform file: read or refused with a reason; what is read replays a small graph, or says why not.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "foretask/analysis/simulate.hpp"

namespace {

using namespace foretask::analysis;

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", what);
  std::abort();
}

// Three tasks on two nodes, with messages both ways, one of them for gpus as well.
const TaskGraph& graph() {
  static const TaskGraph small = [] {
    TaskGraph made;
    made.duration_ns = {10, 20, 30};
    made.kernel = {0, 0, 0};
    made.kernel_names = {"a"};
    made.node = {0, 1, 0};
    made.class_names = {"gpu"};
    made.class_durations = {{0, 0, 5}};
    made.first_successor = {0, 1, 2, 2};
    made.successors = {1, 2};
    made.edge_bytes = {100, 1'000'000};
    return made;
  }();
  return small;
}

void replay(const Platform& platform) {
  // Large machines take memory, not thought.
  if (worker_count(platform) > 10'000 || platform.nodes.size() > 1000 || !platform.simgrid_xml.empty()) return;
  SimulationOptions options;
  options.cores = 0;
  options.platform = std::make_shared<const Platform>(platform);
  for (const Policy policy : {Policy::kCriticalPath, Policy::kHeft}) {
    options.policy = policy;
    const auto result = simulate(graph(), options);
    if (!result) {
      check(!result.error().what.empty(), "an error has a reason");
    } else {
      check(result->makespan_ns >= 55, "no replay is shorter than the path of shortest times");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = memfd_create("platform", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  check(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == static_cast<ssize_t>(size), "the input is written");
  const auto platform = read_platform(path);
  if (platform) {
    check(!platform->nodes.empty(), "a platform has a node");
    replay(*platform);
  } else {
    check(platform.error().path == path && !platform.error().what.empty(), "an error names the file and the reason");
  }
  static_cast<void>(platform_of_workers({reinterpret_cast<const char*>(data), size}));
  return 0;
}
