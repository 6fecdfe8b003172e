// SPDX-License-Identifier: Apache-2.0
#include "model/online/local_means.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace foretask::model {
namespace {

const double kStepLog = std::log(1.1);

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

}  // namespace

Ends LocalMeans::ends() const {
  const std::span<const Point> means = points();
  if (means.empty()) return {};
  return {exponent_through(means.front(), means.begin(), means.end()),
          exponent_through(means.back(), means.rbegin(), means.rend())};
}

std::optional<double> LocalMeans::predict(double x) const {
  const std::span<const Point> means = points();
  if (means.empty()) return std::nullopt;
  const bool is_within = x >= means.front().x && x <= means.back().x;
  const double time = along_curve(means, is_within ? Ends{} : ends(), x);
  if (!std::isfinite(time)) return std::nullopt;
  return time;
}

void LocalMeans::learn(double x, double time) {
  const int index = step_of(x);
  const auto step = std::lower_bound(steps_.begin(), steps_.end(), index);
  const auto place = static_cast<std::size_t>(step - steps_.begin());
  if (step != steps_.end() && *step == index) {
    means_.learn(place, x, time);
  } else if (means_.insert(place, 1, {x, time})) {
    steps_.insert(step, index);
  }
}

// Of each step its number, samples, mean parameter and mean time.
std::vector<double> LocalMeans::state() const {
  std::vector<double> values;
  for (std::size_t i = 0; i < steps_.size(); ++i)
    values.insert(values.end(), {static_cast<double>(steps_[i]), means_.samples(i), points()[i].x, points()[i].time});
  return values;
}

bool LocalMeans::restore(std::span<const double> state) {
  if (state.size() % 4 != 0) return false;
  LocalMeans restored;
  for (; !state.empty(); state = state.subspan(4)) {
    const Point mean{state[2], state[3]};
    if (!restored.steps_.empty() && !(mean.x > restored.points().back().x)) return false;
    if (!(mean.time > 0) || !restored.means_.insert(restored.means_.size(), state[1], mean)) return false;
    // Of a mean at a step's very edge rounding may have made its neighbour's.
    if (!(std::abs(state[0] - step_of(mean.x)) <= 1) || state[0] < std::numeric_limits<int>::min()) return false;
    const int step = static_cast<int>(state[0]);
    if (!restored.steps_.empty() && step <= restored.steps_.back()) return false;
    restored.steps_.push_back(step);
  }
  *this = std::move(restored);
  return true;
}

}  // namespace foretask::model
