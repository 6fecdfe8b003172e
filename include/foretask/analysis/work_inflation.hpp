// SPDX-License-Identifier: Apache-2.0
// How much longer kernels take on more threads, as recordings of one program and input on several numbers of threads
// show it: shared memory and caches, cores that share a processor.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "foretask/analysis/run.hpp"

namespace foretask::analysis {

// Of a kernel on one number of workers: work there / work in the recording that is replayed.
struct KernelWork {
  std::string kernel;
  std::uint32_t workers = 1;
  double factor = 1;
};

class WorkInflation {
 public:
  WorkInflation() = default;
  // `replayed` is the recording whose graph is replayed; others count as may_take() says. A kernel with less than a
  // hundredth of the work, or whose work differs by less than a twentieth, stays as it is; so does the serial part. Of
  // several recordings on as many workers the mean work counts. `kernel_names`: of the replayed graph.
  WorkInflation(const Report& replayed, const std::vector<const Report*>& others,
                const std::vector<std::string>& kernel_names);

  // Whether a recording can say anything of work on other numbers of workers: on as many workers it is noise, with
  // another number of tasks (1 %) it is of another input.
  [[nodiscard]] static bool may_take(const Report& replayed, const Report& other);

  [[nodiscard]] bool empty() const noexcept { return kernels_.empty(); }
  // Every number of workers that was recorded, ascending, and what kernels' work is there.
  [[nodiscard]] const std::vector<std::uint32_t>& workers() const noexcept { return workers_; }
  [[nodiscard]] std::vector<KernelWork> table() const;  // the kernel with the largest difference first

  // Kernel factors for a replay on so many cores, as SimulationOptions::speedups: below 1 where work takes longer.
  // Between two recorded numbers of workers the work goes with their logarithm, outside of them it is the nearest's.
  [[nodiscard]] std::vector<std::pair<std::uint32_t, double>> speedups_on(std::uint32_t cores) const;

 private:
  struct Kernel {
    std::uint32_t index = 0;
    std::string name;
    std::vector<double> factors;  // one a number of workers
  };
  std::vector<std::uint32_t> workers_;
  std::vector<Kernel> kernels_;
};

}  // namespace foretask::analysis
