// SPDX-License-Identifier: Apache-2.0
// Several behaviours of one kernel (Grass et al. 2014, section 5.2): the rows fall into two groups by one parameter,
// and the time of the row nearest to a group's mean stands for the whole group.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "model/fit/interpolation.hpp"
#include "model/online_model.hpp"

namespace foretask::model {

struct Cluster {
  double centroid = 0;             // mean parameter
  std::size_t representative = 0;  // the member nearest to it, the earliest of equally near ones
  std::vector<std::size_t> members;
};

// 2-means in one dimension. Of all splits the one with the smallest sum of squares is taken, which no choice of initial
// centres can better. By centroid; one cluster where the parameter does not vary. O(n log n).
[[nodiscard]] std::vector<Cluster> split_in_two(std::span<const double> x);

// The same for a stream: each sample draws the nearer of two means towards it, and the group's mean time answers.
class OnlineClusters final : public OnlineModel {
 public:
  [[nodiscard]] std::optional<double> predict(double x) const override;
  void learn(double x, double time) override;
  void rescale(double factor, double samples) override;
  // All that was learned, for the store. restore(): false where it makes no sense, and nothing is changed.
  [[nodiscard]] std::vector<double> state() const;
  [[nodiscard]] bool restore(std::span<const double> state);

  // The groups that there are, as mean parameter and mean time.
  [[nodiscard]] std::vector<Point> groups() const;

 private:
  struct Group {
    double samples = 0;
    double mean_x = 0;
    double mean_time = 0;
  };

  [[nodiscard]] std::size_t nearest(double x) const noexcept;

  std::array<Group, 2> groups_;
};

}  // namespace foretask::model
