// SPDX-License-Identifier: Apache-2.0
// How long the analysis of a large recording takes, and how much memory: fib without cut-off at several sizes, recorded
// and then reported in a process of its own. The reference is reading the same bytes with cat.
//
//   bin/analysis_speed [--sizes 27,30,35] [--threads 2]      (fib(35): 29.9 million tasks, 0.7 GB of trace)
#include <sys/resource.h>

#include <cstdio>
#include <exception>

#include "process_runner.hpp"

namespace {

using namespace foretask::benchmarks;

std::uint64_t tasks_of(const std::string& json) {
  const std::size_t at = json.find("\"tasks\":");
  return at == std::string::npos ? 0 : std::strtoull(json.c_str() + at + 8, nullptr, 10);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Scratch scratch;
    const std::string bin = bin_folder();
    std::stringstream sizes(option(argc, argv, "sizes", "27,30,35"));
    std::printf("%8s %12s %12s %12s %14s %12s %10s\n", "fib", "tasks", "record s", "report s", "ns a task", "peak GB",
                "cat s");
    for (std::string size; std::getline(sizes, size, ',');) {
      const std::string run = scratch.fresh("run");
      const double recorded =
          run_program({bin + "/foretask", "record", "--out", run, "--", bin + "/fib", "-n", size, "-x", "0"},
                      {{"OMP_NUM_THREADS", option(argc, argv, "threads", "2")}}, scratch.path())
              .seconds;
      const double cat =
          run_program({"/bin/sh", "-c", "cat " + run + "/stream_* > /dev/null"}, {}, scratch.path()).seconds;
      const Finished report = run_program({bin + "/foretask", "report", run, "--json"}, {}, scratch.path());
      // Of the children so far the largest: sizes ascend.
      rusage usage{};
      getrusage(RUSAGE_CHILDREN, &usage);
      const auto tasks = static_cast<double>(tasks_of(report.output));
      std::printf("%8s %12.0f %12.2f %12.2f %14.1f %12.2f %10.2f\n", size.c_str(), tasks, recorded, report.seconds,
                  report.seconds / tasks * 1e9, static_cast<double>(usage.ru_maxrss) / (1 << 20), cat);
      std::fflush(stdout);
    }
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "analysis_speed: %s\n", problem.what());
    return 1;
  }
}
