// SPDX-License-Identifier: Apache-2.0
// How long it takes to make a recording's small tasks plain calls, beside a replay of the recording as it is, and what
// the advice on a cut-off adds to a report.
//
//   bin/cut_off_speed RUN
#include <cstdio>
#include <ctime>
#include <optional>

#include "foretask/analysis/cut_off_advice.hpp"
#include "foretask/analysis/cut_off_trials.hpp"

namespace {

using namespace foretask::analysis;

// Of the processor: all that is measured is one thread's.
template <typename Work>
double seconds_of(const Work& work) {
  const std::clock_t begin = std::clock();
  work();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: cut_off_speed RUN\n");
    return 2;
  }
  std::optional<foretask::Result<Run>> run;
  const double read = seconds_of([&] { run = Run::open(argv[1]); });
  if (!*run) {
    std::fprintf(stderr, "cut_off_speed: %s\n", run->error().message().c_str());
    return 1;
  }
  const TaskGraph& graph = (*run)->graph();
  const auto strands = static_cast<double>(graph.size());
  const auto print = [strands](const char* what, double seconds) {
    std::printf("%-28s %8.3f s  %6.1f ns a strand\n", what, seconds, 1e9 * seconds / strands);
  };
  std::printf("%zu strands, %zu edges\n", graph.size(), graph.edge_count());
  print("reading", read);
  SimulationOptions options{.cores = (*run)->report().workers, .policy = Policy::kWorkStealing};
  options.costs = (*run)->report().costs;
  print("a replay as it is", seconds_of([&] { (void)simulate(graph, options); }));
  for (const std::int64_t grain_ns : {1'000, 10'000, 100'000}) {
    std::uint64_t tasks = 0;
    const double seconds = seconds_of([&] { tasks = coarsened(graph, {.grain_ns = grain_ns, .kernels = {}})->tasks; });
    std::printf("grain %6lld us, %10llu left ", static_cast<long long>(grain_ns / 1000),
                static_cast<unsigned long long>(tasks));
    print("", seconds);
  }
  print("the advice", seconds_of([&] { (void)advise_cut_off(**run); }));
  return 0;
}
