// SPDX-License-Identifier: Apache-2.0
// Predicted against measured time of the first of N searches, bin/search, from the times of one alone.
//
//   bin/search_accuracy sleeping [--inputs 2000] [--training 10000] [--recorded 2000] [--searches 2,4,8,16,32,64]
//                                [--out DIR]
//                                   N searches on as many threads, asleep. About 25 minutes
//   bin/search_accuracy real [...]  two searches on two cores
//
// One table says what `foretask compose 'or(N, file:...)'` makes of the times that the program itself gives of one
// search, two further ones what it makes of `kernel:RUN/search`, from a recording of one search at a time and from one
// of two, in which every second time was cut short. --recorded 0 leaves those out. Training and measuring have
// different seeds. DIR gets the times and the recordings; what is there already is not measured again.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <future>
#include <nlohmann/json.hpp>

#include "process_runner.hpp"

namespace {

using namespace foretask::benchmarks;
namespace fs = std::filesystem;

struct Plan {
  std::vector<std::string> arguments;  // of bin/search
  std::vector<int> searches;
  int inputs = 2000;
  int training = 10'000;
  int recorded = 2000;
  // So many processes take the training's times: asleep, because that is sooner; on real cores one on each, because a
  // search's time is to be the one that it has while the other core searches as well.
  int processes = 2;
  Variables variables = {{"OMP_CANCELLATION", "true"}, {"OMP_DYNAMIC", "false"}};
};

Plan sleeping_plan() {
  Plan plan = {.arguments = {"-n", "400", "--clauses", "390", "--sleep", "50000"},
               .searches = {2, 4, 8, 16, 32, 64},
               .processes = 8};
  // More threads than processors: waiting threads must not spin.
  plan.variables["OMP_WAIT_POLICY"] = "passive";
  return plan;
}

Plan real_plan() { return {.arguments = {"-n", "2000", "--clauses", "400"}, .searches = {2}}; }

// Different for all that is measured: the training's processes, the recordings, and each N.
constexpr int kTrainingSeed = 1000;
constexpr int kRecordingSeed = 2000;
constexpr int kMeasuringSeed = 3000;

struct Times {
  std::vector<double> winner;
  std::vector<double> group;
};

Times read_times(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  if (line != "winner_s,group_s") throw std::runtime_error(path + " has no times of searches");
  Times times;
  while (std::getline(in, line)) {
    const std::size_t comma = line.find(',');
    times.winner.push_back(std::stod(line.substr(0, comma)));
    times.group.push_back(std::stod(line.substr(comma + 1)));
  }
  return times;
}

std::vector<std::string> search_command(const Plan& plan, int threads, int inputs, int seed, const std::string& times) {
  std::vector<std::string> command = {bin_folder() + "/search"};
  command.insert(command.end(), plan.arguments.begin(), plan.arguments.end());
  command.insert(command.end(), {"-t", std::to_string(threads), "--inputs", std::to_string(inputs), "--seed",
                                 std::to_string(seed), "--times", times});
  return command;
}

void measure(const Plan& plan, int threads, int inputs, int seed, const std::string& times) {
  if (fs::exists(times)) return;
  const Scratch scratch;
  run_program(search_command(plan, threads, inputs, seed, times), plan.variables, scratch.path());
}

// The times of one search at a time: the file's path.
std::string train(const Plan& plan, const std::string& out) {
  const std::string whole = out + "/one.csv";
  if (fs::exists(whole)) return whole;
  std::vector<std::string> parts;
  std::vector<std::future<void>> running;
  for (int process = 0; process < plan.processes; ++process) {
    parts.push_back(out + "/one-" + std::to_string(process) + ".csv");
    running.push_back(std::async(std::launch::async, [&plan, process, path = parts.back()] {
      measure(plan, 1, plan.training / plan.processes, kTrainingSeed + process, path);
    }));
  }
  for (std::future<void>& process : running) process.get();
  std::ofstream file(whole);
  file << "winner_s\n";
  for (const std::string& part : parts)
    for (const double seconds : read_times(part).winner) file << seconds << "\n";
  return whole;
}

// A recording of so many searches at a time: the folder's path.
std::string record(const Plan& plan, int threads, const std::string& out) {
  const std::string run = out + "/recorded-" + std::to_string(threads);
  if (fs::exists(run)) return run;
  const Scratch scratch;
  std::vector<std::string> command = {bin_folder() + "/foretask", "record", "--out", run, "--"};
  const std::vector<std::string> recorded =
      search_command(plan, threads, plan.recorded, kRecordingSeed + threads, scratch.path() + "/times.csv");
  command.insert(command.end(), recorded.begin(), recorded.end());
  run_program(command, plan.variables, scratch.path());
  return run;
}

// A figure and its standard error.
struct Figure {
  double value = 0;
  double error = 0;
};

struct Summary {
  Figure mean;
  Figure sd;
  Figure p90;
};

double number_of(const nlohmann::json& value) { return value.is_number() ? value.get<double>() : std::nan(""); }

Summary predict(const std::string& source, int searches) {
  const Scratch scratch;
  const std::string expression = "or(" + std::to_string(searches) + ", " + source + ")";
  const auto answer = nlohmann::json::parse(
      run_program({bin_folder() + "/foretask", "compose", expression, "--json"}, {}, scratch.path()).output);
  const auto& errors = answer.at("errors");
  return {{number_of(answer.at("mean")), number_of(errors.at("mean"))},
          {number_of(answer.at("sd")), number_of(errors.at("sd"))},
          {number_of(answer.at("quantiles").at("p90")), number_of(errors.at("quantiles").at("p90"))}};
}

// The standard error of the standard deviation is by the fourth moment, that of the quantile by how far the values are
// apart that are one binomial standard deviation before and after it.
Summary summary_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  double mean = 0;
  for (const double value : values) mean += value / count;
  double second = 0;
  double fourth = 0;
  for (const double value : values) {
    const double square = (value - mean) * (value - mean);
    second += square / (count - 1);
    fourth += square * square / count;
  }
  const auto at = [&](double rank) { return values[static_cast<std::size_t>(std::clamp(rank, 0.0, count - 1))]; };
  const double rank = std::ceil(0.9 * count) - 1;
  const double step = std::sqrt(0.09 * count);
  const double sd = std::sqrt(second);
  return {{mean, sd / std::sqrt(count)},
          {sd, std::sqrt(std::max(0.0, fourth - second * second) / count) / (2 * sd)},
          {at(rank), (at(rank + step) - at(rank - step)) / 2}};
}

