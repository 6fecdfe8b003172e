// SPDX-License-Identifier: Apache-2.0
// The parts that foretask would make tasks, on more cores than there are: graphs of programs without a cut-off,
// replayed.
//
//   bin/granularity_replay [--cores 64]
//
// Examples are recorded without a cut-off on one thread. Two replays bound what docs/granularity.md's rules decide:
// parts become tasks from 120 times what making a task costs on (nobody is idle), or from a sixteenth of that on
// (somebody always is). Beside them the best of all cut-offs, by grain and by depth. Without what the programs do
// outside of parallel regions.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "foretask/analysis/cut_off_trials.hpp"
#include "foretask/analysis/run.hpp"
#include "process_runner.hpp"

namespace {

using namespace foretask::benchmarks;
using namespace foretask::analysis;

const std::vector<std::vector<std::string>> kPrograms{{"fib", "-n", "31", "-x", "0"},
                                                      {"nqueens", "-n", "12", "-x", "12"},
                                                      {"sort", "-n", "2000000", "-a", "16", "-q", "16", "-y", "16"},
                                                      {"strassen", "-n", "1024", "-y", "32", "-x", "0"},
                                                      {"fft", "-n", "2097152", "-y", "16", "-x", "16"}};

template <typename Value>
Value checked(foretask::Result<Value> result) {
  if (!result) throw std::runtime_error(result.error().message());
  return std::move(*result);
}

Run record(std::vector<std::string> command, const Scratch& scratch) {
  command.front() = bin_folder() + "/" + command.front();
  const std::string folder = scratch.fresh("run");
  command.insert(command.begin(), {bin_folder() + "/foretask", "record", "--no-samples", "--out", folder, "--"});
  run_program(command, {{"OMP_NUM_THREADS", "1"}}, scratch.path());
  return checked(Run::open(folder));
}

// Task 0 runs outside of parallel regions alone: in them the first thread has a task of the team.
TaskGraph without_serial_parts(TaskGraph graph) {
  for (NodeIndex i = 0; i < graph.size(); ++i)
    if (graph.task_of_node[i] == 0) graph.duration_ns[i] = 0;
  return graph;
}

std::string name_of(const CutOff& cut_off) {
  if (cut_off.depth != kAnyDepth) return "depth " + std::to_string(cut_off.depth);
  return std::to_string(cut_off.grain_ns / 1000) + " us";
}

// The ratios to the best cut-off: nobody idle, somebody always.
std::vector<double> compare(const std::vector<std::string>& command, std::uint32_t cores, const Scratch& scratch) {
  const Run run = record(command, scratch);
  const TaskGraph graph = without_serial_parts(run.graph());
  SimulationOptions options{.cores = cores, .policy = Policy::kWorkStealing};
  options.costs = run.report().costs;
  const std::int64_t making_ns = team_costs(options.costs.teams, cores).create_ns;
  CutOffGrid grid;
  grid.cut_offs = {{.grain_ns = 120 * making_ns, .kernels = {}}, {.grain_ns = 120 * making_ns / 16, .kernels = {}}};
  const CoarseGraphs coarse = checked(CoarseGraphs::of(graph));
  for (const CutOff& cut_off : coarse.grains_to_try()) grid.cut_offs.push_back(cut_off);
  for (const CutOff& cut_off : coarse.depths_to_try()) grid.cut_offs.push_back(cut_off);
  grid.cores = {cores};
  grid.replays = 5;
  const std::vector<CutOffTrial> trials = checked(try_cut_offs(graph, options, grid)).trials;
  const auto ms = [](const CutOffTrial& trial) { return static_cast<double>(trial.replays[0].makespan_ns) * 1e-6; };
  const auto best = std::min_element(trials.begin() + 2, trials.end(),
                                     [&](const CutOffTrial& a, const CutOffTrial& b) { return ms(a) < ms(b); });
  if (best == trials.end()) throw std::runtime_error(command.front() + ": no cut-off to try");
  std::printf("%-9s %10llu %9lld %11.3f %-9s", command.front().c_str(), static_cast<unsigned long long>(coarse.tasks()),
              static_cast<long long>(making_ns), ms(*best), name_of(best->cut_off).c_str());
  std::vector<double> ratios;
  for (int i = 0; i < 2; ++i) {
    const CutOffTrial& decided = trials[static_cast<std::size_t>(i)];
    ratios.push_back(ms(decided) / ms(*best));
    std::printf(" %9llu %7.3f", static_cast<unsigned long long>(decided.tasks), ratios.back());
  }
  std::printf("\n");
  std::fflush(stdout);
  return ratios;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto cores = static_cast<std::uint32_t>(std::stoul(option(argc, argv, "cores", "64")));
    const Scratch scratch;
    std::printf("%-9s %10s %9s %21s %17s %17s\n%-9s %10s %9s %11s %-9s %9s %7s %9s %7s\n", "", "", "making", "best",
                "nobody is idle", "always somebody", "program", "tasks", "a task ns", "ms", "cut-off", "tasks", "/best",
                "tasks", "/best");
    std::vector<double> logs(2);
    for (const std::vector<std::string>& command : kPrograms) {
      const std::vector<double> ratios = compare(command, cores, scratch);
      for (std::size_t i = 0; i < 2; ++i) logs[i] += std::log(ratios[i]) / static_cast<double>(kPrograms.size());
    }
    std::printf("geometric means: %.3f, %.3f\n", std::exp(logs[0]), std::exp(logs[1]));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "granularity_replay: %s\n", error.what());
    return 1;
  }
}
