// SPDX-License-Identifier: Apache-2.0
// What recording costs a program: whole runs without a tool, with the tool interface off, with the floor tool
// (floor_tool.cpp), with foretask, and with foretask that samples no functions, interleaved; medians, and ratios to the
// unrecorded run and to the floor. Four loads: fib without cut-off, where a task is some 150 ns of runtime; tasks of a
// few microseconds; loops under dynamic,1 with chunks as long, and with none.
//
//   bin/record_cost [--runs 7] [--threads 2] [--fib 30] [--task-us 5]
#include <array>
#include <cstdio>
#include <exception>

#include "process_runner.hpp"

namespace {

using namespace foretask::benchmarks;

struct Variant {
  const char* name;
  Variables variables;
};

std::uintmax_t folder_bytes(const std::string& folder) {
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().filename().string().rfind("stream_", 0) == 0) bytes += entry.file_size();
  return bytes;
}

// `tasks`: or chunks. `has_loops`: the hook is preloaded, as the launcher does it.
void compare(const std::string& title, const std::vector<std::string>& command, const std::string& threads, int runs,
             double tasks, bool has_loops = false) {
  const Scratch scratch;
  const std::string lib = bin_folder() + "/../lib";
  const std::string record = scratch.path() + "/record";
  const std::string hook = lib + "/libforetask_ompt.so";
  Variables recorded = {{"OMP_TOOL_LIBRARIES", hook}, {"FORETASK", "record"}, {"FORETASK_OUT", record}};
  if (has_loops) recorded["LD_PRELOAD"] = hook;
  Variables unsampled = recorded;
  unsampled["FORETASK_SAMPLES"] = "0";
  const std::array variants = {
      Variant{"unrecorded", {}},
      Variant{"off", {{"OMP_TOOL_LIBRARIES", hook}, {"FORETASK", "off"}}},
      Variant{"floor tool", {{"OMP_TOOL_LIBRARIES", lib + "/libfloor_tool.so"}}},
      Variant{"no samples", unsampled},
      Variant{"foretask", recorded},
  };
  std::array<std::vector<double>, variants.size()> seconds;
  std::array<std::vector<double>, variants.size()> to_unrecorded;
  std::array<std::vector<double>, variants.size()> to_floor;
  double bytes = 0;
  for (int run = -1; run < runs; ++run) {  // the first warms up
    std::array<double, variants.size()> now{};
    for (std::size_t i = 0; i < variants.size(); ++i) {
      Variables variables = variants[i].variables;
      variables["OMP_NUM_THREADS"] = threads;
      std::filesystem::remove_all(record);
      now[i] = run_program(command, variables, scratch.path()).seconds;
      if (variables.count("FORETASK_OUT") != 0) bytes = static_cast<double>(folder_bytes(record));
    }
    if (run < 0) continue;
    for (std::size_t i = 0; i < variants.size(); ++i) {
      seconds[i].push_back(now[i]);
      to_unrecorded[i].push_back(now[i] / now[0]);
      to_floor[i].push_back(now[i] / now[2]);
    }
  }
  std::printf("\n%s, %s threads, %d runs, %.0f tasks\n", title.c_str(), threads.c_str(), runs, tasks);
  std::printf("  %-12s %10s %14s %10s %12s\n", "", "median s", "x unrecorded", "x floor", "ns a task");
  for (std::size_t i = 0; i < variants.size(); ++i)
    std::printf("  %-12s %10.4f %14.3f %10.3f %12.1f\n", variants[i].name, median(seconds[i]), median(to_unrecorded[i]),
                median(to_floor[i]), (median(seconds[i]) - median(seconds[0])) / tasks * 1e9);
  std::printf("  %.1f bytes a task on disk\n", bytes / tasks);
}

// Calls of fib(n): 2 F(n + 1) - 1; all but the first are tasks.
double fib_tasks(int n) {
  double a = 0;
  double b = 1;
  for (int i = 0; i <= n; ++i) {
    const double next = a + b;
    a = b;
    b = next;
  }
  return 2 * a - 2;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int runs = std::stoi(option(argc, argv, "runs", "7"));
    const std::string threads = option(argc, argv, "threads", "2");
    const int n = std::stoi(option(argc, argv, "fib", "30"));
    const std::string task_us = option(argc, argv, "task-us", "5");
    const std::string bin = bin_folder();
    compare("fib(" + std::to_string(n) + ") without cut-off", {bin + "/fib", "-n", std::to_string(n), "-x", "0"},
            threads, runs, fib_tasks(n));
    const int spins = 800000;
    compare("tasks that spin for " + task_us + " us", {bin + "/spin_tasks", std::to_string(spins), task_us}, threads,
            runs, spins);
    const int chunks = 400000;
    compare("a loop of chunks that spin for " + task_us + " us",
            {bin + "/spin_tasks", std::to_string(chunks), task_us, "loop"}, threads, runs, chunks, true);
    const int empty_chunks = 20000000;
    compare("a loop of empty chunks", {bin + "/spin_tasks", std::to_string(empty_chunks), "0", "loop"}, threads, runs,
            empty_chunks, true);
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "record_cost: %s\n", problem.what());
    return 1;
  }
}
