// SPDX-License-Identifier: Apache-2.0
// Predicted against measured times of whole programs.
//
//   bin/prediction_accuracy examples [--runs 7]   the seven example programs on one thread and two: T(2) from a
//                                                 recording on one thread, T(1) from one on two, against medians of
//                                                 unrecorded runs
//   bin/prediction_accuracy commands FILE [--runs 7]
//                                                 the same of programs of others: a line of FILE is a command, in which
//                                                 {} stands for the number of threads; OMP_NUM_THREADS is set as well
//   bin/prediction_accuracy sleepers [--runs 3] [--tasks 600] [--mean-us 50000]
//                                                 tasks that sleep, so that real runs on up to 64 threads are possible
//                                                 on any machine: T(4) .. T(64) from a recording on two threads,
//                                                 against medians of at least so many runs. Short tasks show the fight
//                                                 of 64 spinning threads for the machine's cores.
//   bin/prediction_accuracy locks [--runs 3] [--tasks 600] [--mean-us 10000]
//                                                 the same of tasks that are in a critical section for 2 to 50 % of
//                                                 their time
//   bin/prediction_accuracy many FILE [--runs 3] [--seconds 150] [--most P] [--json OUT]
//                                                 programs on all of a machine's P processors: recorded on 1, 2 and 4
//                                                 threads, asked for P / 2 and P, all measured; what recording costs on
//                                                 P. A line of FILE is a runtime and a command. No program is begun
//                                                 after so many seconds
//
// --runtime libgomp or libtbb: the examples and sleepers as GCC builds them, or those of oneTBB; default: libomp.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "process_runner.hpp"

namespace {

using namespace foretask::benchmarks;
namespace fs = std::filesystem;

using Command = std::vector<std::string>;

Command on_threads(Command command, int threads) {
  for (std::string& word : command)
    if (word == "{}") word = std::to_string(threads);
  return command;
}

Command recorded(const Command& command, const std::string& folder) {
  Command record = {bin_folder() + "/foretask", "record", "--out", folder, "--"};
  record.insert(record.end(), command.begin(), command.end());
  return record;
}

double measure(const Command& command, const Variables& variables, int threads, const Scratch& scratch) {
  Variables with_threads = variables;
  with_threads["OMP_NUM_THREADS"] = std::to_string(threads);
  return run_program(on_threads(command, threads), with_threads, scratch.path()).seconds;
}

struct Prediction {
  std::map<int, double> seconds;  // by number of cores
  std::map<int, double> busy;     // cores that work, on average
  double recorded_busy = 0;       // threads that worked while it was recorded
};

Prediction predict(const Command& command, const Variables& variables, int threads, const std::string& cores,
                   const Scratch& scratch) {
  const std::string run = scratch.fresh("run");
  const std::string foretask = bin_folder() + "/foretask";
  Variables with_threads = variables;
  with_threads["OMP_NUM_THREADS"] = std::to_string(threads);
  run_program(recorded(on_threads(command, threads), run), with_threads, scratch.path());
  const Finished simulated = run_program({foretask, "simulate", run, "--cores", cores, "--json"}, {}, scratch.path());
  Prediction prediction;
  const nlohmann::json result = nlohmann::json::parse(simulated.output);
  for (const auto& row : result.at("runs")) {
    const int count = row.at("cores").get<int>();
    prediction.seconds[count] = row.at("makespan_ns").get<double>() * 1e-9;
    prediction.busy[count] = row.at("utilization").get<double>() * count;
  }
  prediction.recorded_busy = result.at("work_ns").get<double>() / result.at("measured").at("elapsed_ns").get<double>();
  return prediction;
}

// Seconds of each of two copies of a one-thread program that run at the same time: what processors that share a core, a
// cache or the memory take from each other, with no runtime in between.
double measure_beside_itself(const Command& command, const Scratch& scratch) {
  const Scratch other;
  double seconds = 0;
  std::jthread second([&] { seconds = measure(command, {}, 1, other); });
  const double first = measure(command, {}, 1, scratch);
  second.join();
  return (first + seconds) / 2;
}

// Of the time in which `busy` of two cores work on average, never none: the share in which both do.
double share_of_both(double busy) { return std::clamp(busy - 1, 0.0, 1.0); }

void summary(std::vector<double> errors) {
  for (double& error : errors) error = std::abs(error);
  std::printf("\nmedian error %.1f %%, largest %.1f %%\n", median(errors),
              *std::max_element(errors.begin(), errors.end()));
}

struct Program {
  std::string name;
  Command command;
  std::string runtime = {};
};

std::vector<Program> example_programs(const std::string& runtime) {
  const std::string bin = bin_folder() + "/";
  std::vector<Program> programs;
  if (runtime == "libtbb") {
    for (const char* name : {"fib", "sort", "sparselu", "cholesky"})
      programs.push_back({name, {bin + "tbb_" + name, "-t", "{}"}});
    return programs;
  }
  if (runtime == "libgomp") {
    for (const char* name : {"fib", "sort", "cholesky"}) programs.push_back({name, {std::string(bin) + name + "_gcc"}});
    return programs;
  }
  for (const char* name : {"fib", "nqueens", "sort", "fft", "sparselu", "strassen", "cholesky"})
    programs.push_back({name, {bin + name}});
  return programs;
}

// Named after their files, with a number where a file comes again. `runtimes`: a line's first word is one.
std::vector<Program> programs_of(const std::string& file, bool runtimes = false) {
  std::vector<Program> programs;
  std::map<std::string, int> seen;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    Command command{std::istream_iterator<std::string>(words), {}};
    if (command.empty()) continue;
    const std::string runtime = runtimes ? command.front() : "";
    if (runtimes) command.erase(command.begin());
    std::string name = fs::path(command.front()).filename().string();
    if (const int number = ++seen[name]; number > 1) name += "#" + std::to_string(number);
    programs.push_back({std::move(name), std::move(command), runtime});
  }
  return programs;
}

