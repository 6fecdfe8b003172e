// SPDX-License-Identifier: Apache-2.0
// oneTBB's tasks that sleep for a drawn duration instead of computing, so that a run with more threads than the machine
// has cores is still a true one. A duration depends on the number of the task alone.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <atomic>

#include "sleep.hpp"
#include "tbb/arena.hpp"

namespace {

enum Shape : long { kTree, kDivide, kFlat, kForkjoin, kFor };
enum Distribution : long { kUniform, kExponential };

struct Options {
  long shape = kTree;
  long tasks = 1000;
  long width = 64;
  long mean_us = 2000;
  long distribution = kUniform;
};

struct Job {
  Options options;
  std::atomic<long> slept = 0;  // tasks
};

[[gnu::noinline]] void sleep_task(Job& job, long task) {
  const double unit = examples::random_unit(1, static_cast<std::uint64_t>(task));
  const double factor = job.options.distribution == kUniform ? 2 * unit : -std::log(1 - unit);
  const auto ns = static_cast<std::int64_t>(factor * static_cast<double>(job.options.mean_us) * 1000);
  examples::sleep_until(examples::now_ns() + ns);
  ++job.slept;
}

// Each task of a binary tree creates its children in `all` when it has slept, and waits for nothing.
void run_tree(Job& job, long task, tbb::task_group& all) {
  sleep_task(job, task);
  for (long child = 2 * task + 1; child <= 2 * task + 2 && child < job.options.tasks; ++child)
    all.run([&job, child, &all] { run_tree(job, child, all); });
}

// The same tree, each task of which waits for its children.
void run_divide(Job& job, long task) {
  sleep_task(job, task);
  if (2 * task + 1 >= job.options.tasks) return;
  tbb::task_group children;
  for (long child = 2 * task + 1; child <= 2 * task + 2 && child < job.options.tasks; ++child)
    children.run([&job, child] { run_divide(job, child); });
  children.wait();
}

void run_flat(Job& job, long begin, long end) {
  tbb::task_group all;
  for (long task = begin; task < end; ++task) all.run([&job, task] { sleep_task(job, task); });
  all.wait();
}

void run_forkjoin(Job& job) {
  for (long begin = 0; begin < job.options.tasks; begin += job.options.width)
    run_flat(job, begin, std::min(begin + job.options.width, job.options.tasks));
}

void run_for(Job& job) {
  tbb::parallel_for(
      tbb::blocked_range<long>(0, job.options.tasks),
      [&job](const tbb::blocked_range<long>& range) {
        for (long task = range.begin(); task < range.end(); ++task) sleep_task(job, task);
      },
      tbb::simple_partitioner());
}

void run_shape(Job& job) {
  tbb::task_group all;
  switch (job.options.shape) {
    case kTree:
      run_tree(job, 0, all);
      break;
    case kDivide:
      run_divide(job, 0);
      break;
    case kFlat:
      run_flat(job, 0, job.options.tasks);
      break;
    case kForkjoin:
      run_forkjoin(job);
      break;
    default:
      run_for(job);
      break;
  }
  all.wait();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  examples::Arguments arguments("tbb_sleepers", "oneTBB's tasks that sleep for drawn durations");
  arguments.choice("-s", "shape of the task graph", options.shape, {"tree", "divide", "flat", "forkjoin", "for"});
  arguments.number("-n", "tasks", options.tasks, 1, 10'000'000);
  arguments.number("-w", "tasks a phase of forkjoin", options.width, 1, 100'000);
  arguments.number("-m", "mean duration in microseconds", options.mean_us, 0, 10'000'000);
  arguments.choice("-d", "distribution of the durations", options.distribution, {"uniform", "exponential"});
  arguments.parse(argc, argv);
  examples::wake_on_time();
  return arguments.repeat(options.tasks, [&](examples::Run& run) {
    Job job{options};
    examples::run_in_arena(run, [&] { run_shape(job); });
    return job.slept == options.tasks;
  });
}
