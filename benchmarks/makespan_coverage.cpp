// SPDX-License-Identifier: Apache-2.0
// Whether the range of `foretask simulate --runs` holds 90 of 100 runs: a program is recorded ten times, whole runs
// without the recorder in between, so that what the machine does meanwhile is the same for both. Those within are
// counted; then the next ten recordings.
//
//   bin/makespan_coverage [--recordings 10] [--runs 30] [--beside 9] [--only NAME]
//
// --beside N: N more recordings each, at least 4.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>

#include "process_runner.hpp"

namespace {

using namespace foretask::benchmarks;

struct Example {
  const char* name;
  std::vector<std::string> words;
  const char* seed;  // the option that takes it; nullptr: chance is the machine's
  int threads;
};

// Sleeping bodies need no core, and take what their seed draws; on two threads real ones. The sleepers keep all threads
// busy. In fib and sparselu threads have nothing to do at times, and the runtime lets them sleep on when there is work.
const std::vector<Example>& examples() {
  static const std::vector<Example> all{
      {"sleepers", {"sleepers", "-n", "300", "-d", "lognormal", "-m", "10000"}, "-e", 8},
      {"sleepers-exp", {"sleepers", "-n", "300", "-s", "flat", "-d", "exponential", "-m", "10000"}, "-e", 8},
      {"fib-sleep", {"fib", "-n", "24", "-x", "14", "--sleep", "20000", "--spread", "50"}, "--seed", 8},
      {"sparselu-sleep", {"sparselu", "-n", "14", "-m", "16", "--sleep", "1500", "--spread", "50"}, "--seed", 8},
      {"nqueens", {"nqueens", "-n", "15"}, nullptr, 2},
      {"fib", {"fib", "-n", "42"}, nullptr, 2},
      {"timed_cholesky",
       {"timed_cholesky", "-b", "spin", "-n", "16", "--potrf", "1600", "--trsm", "800", "--syrk", "600", "--gemm",
        "800"},
       nullptr,
       2},
  };
  return all;
}

// "name n=1000 threads=8 seconds=0.28 ok"
double printed_seconds(const std::string& output) {
  const std::size_t place = output.find("seconds=");
  if (place == std::string::npos) throw std::runtime_error("no time in: " + output);
  return std::strtod(output.c_str() + place + 8, nullptr);
}

std::vector<std::string> command(const Example& example, int seed) {
  std::vector<std::string> words = example.words;
  words[0] = bin_folder() + "/" + words[0];
  if (example.seed) {
    words.emplace_back(example.seed);
    words.push_back(std::to_string(seed));
  }
  return words;
}

Variables with_threads(int threads) {
  return {{"OMP_NUM_THREADS", std::to_string(threads)}, {"OMP_WAIT_POLICY", "passive"}, {"OMP_DYNAMIC", "false"}};
}

struct Interval {
  double low = 0;
  double middle = 0;
  double high = 0;
  double run_spread = 0;
};

class Coverage {
 public:
  Coverage(const Example& example, int beside) : example_(example), beside_(beside) {}

  void run(int recordings, int runs) {
    for (int recording = 0; recording < recordings; ++recording) compare(runs);
    const int all = recordings * runs;
    std::printf(
        "%-16s %2d threads, %d recordings each: %.1f %% of %d runs inside, %.1f %% below; half width %.1f %%, half of "
        "where 90 %% of the runs are %.1f %%, middle %+.1f %% off, run spread %.2f %%\n",
        example_.name, example_.threads, beside_ + 1, 100.0 * inside_ / all, all, 100.0 * below_ / all,
        width_ / recordings, measured_ / recordings, off_ / recordings, spread_ / recordings);
    std::fflush(stdout);
  }

 private:
  void compare(int runs) {
    double recorded_s = 0;  // of the first
    std::string others;
    std::vector<double> seconds;
    for (int number = 0; number <= beside_; ++number) {
      const std::string run = scratch_.fresh("run" + std::to_string(number));
      std::vector<std::string> record = {bin_folder() + "/foretask", "record", "--out", run, "--"};
      const std::vector<std::string> program = command(example_, seed_++);
      record.insert(record.end(), program.begin(), program.end());
      const double recording_s = seconds_of(record);
      if (number == 0) recorded_s = recording_s;
      if (number != 0) others += (others.empty() ? "" : ",") + run;
      while (static_cast<int>(seconds.size()) < runs * (number + 1) / (beside_ + 1))
        seconds.push_back(seconds_of(command(example_, seed_++)));
    }
    count(predict(recorded_s, others), seconds);
  }

  double seconds_of(const std::vector<std::string>& words) const {
    return printed_seconds(run_program(words, with_threads(example_.threads), scratch_.path()).output);
  }

  Interval predict(double recorded_s, const std::string& others) const {
    const std::vector<std::string> simulate = {bin_folder() + "/foretask",
                                               "simulate",
                                               scratch_.path() + "/run0",
                                               "--cores",
                                               std::to_string(example_.threads),
                                               "--samples",
                                               "100",
                                               "--seed",
                                               std::to_string(seed_),
                                               "--runs",
                                               others,
                                               "--json"};
    const nlohmann::json json = nlohmann::json::parse(run_program(simulate, {}, scratch_.path()).output);
    const double elapsed_s = json.at("measured").at("elapsed_ns").get<double>() * 1e-9;
    // What comes before and after the tasks, which the seconds that the program prints leave out.
    const double around = elapsed_s - recorded_s;
    const auto& range = json.at("runs").at(0).at("between_runs");
    const auto at = [&](const char* name) { return range.at(name).get<double>() * 1e-9 - around; };
    return {at("p05_ns"), at("p50_ns"), at("p95_ns"), json.at("sampled").at("run_spread").get<double>()};
  }

  void count(const Interval& interval, std::vector<double> seconds) {
    for (const double run : seconds) {
      inside_ += run >= interval.low && run <= interval.high ? 1 : 0;
      below_ += run < interval.low ? 1 : 0;
    }
    std::sort(seconds.begin(), seconds.end());
    const double middle = median(seconds);
    const double measured = 50 * (seconds[seconds.size() * 19 / 20] - seconds[seconds.size() / 20]) / middle;
    width_ += 50 * (interval.high - interval.low) / interval.middle;
    off_ += 100 * (interval.middle / middle - 1);
    spread_ += 100 * interval.run_spread;
    measured_ += measured;
    std::printf("  %-16s %8.4f s in %8.4f to %8.4f; measured %8.4f s +- %.1f %%, %d so far inside\n", example_.name,
                interval.middle, interval.low, interval.high, middle, measured, inside_);
    std::fflush(stdout);
  }

  const Example& example_;
  const int beside_;
  const Scratch scratch_;
  int seed_ = 1;
  int inside_ = 0;
  int below_ = 0;
  // Sums over recordings, in percent.
  double width_ = 0;
  double measured_ = 0;
  double off_ = 0;
  double spread_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    const int recordings = std::stoi(option(argc, argv, "recordings", "10"));
    const int runs = std::stoi(option(argc, argv, "runs", "30"));
    const int beside = std::stoi(option(argc, argv, "beside", "9"));
    const std::string only = option(argc, argv, "only", "");
    for (const Example& example : examples()) {
      if (!only.empty() && only != example.name) continue;
      Coverage(example, beside).run(recordings, runs);
    }
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "makespan_coverage: %s\n", problem.what());
    return 1;
  }
}
