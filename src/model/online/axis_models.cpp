// SPDX-License-Identifier: Apache-2.0
#include "model/online/axis_models.hpp"

#include <limits>
#include <utility>

namespace foretask::model {
namespace {

double beyond(const Point& end, double exponent, double x) noexcept {
  return exponent == 0 || x <= 0 ? end.time : end.time * std::pow(x / end.x, exponent);
}

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

// Logarithms closer together than this are one parameter, with rounding on it.
constexpr double kOneParameter = 1e-12;

}  // namespace

double interpolate(std::span<const Point> points, double x) noexcept {
  if (x <= points.front().x) return points.front().time;
  if (x >= points.back().x) return points.back().time;
  const auto above =
      std::lower_bound(points.begin(), points.end(), x, [](const Point& a, double b) { return a.x < b; });
  const Point& low = *(above - 1);
  const Point& high = *above;
  return low.time + (high.time - low.time) * ((x - low.x) / (high.x - low.x));
}

double along_curve(std::span<const Point> points, const Ends& ends, double x) noexcept {
  if (x > points.back().x) return beyond(points.back(), ends.exponent_above, x);
  if (x < points.front().x) return beyond(points.front(), ends.exponent_below, x);
  return interpolate(points, x);
}

// Samples, mean parameter and mean time of each of two, zeros for one that is not there; of one alone no parameter.
std::vector<double> NearestMeans::state() const {
  std::vector<double> values;
  for (std::size_t i = 0; i < most_; ++i) {
    const Point mean = i < means_.size() ? points()[i] : Point{};
    values.push_back(i < means_.size() ? means_.samples(i) : 0);
    if (most_ > 1) values.push_back(mean.x);
    values.push_back(mean.time);
  }
  return values;
}

bool NearestMeans::restore(std::span<const double> state) {
  const std::size_t numbers = most_ > 1 ? 3 : 2;
  if (state.size() != numbers * most_) return false;
  MeanPoints means;
  for (; !state.empty(); state = state.subspan(numbers)) {
    if (state[0] == 0 && means.size() > 0) continue;
    const Point mean{most_ > 1 ? state[1] : 0, state[numbers - 1]};
    if (!(mean.time > 0) || !means.insert(means.size(), state[0], mean)) return false;
  }
  means_ = std::move(means);
  return true;
}

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

std::optional<PowerLine::Coefficients> PowerLine::coefficients() const {
  if (weight_ == 0) return std::nullopt;
  const bool varies = spread_ > weight_ * kOneParameter * kOneParameter;
  const double exponent = varies ? product_ / spread_ : 0;
  return Coefficients{mean_time_ - exponent * mean_x_, exponent};
}

std::optional<double> PowerLine::predict(double x) const {
  const auto line = coefficients();
  if (!line || x <= 0) return std::nullopt;
  const double time = line->at(x);
  if (!std::isfinite(time)) return std::nullopt;
  return time;
}

void PowerLine::learn(double x, double time) {
  if (x <= 0 || time <= 0) return;
  const double log_x = std::log(x);
  const double log_time = std::log(time);
  weight_ = weight_ * keep_ + 1;
  const double from_old_x = log_x - mean_x_;
  mean_x_ += from_old_x / weight_;
  mean_time_ += (log_time - mean_time_) / weight_;
  spread_ = spread_ * keep_ + from_old_x * (log_x - mean_x_);
  product_ = product_ * keep_ + from_old_x * (log_time - mean_time_);
}

void PowerLine::rescale(double factor, double samples) {
  mean_time_ += std::log(factor);
  const double keep = weight_ > 0 ? std::min(1.0, samples / weight_) : 1;
  weight_ *= keep;
  spread_ *= keep;
  product_ *= keep;
}

std::vector<double> PowerLine::state() const { return {weight_, mean_x_, mean_time_, spread_, product_}; }

bool PowerLine::restore(std::span<const double> state) {
  if (state.size() != 5 || !std::all_of(state.begin(), state.end(), [](double x) { return std::isfinite(x); }) ||
      state[0] < 0 || state[3] < 0)
    return false;
  weight_ = state[0];
  mean_x_ = state[1];
  mean_time_ = state[2];
  spread_ = state[3];
  product_ = state[4];
  return true;
}

}  // namespace foretask::model
