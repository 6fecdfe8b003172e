// SPDX-License-Identifier: Apache-2.0
// What earlier runs of a program say of one on an input of size n with p workers: a kernel's tasks and work, and the
// whole time. Cold; pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/store/program_row.hpp"

namespace foretask::predict {

using KernelForecast = model::ProgramKernelRow;

// Times in ns.
struct ProgramForecast {
  double n = 0;  // 0: the only input there is
  double p = 0;
  bool same_input = false;  // n was run
  double runs = 0;          // that it rests on
  double time = 0;          // with its 90 % interval
  double low = 0;
  double high = 0;
  double head = 0;  // as ProgramRow
  double serial = 0;
  double work = 0;
  double delay = 0;
  double no_work = 0;
  double span = 0;
  double rest_work = 0;    // of kernels that a running process cannot know by name
  double time_spread = 0;  // standard deviation of the logarithm of the time outside of the serial part
  double tasks_spread = 0;
  double doubled = 0;  // measured: the time outside of the serial part on p workers / on 2 p; 0: never run
  std::vector<KernelForecast> kernels;
  std::vector<model::ProgressPoint> curve;  // from {0, 0} to {1, 1}, rising
  double curve_runs = 0;                    // that it is the middle one of
};

// Nothing where no row fits: another program's inputs, or no word of n where the rows have one (or the reverse).
// Nothing either of another n from rows of one or two. Of several builds the rows of `build_id` count, of others only
// where there are none, and then without their kernels.
[[nodiscard]] std::optional<ProgramForecast> forecast(const std::vector<model::ProgramRow>& rows,
                                                      const std::string& build_id, const std::string& inputs, double n,
                                                      double p);

}  // namespace foretask::predict
