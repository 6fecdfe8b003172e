// SPDX-License-Identifier: Apache-2.0
// Two classes of workers: a job goes to where it is predicted to end first. Matrix products are faster on an
// accelerator, sorting is slower there. The jobs sleep, as a thread does that waits for its device.
//
//   bin/scheduler_worker_classes [WORKERS]    of each class, default 2
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include "comparison.hpp"
#include "foretask/foretask.hpp"
#include "pool.hpp"
#include "sleep.hpp"

namespace {

using examples::Order;

const foretask::Kernel multiply("multiply", {"n"});
const foretask::Kernel sort("sort", {"keys"});

enum Class : std::size_t { kProcessor, kAccelerator, kClasses };

struct Job {
  const foretask::Kernel* kernel;
  double size;
  std::array<double, kClasses> predicted_ns{};  // 0: unknown
  int runs = 0;

  [[nodiscard]] double true_ns(std::size_t where) const {
    if (kernel == &sort) return size * std::log2(size) * (where == kProcessor ? 1 : 4);
    return where == kProcessor ? std::pow(size, 3) : 3e5 + 0.1 * std::pow(size, 3);
  }
  [[nodiscard]] double time_ns(Order order, std::size_t where) const {
    return order == examples::kTrue ? true_ns(where) : predicted_ns[where];
  }
  void run(std::size_t where) {
    const auto task = kernel->scope(size);  // learned for the class of the worker that is here
    examples::sleep_until(examples::now_ns() + std::llround(true_ns(where)));
    ++runs;
  }
};

std::vector<Job> draw_jobs(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Job> jobs;
  for (int i = 0; i < count; ++i) {
    const bool sorts = random() % 2 == 0;
    jobs.push_back(
        {sorts ? &sort : &multiply, static_cast<double>(sorts ? 10'000 + random() % 200'000 : 40 + random() % 120)});
  }
  return jobs;
}

// Asks as a worker of each class would, for means: times are added up, and those of two kernels compared. The result is
// how many are known.
std::size_t predict(std::vector<Job>& jobs, const std::array<int, kClasses>& classes) {
  std::size_t known = 0;
  for (std::size_t where = 0; where < kClasses; ++where) {
    foretask_set_worker_class(classes[where]);
    for (Job& job : jobs) {
      const double mean_ns = job.kernel->mean(job.size);
      if (std::isnan(mean_ns)) continue;
      job.predicted_ns[where] = mean_ns;
      ++known;
    }
  }
  return known;
}

using Pools = std::array<examples::Pool*, kClasses>;

// Whichever worker is idle takes the next job.
void run_where_idle(const Pools& pools, std::vector<Job>& jobs) {
  std::atomic<std::size_t> next = 0;
  for (std::size_t where = 0; where < kClasses; ++where)
    for (std::size_t i = 0; i < pools[where]->workers(); ++i)
      pools[where]->submit(0, [&jobs, &next, where] {
        for (std::size_t job; (job = next++) < jobs.size();) jobs[job].run(where);
      });
  for (examples::Pool* pool : pools) pool->wait();
}

// The longest job first, each to the worker that would have it done first; the others of its class may steal it.
void run_where_done_first(const Pools& pools, std::vector<Job>& jobs, Order order) {
  struct Worker {
    std::size_t where;
    double idle_ns = 0;  // when it has done what it was given
  };
  std::vector<Worker> workers;
  for (std::size_t where = 0; where < kClasses; ++where)
    workers.resize(workers.size() + pools[where]->workers(), {where});
  std::vector<Job*> sorted;
  for (Job& job : jobs) sorted.push_back(&job);
  const auto sum_ns = [order](const Job* job) { return job->time_ns(order, 0) + job->time_ns(order, 1); };
  std::stable_sort(sorted.begin(), sorted.end(), [&](const Job* a, const Job* b) { return sum_ns(a) > sum_ns(b); });
  for (Job* job : sorted) {
    const auto done_ns = [&](const Worker& worker) { return worker.idle_ns + job->time_ns(order, worker.where); };
    const auto first = std::min_element(workers.begin(), workers.end(),
                                        [&](const Worker& a, const Worker& b) { return done_ns(a) < done_ns(b); });
    first->idle_ns = done_ns(*first);
    pools[first->where]->submit(job->time_ns(order, first->where), [job, where = first->where] { job->run(where); });
  }
  for (examples::Pool* pool : pools) pool->wait();
}

// The result is the number of jobs that ran once.
double run(const Pools& pools, std::vector<Job>& jobs, Order order) {
  for (Job& job : jobs) job.runs = 0;
  if (order == examples::kFirstCome)
    run_where_idle(pools, jobs);
  else
    run_where_done_first(pools, jobs, order);
  return static_cast<double>(std::count_if(jobs.begin(), jobs.end(), [](const Job& job) { return job.runs == 1; }));
}

}  // namespace

int main(int argc, char** argv) {
  const int workers = argc > 1 ? std::max(1, std::atoi(argv[1])) : 2;
  examples::wake_on_time();
  foretask_learning_start();
  const std::array<int, kClasses> classes{foretask_worker_class("cpu"), foretask_worker_class("accelerator")};
  examples::Pool processors(workers, classes[kProcessor]);
  examples::Pool accelerators(workers, classes[kAccelerator]);
  examples::Comparison comparison;
  for (unsigned round = 1; round <= examples::kRounds; ++round) {
    std::vector<Job> jobs = draw_jobs(40 * workers, round);
    const std::size_t known = predict(jobs, classes);
    std::printf("round %u: %zu of %zu times predicted\n", round, known, kClasses * jobs.size());
    comparison.add_round([&](Order order) { return run({&processors, &accelerators}, jobs, order); });
  }
  return comparison.print();
}
