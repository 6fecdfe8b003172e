// SPDX-License-Identifier: Apache-2.0
// Predicted against real times of loop programs on other numbers of threads: by both compilers, under each schedule,
// with iterations that compute or sleep. What computes is recorded on one thread and asked for two, and the other way
// round; what sleeps is recorded on two and asked for more than the machine has. Times are whole processes'.
//
//   bin/loop_accuracy [--runs 3]
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "process_runner.hpp"

namespace {

using namespace foretask::benchmarks;

constexpr double kPercentAllowed = 8;

Variables with_threads(int threads) {
  // More threads than processors: waiting threads must not spin.
  return {{"OMP_NUM_THREADS", std::to_string(threads)}, {"OMP_WAIT_POLICY", "passive"}, {"OMP_DYNAMIC", "false"}};
}

class Campaign {
 public:
  explicit Campaign(int runs) : runs_(runs) {}

  // Of one program: its recording on `recorded` threads against real runs on each of `asked`.
  void add(const std::vector<std::string>& program, int recorded, const std::vector<int>& asked) {
    const std::string run = scratch_.fresh("run");
    const std::string foretask = bin_folder() + "/foretask";
    std::vector<std::string> record = {foretask, "record", "--out", run, "--"};
    record.insert(record.end(), program.begin(), program.end());
    run_program(record, with_threads(recorded), scratch_.path());
    std::string cores;
    for (const int threads : asked) cores += (cores.empty() ? "" : ",") + std::to_string(threads);
    const Finished answer = run_program({foretask, "simulate", run, "--cores", cores, "--json"}, {}, scratch_.path());
    const nlohmann::json predictions = nlohmann::json::parse(answer.output).at("runs");
    for (std::size_t i = 0; i < asked.size(); ++i) {
      std::vector<double> seconds;
      for (int repeat = 0; repeat < runs_; ++repeat)
        seconds.push_back(run_program(program, with_threads(asked[i]), scratch_.path()).seconds);
      const double measured = median(seconds);
      const double predicted = 1e-9 * predictions[i].at("makespan_ns").get<double>();
      const double error = 100 * (predicted / measured - 1);
      errors_.push_back(std::abs(error));
      std::printf("%-6s %-10s %-10s %-6s %8d %6d %10.4f %10.4f %8.1f %%\n",
                  program[0].ends_with("_gcc") ? "gcc" : "clang", program[3].c_str(), program[1].c_str(),
                  program.size() > 4 ? "spin" : "sleep", recorded, asked[i], predicted, measured, error);
      std::fflush(stdout);
    }
  }

  void sum_up(const char* what) {
    double worst = 0;
    int outside = 0;
    for (const double error : errors_) {
      worst = std::max(worst, error);
      outside += error > kPercentAllowed ? 1 : 0;
    }
    std::printf("%s: median %.1f %%, worst %.1f %%, %d of %zu beyond %g %%\n", what, median(errors_), worst, outside,
                errors_.size(), kPercentAllowed);
    errors_.clear();
  }

 private:
  int runs_;
  Scratch scratch_;
  std::vector<double> errors_;
};

int compare(int runs) {
  Campaign campaign(runs);
  std::vector<std::string> compilers;
  for (const char* program : {"/uneven_loops", "/uneven_loops_gcc"})
    if (std::filesystem::exists(bin_folder() + program)) compilers.push_back(bin_folder() + program);
  const std::vector<std::string> schedules = {"static", "static,4", "dynamic,4", "guided"};
  std::printf("%-6s %-10s %-10s %-6s %8s %6s %10s %10s %10s\n", "by", "schedule", "iterations", "they", "recorded",
              "asked", "predicted", "measured", "error");
  for (const auto& [recorded, asked] : {std::pair(1, 2), std::pair(2, 1)}) {
    for (const char* shape : {"even", "lognormal", "triangular"})
      for (const std::string& compiler : compilers)
        for (const std::string& schedule : schedules)
          campaign.add({compiler, shape, "64", schedule, "spin"}, recorded, {asked});
    campaign.sum_up(recorded == 1 ? "computing, one thread to two" : "computing, two threads to one");
  }
  for (const char* shape : {"triangular", "lognormal", "bimodal"})
    for (const std::string& compiler : compilers)
      for (const std::string& schedule : schedules) campaign.add({compiler, shape, "256", schedule}, 2, {8, 16, 64});
  campaign.sum_up("sleeping, two threads to 8, 16 and 64");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return compare(std::stoi(option(argc, argv, "runs", "3")));
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "loop_accuracy: %s\n", problem.what());
    return 1;
  }
}
