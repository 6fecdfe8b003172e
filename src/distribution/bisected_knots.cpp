// SPDX-License-Identifier: Apache-2.0
#include "distribution/bisected_knots.hpp"

#include <algorithm>
#include <cmath>
#include <queue>

namespace foretask::distribution {
namespace {

constexpr std::size_t kMostPoints = 6000;
constexpr double kWideStep = 4;      // of what a step should be, in an interval that left something out
constexpr double kGapGain = 2e-3;    // of z, across what is taken for a gap
constexpr double kNarrow = 1e-10;    // of x, or of the whole spread: an atom
constexpr double kWideShare = 0.02;  // of the spread: wider ones are gaps or are halved

struct Point {
  double x = 0;
  double y = 0;
  double below = 0;  // log odds of P(X < x) and of P(X <= x), within the table's ends
  double to = 0;
};

struct Interval {
  Point from;
  Point end;
  double urgency = 0;
};
bool operator<(const Interval& a, const Interval& b) { return a.urgency < b.urgency; }

class Bisection {
 public:
  Bisection(const OddsFunction& function, const Resolution& resolution)
      : function_(function),
        resolution_(resolution),
        centre_(std::clamp(function.centre, function.low, function.high)),
        scale_(function.scale > 0 ? function.scale : 1) {}

  std::vector<Knot> run() {
    std::vector<Point> marks{at(outermost(-1)), at(centre_), at(outermost(1))};
    for (const double special : function_.specials)
      if (special > marks.front().x && special < marks.back().x) marks.push_back(at(special));
    sort(marks);
    spread_ = marks.back().x - marks.front().x;
    for (std::size_t i = 0; i + 1 < marks.size(); ++i) push(marks[i], marks[i + 1]);
    done_ = std::move(marks);
    halve(kMostPoints / 4);
    // What is wide is known now: most of the probability lies within a part of the range.
    sort(done_);
    spread_ = std::max(reached(2) - reached(-2), 1e-9 * spread_);
    std::priority_queue<Interval> again;
    std::swap(again, open_);
    for (std::size_t i = 0; i + 1 < done_.size(); ++i) push(done_[i], done_[i + 1]);
    halve(kMostPoints);
    sort(done_);
    return knots();
  }