// Of one program on many cores. Times are medians, in seconds.
nlohmann::json on_many_cores(const Program& program, const std::vector<int>& recorded_on, const std::vector<int>& asked,
                             int runs, const Scratch& scratch) {
  const int most = asked.back();
  std::string cores;
  for (const int count : asked) cores += (cores.empty() ? "" : ",") + std::to_string(count);
  std::map<int, std::vector<double>> alone;
  std::vector<double> while_recorded;
  for (int run = 0; run < runs; ++run) {
    for (const int threads : recorded_on) alone[threads].push_back(measure(program.command, {}, threads, scratch));
    for (const int threads : asked) alone[threads].push_back(measure(program.command, {}, threads, scratch));
    while_recorded.push_back(measure(recorded(program.command, scratch.fresh("many")), {}, most, scratch));
  }
  nlohmann::json result = {{"program", program.name}, {"command", program.command}, {"runtime", program.runtime}};
  for (const auto& [threads, seconds] : alone) result["measured"][std::to_string(threads)] = median(seconds);
  result["recorded_on_all"] = median(while_recorded);
  std::printf("%-16s %-8s", program.name.c_str(), program.runtime.c_str());
  for (const auto& [threads, seconds] : alone) std::printf(" %8.4f", median(seconds));
  std::printf(" %6.2fx", median(while_recorded) / median(alone.at(most)));
  for (const int threads : recorded_on) {
    const Prediction predicted = predict(program.command, {}, threads, cores, scratch);
    for (const int count : asked) {
      const double error = (predicted.seconds.at(count) / median(alone.at(count)) - 1) * 100;
      std::printf(" %+7.1f%%", error);
      result["predicted"][std::to_string(threads)][std::to_string(count)] = predicted.seconds.at(count);
      result["error_percent"][std::to_string(threads)][std::to_string(count)] = error;
    }
  }
  std::printf("\n");
  std::fflush(stdout);
  return result;
}

