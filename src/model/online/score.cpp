// SPDX-License-Identifier: Apache-2.0
#include "model/online/score.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace foretask::model {
namespace {

constexpr double kKeep = 0.98;

}  // namespace

void Score::add(std::uint32_t region, std::optional<double> predicted, double time) {
  if (region >= parts_.size()) parts_.resize(region + std::size_t{1});
  // |p - t| / max(p, t): half as long and twice as long are equally wrong, and nothing is more than 1.
  const double error = predicted ? std::abs(*predicted - time) / std::max(*predicted, time) : 1;
  Part& part = parts_[region];
  const Part before = part;
  part = {kKeep * part.sum + error, kKeep * part.weight + 1};
  all_ = {all_.sum + part.sum - before.sum, all_.weight + part.weight - before.weight};
}

void Score::scale(double factor) noexcept {
  for (Part& part : parts_) part.sum = std::min(factor * part.sum, part.weight);
  sum_up();
}

void Score::restore(std::vector<Part> parts) {
  parts_ = std::move(parts);
  sum_up();
}

void Score::sum_up() noexcept {
  all_ = {};
  for (const Part& part : parts_) {
    all_.sum += part.sum;
    all_.weight += part.weight;
  }
}

}  // namespace foretask::model
