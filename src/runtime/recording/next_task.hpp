// SPDX-License-Identifier: Apache-2.0
// HOT: what a thread has said of the next task that it creates (foretask/openmp.h), for the recording and for what
// follows tasks. Each takes it once.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "foretask/foretask.h"

namespace foretask::runtime {

struct NextTask {
  foretask_kernel* kernel = nullptr;
  std::uint32_t id = 0;           // the kernel's
  std::uint32_t count = 0;        // parameters that are known, the first ones
  bool is_for_followers = false;  // who follows tasks has not taken it yet; a stream knows of itself
  std::array<double, FORETASK_MAX_PARAMETERS> parameters{};

  void set(foretask_kernel* of, std::uint32_t number, const double* values, std::size_t how_many) noexcept {
    kernel = of;
    id = number;
    count = static_cast<std::uint32_t>(how_many);
    std::copy_n(values, how_many, parameters.begin());
  }
};

// Initial-exec: one load instead of a call.
inline constinit thread_local NextTask next_task __attribute__((tls_model("initial-exec")));

}  // namespace foretask::runtime