void many(const std::vector<Program>& programs, int runs, double seconds, int most, const std::string& json) {
  const auto begin = std::chrono::steady_clock::now();
  const Scratch scratch;
  std::vector<int> asked;
  for (const int count : {most / 2, most})
    if (count > 1) asked.push_back(count);
  if (asked.empty()) throw std::runtime_error("one processor is not many");
  std::vector<int> recorded_on;
  for (const int count : {1, 2, 4})
    if (count < asked.front() || count == 1) recorded_on.push_back(count);
  std::printf("%-16s %-8s", "program", "runtime");
  for (const int count : recorded_on) std::printf(" %7s%d", "T", count);
  for (const int count : asked) std::printf(" %6s%2d", "T", count);
  std::printf(" %7s", "record");
  for (const int from : recorded_on)
    for (const int count : asked) std::printf("  %2d->%2d ", from, count);
  std::printf("\n");
  nlohmann::json results = {{"processors", most}, {"runs", runs}, {"programs", nlohmann::json::array()}};
  std::map<int, std::vector<double>> errors;  // by the number of threads recorded
  std::vector<std::string> left_out;
  for (const Program& program : programs) {
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > seconds) {
      left_out.push_back(program.name);
      continue;
    }
    try {
      const nlohmann::json& result =
          results["programs"].emplace_back(on_many_cores(program, recorded_on, asked, runs, scratch));
      for (const int from : recorded_on)
        for (const int count : asked)
          errors[from].push_back(
              std::abs(result["error_percent"][std::to_string(from)][std::to_string(count)].get<double>()));
    } catch (const std::exception& problem) {
      std::printf("%-16s %-8s %s\n", program.name.c_str(), program.runtime.c_str(), problem.what());
      left_out.push_back(program.name);
    }
  }
  for (auto& [from, all] : errors)
    std::printf("recorded on %d: median error %.1f %%, largest %.1f %%\n", from, median(all),
                *std::max_element(all.begin(), all.end()));
  results["left_out"] = left_out;
  for (const std::string& name : left_out) std::printf("left out: %s\n", name.c_str());
  if (!json.empty()) std::ofstream(json) << results.dump(1) << "\n";
}

void one_and_two(const std::vector<Program>& programs, int runs) {
  const Scratch scratch;
  std::vector<double> errors;
  std::vector<double> errors_beside;
  std::printf("%-10s %8s %8s %7s %12s %7s %8s %12s %7s %8s\n", "program", "T(1) s", "T(2) s", "beside", "T(2) from 1",
              "error", "(beside)", "T(1) from 2", "error", "(beside)");
  for (const Program& program : programs) {
    const std::string& name = program.name;
    const Command& command = program.command;
    std::vector<double> one;
    std::vector<double> two;
    std::vector<double> beside;
    std::vector<double> two_from_one;
    std::vector<double> one_from_two;
    std::vector<double> both_in_replay;
    std::vector<double> both_in_recording;
    for (int run = 0; run < runs; ++run) {
      one.push_back(measure(command, {}, 1, scratch));
      two.push_back(measure(command, {}, 2, scratch));
      beside.push_back(measure_beside_itself(command, scratch));
      const Prediction on_two = predict(command, {}, 1, "2", scratch);
      two_from_one.push_back(on_two.seconds.at(2));
      both_in_replay.push_back(share_of_both(on_two.busy.at(2)));
      const Prediction on_one = predict(command, {}, 2, "1", scratch);
      one_from_two.push_back(on_one.seconds.at(1));
      both_in_recording.push_back(share_of_both(on_one.recorded_busy));
    }
    const double slower = std::max(1.0, median(beside) / median(one));
    // The same predictions with what the copies take from each other put in, or taken out, while both cores work.
    const double both = median(both_in_replay);
    const double two_beside = median(two_from_one) * (1 - both + both * slower);
    const double recorded_both = median(both_in_recording);
    const double work_of_both = 2 * recorded_both / (1 + recorded_both);
    const double one_beside = median(one_from_two) * (1 - work_of_both + work_of_both / slower);
    const auto error = [](double predicted, const std::vector<double>& measured) {
      return (predicted / median(measured) - 1) * 100;
    };
    errors.push_back(error(median(two_from_one), two));
    errors.push_back(error(median(one_from_two), one));
    errors_beside.push_back(error(two_beside, two));
    errors_beside.push_back(error(one_beside, one));
    std::printf("%-10s %8.4f %8.4f %6.2fx %12.4f %6.1f%% %7.1f%% %12.4f %6.1f%% %7.1f%%\n", name.c_str(), median(one),
                median(two), slower, median(two_from_one), errors[errors.size() - 2],
                errors_beside[errors_beside.size() - 2], median(one_from_two), errors.back(), errors_beside.back());
    std::fflush(stdout);
  }
  summary(errors);
  std::printf("beside: what a one-thread run takes more while another one runs; with it in the prediction:");
  summary(errors_beside);
}

