// SPDX-License-Identifier: Apache-2.0
#include "predict/program/work_law.hpp"

#include <algorithm>
#include <cmath>

#include "predict/growth/noise_levels.hpp"
#include "predict/growth/number_text.hpp"
#include "predict/growth/size_levels.hpp"

namespace foretask::predict {

Eigen::VectorXd WorkLaw::columns_of(double p) const {
  if (!memory_) return Eigen::Vector3d(1, (p - 1) / p, p - 1);
  return Eigen::Vector4d(1, (p - 1) / p, p - 1, memory_->at(p) - 1);
}

// In turns, as each is seen through the other.
WorkLaw WorkLaw::find(std::vector<WorkSample> samples, const MemorySlowdown* memory) {
  constexpr int kRounds = 3;
  WorkLaw law;
  if (memory) law.memory_ = *memory;
  const auto is_serial = [](const WorkSample& sample) { return sample.p == 0; };
  const auto serial =
      std::stable_partition(samples.begin(), samples.end(), [&](const auto& s) { return !is_serial(s); });
  const std::vector<WorkSample> runs(samples.begin(), serial);
  const bool has_workers =
      std::any_of(runs.begin(), runs.end(), [&](const WorkSample& sample) { return sample.p != runs.front().p; });
  const auto levels_of = [&](const std::vector<WorkSample>& of) {
    std::vector<double> sizes, values;
    for (const WorkSample& sample : of) {
      sizes.push_back(sample.n);
      values.push_back(is_serial(sample) ? sample.work : sample.work / law.inflation(sample.p).value);
    }
    return SizeLevels(std::move(sizes), std::move(values));
  };
  for (int round = 0; has_workers && round < kRounds; ++round) {
    const SizeLevels levels = levels_of(runs);
    CoreShape::Question question;
    const auto rows = static_cast<Eigen::Index>(runs.size());
    question.columns.resize(rows, law.columns_of(1).size());
    question.values.resize(rows);
    question.least = Eigen::VectorXd::Zero(rows);
    question.keep_first = true;
    question.least_noise = kNoNoise;
    for (Eigen::Index row = 0; row < rows; ++row) {
      const WorkSample& run = runs[static_cast<std::size_t>(row)];
      question.columns.row(row) = law.columns_of(run.p);
      question.values(row) = run.work / std::exp(levels.log_levels()[levels.size_of(run.n)]);
      question.sizes.push_back(run.n);
    }
    law.inflation_ = CoreShape::find(question);
    law.one_worker_ = law.inflation_ ? law.inflation_->at(law.columns_of(1)).value : 1;
  }
  const double noise = levels_of(runs).noise(2).value_or(kUsualNoise);
  const double least = noise < kNoNoise ? kNoNoise : kLeastNoise;
  // A serial run is one more measurement of the same.
  const SizeLevels levels = levels_of(samples);
  std::vector<SizeLevel> at_sizes;
  for (std::size_t i = 0; i < levels.sizes().size(); ++i)
    at_sizes.push_back(
        {levels.sizes()[i], std::exp(levels.log_levels()[i]), std::hypot(noise / std::sqrt(levels.samples(i)), least)});
  for (SizeLevel& level : at_sizes)
    level.tasks = std::find_if(samples.begin(), samples.end(), [&](const WorkSample& sample) {
                    return sample.n == level.n;
                  })->tasks;
  law.growth_ = GrowthLaw::find(std::move(at_sizes), GrowthKind::kCost);
  return law;
}

WorkLaw::Estimate WorkLaw::serial(double n) const {
  const auto estimate = growth_->at(n);
  return {estimate.value, estimate.log_sd};
}

WorkLaw::Estimate WorkLaw::inflation(double p) const {
  if (!inflation_) return {1, 0};
  const auto estimate = inflation_->at(columns_of(p));
  return {estimate.value / one_worker_, estimate.log_sd};
}

WorkLaw::Estimate WorkLaw::at(double n, double p) const {
  const Estimate one = serial(n), more = inflation(p);
  return {one.value * more.value, std::hypot(one.log_sd, more.log_sd)};
}

std::string WorkLaw::inflation_text() const {
  if (!inflation_) return {};
  const Eigen::VectorXd a = inflation_->coefficients();
  const std::string shared =
      a.size() > 3 ? " + " + number_text(a(3) / a(0), 3) + " (memory's slowdown - 1)" : std::string();
  return " (1 + " + number_text(a(1) / a(0), 3) + " (p-1)/p + " + number_text(a(2) / a(0), 3) + " (p-1)" + shared + ")";
}

}  // namespace foretask::predict
