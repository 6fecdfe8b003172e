// SPDX-License-Identifier: Apache-2.0
// Parallel loops on a number of threads that foretask chooses, beside the same program on one thread, on all, and on
// the better of the two for each size (by hand): sweeps over sizes from 10 to 10^7, each way in processes of its own,
// in turn.
//
//   bin/threads [--rounds 9] [--threads 2] [--order up|down|mixed] [KERNEL ...]
//   bin/threads --cost
//
// The better way is found for each size apart by processes that run before: it is the exhaustive search. A process that
// changes between one thread and several takes longer for its smallest regions, and wakes threads up, whoever chooses:
// so the reference is one that does the same by hand. cold: the first sweep of a process, each size run ten times in a
// row, nothing stored. stored: the same after a process that learned (FORETASK=learn). warm: the later sweeps. Medians
// over the processes; a size's time includes all that foretask does. sweep: the sums over all sizes. better: the
// geometric mean beside the better of the processes on one thread and on all. Sizes are multiplications: of axpy
// elements, of gemm the number's cube root is the matrices' order, of the stencil its square root is the grid's.
//
// --cost: what a decision takes by itself.
#include <omp.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "foretask/threads.hpp"
#include "least_time.hpp"
#include "process_runner.hpp"

namespace {

using namespace foretask::benchmarks;

constexpr long kLargest = 10'000'000;
constexpr int kColdRuns = 10;
constexpr int kWarmSweeps = 7;

std::vector<long> sizes() {
  std::vector<long> all;
  for (long power = 10; power < kLargest; power *= 10)
    for (const long factor : {1, 2, 5}) all.push_back(power * factor);
  all.push_back(kLargest);
  return all;
}

struct Arrays {
  std::vector<double> x = std::vector<double>(kLargest, 1.0);
  std::vector<double> y = std::vector<double>(kLargest, 0.5);
};

Arrays& arrays() {
  static Arrays all;
  return all;
}

void axpy(long n, int threads) {
  const double* const x = arrays().x.data();
  double* const y = arrays().y.data();
#pragma omp parallel for num_threads(threads)
  for (long i = 0; i < n; ++i) y[i] += 1e-9 * x[i];
}

long root(long n, double power) { return std::max(2L, std::lround(std::pow(static_cast<double>(n), power))); }

void stencil(long n, int threads) {
  const long side = n;
  const double* const x = arrays().x.data();
  double* const y = arrays().y.data();
#pragma omp parallel for num_threads(threads)
  for (long i = 1; i < side - 1; ++i)
    for (long j = 1; j < side - 1; ++j) {
      const long at = i * side + j;
      y[at] = 0.25 * (x[at - 1] + x[at + 1] + x[at - side] + x[at + side]);
    }
}

void gemm(long n, int threads) {
  const long side = n;
  const double* const a = arrays().x.data();
  const double* const b = a + side * side;
  double* const c = arrays().y.data();
#pragma omp parallel for num_threads(threads)
  for (long i = 0; i < side; ++i)
    for (long k = 0; k < side; ++k)
      for (long j = 0; j < side; ++j) c[i * side + j] += 1e-9 * a[i * side + k] * b[k * side + j];
}

struct Program {
  std::string name;
  std::function<long(long n)> order;  // what `run` is told of a size
  void (*run)(long order, int threads);
  foretask::Kernel kernel;
  int (*begin)(foretask_threads_run& run, foretask_kernel* kernel, long order, int max);
};

int begin_with_one(foretask_threads_run& run, foretask_kernel* kernel, long order, int max) {
  const auto number = static_cast<double>(order);
  return foretask_threads_begin(&run, kernel, &number, 1, max);
}

int begin_with_three(foretask_threads_run& run, foretask_kernel* kernel, long order, int max) {
  const auto number = static_cast<double>(order);
  const std::array<double, 3> numbers{number, number, number};
  return foretask_threads_begin(&run, kernel, numbers.data(), 3, max);
}

std::vector<Program> programs() {
  return {{"axpy", [](long n) { return n; }, axpy, foretask::Kernel("axpy", {"n", "threads"}), begin_with_one},
          {"stencil", [](long n) { return std::max(3L, root(n, 0.5)); }, stencil,
           foretask::Kernel("stencil", {"side", "threads"}), begin_with_one},
          {"gemm", [](long n) { return root(n, 1.0 / 3); }, gemm, foretask::Kernel("gemm", {"m", "n", "k", "threads"}),
           begin_with_three}};
}

// ns a run, of `runs` in a row. `threads`: 0: foretask's choice.
double ns_each(const Program& one, long order, int threads, int max, int runs) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < runs; ++i) {
    if (threads != 0) {
      one.run(order, threads);
      continue;
    }
    foretask_threads_run run;
    one.run(order, one.begin(run, one.kernel.get(), order, max));
    foretask_threads_end(&run);
  }
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
  return time.count() / runs;
}

