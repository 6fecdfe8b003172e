// SPDX-License-Identifier: Apache-2.0
#include "model/fit/local_means.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace foretask::model {
namespace {

const double kStepLog = std::log(1.1);
constexpr double kMemory = 64;  // samples that a step's mean is of, so that it follows a change

int step_of(double x) {
  return x > 0 ? static_cast<int>(std::floor(std::log(x) / kStepLog)) : std::numeric_limits<int>::min();
}

// Means closer together than this factor say more of the noise than of how time grows.
constexpr double kLever = 1.5;
// Of what the search for a linear model's terms knows nothing falls or grows faster: an outermost mean that a spike has
// spoilt must not become a power of twenty.
constexpr double kLeastExponent = -1;
constexpr double kMostExponent = 3;

// Of the power of the parameter through `end` and the nearest of the other means that is a lever's length away, from
// `first` on; 0 where there is none.
template <typename Iterator>
double exponent_through(const Point& end, Iterator first, Iterator last) {
  const auto far = std::find_if(
      first, last, [&](const Point& mean) { return std::max(mean.x, end.x) >= kLever * std::min(mean.x, end.x); });
  if (far == last || far->x <= 0 || end.x <= 0 || far->time <= 0 || end.time <= 0) return 0;
  return std::clamp(std::log(end.time / far->time) / std::log(end.x / far->x), kLeastExponent, kMostExponent);
}

double beyond(const Point& end, double exponent, double x) {
  return exponent == 0 || x <= 0 ? end.time : end.time * std::pow(x / end.x, exponent);
}

}  // namespace

std::optional<double> LocalMeans::predict(double x) const {
  if (means_.empty()) return std::nullopt;
  const double time = x > means_.back().x    ? beyond(means_.back(), exponent_above(), x)
                      : x < means_.front().x ? beyond(means_.front(), exponent_below(), x)
                                             : interpolate(means_, x);
  if (!std::isfinite(time)) return std::nullopt;
  return time;
}

double LocalMeans::exponent_below() const {
  return means_.empty() ? 0 : exponent_through(means_.front(), means_.begin(), means_.end());
}

double LocalMeans::exponent_above() const {
  return means_.empty() ? 0 : exponent_through(means_.back(), means_.rbegin(), means_.rend());
}

void LocalMeans::learn(double x, double time) {
  const int index = step_of(x);
  auto step = std::lower_bound(steps_.begin(), steps_.end(), index, [](const Step& a, int b) { return a.index < b; });
  auto mean = means_.begin() + (step - steps_.begin());
  if (step == steps_.end() || step->index != index) {
    steps_.insert(step, {index, 1});
    means_.insert(mean, {x, time});
    return;
  }
  step->samples = std::min(step->samples + 1, kMemory);
  mean->x += (x - mean->x) / step->samples;
  mean->time += (time - mean->time) / step->samples;
}

void LocalMeans::rescale(double factor, double samples) {
  for (Step& step : steps_) step.samples = std::min(step.samples, samples);
  for (Point& mean : means_) mean.time *= factor;
}

std::vector<double> LocalMeans::state() const {
  std::vector<double> values;
  for (std::size_t i = 0; i < steps_.size(); ++i)
    values.insert(values.end(), {static_cast<double>(steps_[i].index), steps_[i].samples, means_[i].x, means_[i].time});
  return values;
}

bool LocalMeans::restore(std::span<const double> state) {
  if (state.size() % 4 != 0) return false;
  std::vector<Step> steps;
  std::vector<Point> means;
  for (; !state.empty(); state = state.subspan(4)) {
    const Step step{step_of(state[2]), std::min(state[1], kMemory)};
    const Point mean{state[2], state[3]};
    const bool is_mean = std::isfinite(mean.x) && mean.x >= 0 && std::isfinite(mean.time) && mean.time > 0;
    if (!is_mean || !(step.samples > 0) || (!means.empty() && !(mean.x > means.back().x))) return false;
    // Of a mean at a step's very edge rounding may have made its neighbour's.
    if (!(std::abs(state[0] - step.index) <= 1) || state[0] < std::numeric_limits<int>::min()) return false;
    steps.push_back({static_cast<int>(state[0]), step.samples});
    if (steps.size() > 1 && steps.back().index <= steps[steps.size() - 2].index) return false;
    means.push_back(mean);
  }
  steps_ = std::move(steps);
  means_ = std::move(means);
  return true;
}

}  // namespace foretask::model
