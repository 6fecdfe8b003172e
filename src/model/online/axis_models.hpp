// SPDX-License-Identifier: Apache-2.0
// A kernel's time by one parameter, the axis, learned a sample at a time in bounded memory. One thread.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace foretask::model {

class OneParameterModel {
 public:
  virtual ~OneParameterModel() = default;

  // Nothing where it cannot say; else finite and not negative.
  [[nodiscard]] virtual std::optional<double> predict(double x) const = 0;

  // `x` and `time` are finite and not negative.
  virtual void learn(double x, double time) = 0;

 protected:
  // Copied as what it is, never as this.
  OneParameterModel() = default;
  OneParameterModel(const OneParameterModel&) = default;
  OneParameterModel& operator=(const OneParameterModel&) = default;
};

// One that follows changes, and is kept in the store.
class AxisModel : public OneParameterModel {
 public:
  // The kernel became slower by `factor`, above 0: as if all times so far had been that much longer, and no more than
  // `samples` of them.
  virtual void rescale(double factor, double samples) = 0;

  virtual void reset() = 0;

  // All that was learned, for the store. restore(): false where it makes no sense, and nothing is changed.
  [[nodiscard]] virtual std::vector<double> state() const = 0;
  [[nodiscard]] virtual bool restore(std::span<const double> state) = 0;
};

// HOT: a time by one parameter, from times at a few places. Pure; no allocation.
struct Point {
  double x = 0;
  double time = 0;
};

// On the straight line between the neighbours of `x`; the outermost time outside. `points` is not empty, its x
// increase.
[[nodiscard]] double interpolate(std::span<const Point> points, double x) noexcept;

// Beyond the first and the last point time goes on as a power of x; with an exponent of 0 it stays what it is there.
struct Ends {
  double exponent_below = 0;
  double exponent_above = 0;
};
[[nodiscard]] double along_curve(std::span<const Point> points, const Ends& ends, double x) noexcept;

// The place of the nearest of one or two points, the first of equally near ones.
[[nodiscard]] inline std::size_t nearest_of(std::span<const Point> points, double x) noexcept {
  return points.size() > 1 && std::abs(x - points[1].x) < std::abs(x - points[0].x) ? 1 : 0;
}

// Means of the parameter and the time of samples, at some places of the parameter. Each is of the latest 64 samples of
// its place, so that it follows a change. One thread.
class MeanPoints {
 public:
  [[nodiscard]] std::span<const Point> points() const noexcept { return points_; }
  [[nodiscard]] std::size_t size() const noexcept { return points_.size(); }
  // That the mean is of; at most kMemory.
  [[nodiscard]] double samples(std::size_t place) const noexcept { return samples_[place]; }

  // Before what is at `place`. False where these are no samples, and nothing is changed.
  bool insert(std::size_t place, double samples, const Point& mean) {
    if (!(samples > 0 && std::isfinite(mean.x) && mean.x >= 0 && std::isfinite(mean.time) && mean.time >= 0))
      return false;
    samples_.insert(samples_.begin() + static_cast<std::ptrdiff_t>(place), std::min(samples, kMemory));
    points_.insert(points_.begin() + static_cast<std::ptrdiff_t>(place), mean);
    return true;
  }

  void learn(std::size_t place, double x, double time) noexcept {
    double& samples = samples_[place];
    Point& mean = points_[place];
    samples = std::min(samples + 1, kMemory);
    mean.x += (x - mean.x) / samples;
    mean.time += (time - mean.time) / samples;
  }

  void rescale(double factor, double samples) noexcept {
    for (double& count : samples_) count = std::min(count, samples);
    for (Point& mean : points_) mean.time *= factor;
  }

 private:
  static constexpr double kMemory = 64;

  std::vector<double> samples_;
  std::vector<Point> points_;  // of the samples in the same place
};

// One time for every parameter, or two behaviours of one kernel (Grass et al. 2014, section 5.2) for a stream: each
// sample draws the nearest of one or two mean parameters towards it, and the mean time there answers.
class NearestMeans final : public AxisModel {
 public:
  // `most`: 1 or 2.
  explicit NearestMeans(std::size_t most) noexcept : most_(most) {}

  [[nodiscard]] std::optional<double> predict(double x) const override {
    if (means_.size() == 0) return std::nullopt;
    return points()[nearest_of(points(), x)].time;
  }

  void learn(double x, double time) override {
    // The second begins with the first sample of another parameter.
    const bool is_new = means_.size() == 0 || (means_.size() < most_ && x != points()[0].x);
    if (is_new) {
      means_.insert(means_.size(), 1, {x, time});
    } else {
      means_.learn(nearest_of(points(), x), x, time);
    }
  }

  void rescale(double factor, double samples) override { means_.rescale(factor, samples); }
  void reset() override { means_ = {}; }

  [[nodiscard]] std::vector<double> state() const override;
  [[nodiscard]] bool restore(std::span<const double> state) override;

  [[nodiscard]] std::span<const Point> points() const noexcept { return means_.points(); }

 private:
  std::size_t most_;
  MeanPoints means_;
};

// The mean parameter and time of every 10 % step of the parameter, and straight lines between them: support points that
// go on learning. Beyond the outermost means time goes on as the power of the parameter that it is there. The whole
// range of a double holds less than 16,000 steps.
class LocalMeans final : public AxisModel {
 public:
  [[nodiscard]] std::optional<double> predict(double x) const override;
  void learn(double x, double time) override;
  void rescale(double factor, double samples) override { means_.rescale(factor, samples); }
  void reset() override { *this = {}; }
  [[nodiscard]] std::vector<double> state() const override;
  [[nodiscard]] bool restore(std::span<const double> state) override;

  // By x, and how time goes on beyond the first and the last.
  [[nodiscard]] std::span<const Point> points() const noexcept { return means_.points(); }
  [[nodiscard]] Ends ends() const;

 private:
  std::vector<int> steps_;  // ascending
  MeanPoints means_;        // of the step in the same place
};

// time = a * x^b: a straight line through the logarithms by running least squares. Exponential forgetting makes it the
// line through the latest samples. Knows nothing of samples where the parameter or the time is 0.
class PowerLine final : public AxisModel {
 public:
  // Each sample counts `keep` times what the next one does, in (0, 1].
  explicit PowerLine(double keep) noexcept : keep_(keep) {}

  [[nodiscard]] std::optional<double> predict(double x) const override;
  void learn(double x, double time) override;
  void rescale(double factor, double samples) override;
  void reset() override { *this = PowerLine(keep_); }
  [[nodiscard]] std::vector<double> state() const override;
  [[nodiscard]] bool restore(std::span<const double> state) override;

  struct Coefficients {
    double log_factor = 0;
    double exponent = 0;

    // `x` is above 0.
    [[nodiscard]] double at(double x) const noexcept { return std::exp(log_factor + exponent * std::log(x)); }
  };
  [[nodiscard]] std::optional<Coefficients> coefficients() const;

 private:
  double keep_;
  double weight_ = 0;
  double mean_x_ = 0;  // of the logarithms, as below
  double mean_time_ = 0;
  double spread_ = 0;   // sum of squares of x around its mean
  double product_ = 0;  // sum of products of x and time around their means
};

}  // namespace foretask::model
