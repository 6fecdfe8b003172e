// SPDX-License-Identifier: Apache-2.0
// Tasks that sleep for a drawn duration instead of computing, so that a run with more threads than the machine has
// cores is still a true one. A duration depends on the seed and the number of the task alone.
#include <algorithm>
#include <cmath>

#include "sleep.hpp"

namespace {

enum Shape : long { kTree, kDivide, kFlat, kDepend, kForkjoin };
enum Distribution : long { kConst, kUniform, kExponential, kLognormal };

struct Options {
  long shape = kTree;
  long tasks = 1000;
  long width = 64;
  long mean_us = 2000;
  long distribution = kUniform;
  long seed = 1;
  long locked = 0;
};

struct Interval {
  std::int64_t start_ns = 0;
  std::int64_t stop_ns = 0;
  int runs = 0;
};

struct Job {
  Options options;
  std::vector<Interval> intervals;
  // One address a task for its depend clauses; the first row is written by nobody.
  std::vector<char> cells;
};

// Each distribution has the mean asked for; the logarithm of the last one has standard deviation 1/2.
std::int64_t duration_ns(const Options& options, long task) {
  constexpr double kLogSpread = 0.5;
  const auto seed = static_cast<std::uint64_t>(options.seed);
  const auto index = static_cast<std::uint64_t>(task);
  const double unit = examples::random_unit(seed, 2 * index);
  double factor = 1;
  if (options.distribution == kUniform) factor = 2 * unit;
  if (options.distribution == kExponential) factor = -std::log(1 - unit);
  if (options.distribution == kLognormal)
    factor = std::exp(kLogSpread * examples::random_normal(seed, index) - kLogSpread * kLogSpread / 2);
  return std::llround(factor * static_cast<double>(options.mean_us) * 1000);
}

[[gnu::noinline]] void sleep_task(Job* job, long task) {
  Interval& interval = job->intervals[static_cast<std::size_t>(task)];
  interval.start_ns = examples::now_ns();
  const std::int64_t all_ns = duration_ns(job->options, task);
  const std::int64_t locked_ns = all_ns * job->options.locked / 100;
  examples::sleep_until(interval.start_ns + all_ns - locked_ns);
  if (locked_ns > 0) {
#pragma omp critical
    examples::sleep_until(examples::now_ns() + locked_ns);
  }
  interval.stop_ns = examples::now_ns();
  ++interval.runs;
}

// Each task of a binary tree creates its children when it has slept, and waits for nothing. The job is handed on by
// pointer, because these tasks outlive the function that created them.
[[gnu::noinline]] void run_tree(Job* job, long task) {
  sleep_task(job, task);
  for (long child = 2 * task + 1; child <= 2 * task + 2 && child < job->options.tasks; ++child) {
#pragma omp task
    run_tree(job, child);
  }
}

// The same tree, each task of which waits for its children.
[[gnu::noinline]] void run_divide(Job* job, long task) {
  sleep_task(job, task);
  if (2 * task + 1 >= job->options.tasks) return;
  for (long child = 2 * task + 1; child <= 2 * task + 2 && child < job->options.tasks; ++child) {
#pragma omp task
    run_divide(job, child);
  }
#pragma omp taskwait
}

[[gnu::noinline]] void run_flat(Job* job, long begin, long end) {
  for (long task = begin; task < end; ++task) {
#pragma omp task
    sleep_task(job, task);
  }
#pragma omp taskwait
}

[[gnu::noinline]] void run_forkjoin(Job* job) {
  const Options& options = job->options;
  for (long begin = 0; begin < options.tasks; begin += options.width)
    run_flat(job, begin, std::min(begin + options.width, options.tasks));
}

// The three neighbours in the row before, on a ring of `width`, that a task of `depend` comes after; negative in the
// first row.
struct Before {
  long left;
  long below;
  long right;
  Before(long task, long width) {
    const long row = task / width * width - width;
    const long column = task % width;
    left = row + (column + width - 1) % width;
    below = row + column;
    right = row + (column + 1) % width;
  }
};

[[gnu::noinline]] void run_depend(Job* job) {
  const long width = job->options.width;
  // GCC 12 does not count a depend clause as a use.
  [[maybe_unused]] const char* cells = job->cells.data() + width;
  for (long task = 0; task < job->options.tasks; ++task) {
    const Before up(task, width);
#pragma omp task depend(in : cells[up.left], cells[up.below], cells[up.right]) depend(out : cells[task])
    sleep_task(job, task);
  }
#pragma omp taskwait
}

void run_parallel(Job* job, examples::Run& run) {
#pragma omp parallel num_threads(run.threads)
  {
#pragma omp barrier
#pragma omp single nowait
    {
      run.start();
      switch (job->options.shape) {
        case kTree:
          run_tree(job, 0);
          break;
        case kDivide:
          run_divide(job, 0);
          break;
        case kFlat:
          run_flat(job, 0, job->options.tasks);
          break;
        case kDepend:
          run_depend(job);
          break;
        default:
          run_forkjoin(job);
          break;
      }
    }
  }
  run.stop();
}

// When `task` may start at the earliest, given when the others stopped.
std::int64_t earliest_start_ns(const Job& job, long task) {
  const Options& options = job.options;
  const auto stop_ns = [&](long other) {
    return other < 0 ? 0 : job.intervals[static_cast<std::size_t>(other)].stop_ns;
  };
  if (options.shape == kTree || options.shape == kDivide) return task == 0 ? 0 : stop_ns((task - 1) / 2);
  std::int64_t earliest_ns = 0;
  if (options.shape == kDepend) {
    const Before before(task, options.width);
    for (const long other : {before.left, before.below, before.right})
      earliest_ns = std::max(earliest_ns, stop_ns(other));
  } else if (options.shape == kForkjoin) {
    const long phase = task / options.width * options.width;
    for (long other = phase - options.width; other < phase; ++other)
      earliest_ns = std::max(earliest_ns, stop_ns(other));
  }
  return earliest_ns;
}

// Each task ran once, long enough, in its order, and no thread slept for two at a time.
bool is_sound(const Job& job, const examples::Run& run) {
  std::int64_t work_ns = 0;
  for (long task = 0; task < job.options.tasks; ++task) {
    const Interval& interval = job.intervals[static_cast<std::size_t>(task)];
    const std::int64_t least_ns = duration_ns(job.options, task);
    work_ns += least_ns;
    if (interval.runs != 1 || interval.stop_ns - interval.start_ns < least_ns) return false;
    if (interval.start_ns < earliest_start_ns(job, task) || interval.start_ns < run.start_ns) return false;
    if (interval.stop_ns > run.stop_ns) return false;
  }
  return work_ns <= run.threads * (run.stop_ns - run.start_ns);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  examples::Arguments arguments("sleepers", "tasks that sleep for drawn durations");
  arguments.choice("-s", "shape of the task graph", options.shape, {"tree", "divide", "flat", "depend", "forkjoin"});
  arguments.number("-n", "tasks", options.tasks, 1, 10'000'000);
  arguments.number("-w", "tasks a phase of forkjoin and a row of depend", options.width, 3, 100'000);
  arguments.number("-m", "mean duration in microseconds", options.mean_us, 0, 10'000'000);
  arguments.choice("-d", "distribution of the durations", options.distribution,
                   {"const", "uniform", "exponential", "lognormal"});
  arguments.number("-l", "per cent of each task's time in a critical section", options.locked, 0, 100);
  arguments.number("-e", "seed of the durations", options.seed, 0, 1'000'000'000);
  arguments.parse(argc, argv);
  examples::wake_on_time();
  return arguments.repeat(options.tasks, [&](examples::Run& run) {
    Job job{options, {}, {}};
    job.intervals.resize(static_cast<std::size_t>(options.tasks));
    job.cells.resize(static_cast<std::size_t>(options.tasks + options.width));
    run_parallel(&job, run);
    return is_sound(job, run);
  });
}
