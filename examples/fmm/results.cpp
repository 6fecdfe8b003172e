// SPDX-License-Identifier: Apache-2.0
#include "fmm/results.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace fmm {
namespace {

std::string header(const Kernels& kernels, KernelId id) {
  std::string line;
  for (const char* parameter : kernels.parameters(id)) line += std::string(parameter) + ",";
  return line + "time_ns";
}

bool fail(const std::string& path, const char* what) {
  std::fprintf(stderr, "fmm: %s: %s\n", path.c_str(), what);
  return false;
}

bool write_table(const std::string& path, const Kernels& kernels, KernelId id, const std::vector<Task>& tasks) {
  const std::string names = header(kernels, id);
  std::string first_line;
  if (std::ifstream present(path); present && std::getline(present, first_line) && first_line != names)
    return fail(path, "has other columns; not written");
  std::ofstream out(path, std::ios::app);
  out.precision(17);
  if (first_line.empty()) out << names << '\n';
  for (const Task& task : tasks) {
    if (task.kernel != id) continue;
    for (std::size_t i = 0; i < kernels.parameters(id).size(); ++i) out << task.parameters[i] << ',';
    out << task.duration_ns << '\n';
  }
  return out.flush() ? true : fail(path, std::strerror(errno));
}

struct Sums {
  long tasks = 0;
  long unknown = 0;  // without a prediction
  long extrapolated = 0;
  long within = 0;
  double actual_ns = 0;  // of those with a prediction
  double predicted_ns = 0;

  void add(const Task& task) {
    ++tasks;
    const foretask_prediction& prediction = task.prediction;
    if (prediction.status == FORETASK_UNCALIBRATED) {
      ++unknown;
      return;
    }
    const auto duration_ns = static_cast<double>(task.duration_ns);
    extrapolated += prediction.status == FORETASK_EXTRAPOLATING ? 1 : 0;
    within += prediction.low_ns <= duration_ns && duration_ns <= prediction.high_ns ? 1 : 0;
    actual_ns += duration_ns;
    predicted_ns += prediction.value_ns;
  }

  void print(const char* name) const {
    std::printf("%-15s %7ld %8ld %13ld", name, tasks, unknown, extrapolated);
    if (tasks == unknown)
      std::printf(" %11s %13s %8s %10s\n", "-", "-", "-", "-");
    else
      std::printf(" %11.3f %13.3f %8.1f %10.1f\n", actual_ns * 1e-6, predicted_ns * 1e-6,
                  (predicted_ns / actual_ns - 1) * 100, 100.0 * static_cast<double>(within) / (tasks - unknown));
  }
};

}  // namespace

bool write_tables(const std::string& folder, const Kernels& kernels, const std::vector<Task>& tasks) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return fail(folder, error.message().c_str());
  bool written = true;
  for (int id = 0; id < kKernelCount; ++id) {
    const auto kernel = static_cast<KernelId>(id);
    const auto is_one = [&](const Task& task) { return task.kernel == kernel; };
    if (std::none_of(tasks.begin(), tasks.end(), is_one)) continue;
    written = write_table(folder + "/" + kernels.name(kernel) + ".csv", kernels, kernel, tasks) && written;
  }
  return written;
}

void print_predictions(const Kernels& kernels, const std::vector<Task>& tasks) {
  std::array<Sums, kKernelCount> sums;
  Sums all;
  for (const Task& task : tasks) {
    sums[task.kernel].add(task);
    all.add(task);
  }
  std::printf("%-15s %7s %8s %13s %11s %13s %8s %10s\n", "kernel", "tasks", "unknown", "extrapolated", "actual ms",
              "predicted ms", "error %", "within 95%");
  for (int id = 0; id < kKernelCount; ++id) sums[id].print(kernels.name(static_cast<KernelId>(id)).c_str());
  all.print("all");
}

}  // namespace fmm
