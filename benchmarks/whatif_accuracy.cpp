// SPDX-License-Identifier: Apache-2.0
// What-if predictions against the truth: a recorded program, one of its kernels then really made twice as fast, whole
// runs timed before and after.
//
//   bin/whatif_accuracy spin [--tiles 10] [--runs 15]    spinning bodies, recorded and measured on two threads
//   bin/whatif_accuracy sleep [--tiles 16] [--runs 5]    sleeping bodies, recorded on two threads, measured on 8, 16,
//   32
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>

#include "process_runner.hpp"

namespace {

using namespace foretask::benchmarks;

struct Kernel {
  const char* name;
  int us;
};

// potrf is little of the work and much of the critical path, gemm the other way round.
constexpr std::array<Kernel, 4> kSpinning{{{"potrf", 8000}, {"trsm", 4000}, {"syrk", 3000}, {"gemm", 4000}}};
constexpr std::array<Kernel, 4> kSleeping{{{"potrf", 60000}, {"trsm", 30000}, {"syrk", 20000}, {"gemm", 20000}}};
constexpr double kPointsAllowed = 3;

template <std::size_t kCount>
struct Load {
  const char* body;
  std::string tiles;
  std::array<Kernel, kCount> kernels;
};

// `faster` takes half its time.
template <std::size_t kCount>
std::vector<std::string> command(const Load<kCount>& load, const char* faster) {
  std::vector<std::string> words = {bin_folder() + "/timed_cholesky", "-b", load.body, "-n", load.tiles};
  for (const Kernel& kernel : load.kernels) {
    words.push_back(std::string("--") + kernel.name);
    words.push_back(std::to_string(kernel.us / (faster && std::string(faster) == kernel.name ? 2 : 1)));
  }
  return words;
}

Variables with_threads(int threads) {
  // More threads than processors: waiting threads must not spin.
  return {{"OMP_NUM_THREADS", std::to_string(threads)}, {"OMP_WAIT_POLICY", "passive"}, {"OMP_DYNAMIC", "false"}};
}

// Gain predicted of each kernel on each number of threads, in percent.
std::map<std::pair<std::string, int>, double> predict(const std::vector<std::string>& program, const std::string& cores,
                                                      const Scratch& scratch) {
  const std::string run = scratch.fresh("run");
  const std::string foretask = bin_folder() + "/foretask";
  std::vector<std::string> record = {foretask, "record", "--out", run, "--"};
  record.insert(record.end(), program.begin(), program.end());
  run_program(record, with_threads(2), scratch.path());
  const Finished answer =
      run_program({foretask, "whatif", run, "--factors", "2", "--cores", cores, "--json"}, {}, scratch.path());
  std::map<std::pair<std::string, int>, double> gains;
  const nlohmann::json json = nlohmann::json::parse(answer.output);
  for (const auto& row : json.at("rows")) {
    const std::string name = row.at("kernel").get<std::string>();
    gains[{name.substr(0, name.find(' ')), row.at("cores").get<int>()}] = 100 * (row.at("speedup").get<double>() - 1);
  }
  return gains;
}

template <std::size_t kCount>
int compare(const Load<kCount>& load, const std::vector<int>& thread_counts, int runs) {
  const Scratch scratch;
  std::string cores;
  for (const int threads : thread_counts) cores += (cores.empty() ? "" : ",") + std::to_string(threads);
  const auto predicted = predict(command(load, nullptr), cores, scratch);
  std::printf("%-8s %8s %12s %12s %10s %10s %8s\n", "kernel", "threads", "before s", "after s", "measured", "predicted",
              "points");
  int outside = 0;
  for (const int threads : thread_counts) {
    // Interleaved, so that what else the machine does falls on all alike.
    std::vector<double> before;
    std::map<std::string, std::vector<double>> after;
    for (int run = 0; run < runs; ++run) {
      before.push_back(run_program(command(load, nullptr), with_threads(threads), scratch.path()).seconds);
      for (const Kernel& kernel : load.kernels)
        after[kernel.name].push_back(
            run_program(command(load, kernel.name), with_threads(threads), scratch.path()).seconds);
    }
    for (const Kernel& kernel : load.kernels) {
      const double gain = 100 * (median(before) / median(after[kernel.name]) - 1);
      const double expected = predicted.at({kernel.name, threads});
      outside += std::abs(expected - gain) > kPointsAllowed ? 1 : 0;
      std::printf("%-8s %8d %12.4f %12.4f %8.1f %% %8.1f %% %+8.1f\n", kernel.name, threads, median(before),
                  median(after[kernel.name]), gain, expected, expected - gain);
      std::fflush(stdout);
    }
  }
  std::printf("%d of %zu further off than %g points\n", outside, thread_counts.size() * load.kernels.size(),
              kPointsAllowed);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  try {
    const int runs = std::stoi(option(argc, argv, "runs", what == "spin" ? "15" : "5"));
    const std::string tiles = option(argc, argv, "tiles", what == "spin" ? "10" : "16");
    if (what == "spin") return compare(Load<4>{"spin", tiles, kSpinning}, {2}, runs);
    if (what == "sleep") return compare(Load<4>{"sleep", tiles, kSleeping}, {8, 16, 32}, runs);
    std::fprintf(stderr, "usage: whatif_accuracy spin|sleep [--tiles N] [--runs N]\n");
    return 2;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "whatif_accuracy: %s\n", problem.what());
    return 1;
  }
}
