// SPDX-License-Identifier: Apache-2.0
#include "model/online/score.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace foretask::model {
namespace {

constexpr double kKeep = 0.98;
constexpr double kMostWeight = 1 / (1 - kKeep);

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

void Score::join(const Score& other, std::span<const std::uint32_t> regions, double part) {
  for (std::size_t i = 0; i < other.parts_.size(); ++i) {
    const std::uint32_t region = i < regions.size() ? regions[i] : 0;
    if (region >= parts_.size()) parts_.resize(region + std::size_t{1});
    const Part sum{parts_[region].sum + part * other.parts_[i].sum,
                   parts_[region].weight + part * other.parts_[i].weight};
    const double kept = std::min(1.0, kMostWeight / std::max(sum.weight, 1.0));
    parts_[region] = {kept * sum.sum, kept * sum.weight};
  }
  sum_up();
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
