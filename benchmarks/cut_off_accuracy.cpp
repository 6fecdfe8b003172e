// SPDX-License-Identifier: Apache-2.0
// What replays say of programs with small tasks, against real runs. Each example runs with cut-offs from none to
// coarse.
//
//   bin/cut_off_accuracy [--runs 5]
//
// For each example two answers. "from one thread": T(2) of each setting, predicted by a recording of that setting on
// one thread. "without cut-off": T(2) of all settings, predicted by `foretask whatif --grain auto` from recordings
// without cut-off on two threads. A setting is found in its table by the number of tasks that are left, which the
// setting's own recording counts. Threads are bound: Linux may leave two on one processor for some milliseconds.
// Medians of interleaved runs; "beside" is what a run on one thread takes beside a second one, over what it takes
// alone: threads that share a processor, which a recording on one thread cannot show.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <thread>

#include "process_runner.hpp"

namespace {

using namespace foretask::benchmarks;
using nlohmann::json;

struct Program {
  const char* name;
  std::vector<std::string> arguments;
  std::vector<const char*> options;  // each gets the setting
  std::vector<int> settings;         // the finest first
};

const std::vector<Program> kPrograms{
    {"fib", {"-n", "34"}, {"-x"}, {4, 8, 12, 16, 20, 24, 28, 32}},
    {"nqueens", {"-n", "13"}, {"-x"}, {9, 8, 7, 6, 5, 4, 3, 2}},
    {"sort", {"-n", "2000000", "-a", "16"}, {"-q", "-y"}, {64, 256, 1024, 4096, 16384, 65536, 262144}},
    {"strassen", {"-n", "1024", "-y", "32"}, {"-x"}, {0, 4, 3, 2, 1}},
    {"fft", {"-n", "2097152", "-y", "1024"}, {"-x"}, {16, 64, 256, 1024, 8192, 65536, 262144}},
};

Variables on_threads(int threads) {
  return {{"OMP_NUM_THREADS", std::to_string(threads)}, {"OMP_PROC_BIND", threads > 1 ? "true" : "false"}};
}

double measure(const std::vector<std::string>& command, int threads, const Scratch& scratch) {
  return run_program(command, on_threads(threads), scratch.path()).seconds;
}

double measure_beside_itself(const std::vector<std::string>& command, const Scratch& scratch) {
  const Scratch other;
  double seconds = 0;
  std::jthread second([&] { seconds = measure(command, 1, other); });
  const double first = measure(command, 1, scratch);
  second.join();
  return (first + seconds) / 2;
}

std::string record(const std::vector<std::string>& command, int threads, const std::string& name,
                   const Scratch& scratch) {
  const std::string run = scratch.fresh(name);
  std::vector<std::string> words{bin_folder() + "/foretask", "record", "--no-samples", "--out", run, "--"};
  words.insert(words.end(), command.begin(), command.end());
  run_program(words, on_threads(threads), scratch.path());
  return run;
}

json ask(std::vector<std::string> words, const Scratch& scratch) {
  words.insert(words.begin(), bin_folder() + "/foretask");
  words.emplace_back("--json");
  return json::parse(run_program(words, {}, scratch.path()).output);
}

// Concordant less discordant pairs, over all pairs.
double kendall_tau(const std::vector<double>& a, const std::vector<double>& b) {
  int sum = 0;
  int pairs = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < i; ++k, ++pairs) {
      const double product = (a[i] - a[k]) * (b[i] - b[k]);
      sum += product > 0 ? 1 : product < 0 ? -1 : 0;
    }
  return static_cast<double>(sum) / pairs;
}

struct Row {
  double tasks;
  double seconds;
};

// Between the rows of a table by descending tasks, over the logarithms.
double at_tasks(const std::vector<Row>& rows, double tasks) {
  const auto next = std::find_if(rows.begin(), rows.end(), [tasks](const Row& row) { return row.tasks <= tasks; });
  if (next == rows.begin()) return rows.front().seconds;
  if (next == rows.end()) return rows.back().seconds;
  const Row& before = *(next - 1);
  const double part = std::log(before.tasks / tasks) / std::log(before.tasks / next->tasks);
  return before.seconds * std::pow(next->seconds / before.seconds, part);
}

struct WhatIf {
  std::vector<Row> rows;  // as it is first
  double best_tasks = 0;
};

