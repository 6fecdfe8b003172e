// SPDX-License-Identifier: Apache-2.0
// `whatif --schedules` against the truth: uneven loops recorded on two threads, the schedule that it recommends for 8
// and 16 threads, and every schedule that it tried run for real. Bodies sleep: on busy cores the figures say little.
//
//   bin/schedule_accuracy [--record dynamic,1] [--iterations 256] [--runs 5]
#include <algorithm>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>

#include "process_runner.hpp"

namespace {

using namespace foretask::benchmarks;

constexpr double kPercentAllowed = 3;

Variables with_schedule(const std::string& threads, const std::string& schedule) {
  // More threads than processors: waiting threads must not spin.
  return {{"OMP_NUM_THREADS", threads},
          {"OMP_WAIT_POLICY", "passive"},
          {"OMP_DYNAMIC", "false"},
          {"OMP_SCHEDULE", schedule}};
}

// Medians of the loop's time under each schedule. Interleaved, so that what else the machine does falls on all alike.
std::map<std::string, double> measure(const std::vector<std::string>& program, const std::string& threads,
                                      const std::vector<std::string>& schedules, int runs, const Scratch& scratch) {
  std::map<std::string, std::vector<double>> seconds;
  for (int run = 0; run < runs; ++run)
    for (const std::string& schedule : schedules)
      seconds[schedule].push_back(
          std::stod(run_program(program, with_schedule(threads, schedule), scratch.path()).output));
  std::map<std::string, double> medians;
  for (const auto& [schedule, times] : seconds) medians[schedule] = median(times);
  return medians;
}

int compare(const std::string& recorded, const std::string& iterations, int runs) {
  const Scratch scratch;
  const std::string foretask = bin_folder() + "/foretask";
  std::printf("%-10s %7s  %-12s %9s %9s  %-12s %9s %8s\n", "loop", "threads", "recommended", "predicted", "measured",
              "best", "measured", "longer");
  int outside = 0;
  int rows = 0;
  for (const std::string shape : {"triangular", "reverse", "lognormal", "bimodal", "block"}) {
    const std::vector<std::string> program = {bin_folder() + "/uneven_loops", shape, iterations};
    const std::string run = scratch.fresh("run");
    std::vector<std::string> record = {foretask, "record", "--out", run, "--"};
    record.insert(record.end(), program.begin(), program.end());
    run_program(record, with_schedule("2", recorded), scratch.path());
    const Finished answer =
        run_program({foretask, "whatif", run, "--schedules", "--cores", "8,16", "--json"}, {}, scratch.path());
    const nlohmann::json rows_of_shape = nlohmann::json::parse(answer.output).at("schedules");
    if (rows_of_shape.empty()) throw std::runtime_error("the loop was not recorded: " + shape);
    for (const auto& row : rows_of_shape) {
      std::vector<std::string> schedules;
      double predicted = 0;
      const std::string recommended = row.at("best").get<std::string>();
      for (const auto& one : row.at("tried")) {
        schedules.push_back(one.at("schedule").get<std::string>());
        if (schedules.back() == recommended) predicted = 1e-9 * one.at("loop_ns").get<double>();
      }
      const auto measured = measure(program, row.at("cores").dump(), schedules, runs, scratch);
      const auto best = std::min_element(measured.begin(), measured.end(),
                                         [](const auto& a, const auto& b) { return a.second < b.second; });
      const double longer = 100 * (measured.at(recommended) / best->second - 1);
      outside += longer > kPercentAllowed ? 1 : 0;
      ++rows;
      std::printf("%-10s %7d  %-12s %9.4f %9.4f  %-12s %9.4f %6.1f %%\n", shape.c_str(), row.at("cores").get<int>(),
                  recommended.c_str(), predicted, measured.at(recommended), best->first.c_str(), best->second, longer);
      std::fflush(stdout);
    }
  }
  std::printf("%d of %d more than %g %% longer than the best\n", outside, rows, kPercentAllowed);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return compare(option(argc, argv, "record", "dynamic,1"), option(argc, argv, "iterations", "256"),
                   std::stoi(option(argc, argv, "runs", "5")));
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "schedule_accuracy: %s\n", problem.what());
    return 1;
  }
}
