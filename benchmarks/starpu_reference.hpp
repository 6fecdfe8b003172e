// SPDX-License-Identifier: Apache-2.0
// StarPU's performance models, as its schedulers ask them and its workers feed them: what foretask's predictions are
// measured beside. Only starpu_reference.cpp knows StarPU; where that is missing, starpu_missing.cpp takes its place.
//
//   if (const auto starpu = StarpuReference::start()) {
//     const auto task = starpu->task(StarpuModel::kRegression, {256, 128, 64});
//     const double ns = task->expected_ns();
//     task->update(1200);
//   }
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>

namespace foretask::benchmarks {

enum class StarpuModel {
  kHistory,     // STARPU_HISTORY_BASED: a mean for each (m, n, k)
  kRegression,  // STARPU_MULTIPLE_REGRESSION_BASED in m, n and k: 1, m*n*k, m*n
};

using StarpuParameters = std::array<double, 3>;  // m, n, k; whole numbers for kHistory

// Coefficients of 1, m*n*k and m*n that kRegression has, in ns.
inline constexpr std::array<double, 3> kStarpuLaw = {2000, 0.5, 3};

inline double starpu_law_ns(const StarpuParameters& p) {
  return kStarpuLaw[0] + kStarpuLaw[1] * p[0] * p[1] * p[2] + kStarpuLaw[2] * p[0] * p[1];
}

// A task of one kernel that is never submitted. For one thread at a time; several tasks may be used at once, and share
// their kernel's model.
class StarpuTask {
 public:
  virtual ~StarpuTask() = default;
  // starpu_task_expected_length(). NaN where StarPU knows nothing yet: it wants ten samples of a history.
  virtual double expected_ns() = 0;
  // starpu_perfmodel_update_history(). A regression only keeps the sample: StarPU fits when it shuts down.
  virtual void update(double duration_ns) = 0;
};

// StarPU with one paused worker and its files in a folder of its own. One at a time in a process; the tasks must be
// gone before it is.
class StarpuReference {
 public:
  // nullptr, and why on stderr, where there is no StarPU.
  static std::unique_ptr<StarpuReference> start();
  static std::string version();  // "StarPU 1.3.10"; "no StarPU"

  virtual ~StarpuReference() = default;
  virtual std::unique_ptr<StarpuTask> task(StarpuModel model, const StarpuParameters& parameters) = 0;
};

}  // namespace foretask::benchmarks
