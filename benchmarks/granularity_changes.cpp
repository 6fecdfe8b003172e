// SPDX-License-Identifier: Apache-2.0
// How foretask's choice of tasks follows a program that changes, and how it fills many threads. Each way runs in a
// process of its own, all in turn; ratios are to the best cut-off by hand in the same rounds.
//
//   bin/granularity_changes [--rounds 5] [--threads 2]
//
// change: a tree of parts is worked on again and again, its leaves 1 us of work each. After 40 ms they take 4 times as
// long, or a quarter. Printed is the time of the runs from 10 to 60 ms after that.
// sleeping: a tree whose leaves sleep, on 64 threads.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "granularity_ways.hpp"
#include "process_runner.hpp"

namespace {

using namespace foretask::benchmarks;
using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

struct Spinning {
  int steps;

  [[nodiscard]] std::uint64_t operator()(std::uint64_t x) const {
    for (int i = 0; i < steps; ++i) x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdULL;
    return x;
  }
};

struct Sleeping {
  std::uint64_t operator()(std::uint64_t x) const {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return x;
  }
};

// A tree of two parts each, down to level 0.
template <typename Node, typename Leaf>
std::uint64_t work_on(int level, std::uint64_t x, const Leaf& leaf, Node* parent) {
  Node self(parent, level);
  if (level == 0) return leaf(x);
  std::uint64_t left = 0;
  if (self.spawn()) {
#pragma omp task shared(left, self, leaf)
    left = work_on(level - 1, 2 * x, leaf, &self);
  } else {
    left = work_on(level - 1, 2 * x, leaf, &self);
  }
  const std::uint64_t right = work_on(level - 1, 2 * x + 1, leaf, &self);
  if (self.spawned()) {
#pragma omp taskwait
  }
  return left + right;
}

template <typename Node, typename Leaf>
double ms_of(int levels, const Leaf& leaf) {
  const auto begin = Clock::now();
  // The result is used, so that the work is done.
  if (in_team([&] { return static_cast<double>(work_on<Node>(levels, 1, leaf, nullptr)); }) < 0) std::abort();
  return ms_since(begin);
}

constexpr int kStepsOf1Us = 500;  // about

template <typename Node>
double ms_after_change(double factor) {
  constexpr int kLevels = 11;
  for (const auto begin = Clock::now(); ms_since(begin) < 40;) ms_of<Node>(kLevels, Spinning{kStepsOf1Us});
  const Spinning changed{static_cast<int>(kStepsOf1Us * factor)};
  std::vector<double> times;
  for (const auto begin = Clock::now(); ms_since(begin) < 60;) {
    const bool counts = ms_since(begin) >= 10;
    const double ms = ms_of<Node>(kLevels, changed);
    if (counts) times.push_back(ms);
  }
  return median(times);
}

template <typename Node>
double ms_sleeping() {
  constexpr int kLevels = 10;
  return ms_of<Node>(kLevels, Sleeping{});
}

struct Question {
  std::string name;
  double factor;  // 0: sleeping leaves
  std::vector<double> cut_offs;
  std::string threads;
};

double ask(double factor, const std::string& way, double its_cut_off) {
  cut_off = its_cut_off;
  const foretask::Kernel own("tree", {"level"});
  kernel = &own;
  static_cast<void>(in_team([] { return 0.0; }));
  const bool by_hand = way == "cut-off";
  if (factor == 0) return by_hand ? ms_sleeping<CutOffNode>() : ms_sleeping<SubtreeNode>();
  return by_hand ? ms_after_change<CutOffNode>(factor) : ms_after_change<SubtreeNode>(factor);
}

void compare(const std::string& self, const Question& question, int rounds, const std::string& scratch) {
  // Threads beyond the processors must not spin.
  const Variables variables{{"OMP_NUM_THREADS", question.threads},
                            {"OMP_PROC_BIND", question.factor == 0 ? "false" : "true"},
                            {"OMP_WAIT_POLICY", question.factor == 0 ? "passive" : ""},
                            {"FORETASK", ""}};
  const auto run = [&](const std::string& way, double its_cut_off) {
    const std::vector<std::string> command{self, "--run", std::to_string(question.factor), way,
                                           std::to_string(its_cut_off)};
    std::istringstream in(run_program(command, variables, scratch).output);
    double ms = 0;
    if (!(in >> ms)) throw std::runtime_error(question.name + " printed no time");
    return ms;
  };
  std::vector<double> own;
  std::map<double, std::vector<double>> by_hand;
  for (int round = 0; round < rounds; ++round) {
    own.push_back(run("foretask", 0));
    for (const double level : question.cut_offs) by_hand[level].push_back(run("cut-off", level));
  }
  double best = INFINITY;
  double best_level = 0;
  for (const auto& [level, times] : by_hand)
    if (median(times) < best) best = median(times), best_level = level;
  std::printf("%-34s best %8.2f ms (level %2.0f), foretask %8.2f ms, ratio %.3f\n", question.name.c_str(), best,
              best_level, median(own), median(own) / best);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 5 && std::string(argv[1]) == "--run") {
      std::printf("%.4f\n", ask(std::stod(argv[2]), argv[3], std::stod(argv[4])));
      return 0;
    }
    const int rounds = std::stoi(option(argc, argv, "rounds", "5"));
    const std::string threads = option(argc, argv, "threads", "2");
    const Scratch scratch;
    const std::vector<double> levels{2, 3, 4, 5, 6, 7, 8};
    for (const Question& question : {Question{"leaves take 4 times as long", 4, levels, threads},
                                     Question{"leaves take a quarter", 0.25, levels, threads},
                                     Question{"sleeping leaves, 64 threads", 0, {0, 1, 2, 3, 4}, "64"}})
      compare(argv[0], question, rounds, scratch.path());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "granularity_changes: %s\n", error.what());
    return 1;
  }
}
