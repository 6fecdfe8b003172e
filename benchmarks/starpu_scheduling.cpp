// SPDX-License-Identifier: Apache-2.0
// StarPU's dmda with foretask's predictions, beside dmda with the true times and with StarPU's own history. Whole
// programs in turn, each with a store and performance models of its own. On two cores: the tasks sleep.
//
//   bin/starpu_scheduling [--repeat 5] [--out DIR]
//
// The first table: the time of 960 tasks after a kernel has become twice as slow on its workers and 50 samples of that
// are known, over that with true times. The second: after 12 tasks that took 370 times as long, how many tasks it
// takes until the worker is used again, and its share of the 200 tasks after the first 50. The third: what a task costs
// that does nothing.
#include <cstring>
#include <exception>

#include "process_runner.hpp"

namespace {

using namespace foretask::benchmarks;
namespace fs = std::filesystem;

struct Way {
  const char* name;
  const char* model;  // of the program's codelets
  const char* mode;   // of foretask; null: without it
};

std::string bin;
std::string scratch;
int run_number = 0;

// The line "NAME VALUE" of the program's output.
double value_of(const std::string& output, const std::string& name) {
  std::istringstream lines(output);
  std::string word;
  double value = 0;
  while (lines >> word >> value)
    if (word == name) return value;
  throw std::runtime_error("the program says nothing of " + name);
}

std::string run_tasks(const std::string& how, const Way& way, const std::string& workers) {
  const std::string folder = scratch + "/" + std::to_string(run_number++);
  fs::create_directories(folder + "/store");
  Variables variables{{"STARPU_SCHED", "dmda"},
                      {"STARPU_NCPU", workers},
                      {"STARPU_PERF_MODEL_HOMOGENEOUS_CPU", "0"},
                      {"STARPU_WORKERS_NOBIND", "1"},
                      {"STARPU_SILENT", "1"},
                      {"STARPU_HOME", scratch},  // the machine's measurements of its buses once, not models
                      {"STARPU_PERF_MODEL_DIR", folder + "/models"},
                      {"STARPU_CALIBRATE", "0"},
                      {"FORETASK_HOME", folder + "/store"}};
  std::vector<std::string> command{bin + "/starpu_tasks", how, way.model};
  if (way.mode) {
    std::vector<std::string> launcher{bin + "/foretask", way.mode};
    if (std::strcmp(way.mode, "record") == 0) launcher.insert(launcher.end(), {"--out", folder + "/run"});
    launcher.push_back("--");
    command.insert(command.begin(), launcher.begin(), launcher.end());
  }
  const std::string output = run_program(command, variables, folder).output;
  fs::remove_all(folder);
  return output;
}

void print_row(const char* name, const std::vector<double>& values) {
  std::printf("  %-22s", name);
  for (const double value : values) std::printf("%12.3f", value);
  std::printf("\n");
  std::fflush(stdout);
}

// By way and round. Medians of the values, and of their ratios to the first way's in the same round.
void print_ratios(const std::vector<Way>& ways, const std::vector<std::vector<double>>& values) {
  for (std::size_t way = 0; way < ways.size(); ++way) {
    std::vector<double> ratios;
    for (std::size_t round = 0; round < values[way].size(); ++round)
      ratios.push_back(values[way][round] / values[0][round]);
    print_row(ways[way].name, {median(values[way]), median(ratios)});
  }
}

void compare_changes(int repeat) {
  const std::vector<Way> ways{{"true times", "true", nullptr},
                              {"foretask", "history", "learn"},
                              {"foretask, no model", "none", "learn"},
                              {"StarPU's history", "history", nullptr}};
  std::vector<std::vector<double>> seconds(ways.size());
  for (int round = 0; round < repeat; ++round)
    for (std::size_t i = 0; i < ways.size(); ++i)
      seconds[i].push_back(value_of(run_tasks("changes", ways[i], "4"), "seconds"));
  std::printf("a kernel becomes twice as slow      seconds   over true times\n");
  print_ratios(ways, seconds);
}

void compare_spoilt(int repeat) {
  const std::vector<Way> ways{
      {"true times", "true", nullptr}, {"foretask", "history", "learn"}, {"StarPU's history", "history", nullptr}};
  std::printf("first 12 tasks 370 x too long   used after    share    seconds\n");
  for (const Way& way : ways) {
    std::vector<double> until;
    std::vector<double> share;
    std::vector<double> seconds;
    for (int round = 0; round < repeat; ++round) {
      const std::string output = run_tasks("spoilt", way, "2");
      until.push_back(value_of(output, "until"));
      share.push_back(value_of(output, "share"));
      seconds.push_back(value_of(output, "seconds"));
    }
    print_row(way.name, {median(until), median(share), median(seconds)});
  }
}

void compare_cost(int repeat) {
  const std::vector<Way> ways{
      {"without foretask", "history", nullptr}, {"record", "history", "record"}, {"learn", "history", "learn"}};
  std::vector<std::vector<double>> us(ways.size());
  for (int round = 0; round < 2 * repeat; ++round)
    for (std::size_t i = 0; i < ways.size(); ++i) us[i].push_back(value_of(run_tasks("empty", ways[i], "1"), "us"));
  std::printf("a task that does nothing         us a task   over without\n");
  print_ratios(ways, us);
}

}  // namespace

int main(int argc, char** argv) {
  int repeat = 5;
  fs::path out = fs::temp_directory_path() / "foretask-starpu-scheduling";
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--repeat") == 0) repeat = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--out") == 0) out = argv[i + 1];
  }
  try {
    bin = fs::canonical("/proc/self/exe").parent_path().string();
    fs::create_directories(out);
    scratch = fs::absolute(out).string();
    compare_changes(repeat);
    compare_spoilt(repeat);
    compare_cost(repeat);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
  }
  return 0;
}
