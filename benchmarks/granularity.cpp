// SPDX-License-Identifier: Apache-2.0
// Recursive programs with the parts as tasks that foretask chooses, beside the best cut-off by hand and the program
// without tasks, all in turn in processes of their own.
//
//   bin/granularity [--rounds 5] [--threads 2] [--runtime LIBRARY] [PROGRAM ...]
//   bin/granularity --cost
//
// --cost: what a subtree takes by itself. --runtime: an OpenMP runtime in libgomp's place, as libomp.so.5.
// cold: the first run in a process, nothing stored. stored: the same after a process that learned (FORETASK=learn).
// then: the runs after the first one. The best cut-off is chosen for first and later runs apart, for each round by
// the other rounds.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "granularity_ways.hpp"
#include "least_time.hpp"
#include "process_runner.hpp"
#include "recursive_programs.hpp"

namespace {

using namespace foretask::benchmarks;

struct Program {
  std::string name;
  std::vector<double> cut_offs;
  std::function<void()> renew;  // before each run, not timed
  // What it returns is the same in all ways: plain, cut-off, foretask.
  std::function<double(const std::string& way)> run;
};

// `run` is given a null pointer to the node's type.
template <typename Run>
Program program(std::string name, std::vector<double> cut_offs, std::function<void()> renew, const Run& run) {
  const auto in_way = [run](const std::string& way) {
    if (way == "plain") return static_cast<double>(run(static_cast<PlainNode*>(nullptr)));
    if (way == "cut-off") return in_team([&] { return run(static_cast<CutOffNode*>(nullptr)); });
    return in_team([&] { return run(static_cast<SubtreeNode*>(nullptr)); });
  };
  return {std::move(name), std::move(cut_offs), std::move(renew), in_way};
}

std::vector<int> random_numbers(std::size_t count) {
  std::mt19937 random(1);
  std::vector<int> numbers(count);
  for (int& number : numbers) number = static_cast<int>(random());
  return numbers;
}

Program sorting(const std::string& name) {
  const auto unsorted = std::make_shared<std::vector<int>>();
  const auto numbers = std::make_shared<std::vector<int>>();
  const auto room = std::make_shared<std::vector<int>>();
  const auto renew = [=] {
    if (unsorted->empty()) *unsorted = random_numbers(4'000'000);
    *numbers = *unsorted;
    room->resize(numbers->size());
  };
  return program(name, {4'000, 30'000, 250'000, 1'000'000}, renew, [=](auto* none) {
    if (name == "sort") {
      merge_sort(numbers->data(), room->data(), numbers->size(), none);
    } else {
      quicksort(numbers->data(), numbers->size(), none);
    }
    return std::is_sorted(numbers->begin(), numbers->end()) ? 1.0 : 0.0;
  });
}

Program multiplication() {
  constexpr std::size_t kRows = 1024;
  const auto values = std::make_shared<std::vector<double>>();
  const auto renew = [values] {
    values->resize(3 * kRows * kRows);
    for (std::size_t i = 0; i < values->size(); ++i) (*values)[i] = static_cast<double>(i % 7);
  };
  return program("strassen", {32, 64, 128, 256}, renew, [values](auto* none) {
    const auto matrix = [&](std::size_t i) { return Square{values->data() + i * kRows * kRows, kRows}; };
    strassen(matrix(0), matrix(1), matrix(2), kRows, none);
    return values->back();
  });
}

Program villages() {
  const auto root = std::make_shared<Village>();
  const auto first = std::make_shared<Village>();
  // In the same memory: villages that share lines of the cache by chance would take several times as long.
  const auto renew = [root, first] {
    std::mt19937 random(5);
    if (first->level == 0) *first = Village::of(7, random);
    *root = *first;
  };
  return program("villages", {1, 2, 3, 4, 5}, renew, [root](auto* none) {
    long ill = 0;
    for (int step = 0; step < 200; ++step) ill += step_village(*root, none);
    return ill;
  });
}

Program factors() {
  const auto matrix = std::make_shared<std::optional<Blocks>>();
  const auto renew = [matrix] { matrix->emplace(24, 40); };
  return program("blocks", {0, 1e9}, renew,
                 [matrix](auto* none) { return factor_blocks<std::remove_pointer_t<decltype(none)>>(**matrix); });
}

Program tree(const std::string& name, const RandomTree& random) {
  return program(name, {1.0 / 2, 1.0 / 3, 1.0 / 5, 1.0 / 9, 0}, {},
                 [random](auto* none) { return count_tree(random, 7, 0, none); });
}

std::vector<Program> programs() {
  const auto packed = [](auto* none) {
    Packing packing(26);
    packing.bound_by_first(17'000);
    pack(packing, 0, 17'000, 0, none);
    return packing.best.load();
  };
  return {program("fib", {24, 28, 32, 36}, {}, [](auto* none) { return fib(38, none); }),
          program("queens", {5, 7, 9, 10, 11}, {}, [](auto* none) { return queens(12, 0, {}, none); }),
          villages(),
          program("packing", {5, 10, 15, 20, 25}, {}, packed),
          multiplication(),
          sorting("sort"),
          factors(),
          sorting("quicksort"),
          tree("tree", {.rounds = 40, .probability = 0.249, .of_root = 2000}),
          tree("fine tree", {.rounds = 6, .probability = 0.2495, .of_root = 2000})};
}

// This process's own run of a program: the first run's and the later ones' median ms, and the result.
int run_here(const Program& one, const std::string& way, double its_cut_off) {
  cut_off = its_cut_off;
  const foretask::Kernel own(one.name, {"size"});
  kernel = &own;
  static_cast<void>(in_team([] { return 0.0; }));  // the runtime's threads are there
  std::vector<double> times;
  double result = 0;
  for (int i = 0; i < 4; ++i) {
    if (one.renew) one.renew();
    const auto begin = std::chrono::steady_clock::now();
    result = one.run(way);
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  std::printf("%.4f %.4f %.17g\n", times.front(), median({times.begin() + 1, times.end()}), result);
  return 0;
}

struct Times {
  std::vector<double> cold;
  std::vector<double> later;
};

class Comparison {
 public:
  Comparison(std::string self, Variables variables) : self_(std::move(self)), variables_(std::move(variables)) {}

  void compare(const Program& one, int rounds) {
    Variables stored = variables_;
    stored["FORETASK"] = "learn";
    stored["FORETASK_HOME"] = scratch_.fresh("store");
    Times ignored;
    run(one, "foretask", 0, stored, ignored);
    Times plain;
    Times own;
    Times with_store;
    std::map<double, Times> cut;
    for (int round = 0; round < rounds; ++round) {
      run(one, "plain", 0, variables_, plain);
      run(one, "foretask", 0, variables_, own);
      for (const double size : one.cut_offs) run(one, "cut-off", size, variables_, cut[size]);
      run(one, "foretask", 0, stored, with_store);
    }
    const double first = best_of(cut, &Times::cold);
    const double later = best_of(cut, &Times::later);
    const std::array<double, kRatios> ratios{median(own.cold) / first, median(with_store.cold) / first,
                                             median(own.later) / later, median(own.later) / median(plain.later)};
    std::printf("%-10s %9.1f %9.1f %9.1f", one.name.c_str(), median(plain.later), first, later);
    for (std::size_t i = 0; i < kRatios; ++i) {
      std::printf(" %9.3f", ratios[i]);
      log_ratios_[i] += std::log(ratios[i]);
    }
    std::printf("\n");
    std::fflush(stdout);
    ++programs_;
  }

  void print_means() const {
    std::printf("%-40s", "geometric mean");
    for (const double sum : log_ratios_) std::printf(" %9.3f", std::exp(sum / programs_));
    std::printf("\n");
  }

 private:
  static constexpr std::size_t kRatios = 4;

  // The best cut-off's time. What it takes in a round is looked up after the other rounds have chosen it: the least of
  // several noisy medians is less than any cut-off takes.
  static double best_of(const std::map<double, Times>& cut, std::vector<double> Times::*which) {
    std::vector<double> times;
    const std::size_t rounds = (cut.begin()->second.*which).size();
    for (std::size_t round = 0; round < rounds; ++round) {
      double least = INFINITY;
      double chosen = 0;
      for (const auto& [size, its_times] : cut) {
        std::vector<double> others = its_times.*which;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(round));
        const double other = others.empty() ? (its_times.*which)[round] : median(others);
        if (other >= least) continue;
        least = other;
        chosen = (its_times.*which)[round];
      }
      times.push_back(chosen);
    }
    return median(times);
  }

  void run(const Program& one, const std::string& way, double its_cut_off, const Variables& variables, Times& times) {
    const Finished finished =
        run_program({self_, "--run", one.name, way, std::to_string(its_cut_off)}, variables, scratch_.path());
    std::istringstream in(finished.output);
    double cold = 0;
    double later = 0;
    double result = 0;
    if (!(in >> cold >> later >> result)) throw std::runtime_error(one.name + " printed no times");
    const auto [first, is_new] = results_.try_emplace(one.name, result);
    if (first->second != result) throw std::runtime_error(one.name + ": another result " + way);
    times.cold.push_back(cold);
    times.later.push_back(later);
  }

  std::string self_;
  Variables variables_;
  Scratch scratch_;
  std::map<std::string, double> results_;
  std::array<double, kRatios> log_ratios_{};
  int programs_ = 0;
};

// A part that is called, as the recursion calls it.
[[gnu::noinline]] void called_part(const foretask::Kernel& of, foretask::Subtree& parent) {
  foretask::Subtree part(of, &parent, 1);
  if (part.spawn()) std::abort();
}

[[gnu::noinline]] void function_alone(const foretask::Kernel&, foretask::Subtree&) { asm volatile(""); }

int print_costs() {
  constexpr int kRounds = 9;
  const foretask::Kernel small("small", {"size"});
  const foretask::Kernel large("large", {"size"});
  for (int i = 0; i < 100; ++i) const foretask::Subtree known(small, nullptr, 1);
  // Not so many that they take longer than was promised.
  constexpr int kParts = 1000;
  const auto parts_by = [&](auto function) {
    return least_ns(kRounds, 1000,
                    [&] {
                      foretask::Subtree root(small, nullptr, 2);
                      if (root.spawn(1)) std::abort();
                      for (int i = 0; i < kParts; ++i) function(small, root);
                    }) /
           kParts;
  };
  const double part = parts_by(called_part) - parts_by(function_alone);
  const double timed = least_ns(kRounds, 1'000'000, [&] { const foretask::Subtree self(large, nullptr, 1); });
  foretask::Subtree asked(small, nullptr, 3);
  const double decided = least_ns(kRounds, 1000, [&] { static_cast<void>(asked.spawn(1)); });
  static_cast<void>(asked.spawned());
  std::printf("ns: a subtree in plain calls %.1f, a decision %.1f, a timed subtree %.1f\n", part, decided, timed);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<Program> all = programs();
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words.size() == 4 && words[0] == "--run") {
      for (const Program& one : all)
        if (one.name == words[1]) return run_here(one, words[2], std::stod(words[3]));
      return 2;
    }
    if (words.size() == 1 && words[0] == "--cost") return print_costs();
    const int rounds = std::stoi(option(argc, argv, "rounds", "5"));
    const std::string threads = option(argc, argv, "threads", "2");
    const std::vector<std::string> names = words_beside_options(argc, argv);
    // libgomp is loaded as well, and would bind the first thread before the other runtime looks where it may run.
    const std::string runtime = option(argc, argv, "runtime", "");
    Comparison comparison(argv[0], {{"OMP_NUM_THREADS", threads},
                                    {"OMP_PROC_BIND", runtime.empty() ? "true" : "false"},
                                    {"FORETASK", ""},
                                    {"LD_PRELOAD", runtime}});
    std::printf("%-10s %29s %39s\n%-10s %9s %9s %9s %9s %9s %9s %9s\n", "", "medians, ms", "foretask / best", "program",
                "no tasks", "best cold", "best then", "cold", "stored", "then", "/no tasks");
    for (const Program& one : all)
      if (names.empty() || std::find(names.begin(), names.end(), one.name) != names.end())
        comparison.compare(one, rounds);
    comparison.print_means();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "granularity: %s\n", error.what());
    return 1;
  }
}
