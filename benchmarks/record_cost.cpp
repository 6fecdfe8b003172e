// SPDX-License-Identifier: Apache-2.0
// What recording costs a program: whole runs without a tool, with the hook there and off, with the floor tool
// (floor_tool.cpp, floor_tool_gomp.cpp, floor_tool_tbb.cpp), with foretask, and with foretask that samples no
// functions, interleaved; medians, and ratios to the unrecorded run and to the floor. Loads: fib without cut-off, where
// a task is some 50 to 300 ns of runtime; tasks of a few microseconds; under LLVM's runtime also loops under dynamic,1
// with chunks as long, and with none.
//
//   bin/record_cost [--runtime llvm|libgomp|tbb|all] [--runs 7] [--threads 2] [--fib 30] [--task-us 5]
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

// How a runtime's tools come into a program.
struct Tools {
  std::string variable;
  std::string hook;
  std::string floor;
};

Tools tools_of(const std::string& runtime) {
  const std::string lib = bin_folder() + "/../lib/lib";
  if (runtime == "llvm") return {"OMP_TOOL_LIBRARIES", lib + "foretask_ompt.so", lib + "floor_tool.so"};
  const std::string name = runtime == "libgomp" ? "gomp" : "tbb";
  return {"LD_PRELOAD", lib + "foretask_" + name + ".so", lib + "floor_tool_" + name + ".so"};
}

// `tasks`: or chunks. `has_loops`: the hook is preloaded, as the launcher does it.
void compare(const std::string& title, const std::vector<std::string>& command, const Tools& tools,
             const std::string& threads, int runs, double tasks, bool has_loops = false) {
  const Scratch scratch;
  const std::string record = scratch.path() + "/record";
  Variables recorded = {{tools.variable, tools.hook}, {"FORETASK", "record"}, {"FORETASK_OUT", record}};
  if (has_loops) recorded["LD_PRELOAD"] = tools.hook;
  Variables unsampled = recorded;
  unsampled["FORETASK_SAMPLES"] = "0";
  const std::array variants = {
      Variant{"unrecorded", {}},
      Variant{"off", {{tools.variable, tools.hook}, {"FORETASK", "off"}}},
      Variant{"floor tool", {{tools.variable, tools.floor}}},
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

struct Options {
  int runs;
  std::string threads;
  int fib;
  std::string task_us;
};

void compare_runtime(const std::string& runtime, const Options& options) {
  const Tools tools = tools_of(runtime);
  const bool is_llvm = runtime == "llvm";
  const bool is_tbb = runtime == "tbb";
  const std::string bin = bin_folder() + "/";
  const std::string fib = bin + (is_llvm ? "fib" : is_tbb ? "tbb_fib" : "fib_gcc");
  const std::string spin_tasks = bin + (is_llvm ? "spin_tasks" : is_tbb ? "tbb_spin_tasks" : "spin_tasks_gcc");
  for (const std::string& file : {tools.hook, tools.floor, fib, spin_tasks})
    if (!std::filesystem::exists(file)) {
      std::printf("\n%s: left out, there is no %s\n", runtime.c_str(), file.c_str());
      return;
    }
  const std::string n = std::to_string(options.fib);
  compare(runtime + ": fib(" + n + ") without cut-off", {fib, "-n", n, "-x", "0", "-t", options.threads}, tools,
          options.threads, options.runs, fib_tasks(options.fib));
  const int spins = 800000;
  std::vector<std::string> spinning = {spin_tasks, std::to_string(spins), options.task_us};
  if (is_tbb) spinning.push_back(options.threads);
  compare(runtime + ": tasks that spin for " + options.task_us + " us", spinning, tools, options.threads, options.runs,
          spins);
  if (!is_llvm) return;
  const int chunks = 400000;
  compare("a loop of chunks that spin for " + options.task_us + " us",
          {spin_tasks, std::to_string(chunks), options.task_us, "loop"}, tools, options.threads, options.runs, chunks,
          true);
  const int empty_chunks = 20000000;
  compare("a loop of empty chunks", {spin_tasks, std::to_string(empty_chunks), "0", "loop"}, tools, options.threads,
          options.runs, empty_chunks, true);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string wanted = option(argc, argv, "runtime", "all");
    const Options options = {std::stoi(option(argc, argv, "runs", "7")), option(argc, argv, "threads", "2"),
                             std::stoi(option(argc, argv, "fib", "30")), option(argc, argv, "task-us", "5")};
    for (const std::string runtime : {"llvm", "libgomp", "tbb"})
      if (wanted == runtime || wanted == "all") compare_runtime(runtime, options);
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "record_cost: %s\n", problem.what());
    return 1;
  }
}
