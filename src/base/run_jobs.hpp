// SPDX-License-Identifier: Apache-2.0
// Jobs that several threads take one after another.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "foretask/result.hpp"

namespace foretask::base {

// Jobs 0 to jobs - 1, each once, in any order, on this thread and up to threads - 1 others, fewer where no more can be
// started. Each thread makes a worker of its own, make_worker(), and calls it with a job's number for a Result<void>.
// After the first error no new job begins; it is returned, and what a worker throws is thrown here.
template <typename MakeWorker>
Result<void> run_jobs(std::size_t jobs, std::size_t threads, const MakeWorker& make_worker) {
  std::atomic<std::size_t> next{0};
  std::mutex failing;
  std::exception_ptr thrown;
  std::optional<Error> failed;
  const auto work = [&] {
    try {
      auto worker = make_worker();
      for (std::size_t job = next++; job < jobs; job = next++) {
        const Result<void> done = worker(job);
        if (done.ok()) continue;
        const std::lock_guard lock(failing);
        if (!failed) failed = done.error();
        next = jobs;
      }
    } catch (...) {
      const std::lock_guard lock(failing);
      if (!thrown) thrown = std::current_exception();
      next = jobs;
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      for (std::size_t i = 1; i < std::min(threads, jobs); ++i) others.emplace_back(work);
    } catch (const std::system_error&) {
      // As many as there are will do.
    }
    work();
  }
  if (thrown) std::rethrow_exception(std::move(thrown));
  if (failed) return *std::move(failed);
  return {};
}

}  // namespace foretask::base
