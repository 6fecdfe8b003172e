// SPDX-License-Identifier: Apache-2.0
// Recursive programs with the parts as tasks that foretask chooses, beside the best cut-off by hand and the program
// without tasks, all in turn in processes of their own.
//
//   bin/granularity [--rounds 5] [--threads 2] [PROGRAM ...]
//   bin/granularity --cost
//
// --cost: what a subtree takes by itself.
// cold: the first run in a process, nothing stored; then: the runs after it. The best cut-off is chosen for each apart.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
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

#include "foretask/granularity.hpp"
#include "process_runner.hpp"
#include "recursive_programs.hpp"

namespace {

using namespace foretask::benchmarks;

const foretask::Kernel* kernel = nullptr;
double cut_off = 0;

struct SubtreeNode {
  static constexpr bool kIsCutOff = false;
  SubtreeNode(SubtreeNode* parent, double size) : self(*kernel, parent ? &parent->self : nullptr, size) {}
  bool spawn() { return self.spawn(); }
  bool spawn(double part) { return self.spawn(part); }
  [[nodiscard]] bool is_small() const { return self.is_small(); }
  bool spawned() { return self.spawned(); }

  foretask::Subtree self;
};

// Tasks above a size that the benchmark is told.
struct CutOffNode {
  static constexpr bool kIsCutOff = true;
  CutOffNode(CutOffNode*, double its_size) : size(its_size) {}
  bool spawn() { return spawn(size); }
  bool spawn(double part) { return has_spawned |= part > cut_off, part > cut_off; }
  [[nodiscard]] bool is_small() const { return size <= cut_off; }
  [[nodiscard]] bool spawned() const { return has_spawned; }

  double size;
  bool has_spawned = false;
};

template <typename Work>
double in_team(const Work& work) {
  double result = 0;
#pragma omp parallel
#pragma omp single
  result = work();
  return result;
}

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
  const auto renew = [root] {
    std::mt19937 random(5);
    *root = Village::of(7, random);
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
    std::vector<std::pair<std::string, double>> ways{{"plain", 0}, {"foretask", 0}};
    for (const double cut : one.cut_offs) ways.emplace_back("cut-off", cut);
    std::map<std::pair<std::string, double>, Times> times;
    for (int round = 0; round < rounds; ++round)
      for (const auto& way : ways) run(one, way, times[way]);
    const auto best = [&](std::vector<double> Times::*which) {
      double least = INFINITY;
      for (const double cut : one.cut_offs) least = std::min(least, median(times[{"cut-off", cut}].*which));
      return least;
    };
    const Times& own = times[{"foretask", 0}];
    const double cold = median(own.cold) / best(&Times::cold);
    const double later = median(own.later) / best(&Times::later);
    std::printf("%-10s %9.1f %9.1f %9.1f %7.3f %9.1f %9.1f %7.3f\n", one.name.c_str(),
                median(times[{"plain", 0}].later), best(&Times::cold), median(own.cold), cold, best(&Times::later),
                median(own.later), later);
    std::fflush(stdout);
    log_cold_ += std::log(cold);
    log_later_ += std::log(later);
    ++programs_;
  }

  void print_means() const {
    std::printf("geometric mean: cold %.3f, then %.3f\n", std::exp(log_cold_ / programs_),
                std::exp(log_later_ / programs_));
  }

 private:
  void run(const Program& one, const std::pair<std::string, double>& way, Times& times) {
    const Finished finished =
        run_program({self_, "--run", one.name, way.first, std::to_string(way.second)}, variables_, scratch_);
    std::istringstream in(finished.output);
    double cold = 0;
    double later = 0;
    double result = 0;
    if (!(in >> cold >> later >> result)) throw std::runtime_error(one.name + " printed no times");
    const auto [first, is_new] = results_.try_emplace(one.name, result);
    if (first->second != result) throw std::runtime_error(one.name + ": another result " + way.first);
    times.cold.push_back(cold);
    times.later.push_back(later);
  }

  std::string self_;
  Variables variables_;
  std::string scratch_ = std::filesystem::temp_directory_path().string();
  std::map<std::string, double> results_;
  double log_cold_ = 0;
  double log_later_ = 0;
  int programs_ = 0;
};

// Of a piece of work that is done many times, the least of several rounds.
template <typename Work>
double ns_each(int times, const Work& work) {
  double least = INFINITY;
  for (int round = 0; round < 9; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i) work();
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    least = std::min(least, time.count() / times);
  }
  return least;
}

// A part that is called, as the recursion calls it.
[[gnu::noinline]] void called_part(const foretask::Kernel& of, foretask::Subtree& parent) {
  foretask::Subtree part(of, &parent, 1);
  if (part.spawn()) std::abort();
}

[[gnu::noinline]] void function_alone(const foretask::Kernel&, foretask::Subtree&) { asm volatile(""); }

int print_costs() {
  const foretask::Kernel small("small", {"size"});
  const foretask::Kernel large("large", {"size"});
  for (int i = 0; i < 100; ++i) const foretask::Subtree known(small, nullptr, 1);
  // Not so many that they take longer than was promised.
  constexpr int kParts = 1000;
  const auto parts_by = [&](auto function) {
    return ns_each(1000,
                   [&] {
                     foretask::Subtree root(small, nullptr, 2);
                     if (root.spawn(1)) std::abort();
                     for (int i = 0; i < kParts; ++i) function(small, root);
                   }) /
           kParts;
  };
  const double part = parts_by(called_part) - parts_by(function_alone);
  const double timed = ns_each(1'000'000, [&] { const foretask::Subtree self(large, nullptr, 1); });
  foretask::Subtree asked(small, nullptr, 3);
  const double decided = ns_each(1000, [&] { static_cast<void>(asked.spawn(1)); });
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
    int rounds = 5;
    std::string threads = "2";
    std::vector<std::string> names;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] == "--rounds" && i + 1 < words.size()) {
        rounds = std::stoi(words[++i]);
      } else if (words[i] == "--threads" && i + 1 < words.size()) {
        threads = words[++i];
      } else {
        names.push_back(words[i]);
      }
    }
    Comparison comparison(argv[0], {{"OMP_NUM_THREADS", threads}, {"OMP_PROC_BIND", "true"}, {"FORETASK", ""}});
    std::printf("ms, medians; ratios to the best cut-off by hand\n%-10s %9s %9s %9s %7s %9s %9s %7s\n", "program",
                "no tasks", "cold best", "foretask", "ratio", "then best", "foretask", "ratio");
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