WhatIf what_if(const std::string& run, const Scratch& scratch) {
  const json answer = ask({"whatif", run, "--grain", "auto", "--cores", "2"}, scratch);
  WhatIf found;
  const auto add = [&found](const json& row) {
    found.rows.push_back({std::max(1.0, row.at("tasks").get<double>()), row.at("makespan_ns").get<double>() * 1e-9});
  };
  add(answer.at("as_it_is").at(0));
  for (const json& row : answer.at("rows")) add(row);
  found.best_tasks = std::max(1.0, answer.at("best").at(0).at("tasks").get<double>());
  return found;
}

double percent(double predicted, double measured) { return (predicted / measured - 1) * 100; }

void compare(const Program& program, int runs, const Scratch& scratch) {
  const std::size_t count = program.settings.size();
  std::vector<std::vector<std::string>> commands;
  for (const int setting : program.settings) {
    std::vector<std::string> command{bin_folder() + "/" + program.name};
    command.insert(command.end(), program.arguments.begin(), program.arguments.end());
    for (const char* const option : program.options) {
      command.emplace_back(option);
      command.push_back(std::to_string(setting));
    }
    commands.push_back(std::move(command));
  }
  std::vector<std::vector<double>> measured(count);
  std::vector<std::vector<double>> from_one(count);
  std::vector<std::vector<double>> without(count);
  std::vector<double> tasks(count);
  std::vector<double> alone;
  std::vector<double> beside;
  std::vector<double> best_tasks;
  for (int run = 0; run < runs; ++run) {
    for (std::size_t i = 0; i < count; ++i) {
      measured[i].push_back(measure(commands[i], 2, scratch));
      const json replay = ask({"simulate", record(commands[i], 1, "one", scratch), "--cores", "2"}, scratch);
      from_one[i].push_back(replay.at("runs").at(0).at("makespan_ns").get<double>() * 1e-9);
      tasks[i] = replay.at("tasks").get<double>();
    }
    alone.push_back(measure(commands.back(), 1, scratch));
    beside.push_back(measure_beside_itself(commands.back(), scratch));
    const WhatIf found = what_if(record(commands.front(), 2, "two", scratch), scratch);
    best_tasks.push_back(found.best_tasks);
    for (std::size_t i = 0; i < count; ++i) without[i].push_back(at_tasks(found.rows, std::max(1.0, tasks[i])));
  }
  std::vector<double> real;
  std::vector<double> replayed;
  std::printf("\n%s, beside %.2fx\n%8s %9s %10s %16s %8s %16s %8s\n", program.name, median(beside) / median(alone),
              "setting", "tasks", "T(2) s", "from one thread", "error", "without cut-off", "error");
  std::vector<double> errors;
  std::vector<double> errors_without;
  for (std::size_t i = 0; i < count; ++i) {
    real.push_back(median(measured[i]));
    replayed.push_back(median(from_one[i]));
    errors.push_back(std::abs(percent(replayed[i], real[i])));
    errors_without.push_back(std::abs(percent(median(without[i]), real[i])));
    std::printf("%8d %9.0f %10.4f %16.4f %7.1f%% %16.4f %7.1f%%\n", program.settings[i], tasks[i], real[i], replayed[i],
                percent(replayed[i], real[i]), median(without[i]), percent(median(without[i]), real[i]));
  }
  const double wanted = median(best_tasks);
  std::size_t nearest = 0;
  const auto away = [&](std::size_t i) { return std::abs(std::log(std::max(1.0, tasks[i]) / wanted)); };
  for (std::size_t i = 1; i < count; ++i)
    if (away(i) < away(nearest)) nearest = i;
  const double best = *std::min_element(real.begin(), real.end());
  std::printf("from one thread: Kendall's tau %.2f, median error %.1f %%, largest %.1f %%\n",
              kendall_tau(real, replayed), median(errors), *std::max_element(errors.begin(), errors.end()));
  std::printf(
      "without cut-off: median error %.1f %%, largest %.1f %%; advised %.0f tasks: setting %d, %.1f %% over the best\n",
      median(errors_without), *std::max_element(errors_without.begin(), errors_without.end()), wanted,
      program.settings[nearest], percent(real[nearest], best));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Scratch scratch;
    for (const Program& program : kPrograms) compare(program, std::stoi(option(argc, argv, "runs", "5")), scratch);
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "cut_off_accuracy: %s\n", problem.what());
    return 1;
  }
}
