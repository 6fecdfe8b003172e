// SPDX-License-Identifier: Apache-2.0
#include "distribution/family/quadrature.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <iterator>
#include <limits>

#include "distribution/family/univariate.hpp"

namespace foretask::distribution {
namespace {

constexpr double kNegligible = 1e-18;
constexpr double kAgreement = 1e-13;
// Differences below this that do not shrink any more are rounding: of values near their upper end, for instance.
constexpr double kRounding = 1e-6;
// Log odds beyond which there are no doubles for the weight.
constexpr double kFarthest = 700;
constexpr int kHalvings = 6;
// So near the least double values lose their digits: what looks like an error there is rounding, however fine the step.
constexpr double kNothing = 1e-280;

// What has grown beyond all doubles does not vanish, whatever the sum.
bool vanishes(double term, double size) { return std::isfinite(term) && std::fabs(term) <= kNegligible * size; }

// Watches a rule whose step is halved until it converges, or rounding alone is left.
class Convergence {
 public:
  bool reached(const Integral& coarse, const Integral& fine) {
    double largest = 0;
    for (std::size_t k = 0; k < fine.sum.size(); ++k)
      if (fine.size[k] > 0 && std::isfinite(fine.size[k]))
        largest = std::fmax(largest, std::fabs(coarse.sum[k] - fine.sum[k]) / fine.size[k]);
    const bool stalled = largest < kRounding && largest > last_ / 4;
    last_ = largest;
    return largest <= kAgreement || stalled;
  }

 private:
  double last_ = kInfinity;
};

Integral average(const Integral& a, const Integral& b) {
  Integral half(a.sum.size());
  for (std::size_t k = 0; k < half.sum.size(); ++k) {
    half.sum[k] = (a.sum[k] + b.sum[k]) / 2;
    half.size[k] = (a.size[k] + b.size[k]) / 2;
  }
  return half;
}

class Line {
 public:
  Line(const Integrand& integrand, std::size_t count, const Place& place)
      : integrand_(integrand), place_(place), values_(count) {}

  // Nodes at center + (i + offset) * step for all i.
  Integral sum(double step, double offset) {
    Integral integral(values_.size());
    outward(integral, step, offset, 1);
    outward(integral, step, offset - 1, -1);
    return integral;
  }

  // What a tail that is cut off at the farthest z still has: nothing, a geometric rest, or no end.
  void add_rest(Integral& integral, double at) {
    std::vector<double> far(values_.size());
    integrand_(at, far.data());
    integrand_(at * 0.9, values_.data());
    for (std::size_t k = 0; k < far.size(); ++k) {
      if (vanishes(far[k], integral.size[k])) continue;
      const double rate = std::log(std::fabs(values_[k] / far[k])) / (0.1 * std::fabs(at));
      // A rate so small is that of a moment that just does not exist, too.
      integral.sum[k] += rate > 2e-3 ? far[k] / rate : std::numeric_limits<double>::quiet_NaN();
    }
  }

  bool cut_low = false;
  bool cut_high = false;

 private:
  void outward(Integral& integral, double step, double offset, double sign) {
    int vanished = 0;
    for (double i = 0;; ++i) {
      const double z = place_.center + (sign * i + offset) * step * place_.width;
      if (std::fabs(z) > kFarthest && std::fabs(z - place_.center) > 40 * place_.width) {
        (sign > 0 ? cut_high : cut_low) = true;
        return;
      }
      const bool weighs = integrand_(z, values_.data());
      integral.add(values_.data(), step * place_.width);
      bool negligible = !weighs;
      for (std::size_t k = 0; k < values_.size() && negligible; ++k)
        negligible = vanishes(values_[k] * step * place_.width, integral.size[k]);
      vanished = negligible ? vanished + 1 : 0;
      if (vanished == 3) return;
    }
  }

