// SPDX-License-Identifier: Apache-2.0
// How a run's time goes with the part of the work that is done: as in earlier runs, or evenly. Which of the two is this
// run's own course, its first part shows. One thread.
#pragma once

#include <span>
#include <vector>

#include "model/store/program_row.hpp"

namespace foretask::predict {

// The share of the time that had gone when so much was done, both in [0, 1], of a course whose points rise; straight
// between them, and from {0, 0} and to {1, 1} where it does not begin or end there.
[[nodiscard]] double share_at(std::span<const model::ProgressPoint> course, double done);

class Course {
 public:
  // The earlier runs' course, from {0, 0} to {1, 1} and rising, and of how many runs it is; empty and 0: none is known.
  // `foretold`: the predicted time of the whole course; 0: not known.
  Course(std::vector<model::ProgressPoint> earlier, double runs, double foretold = 0);

  // The share of the time that has gone when so much is done, both in [0, 1].
  [[nodiscard]] double time_share(double done) const;

  // This run: `time` had passed when so much was done. Moments in their order.
  void note(double done, double time);

  // How much the earlier runs' course is believed, in [0, 1].
  [[nodiscard]] double belief() const noexcept { return belief_; }

 private:
  void judge();

  std::vector<model::ProgressPoint> earlier_;
  std::vector<model::ProgressPoint> own_;  // times in ns
  double prior_ = 0;
  double foretold_ = 0;
  double belief_ = 0;
};

}  // namespace foretask::predict
