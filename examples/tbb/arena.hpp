// SPDX-License-Identifier: Apache-2.0
// The timed parallel section on as many of oneTBB's threads as the run asks for.
#pragma once

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include "common.hpp"

namespace examples {

template <typename Work>
void run_in_arena(Run& run, Work work) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(run.threads));
  tbb::task_arena arena(run.threads);
  arena.execute([&] {
    run.start();
    work();
  });
  run.stop();
}

}  // namespace examples
