// SPDX-License-Identifier: Apache-2.0
#include "base/run_jobs.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <vector>

#include "catch.hpp"

using foretask::Error;
using foretask::Result;
using foretask::base::run_jobs;

TEST_CASE("each job is run once, whatever the number of threads, by workers of no other thread") {
  for (const std::size_t threads : {0, 1, 3, 50}) {
    std::vector<std::atomic<int>> runs(40);
    std::atomic<std::size_t> workers{0};
    const auto done = run_jobs(runs.size(), threads, [&] {
      ++workers;
      return [&runs, busy = false](std::size_t job) mutable -> Result<void> {
        if (busy) return Error{.what = "two threads in one worker"};
        busy = true;
        ++runs[job];
        busy = false;
        return {};
      };
    });
    CHECK(done.ok());
    CHECK(workers >= 1);
    CHECK(workers <= std::max<std::size_t>(threads, 1));
    for (const auto& count : runs) CHECK(count == 1);
  }
  CHECK(run_jobs(0, 4, [] { return [](std::size_t) -> Result<void> { return Error{.what = "no job"}; }; }).ok());
}

TEST_CASE("after a job that fails no other begins, and its error is what comes back") {
  std::size_t runs = 0;
  const auto done = run_jobs(10, 1, [&] {
    return [&](std::size_t job) -> Result<void> {
      ++runs;
      if (job == 3) return Error{.what = "the fourth"};
      return {};
    };
  });
  REQUIRE_FALSE(done.ok());
  CHECK(done.error().what == "the fourth");
  CHECK(runs == 4);
}

TEST_CASE("what a worker throws on any thread is thrown to the caller") {
  for (const std::size_t threads : {1, 4})
    CHECK_THROWS_AS(run_jobs(100, threads,
                             [] {
                               return [](std::size_t job) -> Result<void> {
                                 if (job == 57) throw std::runtime_error("57");
                                 return {};
                               };
                             }),
                    std::runtime_error);
}
