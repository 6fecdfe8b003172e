// SPDX-License-Identifier: Apache-2.0
// How far FORETASK_PROGRESS is off: each example is run once at smaller sizes, then at a larger one that was never run,
// then again at that one. Every remaining time shown from 20 % of the predicted work on is held against what was left.
//
//   progress_accuracy [--repeat 3] [--threads 1,2] [--only fft]
//
// Of the shown moments of all repetitions: the median and the worst error as a share of what was left (where more than
// a twentieth of the run was) and of the whole run, how many are within 10 % of what was left, and how often the 90 %
// interval held it.
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "process_runner.hpp"

namespace {

using namespace foretask::benchmarks;

struct Example {
  std::string name;
  std::vector<long> smaller;
  long larger;
  std::vector<std::string> arguments;
};

const std::vector<Example> kExamples{
    {"fft", {131072, 262144, 524288, 1048576, 2097152}, 8388608, {}},
    {"fib", {34, 36, 38, 39, 40}, 44, {}},
    {"nqueens", {10, 11, 12, 13, 14}, 15, {"-x", "5"}},
    {"sort", {500000, 1000000, 2000000, 4000000, 8000000}, 32000000, {}},
    {"sparselu", {16, 20, 24, 28, 32}, 48, {}},
    {"strassen", {512, 640, 768, 896, 1024}, 2048, {}},
    {"sleepers", {100, 200, 400, 600, 800}, 1600, {"-m", "2000"}},
};

struct Moments {
  std::vector<double> of_truth;  // errors
  std::vector<double> of_whole;
  int shown = 0;
  int held = 0;
  int within = 0;
  int judged = 0;
};

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ',');) words.push_back(word);
  return words;
}

void judge(const std::string& lines, Moments& moments) {
  std::vector<nlohmann::json> shown;
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);)
    if (line.rfind("{\"foretask_progress\"", 0) == 0) shown.push_back(nlohmann::json::parse(line));
  if (shown.empty() || shown.back().at("foretask_progress") != "end") throw std::runtime_error("no end: " + lines);
  const double whole = shown.back().at("elapsed_ns");
  shown.pop_back();
  for (const auto& moment : shown) {
    if (!moment.contains("remaining_ns") || moment.at("done").get<double>() < 0.2) continue;
    const double truth = whole - moment.at("elapsed_ns").get<double>();
    const double error = std::abs(moment.at("remaining_ns").get<double>() - truth);
    ++moments.shown;
    moments.held += moment.at("low_ns").get<double>() <= truth && truth <= moment.at("high_ns").get<double>();
    moments.of_whole.push_back(error / whole);
    if (truth < whole / 20) continue;
    ++moments.judged;
    moments.within += error <= truth / 10;
    moments.of_truth.push_back(error / truth);
  }
}

void print(const std::string& name, const std::string& threads, const char* input, double seconds,
           const Moments& moments) {
  const auto worst = [](const std::vector<double>& errors) {
    return errors.empty() ? 0 : *std::max_element(errors.begin(), errors.end());
  };
  std::printf("%-9s %7s  %-10s %8.2f %7d %8.1f%% %7.1f%% %8.0f%% %8.1f%% %7.1f%% %8.0f%%\n", name.c_str(),
              threads.c_str(), input, seconds, moments.shown, 100 * median(moments.of_truth),
              100 * worst(moments.of_truth), moments.judged ? 100.0 * moments.within / moments.judged : 0,
              100 * median(moments.of_whole), 100 * worst(moments.of_whole),
              moments.shown ? 100.0 * moments.held / moments.shown : 0);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const int repetitions = std::stoi(option(argc, argv, "repeat", "3"));
  const std::string only = option(argc, argv, "only", "");
  const std::string bin = bin_folder();
  const Scratch scratch;
  std::printf("%-9s %7s  %-10s %8s %7s %9s %8s %9s %9s %8s %9s\n", "program", "threads", "input", "seconds", "moments",
              "median", "worst", "in 10 %", "median", "worst", "interval");
  std::printf("%-9s %7s  %-10s %8s %7s %9s %8s %9s %9s %8s %9s\n", "", "", "", "", "", "of left", "of left", "of left",
              "of whole", "of whole", "holds");
  for (const Example& example : kExamples) {
    if (!only.empty() && only.find(example.name) == std::string::npos) continue;
    for (const std::string& threads : words_of(option(argc, argv, "threads", "1,2"))) {
      Moments grown;
      Moments again;
      double seconds = 0;
      for (int repetition = 0; repetition < repetitions; ++repetition) {
        const std::string home = scratch.fresh("home");
        const auto run = [&](long n) {
          std::vector<std::string> command{bin + "/" + example.name, "-n", std::to_string(n), "-t", threads};
          command.insert(command.end(), example.arguments.begin(), example.arguments.end());
          seconds = run_program(command,
                                {{"FORETASK_PROGRESS", "json"},
                                 {"FORETASK_PARAMS", "n=" + std::to_string(n)},
                                 {"FORETASK_HOME", home},
                                 {"OMP_TOOL_LIBRARIES", bin + "/../lib/libforetask_ompt.so"}},
                                scratch.path())
                        .seconds;
          return read_whole(scratch.path() + "/err.txt");
        };
        for (const long n : example.smaller) run(n);
        judge(run(example.larger), grown);
        judge(run(example.larger), again);
      }
      print(example.name, threads, "larger", seconds, grown);
      print(example.name, threads, "run before", seconds, again);
    }
  }
}
