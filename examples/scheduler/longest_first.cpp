// SPDX-License-Identifier: Apache-2.0
// Independent jobs: the longest predicted goes first, so that no long one is left over at the end.
//
//   bin/scheduler_longest_first [WORKERS]    default 2; with more than the machine has processors, jobs sleep
#include "comparison.hpp"
#include "job.hpp"
#include "pool.hpp"

namespace {

using examples::Job;
using examples::Order;

std::vector<Job> draw_jobs(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Job> jobs;
  for (int i = 0; i < count; ++i) jobs.push_back(Job::draw(random));
  return jobs;
}

// Asks about all jobs at once; the result is how many are known. The jobs of one kernel have the same order by their
// usual times as by their means. An unknown job stays at 0, and goes last.
std::size_t predict(std::vector<Job>& jobs) {
  std::vector<double> parameters;
  for (const Job& job : jobs) parameters.insert(parameters.end(), {job.rows, job.columns});
  std::vector<foretask::Prediction> predictions(jobs.size());
  examples::smooth.predict_many(parameters, predictions);
  std::size_t known = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (predictions[i].status == FORETASK_UNCALIBRATED) continue;  // value_ns is NaN
    jobs[i].predicted_ns = predictions[i].value_ns;
    ++known;
  }
  return known;
}

double run(examples::Pool& pool, std::vector<Job>& jobs, Order order) {
  for (Job& job : jobs) pool.submit(job.time_ns(order), [&job] { job.run(); });
  pool.wait();
  double checksum = 0;
  for (Job& job : jobs) checksum += std::exchange(job.result, 0);
  return checksum;
}

}  // namespace

int main(int argc, char** argv) {
  const int workers = examples::workers_of(argc, argv);
  foretask_learning_start();
  examples::Pool pool(workers);
  examples::Comparison comparison;
  for (unsigned round = 1; round <= examples::kRounds; ++round) {
    std::vector<Job> jobs = draw_jobs(15 * workers, round);
    std::printf("round %u: %zu of %zu jobs predicted\n", round, predict(jobs), jobs.size());
    comparison.add_round([&](Order order) { return run(pool, jobs, order); });
  }
  return comparison.print();
}