// A shape of sleepers under one distribution, on all numbers of threads. `locked`: per cent of each task's time.
void sleepers_of(const std::string& shape, const std::string& distribution, const std::string& locked,
                 const std::string& runtime, int runs, const std::string& tasks, const std::string& mean_us,
                 std::vector<double>& errors) {
  const Scratch scratch;
  // More threads than processors: waiting threads must not spin.
  const Variables passive = {{"OMP_WAIT_POLICY", "passive"}, {"OMP_DYNAMIC", "false"}};
  const bool is_tbb = runtime == "libtbb";
  const std::string program = is_tbb ? "/tbb_sleepers" : runtime == "libgomp" ? "/sleepers_gcc" : "/sleepers";
  Command command = {bin_folder() + program, "-s", shape, "-n", tasks, "-m", mean_us, "-d", distribution};
  command.insert(command.end(), {is_tbb ? "-t" : "-l", is_tbb ? "{}" : locked});
  const Prediction predicted = predict(command, passive, 2, "4,8,16,32,64", scratch);
  for (const auto& [threads, seconds] : predicted.seconds) {
    std::vector<double> measured;
    // Who steals what is chance: short runs, which many threads make, are taken more often.
    const int enough = std::clamp(static_cast<int>(10 / seconds), runs, std::max(runs, 11));
    for (int run = 0; run < enough; ++run) measured.push_back(measure(command, passive, threads, scratch));
    const double error = (seconds / median(measured) - 1) * 100;
    errors.push_back(error);
    std::printf("%-10s %-12s %7s%% %8d %12.4f %12.4f %7.1f%%\n", shape.c_str(), distribution.c_str(), locked.c_str(),
                threads, median(measured), seconds, error);
    std::fflush(stdout);
  }
}

void sleepers_heading() {
  std::printf("%-10s %-12s %8s %8s %12s %12s %8s\n", "shape", "durations", "locked", "threads", "measured s",
              "predicted s", "error");
}

void sleepers(const std::string& runtime, int runs, const std::string& tasks, const std::string& mean_us) {
  std::vector<double> errors;
  sleepers_heading();
  const char* const last = runtime == "libtbb" ? "for" : "depend";
  for (const char* shape : {"flat", "tree", "divide", "forkjoin", last})
    for (const char* distribution : {"uniform", "exponential"})
      sleepers_of(shape, distribution, "0", runtime, runs, tasks, mean_us, errors);
  summary(errors);
}

void locks(const std::string& runtime, int runs, const std::string& tasks, const std::string& mean_us) {
  std::vector<double> errors;
  sleepers_heading();
  for (const char* shape : {"flat", "divide"})
    for (const char* locked : {"2", "10", "50"})
      sleepers_of(shape, "uniform", locked, runtime, runs, tasks, mean_us, errors);
  summary(errors);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  try {
    const std::string runtime = option(argc, argv, "runtime", "libomp");
    if (what == "examples") {
      one_and_two(example_programs(runtime), std::stoi(option(argc, argv, "runs", "7")));
    } else if (what == "commands" && argc > 2) {
      one_and_two(programs_of(argv[2]), std::stoi(option(argc, argv, "runs", "7")));
    } else if (what == "many" && argc > 2) {
      many(programs_of(argv[2], true), std::stoi(option(argc, argv, "runs", "3")),
           std::stod(option(argc, argv, "seconds", "150")),
           std::stoi(option(argc, argv, "most", std::to_string(std::thread::hardware_concurrency()))),
           option(argc, argv, "json", ""));
    } else if (what == "sleepers") {
      sleepers(runtime, std::stoi(option(argc, argv, "runs", "3")), option(argc, argv, "tasks", "600"),
               option(argc, argv, "mean-us", "50000"));
    } else if (what == "locks") {
      locks(runtime, std::stoi(option(argc, argv, "runs", "3")), option(argc, argv, "tasks", "600"),
            option(argc, argv, "mean-us", "10000"));
    } else {
      std::fprintf(
          stderr,
          "usage: prediction_accuracy examples|commands FILE|many FILE|sleepers|locks [--runtime R] [--runs N] "
          "[--tasks N] [--mean-us N] [--seconds N] [--most P] [--json OUT]\n");
      return 2;
    }
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "prediction_accuracy: %s\n", problem.what());
    return 1;
  }
}
