// SPDX-License-Identifier: Apache-2.0
// How far laws are off where runs were recorded. Added to what they say, it makes the answer at a recorded size that of
// its runs; between two sizes it goes over from one to the other, and beyond it fades. Const and thread safe.
#pragma once

#include <functional>
#include <map>
#include <span>

#include "predict/program/program_cells.hpp"

namespace foretask::predict {

class RecordedOffsets {
 public:
  struct Offset {
    double log_ratio = 0;  // of the recorded time over the law's
    double known = 0;      // 1 where runs were recorded, 0 far from all: the share of the law's own error that is gone
  };

  RecordedOffsets() = default;
  // `time` is what the laws say at n and p; above 0 at each cell.
  RecordedOffsets(std::span<const ProgramCell> cells, const std::function<double(double n, double p)>& time);

  // Nothing for workers beyond those recorded.
  [[nodiscard]] Offset at(double n, double p) const;

 private:
  using Line = std::map<double, double>;  // log2(n) to log ratio, of one number of workers
  static Offset along(const Line& line, double octave);

  std::map<double, Line> lines_;  // by log2(p)
};

}  // namespace foretask::predict
