// SPDX-License-Identifier: Apache-2.0
#include "predict/progress/course.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace foretask::predict {
namespace {

constexpr double kStep = 0.02;       // of the work, between two moments that are looked at
constexpr double kSmallest = 0.005;  // deviation of a share; less is chance
// Moments follow each other: so many of them say as much as one that stands alone.
constexpr double kAlike = 3;
// Of the logarithm of the time so far over the foretold one. A loop's first iterations may cost next to nothing: then
// the first moment tells.
constexpr double kForetoldSpread = 0.5;

}  // namespace

double share_at(std::span<const model::ProgressPoint> course, double done) {
  const auto above =
      std::lower_bound(course.begin(), course.end(), done, [](const auto& point, double x) { return point.done < x; });
  const model::ProgressPoint before = above == course.begin() ? model::ProgressPoint{0, 0} : *(above - 1);
  const model::ProgressPoint after = above == course.end() ? model::ProgressPoint{1, 1} : *above;
  if (!(after.done > before.done)) return after.time;
  return before.time + (after.time - before.time) * (done - before.done) / (after.done - before.done);
}

Course::Course(std::vector<model::ProgressPoint> earlier, double runs, double foretold)
    : earlier_(std::move(earlier)),
      prior_(earlier_.size() < 2 ? 0 : runs / (runs + 1)),
      foretold_(foretold),
      belief_(prior_) {}

double Course::time_share(double done) const {
  return belief_ > 0 ? belief_ * share_at(earlier_, done) + (1 - belief_) * done : done;
}

void Course::note(double done, double time) {
  if (!(prior_ > 0) || done < (own_.empty() ? 0 : own_.back().done) + kStep || !(time > 0)) return;
  own_.push_back({done, time});
  judge();
}

// Each course says how the times so far relate to the last one; the deviation around it is as unknown as the course.
void Course::judge() {
  const model::ProgressPoint& last = own_.back();
  const double earlier_last = std::max(share_at(earlier_, last.done), 1e-9);
  double earlier = 0;
  double even = 0;
  for (const model::ProgressPoint& point : own_) {
    const double share = point.time / last.time;
    const double as_earlier = share_at(earlier_, point.done) / earlier_last;
    const double as_even = point.done / last.done;
    earlier += (share - as_earlier) * (share - as_earlier);
    even += (share - as_even) * (share - as_even);
  }
  const auto count = static_cast<double>(own_.size());
  const double floor = kSmallest * kSmallest;
  double evidence = count / (2 * kAlike) * std::log((even / count + floor) / (earlier / count + floor));
  if (foretold_ > 0) {
    const double off_even = std::log(last.time / (last.done * foretold_));
    const double off_earlier = std::log(last.time / (earlier_last * foretold_));
    evidence += (off_even * off_even - off_earlier * off_earlier) / (2 * kForetoldSpread * kForetoldSpread);
  }
  belief_ = prior_ / (prior_ + (1 - prior_) * std::exp(-evidence));
}

}  // namespace foretask::predict