// As many words with commas between them: the number of threads of each size. Or one for all; 0: foretask chooses.
std::vector<int> threads_by_size(const std::string& words) {
  std::vector<int> all;
  std::istringstream in(words);
  for (std::string word; std::getline(in, word, ',');) all.push_back(std::stoi(word));
  all.resize(sizes().size(), all.front());
  return all;
}

// Prints a size's cold and warm ns a run in a line each.
int run_here(const Program& one, const std::vector<int>& threads, int max, const std::string& order) {
  const std::vector<long> all = sizes();
  std::vector<std::size_t> places(all.size());
  std::iota(places.begin(), places.end(), 0);
  if (order == "down") std::reverse(places.begin(), places.end());
  if (order == "mixed") std::shuffle(places.begin(), places.end(), std::mt19937(1));
  arrays();
  std::vector<double> cold(all.size());
  std::vector<double> warm(all.size());
  for (const std::size_t i : places) cold[i] = ns_each(one, one.order(all[i]), threads[i], max, kColdRuns);
  for (int sweep = 0; sweep < kWarmSweeps; ++sweep)
    for (const std::size_t i : places) {
      const auto runs = static_cast<int>(std::clamp(kLargest / all[i], 5L, 10'000L));
      warm[i] += ns_each(one, one.order(all[i]), threads[i], max, runs) / kWarmSweeps;
    }
  for (std::size_t i = 0; i < all.size(); ++i) std::printf("%.1f %.1f\n", cold[i], warm[i]);
  return 0;
}

// By size.
struct Times {
  std::map<long, std::vector<double>> cold;
  std::map<long, std::vector<double>> warm;
};

class Comparison {
 public:
  Comparison(std::string self, std::string threads, std::string order)
      : self_(std::move(self)), threads_(std::move(threads)), order_(std::move(order)) {}

  void compare(const Program& one, int rounds) {
    const Variables plain{
        {"OMP_NUM_THREADS", threads_}, {"OMP_PROC_BIND", "true"}, {"OMP_DYNAMIC", "false"}, {"FORETASK", ""}};
    Variables stored = plain;
    stored["FORETASK"] = "learn";
    stored["FORETASK_HOME"] = scratch_.fresh("store");
    Times ignored;
    run(one, "0", stored, ignored);
    Ways ways;
    for (int round = 0; round < rounds; ++round) {
      run(one, "1", plain, ways.serial);
      run(one, threads_, plain, ways.team);
    }
    std::string better;
    for (const long n : sizes())
      better += (median(ways.serial.warm.at(n)) <= median(ways.team.warm.at(n)) ? "1" : threads_) + ",";
    for (int round = 0; round < rounds; ++round) {
      run(one, "0", plain, ways.own);
      run(one, better, plain, ways.by_hand);
      run(one, "0", stored, ways.with_store);
    }
    print(one, ways);
  }

 private:
  using Phase = std::map<long, std::vector<double>> Times::*;
  struct Ways {
    Times serial;
    Times team;
    Times by_hand;
    Times own;
    Times with_store;
  };

  void run(const Program& one, const std::string& threads, const Variables& variables, Times& times) {
    const Finished finished =
        run_program({self_, "--run", one.name, threads, threads_, order_}, variables, scratch_.path());
    std::istringstream in(finished.output);
    for (const long n : sizes()) {
      double cold = 0;
      double warm = 0;
      if (!(in >> cold >> warm)) throw std::runtime_error(one.name + " printed no times");
      times.cold[n].push_back(cold);
      times.warm[n].push_back(warm);
    }
  }

  static void print(const Program& one, const Ways& ways) {
    std::printf("%-8s %10s %13s %13s %13s %9s %9s %9s\n", one.name.c_str(), "n", "1 thread, ns", "all, ns",
                "by hand, ns", "warm", "cold", "stored");
    struct Column {
      Phase phase;
      const Times* times;
      double time = 0;
      double by_hand = 0;
      double logarithms = 0;
      double logarithms_better = 0;
      double worst = 0;
    };
    std::array<Column, 3> columns{Column{&Times::warm, &ways.own}, Column{&Times::cold, &ways.own},
                                  Column{&Times::cold, &ways.with_store}};
    for (const long n : sizes()) {
      std::printf("%-8s %10ld %13.1f %13.1f %13.1f", "", n, median(ways.serial.warm.at(n)),
                  median(ways.team.warm.at(n)), median(ways.by_hand.warm.at(n)));
      for (Column& column : columns) {
        const double better =
            std::min(median((ways.serial.*column.phase).at(n)), median((ways.team.*column.phase).at(n)));
        const double by_hand = median((ways.by_hand.*column.phase).at(n));
        const double time = median((column.times->*column.phase).at(n));
        column.time += time;
        column.by_hand += by_hand;
        column.logarithms += std::log(time / by_hand);
        column.logarithms_better += std::log(time / better);
        column.worst = std::max(column.worst, time / by_hand);
        std::printf(" %9.3f", time / by_hand);
      }
      std::printf("\n");
    }
    const auto line = [&](const char* what, const auto& value) {
      std::printf("%-8s %-52s", "", what);
      for (const Column& column : columns) std::printf(" %9.3f", value(column));
      std::printf("\n");
    };
    const auto count = static_cast<double>(sizes().size());
    line("sweep", [](const Column& column) { return column.time / column.by_hand; });
    line("geometric mean", [count](const Column& column) { return std::exp(column.logarithms / count); });
    line("worst", [](const Column& column) { return column.worst; });
    line("better", [count](const Column& column) { return std::exp(column.logarithms_better / count); });
    std::fflush(stdout);
  }

  std::string self_;
  std::string threads_;
  std::string order_;
  Scratch scratch_;
};

[[gnu::noinline]] void plain_axpy(long n) {
  const double* const x = arrays().x.data();
  double* const y = arrays().y.data();
  for (long i = 0; i < n; ++i) y[i] += 1e-9 * x[i];
}

int print_costs() {
  // Many short ones: the processors may be busy with something else.
  constexpr int kRounds = 400;
  constexpr int kTimes = 2'000;
  constexpr long kSize = 10;
  const foretask::Kernel kernel("cost", {"n", "threads"});
  const auto chosen = [&] {
    const foretask::Threads threads(kernel, 2, kSize);
    axpy(kSize, threads.count());
  };
  for (int i = 0; i < 100'000; ++i) chosen();
  const double decided = least_ns(kRounds, kTimes, [&] { const foretask::Threads threads(kernel, 2, kSize); });
  const double asked = least_ns(kRounds, kTimes, [&] { static_cast<void>(foretask::best_threads(kernel, 2, kSize)); });
  int max = 2;  // another one each time: each run is timed
  const double timed =
      least_ns(kRounds, kTimes, [&] { const foretask::Threads threads(kernel, max = 5 - max, kSize); });
  std::printf("ns: a decision %.1f, a question %.1f, a run that is timed %.1f\n", decided, asked, timed);
  std::printf("ns: axpy of 10 as a plain loop %.1f, in a region of one thread %.1f, on as many as are chosen %.1f\n",
              least_ns(kRounds, kTimes, [] { plain_axpy(kSize); }), least_ns(kRounds, kTimes, [] { axpy(kSize, 1); }),
              least_ns(kRounds, kTimes, chosen));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<Program> all = programs();
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words.size() == 5 && words[0] == "--run") {
      for (const Program& one : all)
        if (one.name == words[1]) return run_here(one, threads_by_size(words[2]), std::stoi(words[3]), words[4]);
      return 2;
    }
    if (words.size() == 1 && words[0] == "--cost") return print_costs();
    const int rounds = std::stoi(option(argc, argv, "rounds", "9"));
    const std::vector<std::string> names = words_beside_options(argc, argv);
    Comparison comparison(argv[0], option(argc, argv, "threads", "2"), option(argc, argv, "order", "mixed"));
    for (const Program& one : all)
      if (names.empty() || std::find(names.begin(), names.end(), one.name) != names.end())
        comparison.compare(one, rounds);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "threads: %s\n", error.what());
    return 1;
  }
}