  const Integrand& integrand_;
  const Place& place_;
  std::vector<double> values_;
};

Integral whole_line(const Integrand& integrand, std::size_t count, const Place& place) {
  Line line(integrand, count, place);
  Convergence convergence;
  double step = 0.5;
  Integral integral = line.sum(step, 0);
  for (int i = 0; i < kHalvings; ++i) {
    const Integral finer = average(integral, line.sum(step, 0.5));
    const bool done = convergence.reached(integral, finer);
    integral = finer;
    step /= 2;
    if (done) break;
  }
  if (line.cut_high) line.add_rest(integral, kFarthest);
  if (line.cut_low) line.add_rest(integral, -kFarthest);
  return integral;
}

// From `start` on, to infinity or (`sign` -1) minus infinity: z = start + width exp(t - exp(-t)).
Integral half_line(const Integrand& integrand, std::size_t count, double start, double sign, double width) {
  bool cut = false;
  std::vector<double> values(count);
  const auto sum = [&](double step, double offset) {
    Integral integral(count);
    for (double i = 0;; ++i) {
      const double t = -3.6 + step * (i + offset);
      const double distance = width * std::exp(t - std::exp(-t));
      const double z = start + sign * distance;
      if (std::fabs(z) > kFarthest && distance > 40 * width) {
        cut = true;
        break;
      }
      const bool weighs = integrand(z, values.data());
      const double times = step * distance * (1 + std::exp(-t));
      integral.add(values.data(), times);
      bool negligible = !weighs && t > 0;
      for (std::size_t k = 0; k < count && negligible; ++k) negligible = vanishes(values[k] * times, integral.size[k]);
      if (negligible) break;
    }
    return integral;
  };
  Convergence convergence;
  double step = 0.25;
  Integral integral = sum(step, 0);
  for (int i = 0; i < kHalvings; ++i) {
    const Integral finer = average(integral, sum(step, 0.5));
    const bool done = convergence.reached(integral, finer);
    integral = finer;
    step /= 2;
    if (done) break;
  }
  if (cut) {
    Line line(integrand, count, Place{start, width});
    line.add_rest(integral, sign * kFarthest);
  }
  return integral;
}

// `total` so far is what errors are measured against: the call for what weighs most comes first. `left` pieces at most:
// an integrand that is all rounding never gets better.
void bounded(const Integrand& integrand, double from, double to, double center, int depth, int& left, Integral& total) {
  using Kronrod = boost::math::quadrature::gauss_kronrod<double, 15>;
  using Gauss = boost::math::quadrature::gauss<double, 7>;
  const std::size_t count = total.sum.size();
  const double middle = (from + to) / 2;
  const double half = (to - from) / 2;
  Integral fine(count);
  Integral coarse(count);
  std::vector<double> values(count);
  for (std::size_t i = 0; i < 8; ++i) {
    for (int side = i == 0 ? 1 : -1; side < 2; side += 2) {
      integrand(middle + side * half * Kronrod::abscissa()[i], values.data());
      fine.add(values.data(), half * Kronrod::weights()[i]);
      if (i % 2 == 0) coarse.add(values.data(), half * Gauss::weights()[i / 2]);
    }
  }
  bool good = depth == 0 || --left <= 0;
  if (!good) {
    good = true;
    // The difference is the error of the coarse rule, far above that of the fine one.
    for (std::size_t k = 0; k < count; ++k) {
      const double error = std::fabs(fine.sum[k] - coarse.sum[k]);
      if (error > 1e-10 * fine.size[k] && error > 1e-14 * total.size[k] && error > kNothing) good = false;
    }
  }
  if (good) {
    total.add(fine);
    return;
  }
  if (center < middle) {
    bounded(integrand, from, middle, center, depth - 1, left, total);
    bounded(integrand, middle, to, center, depth - 1, left, total);
  } else {
    bounded(integrand, middle, to, center, depth - 1, left, total);
    bounded(integrand, from, middle, center, depth - 1, left, total);
  }
}

}  // namespace

void Integral::add(const double* values, double times) {
  for (std::size_t k = 0; k < sum.size(); ++k) {
    sum[k] += times * values[k];
    size[k] += std::fabs(times * values[k]);
  }
}

void Integral::add(const Integral& other) {
  for (std::size_t k = 0; k < sum.size(); ++k) {
    sum[k] += other.sum[k];
    size[k] += other.size[k];
  }
}

void add_integral(const Integrand& integrand, double from, double to, const Place& place, Integral& total) {
  constexpr int kMostPieces = 4096;
  const std::size_t count = total.sum.size();
  const bool low_open = from == -kInfinity;
  const bool high_open = to == kInfinity;
  if (low_open && high_open) {
    total.add(whole_line(integrand, count, place));
    return;
  }
  const double reach = 4 * place.width;
  // An open end far from the weight: up to it as a bounded piece.
  if (high_open && from < place.center - reach) {
    add_integral(integrand, from, place.center, place, total);
    total.add(half_line(integrand, count, place.center, 1, place.width));
    return;
  }
  if (low_open && to > place.center + reach) {
    add_integral(integrand, place.center, to, place, total);
    total.add(half_line(integrand, count, place.center, -1, place.width));
    return;
  }
  if (high_open || low_open) {
    total.add(half_line(integrand, count, high_open ? from : to, high_open ? 1 : -1, place.width));
    return;
  }
  int left = kMostPieces;
  // From the weight outwards.
  constexpr double kEdges[] = {0, 4, 12, 40, kInfinity};
  for (std::size_t i = 0; i + 1 < std::size(kEdges); ++i) {
    for (const double side : {1.0, -1.0}) {
      const double near = place.center + side * kEdges[i] * place.width;
      const double far = place.center + side * kEdges[i + 1] * place.width;
      const double low = std::max(from, std::min(near, far));
      const double high = std::min(to, std::max(near, far));
      if (low < high) bounded(integrand, low, high, place.center, 20, left, total);
    }
  }
}

}  // namespace foretask::distribution
