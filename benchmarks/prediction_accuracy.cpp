// SPDX-License-Identifier: Apache-2.0
// Predicted against measured times of whole programs.
//
//   bin/prediction_accuracy examples [--runs 7]   the seven example programs on one thread and two: T(2) from a
//                                                 recording on one thread, T(1) from one on two, against medians of
//                                                 unrecorded runs
//   bin/prediction_accuracy sleepers [--runs 3] [--tasks 600] [--mean-us 50000]
//                                                 tasks that sleep, so that real runs on up to 64 threads are possible
//                                                 on any machine: T(4) .. T(64) from a recording on two threads. Short
//                                                 tasks show the fight of 64 spinning threads for the machine's cores.
#include <cmath>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>

#include "process_runner.hpp"

namespace {

using namespace foretask::benchmarks;

// Predicted seconds by number of cores.
std::map<int, double> predict(const std::vector<std::string>& command, const Variables& variables, int threads,
                              const std::string& cores, const Scratch& scratch) {
  const std::string run = scratch.fresh("run");
  const std::string foretask = bin_folder() + "/foretask";
  std::vector<std::string> record = {foretask, "record", "--out", run, "--"};
  record.insert(record.end(), command.begin(), command.end());
  Variables with_threads = variables;
  with_threads["OMP_NUM_THREADS"] = std::to_string(threads);
  run_program(record, with_threads, scratch.path());
  const Finished simulated = run_program({foretask, "simulate", run, "--cores", cores, "--json"}, {}, scratch.path());
  std::map<int, double> seconds;
  const nlohmann::json result = nlohmann::json::parse(simulated.output);
  for (const auto& row : result.at("runs"))
    seconds[row.at("cores").get<int>()] = row.at("makespan_ns").get<double>() * 1e-9;
  return seconds;
}

double measure(const std::vector<std::string>& command, const Variables& variables, int threads,
               const Scratch& scratch) {
  Variables with_threads = variables;
  with_threads["OMP_NUM_THREADS"] = std::to_string(threads);
  return run_program(command, with_threads, scratch.path()).seconds;
}

void summary(std::vector<double> errors) {
  for (double& error : errors) error = std::abs(error);
  std::printf("\nmedian error %.1f %%, largest %.1f %%\n", median(errors),
              *std::max_element(errors.begin(), errors.end()));
}

void examples(int runs) {
  const Scratch scratch;
  const std::string bin = bin_folder();
  std::vector<double> errors;
  std::printf("%-10s %9s %9s %12s %8s %12s %8s\n", "program", "T(1) s", "T(2) s", "T(2) from 1", "error", "T(1) from 2",
              "error");
  for (const char* name : {"fib", "nqueens", "sort", "fft", "sparselu", "strassen", "cholesky"}) {
    const std::vector<std::string> command = {bin + "/" + name};
    std::vector<double> one;
    std::vector<double> two;
    std::vector<double> two_from_one;
    std::vector<double> one_from_two;
    for (int run = 0; run < runs; ++run) {
      one.push_back(measure(command, {}, 1, scratch));
      two.push_back(measure(command, {}, 2, scratch));
      if (run % 3 != 0) continue;
      two_from_one.push_back(predict(command, {}, 1, "2", scratch)[2]);
      one_from_two.push_back(predict(command, {}, 2, "1", scratch)[1]);
    }
    const double error_two = (median(two_from_one) / median(two) - 1) * 100;
    const double error_one = (median(one_from_two) / median(one) - 1) * 100;
    errors.push_back(error_two);
    errors.push_back(error_one);
    std::printf("%-10s %9.4f %9.4f %12.4f %7.1f%% %12.4f %7.1f%%\n", name, median(one), median(two),
                median(two_from_one), error_two, median(one_from_two), error_one);
    std::fflush(stdout);
  }
  summary(errors);
}

void sleepers(int runs, const std::string& tasks, const std::string& mean_us) {
  const Scratch scratch;
  const std::string bin = bin_folder();
  // More threads than processors: waiting threads must not spin.
  const Variables passive = {{"OMP_WAIT_POLICY", "passive"}, {"OMP_DYNAMIC", "false"}};
  std::vector<double> errors;
  std::printf("%-10s %-12s %8s %12s %12s %8s\n", "shape", "durations", "threads", "measured s", "predicted s", "error");
  for (const char* shape : {"flat", "tree", "divide", "depend", "forkjoin"}) {
    for (const char* distribution : {"uniform", "exponential"}) {
      const std::vector<std::string> command = {bin + "/sleepers", "-s", shape,       "-n", tasks, "-m",
                                                mean_us,           "-d", distribution};
      const std::map<int, double> predicted = predict(command, passive, 2, "4,8,16,32,64", scratch);
      for (const auto& [threads, seconds] : predicted) {
        std::vector<double> measured;
        for (int run = 0; run < runs; ++run) measured.push_back(measure(command, passive, threads, scratch));
        const double error = (seconds / median(measured) - 1) * 100;
        errors.push_back(error);
        std::printf("%-10s %-12s %8d %12.4f %12.4f %7.1f%%\n", shape, distribution, threads, median(measured), seconds,
                    error);
        std::fflush(stdout);
      }
    }
  }
  summary(errors);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  try {
    if (what == "examples") {
      examples(std::stoi(option(argc, argv, "runs", "7")));
    } else if (what == "sleepers") {
      sleepers(std::stoi(option(argc, argv, "runs", "3")), option(argc, argv, "tasks", "600"),
               option(argc, argv, "mean-us", "50000"));
    } else {
      std::fprintf(stderr, "usage: prediction_accuracy examples|sleepers [--runs N] [--tasks N] [--mean-us N]\n");
      return 2;
    }
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "prediction_accuracy: %s\n", problem.what());
    return 1;
  }
}
