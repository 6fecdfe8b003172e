// SPDX-License-Identifier: Apache-2.0
#include "predict/growth/size_misfit.hpp"

#include <cmath>

namespace foretask::predict {
namespace {

constexpr double kAlike = 0.5;  // of the variance

double likeness(double octaves) { return std::exp(-std::abs(octaves) / kMisfitOctaves); }

}  // namespace

SizeMisfit::SizeMisfit(std::span<const SizeLevel> levels, double misfit)
    : misfit_(misfit),
      lower_(
          Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(levels.size()), static_cast<Eigen::Index>(levels.size()))) {
  const double variance = misfit * misfit;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    lower_(row, row) = levels[i].sd * levels[i].sd + variance;
    if (variance > 0)
      for (std::size_t j = 0; j < i; ++j)
        lower_(row, static_cast<Eigen::Index>(j)) =
            kAlike * variance * likeness(std::log2(levels[i].value / levels[j].value));
  }
  if (variance > 0) {
    const Eigen::MatrixXd covariance = lower_.selfadjointView<Eigen::Lower>();
    lower_ = covariance.llt().matrixL();
  } else {
    lower_.diagonal() = lower_.diagonal().cwiseSqrt();
  }
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    log_determinant_ += 2 * std::log(lower_(row, row) / levels[i].sd);
  }
}

std::vector<double> SizeMisfit::pull(Eigen::VectorXd whitened) const {
  if (misfit_ == 0) return {};
  lower_.triangularView<Eigen::Lower>().transpose().solveInPlace(whitened);
  return {whitened.data(), whitened.data() + whitened.size()};
}

MisfitThere misfit_at(double octave, std::span<const double> octaves, std::span<const double> pull, double misfit) {
  MisfitThere there;
  if (pull.empty() || misfit == 0) return there;
  const double variance = misfit * misfit;
  const std::span<const double> own = octaves.subspan(octaves.size() - pull.size());
  double nearest = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const double alike = likeness(octave - own[i]);
    there.mean += kAlike * variance * alike * pull[i];
    nearest = std::max(nearest, alike);
  }
  // As if the nearest one alone were known, and without noise: the process has no memory beyond it.
  there.variance = variance * (1 - kAlike * nearest * nearest);
  return there;
}

}  // namespace foretask::predict
