// SPDX-License-Identifier: Apache-2.0
// The work of a program as the sum of its kernels', each with a law of its own: a program whose kernels grow by
// different laws, or are slowed down by shared memory to different degrees (Parallel Prophet's burden factor of a
// section), is not one law. Const and thread safe.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "foretask/analysis/program_table.hpp"
#include "predict/program/work_law.hpp"

namespace foretask::predict {

class KernelWorks {
 public:
  // Nothing where the runs do not say their kernels, or there is but one. Kernels of less than 2 % of the work at the
  // largest size, and those that some run has not, are one together.
  [[nodiscard]] static std::optional<KernelWorks> find(std::span<const analysis::ProgramRun> runs,
                                                       const MemorySlowdown* memory = nullptr);

  [[nodiscard]] LogEstimate serial(double n) const;
  [[nodiscard]] LogEstimate at(double n, double p) const;
  // Of all of the work it was counted how much of it waits for memory.
  [[nodiscard]] bool has_counted_memory() const;
  [[nodiscard]] std::string formula() const;

 private:
  // Where a kernel has another number of tasks than any law says, as behind a cut-off, its work is no surer.
  struct Law {
    std::string name;
    WorkLaw work;
    std::optional<GrowthLaw> counts;  // where known
  };

  template <typename Of>
  [[nodiscard]] LogEstimate total(double n, const Of& of) const;

  std::vector<Law> laws_;
};

}  // namespace foretask::predict