std::string in_ms(const Figure& figure) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.2f ± %.2f", 1e3 * figure.value, 1e3 * figure.error);
  return text.data();
}

double off(const Figure& predicted, const Figure& measured) { return 100 * (predicted.value / measured.value - 1); }

void compare(const Plan& plan, const std::string& title, const std::string& source, const std::string& out) {
  std::printf("\n%s. Times in ms, ± their standard errors:\n\n", title.c_str());
  std::printf(
      "| N | predicted mean | measured | off | predicted sd | measured | off | predicted p90 | measured | off "
      "| until all had ended |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const int searches : plan.searches) {
    const Times times = read_times(out + "/first-of-" + std::to_string(searches) + ".csv");
    const Summary measured = summary_of(times.winner);
    const Summary predicted = predict(source, searches);
    std::printf("| %d | %s | %s | %+.1f %% | %s | %s | %+.1f %% | %s | %s | %+.1f %% | %s |\n", searches,
                in_ms(predicted.mean).c_str(), in_ms(measured.mean).c_str(), off(predicted.mean, measured.mean),
                in_ms(predicted.sd).c_str(), in_ms(measured.sd).c_str(), off(predicted.sd, measured.sd),
                in_ms(predicted.p90).c_str(), in_ms(measured.p90).c_str(), off(predicted.p90, measured.p90),
                in_ms(summary_of(times.group).mean).c_str());
    std::fflush(stdout);
  }
}

void run(const Plan& plan, const std::string& out) {
  fs::create_directories(out);
  const std::string one = train(plan, out);
  for (const int searches : plan.searches)
    measure(plan, searches, plan.inputs, kMeasuringSeed + searches,
            out + "/first-of-" + std::to_string(searches) + ".csv");
  compare(plan, "From the times of one search", "file:" + one, out);
  if (plan.recorded == 0) return;
  compare(plan, "From a recording of one search at a time", "kernel:" + record(plan, 1, out) + "/search", out);
  compare(plan, "From a recording of two searches at a time", "kernel:" + record(plan, 2, out) + "/search", out);
}

std::vector<int> numbers_in(const std::string& text) {
  std::vector<int> numbers;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ',');) numbers.push_back(std::stoi(word));
  return numbers;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what != "sleeping" && what != "real") {
    std::fprintf(stderr,
                 "usage: search_accuracy sleeping|real [--inputs N] [--training N] [--recorded N] [--searches N,N,...] "
                 "[--out DIR]\n");
    return 2;
  }
  try {
    Plan plan = what == "sleeping" ? sleeping_plan() : real_plan();
    plan.inputs = std::stoi(option(argc, argv, "inputs", std::to_string(plan.inputs)));
    plan.training = std::stoi(option(argc, argv, "training", std::to_string(plan.training)));
    plan.recorded = std::stoi(option(argc, argv, "recorded", std::to_string(plan.recorded)));
    const std::string searches = option(argc, argv, "searches", "");
    if (!searches.empty()) plan.searches = numbers_in(searches);
    const Scratch scratch;
    run(plan, fs::absolute(option(argc, argv, "out", scratch.path())));
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "search_accuracy: %s\n", problem.what());
    return 1;
  }
}
