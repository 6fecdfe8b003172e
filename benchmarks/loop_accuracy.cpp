// SPDX-License-Identifier: Apache-2.0
// Predicted against real times of loop programs on other numbers of threads: by both compilers, under each schedule,
// with iterations that compute or sleep. What computes is recorded on one thread and asked for two, and the other way
// round; what sleeps is recorded on two and asked for more than the machine has. Times are whole processes'.
//
//   bin/loop_accuracy [--runs 3] [--with-threads 3,5 | --small yes]
//
// --with-threads: instead, what further recordings on these numbers of threads gain: of static and static,4 loops that
// sleep, the errors of two threads alone, then of all recordings together. By Clang alone: GCC's programs do not show
// such loops. --small: instead, a loop of which an iteration takes less than handing it out, under schedule(dynamic,c)
// for several c. Its threads are bound: Linux may leave two on one processor for some milliseconds.
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

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

  // Of the programs from here on.
  void set(const std::string& name, const std::string& value) { variables_[name] = value; }

  // Of one program: its recording on `recorded` threads against real runs on each of `asked`. With `also`, then the
  // same with recordings on these numbers of threads as well.
  void add(const std::vector<std::string>& program, int recorded, const std::vector<int>& asked,
           const std::vector<int>& also = {}) {
    const std::string run = record(program, recorded);
    const std::vector<double> alone = predict(run, asked, {});
    std::vector<std::string> others;
    for (const int threads : also) others.push_back(record(program, threads));
    const std::vector<double> pooled = also.empty() ? alone : predict(run, asked, others);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      std::vector<double> seconds;
      for (int repeat = 0; repeat < runs_; ++repeat)
        seconds.push_back(run_program(program, variables(asked[i]), scratch_.path()).seconds);
      const double measured = median(seconds);
      const double error = 100 * (alone[i] / measured - 1);
      errors_.push_back(std::abs(error));
      std::printf("%-6s %-10s %-10s %-6s %8d %6d %10.4f %10.4f %8.1f %%",
                  program[0].ends_with("_gcc") ? "gcc" : "clang", program[3].c_str(), program[1].c_str(),
                  program.size() > 4 ? "spin" : "sleep", recorded, asked[i], alone[i], measured, error);
      if (!also.empty()) {
        const double pooled_error = 100 * (pooled[i] / measured - 1);
        pooled_errors_.push_back(std::abs(pooled_error));
        std::printf(" %8.1f %%", pooled_error);
      }
      std::printf("\n");
      std::fflush(stdout);
    }
  }

  void sum_up(const std::string& what) {
    print(what, errors_);
    if (!pooled_errors_.empty()) print(what + ", all recordings together", pooled_errors_);
    errors_.clear();
    pooled_errors_.clear();
  }

 private:
  [[nodiscard]] Variables variables(int threads) const {
    Variables all = with_threads(threads);
    all.insert(variables_.begin(), variables_.end());
    return all;
  }

  // The folder of a new recording.
  std::string record(const std::vector<std::string>& program, int threads) {
    const std::string run = scratch_.fresh("run" + std::to_string(threads));
    std::vector<std::string> words = {bin_folder() + "/foretask", "record", "--out", run, "--"};
    words.insert(words.end(), program.begin(), program.end());
    run_program(words, variables(threads), scratch_.path());
    return run;
  }

  // Seconds on each number of threads asked for.
  std::vector<double> predict(const std::string& run, const std::vector<int>& asked,
                              const std::vector<std::string>& with) {
    std::string cores;
    for (const int threads : asked) cores += (cores.empty() ? "" : ",") + std::to_string(threads);
    std::vector<std::string> words = {bin_folder() + "/foretask", "simulate", run, "--cores", cores, "--json"};
    for (const std::string& other : with) words.insert(words.end(), {"--with", other});
    const Finished answer = run_program(words, {}, scratch_.path());
    const nlohmann::json parsed = nlohmann::json::parse(answer.output);
    std::vector<double> seconds;
    for (const nlohmann::json& one : parsed.at("runs")) seconds.push_back(1e-9 * one.at("makespan_ns").get<double>());
    return seconds;
  }

  static void print(const std::string& what, const std::vector<double>& errors) {
    double worst = 0;
    int outside = 0;
    for (const double error : errors) {
      worst = std::max(worst, error);
      outside += error > kPercentAllowed ? 1 : 0;
    }
    std::printf("%s: median %.1f %%, worst %.1f %%, %d of %zu beyond %g %%\n", what.c_str(), median(errors), worst,
                outside, errors.size(), kPercentAllowed);
  }

  int runs_;
  Variables variables_;
  Scratch scratch_;
  std::vector<double> errors_;
  std::vector<double> pooled_errors_;
};

void print_head(const char* last = "") {
  std::printf("%-6s %-10s %-10s %-6s %8s %6s %10s %10s %10s %10s\n", "by", "schedule", "iterations", "they", "recorded",
              "asked", "predicted", "measured", "error", last);
}

int compare(int runs) {
  Campaign campaign(runs);
  std::vector<std::string> compilers;
  for (const char* program : {"/uneven_loops", "/uneven_loops_gcc"})
    if (std::filesystem::exists(bin_folder() + program)) compilers.push_back(bin_folder() + program);
  const std::vector<std::string> schedules = {"static", "static,4", "dynamic,4", "guided"};
  print_head();
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

int compare_small(int runs) {
  print_head();
  for (const int chunk : {1, 4, 16, 64, 1024}) {
    Campaign campaign(runs);
    campaign.set("OMP_PROC_BIND", "true");
    campaign.set("OMP_SCHEDULE", "dynamic," + std::to_string(chunk));
    for (const auto& [recorded, asked] : {std::pair(1, 2), std::pair(2, 1)})
      campaign.add({bin_folder() + "/uneven_loops", "small", "4000000", "runtime", "spin"}, recorded, {asked});
    campaign.sum_up("dynamic," + std::to_string(chunk));
  }
  return 0;
}

int compare_pooled(int runs, const std::vector<int>& also) {
  Campaign campaign(runs);
  print_head("together");
  for (const char* shape : {"triangular", "lognormal", "bimodal"})
    for (const char* schedule : {"static", "static,4"})
      campaign.add({bin_folder() + "/uneven_loops", shape, "256", schedule}, 2, {8, 16, 64}, also);
  campaign.sum_up("sleeping, two threads to 8, 16 and 64");
  return 0;
}

std::vector<int> numbers(const std::string& list) {
  std::vector<int> found;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) found.push_back(std::stoi(word));
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int runs = std::stoi(option(argc, argv, "runs", "3"));
    if (!option(argc, argv, "small", "").empty()) return compare_small(runs);
    const std::vector<int> also = numbers(option(argc, argv, "with-threads", ""));
    return also.empty() ? compare(runs) : compare_pooled(runs, also);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "loop_accuracy: %s\n", problem.what());
    return 1;
  }
}
