// SPDX-License-Identifier: Apache-2.0
// A scheduler that asks before it runs: independent jobs of very different lengths on two workers, longest predicted
// first. The first round knows nothing, the second what the first has learned.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <random>
#include <thread>
#include <vector>

#include "foretask/foretask.hpp"

namespace {

struct Job {
  int rows = 0;
  int columns = 0;
  double expected_ns = 0;
};

const foretask::Kernel kernel("power_iteration", {"rows", "columns"});

double work(const Job& job) {
  const auto task = kernel.scope(job.rows, job.columns);
  std::vector<double> x(static_cast<std::size_t>(job.columns), 1.0);
  double sum = 0;
  for (int i = 0; i < job.rows; ++i)
    for (double& value : x) sum += value = value * 0.999 + 1e-3 * i;
  return sum;
}

double run_round(const std::vector<Job>& jobs) {
  std::atomic<std::size_t> next{0};
  std::atomic<double> checksum{0};
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> workers;
  for (int i = 0; i < 2; ++i)
    workers.emplace_back([&] {
      for (std::size_t j; (j = next.fetch_add(1)) < jobs.size();) checksum = checksum + work(jobs[j]);
    });
  for (std::thread& worker : workers) worker.join();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main() {
  foretask_learning_start();
  std::mt19937 random(1);
  std::vector<Job> jobs(200);
  for (Job& job : jobs) job = {static_cast<int>(100 + random() % 2000), static_cast<int>(10 + random() % 1000)};
  for (int round = 1; round <= 2; ++round) {
    std::size_t known = 0;
    for (Job& job : jobs) {
      const auto prediction = kernel.predict(job.rows, job.columns);
      known += prediction.has_value();
      job.expected_ns = prediction ? prediction->value_ns : 0;
    }
    std::stable_sort(jobs.begin(), jobs.end(),
                     [](const Job& a, const Job& b) { return a.expected_ns > b.expected_ns; });
    const double ms = run_round(jobs);
    std::printf("round %d: %zu of %zu jobs predicted, %.1f ms\n", round, known, jobs.size(), ms);
    foretask_flush(1000);
  }
  const Job job{1000, 500};
  if (const auto next = kernel.predict(job.rows, job.columns))
    std::printf("%d x %d: %.0f us (%.0f to %.0f), %s, %s\n", job.rows, job.columns, next->value_ns / 1e3,
                next->low_ns / 1e3, next->high_ns / 1e3, foretask_model_text(next->model),
                foretask_prediction_status_text(next->status));
  return 0;
}
