// SPDX-License-Identifier: Apache-2.0
// The task graph of a tiled Cholesky factorization whose kernels only take time, as much as each is given: they spin,
// or sleep, so that a run with more threads than the machine has cores is still a true one. Making one kernel faster is
// then an option, and what the program gains by it can be measured before the what-if is believed.
#include <atomic>

#include "sleep.hpp"

namespace {

enum Body : long { kSpin, kSleep };

struct Options {
  long tiles = 10;
  long body = kSpin;
  long potrf_us = 4000;
  long trsm_us = 3000;
  long syrk_us = 2000;
  long gemm_us = 2000;
};

// The tiles, and how often each was written.
struct Job {
  Options options;
  std::vector<std::atomic<int>> writes;
  explicit Job(const Options& given) : options(given), writes(static_cast<std::size_t>(given.tiles * given.tiles)) {}
  std::atomic<int>& tile(long row, long column) {
    return writes[static_cast<std::size_t>(row * options.tiles + column)];
  }
};

void take_time(const Job& job, long us) {
  const std::int64_t deadline_ns = examples::now_ns() + us * 1000;
  if (job.options.body == kSleep) {
    examples::sleep_until(deadline_ns);
  } else {
    while (examples::now_ns() < deadline_ns) continue;
  }
}

// Each creates the task of its name. An address stands for a tile.
[[gnu::noinline]] void potrf(Job* job, std::atomic<int>* tile) {
#pragma omp task depend(inout : tile[0])
  {
    take_time(*job, job->options.potrf_us);
    ++*tile;
  }
}

[[gnu::noinline]] void trsm(Job* job, const std::atomic<int>* diagonal, std::atomic<int>* tile) {
  static_cast<void>(diagonal);
#pragma omp task depend(in : diagonal[0]) depend(inout : tile[0])
  {
    take_time(*job, job->options.trsm_us);
    ++*tile;
  }
}

[[gnu::noinline]] void syrk(Job* job, const std::atomic<int>* panel, std::atomic<int>* tile) {
  static_cast<void>(panel);
#pragma omp task depend(in : panel[0]) depend(inout : tile[0])
  {
    take_time(*job, job->options.syrk_us);
    ++*tile;
  }
}

[[gnu::noinline]] void gemm(Job* job, const std::atomic<int>* left, const std::atomic<int>* right,
                            std::atomic<int>* tile) {
  static_cast<void>(left);
  static_cast<void>(right);
#pragma omp task depend(in : left[0], right[0]) depend(inout : tile[0])
  {
    take_time(*job, job->options.gemm_us);
    ++*tile;
  }
}

void factorize(Job* job) {
  const long tiles = job->options.tiles;
  for (long k = 0; k < tiles; ++k) {
    potrf(job, &job->tile(k, k));
    for (long row = k + 1; row < tiles; ++row) trsm(job, &job->tile(k, k), &job->tile(row, k));
    for (long row = k + 1; row < tiles; ++row) {
      syrk(job, &job->tile(row, k), &job->tile(row, row));
      for (long column = k + 1; column < row; ++column)
        gemm(job, &job->tile(row, k), &job->tile(column, k), &job->tile(row, column));
    }
  }
#pragma omp taskwait
}

void factorize_parallel(Job* job, examples::Run& run) {
#pragma omp parallel num_threads(run.threads)
  {
#pragma omp barrier
#pragma omp single nowait
    {
      run.start();
      factorize(job);
    }
  }
  run.stop();
}

// A tile of column j is written in each step up to its own, and no thread worked for two at a time.
bool is_sound(Job& job, const examples::Run& run) {
  const Options& options = job.options;
  std::int64_t work_us = 0;
  for (long row = 0; row < options.tiles; ++row) {
    for (long column = 0; column <= row; ++column) {
      if (job.tile(row, column) != column + 1) return false;
      work_us +=
          row == column ? options.potrf_us + column * options.syrk_us : options.trsm_us + column * options.gemm_us;
    }
  }
  return work_us * 1000 <= run.threads * (run.stop_ns - run.start_ns);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  examples::Arguments arguments("timed_cholesky", "a tiled Cholesky factorization whose kernels only take time");
  arguments.number("-n", "tiles a side", options.tiles, 1, 1000);
  arguments.choice("-b", "how the kernels take their time", options.body, {"spin", "sleep"});
  arguments.number("--potrf", "microseconds of potrf", options.potrf_us, 0, 10'000'000);
  arguments.number("--trsm", "microseconds of trsm", options.trsm_us, 0, 10'000'000);
  arguments.number("--syrk", "microseconds of syrk", options.syrk_us, 0, 10'000'000);
  arguments.number("--gemm", "microseconds of gemm", options.gemm_us, 0, 10'000'000);
  arguments.parse(argc, argv);
  examples::wake_on_time();
  return arguments.repeat(options.tiles, [&](examples::Run& run) {
    Job job(options);
    factorize_parallel(&job, run);
    return is_sound(job, run);
  });
}