 private:
  static void sort(std::vector<Point>& points) {
    std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.x < b.x; });
    points.erase(std::unique(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.x == b.x; }),
                 points.end());
  }

  [[nodiscard]] double y_of(double x) const { return std::asinh((x - centre_) / scale_); }
  [[nodiscard]] double odds(double x, bool below) const {
    return std::clamp(function_.log_odds(x, below), -kFlatEnd, kFlatEnd);
  }
  [[nodiscard]] Point at(double x) const {
    const double below = odds(x, true);
    return {x, y_of(x), below, std::max(below, odds(x, false))};
  }

  // Where the table's end is, or the support's.
  [[nodiscard]] double outermost(int sign) const {
    const double end = sign > 0 ? function_.high : function_.low;
    if (std::isfinite(end)) return end;
    double y = 1;
    double x = centre_ + sign * scale_;
    for (; y < 600 && sign * odds(x, false) < resolution_.end; y *= 1.5) x = centre_ + sign * scale_ * std::sinh(y);
    return std::isfinite(x) ? x : std::copysign(1e300, sign);
  }

  [[nodiscard]] double reached(double z) const {
    const auto found = std::find_if(done_.begin(), done_.end(), [z](const Point& point) { return point.to >= z; });
    return found != done_.end() ? found->x : done_.back().x;
  }

  void push(const Point& a, const Point& b) {
    const double gain = b.below - a.to;
    const double width = b.x - a.x;
    if (!(gain > 0) || width <= kNarrow * std::max(spread_, std::max(std::fabs(a.x), std::fabs(b.x)))) return;
    const double aim = resolution_.step_at(std::min(std::fabs(a.to), std::fabs(b.below)));
    const bool wide = width > kWideShare * spread_ && gain > kGapGain * aim;
    if (gain <= aim && !wide) return;
    open_.push({a, b, gain > aim ? gain / aim : width / spread_});
  }

  void halve(std::size_t most) {
    while (!open_.empty() && done_.size() < most) {
      const Interval widest = open_.top();
      open_.pop();
      double x = centre_ + scale_ * std::sinh((widest.from.y + widest.end.y) / 2);
      if (!(x > widest.from.x && x < widest.end.x)) x = widest.from.x + (widest.end.x - widest.from.x) / 2;
      if (!(x > widest.from.x && x < widest.end.x)) continue;
      const Point middle = at(x);
      done_.push_back(middle);
      push(widest.from, middle);
      push(middle, widest.end);
    }
  }

  [[nodiscard]] std::vector<Knot> knots() const {
    std::vector<Knot> knots;
    const auto add = [&knots](double z, double x, bool corner) {
      if (!knots.empty()) {
        z = std::max(z, knots.back().z);
        if (z == knots.back().z && x == knots.back().x) {
          knots.back().corner = knots.back().corner || corner;
          return;
        }
      }
      knots.push_back({z, x, corner});
    };
    for (std::size_t i = 0; i < done_.size(); ++i) {
      const Point& point = done_[i];
      const bool atom = point.to > point.below;
      if (!atom && std::fabs(point.to) > resolution_.end + 1 && i != 0 && i + 1 != done_.size()) continue;
      if (atom) add(point.below, point.x, true);
      // Beside a gap or what is left of an atom the slope jumps.
      const bool corner = atom || edge(i);
      add(point.to, point.x, corner);
    }
    // Flats to the ends belong to atoms alone.
    if (knots.size() > 1 && !(done_.back().to > done_.back().below) && knots.back().z >= kFlatEnd) knots.pop_back();
    if (knots.size() > 1 && !(done_.front().to > done_.front().below) && knots.front().z <= -kFlatEnd)
      knots.erase(knots.begin());
    return knots;
  }

  [[nodiscard]] bool edge(std::size_t i) const {
    if (i == 0 || i + 1 == done_.size()) return false;
    constexpr double kJump = 30;
    const double left = (done_[i].x - done_[i - 1].x) / std::max(done_[i].below - done_[i - 1].to, 1e-12);
    const double right = (done_[i + 1].x - done_[i].x) / std::max(done_[i + 1].below - done_[i].to, 1e-12);
    return left > kJump * right || right > kJump * left;
  }

  const OddsFunction& function_;
  const Resolution& resolution_;
  double centre_;
  double scale_;
  double spread_ = 0;
  std::vector<Point> done_;
  std::priority_queue<Interval> open_;
};

}  // namespace

bool are_faithful(const std::vector<Knot>& knots, const OddsFunction& function, const Resolution& resolution) {
  if (knots.empty()) return false;
  const auto near_end = [](double x, double end, double centre) {
    return std::isfinite(end) && std::fabs(end - x) <= 1e-6 * std::fabs(end - centre);
  };
  const double reach = 0.8 * resolution.end;
  if (knots.back().z < reach && !near_end(knots.back().x, function.high, function.centre)) return false;
  if (knots.front().z > -reach && !near_end(knots.front().x, function.low, function.centre)) return false;
  for (std::size_t k = 0; k + 1 < knots.size(); ++k) {
    if (!std::isfinite(knots[k].x) || !std::isfinite(knots[k + 1].x)) return false;
    const double gain = knots[k + 1].z - knots[k].z;
    if (knots[k + 1].x > knots[k].x && gain > kWideStep * resolution.step_at(knots[k].z)) return false;
  }
  return true;
}

std::vector<Knot> bisected_knots(const OddsFunction& function, const Resolution& resolution) {
  return Bisection(function, resolution).run();
}

}  // namespace foretask::distribution
