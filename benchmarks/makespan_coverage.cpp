// SPDX-License-Identifier: Apache-2.0
// Whether the 90 % interval of `foretask simulate --samples` holds 90 of 100 runs: a program is recorded, whole runs
// without the recorder follow, and those within are counted; then the next recording.
//
//   bin/makespan_coverage [--recordings 10] [--runs 60] [--samples 500] [--beside 0] [--only NAME]
//
// --beside N: N more recordings each, for --runs.
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

// Sleeping bodies need no core, and take what their seed draws; on two threads real ones.
const std::vector<Example>& examples() {
  static const std::vector<Example> all{
      {"sleepers", {"sleepers", "-n", "1000", "-d", "lognormal", "-m", "2000"}, "-e", 8},
      {"fib-sleep", {"fib", "-n", "24", "-x", "12", "--sleep", "10000", "--spread", "50"}, "--seed", 8},
      {"sparselu-sleep", {"sparselu", "-n", "10", "-m", "16", "--sleep", "1000", "--spread", "50"}, "--seed", 8},
      {"nqueens", {"nqueens", "-n", "13"}, nullptr, 2},
      {"fib", {"fib", "-n", "38"}, nullptr, 2},
      {"timed_cholesky",
       {"timed_cholesky", "-b", "spin", "-n", "10", "--potrf", "800", "--trsm", "400", "--syrk", "300", "--gemm",
        "400"},
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

// Of the seconds that the program prints, which leave out what comes before and after its tasks.
Interval predict(const Example& example, int& seed, const std::string& samples, int beside, const Scratch& scratch) {
  const std::string foretask = bin_folder() + "/foretask";
  double recorded_s = 0;  // of the first
  std::string others;
  for (int number = 0; number <= beside; ++number) {
    const std::string run = scratch.fresh("run" + std::to_string(number));
    std::vector<std::string> record = {foretask, "record", "--out", run, "--"};
    const std::vector<std::string> program = command(example, seed++);
    record.insert(record.end(), program.begin(), program.end());
    const double seconds = printed_seconds(run_program(record, with_threads(example.threads), scratch.path()).output);
    if (number == 0) recorded_s = seconds;
    if (number != 0) others += (others.empty() ? "" : ",") + run;
  }
  std::vector<std::string> simulate = {
      foretask, "simulate", scratch.path() + "/run0", "--cores", std::to_string(example.threads), "--samples",
      samples,  "--seed",   std::to_string(seed),     "--json"};
  if (beside > 0) simulate.insert(simulate.end(), {"--runs", others});
  const Finished answer = run_program(simulate, {}, scratch.path());
  const nlohmann::json json = nlohmann::json::parse(answer.output);
  const double around_s = json.at("measured").at("elapsed_ns").get<double>() * 1e-9 - recorded_s;
  const auto& quantiles = json.at("runs").at(0).at("samples").at("quantiles_ns");
  const auto at = [&](const char* name) { return quantiles.at(name).get<double>() * 1e-9 - around_s; };
  return {at("p05"), at("p50"), at("p95"), json.at("sampled").at("run_spread").get<double>()};
}

// Share of the runs inside, in percent.
double compare(const Example& example, int recordings, int runs, const std::string& samples, int beside) {
  const Scratch scratch;
  int inside = 0;
  int below = 0;
  double width = 0;
  double off = 0;
  double spread = 0;
  int seed = 1;
  for (int recording = 0; recording < recordings; ++recording) {
    const Interval interval = predict(example, seed, samples, beside, scratch);
    std::vector<double> seconds;
    for (int run = 0; run < runs; ++run) {
      const Finished done = run_program(command(example, seed++), with_threads(example.threads), scratch.path());
      seconds.push_back(printed_seconds(done.output));
      inside += seconds.back() >= interval.low && seconds.back() <= interval.high ? 1 : 0;
      below += seconds.back() < interval.low ? 1 : 0;
    }
    const double middle = median(seconds);
    width += 50 * (interval.high - interval.low) / interval.middle / recordings;
    off += 100 * (interval.middle / middle - 1) / recordings;
    spread += 100 * interval.run_spread / recordings;
    std::sort(seconds.begin(), seconds.end());
    const double measured = 50 * (seconds[seconds.size() * 19 / 20] - seconds[seconds.size() / 20]) / middle;
    std::printf("  %-16s %8.4f s in %8.4f to %8.4f; measured %8.4f s +- %.1f %%, %d so far inside\n", example.name,
                interval.middle, interval.low, interval.high, middle, measured, inside);
    std::fflush(stdout);
  }
  const int all = recordings * runs;
  std::printf(
      "%-16s %2d threads: %.1f %% of %d runs inside, %.1f %% below, half width %.1f %%, middle %+.1f %% off, run "
      "spread %.2f %%\n",
      example.name, example.threads, 100.0 * inside / all, all, 100.0 * below / all, width, off, spread);
  std::fflush(stdout);
  return 100.0 * inside / all;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int recordings = std::stoi(option(argc, argv, "recordings", "10"));
    const int runs = std::stoi(option(argc, argv, "runs", "60"));
    const std::string samples = option(argc, argv, "samples", "500");
    const int beside = std::stoi(option(argc, argv, "beside", "0"));
    const std::string only = option(argc, argv, "only", "");
    for (const Example& example : examples()) {
      if (!only.empty() && only != example.name) continue;
      compare(example, recordings, runs, samples, beside);
    }
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "makespan_coverage: %s\n", problem.what());
    return 1;
  }
}
