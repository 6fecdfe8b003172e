// SPDX-License-Identifier: Apache-2.0
#include "predict/program/work_law.hpp"

#include "base/number_text.hpp"
#include "predict/growth/fitted_laws.hpp"
#include "predict/growth/size_levels.hpp"
#include "statistics/quantile.hpp"

namespace foretask::predict {
namespace {

// What was counted on one worker at the larger half of the sizes: smaller ones fit the cache. A processor that computes
// meanwhile waits less, as the work on more workers shows. Nothing where not all of these are counted.
std::optional<double> counted_share(const std::vector<WorkSample>& runs, const MemorySlowdown& memory) {
  std::vector<double> sizes;
  for (const WorkSample& run : runs)
    if (run.p == 1) sizes.push_back(run.n);
  if (sizes.empty()) return std::nullopt;
  const double middle = statistics::median(std::move(sizes));
  std::vector<double> shares;
  double xx = 0, xy = 0;
  for (const WorkSample& alone : runs) {
    if (alone.p != 1 || alone.n < middle) continue;
    if (std::isnan(alone.memory_share)) return std::nullopt;
    shares.push_back(alone.memory_share);
    for (const WorkSample& run : runs) {
      if (run.n != alone.n || run.p == 1) continue;
      const double foretold = alone.memory_share * (memory.at(run.p) - 1);
      xx += foretold * foretold;
      xy += foretold * (run.work / alone.work - 1);
    }
  }
  return statistics::median(std::move(shares)) * (xx > 0 ? std::clamp(xy / xx, 0.0, 1.0) : 1);
}

}  // namespace

double WorkLaw::counted_burden(double p) const { return counted_share_ ? *counted_share_ * (memory_->at(p) - 1) : 0; }

// The memory's slowdown is measured, and so known for as many threads as that was with.
Eigen::VectorXd WorkLaw::columns_of(double p, double reach) const {
  const double seen = std::min(p, reach);
  if (!memory_ || counted_share_) return Eigen::Vector3d(1, (seen - 1) / seen, seen - 1);
  const double measured = std::min(p, std::max(reach, static_cast<double>(memory_->bandwidth.size())));
  return Eigen::Vector4d(1, (seen - 1) / seen, seen - 1, memory_->at(measured) - 1);
}

// In turns, as each is seen through the other.
WorkLaw WorkLaw::find(std::vector<WorkSample> samples, const MemorySlowdown* memory) {
  constexpr int kRounds = 3;
  constexpr double kLeastRest = 0.1;
  WorkLaw law;
  if (memory) law.memory_ = *memory;
  const auto is_serial = [](const WorkSample& sample) { return sample.p == 0; };
  const auto serial =
      std::stable_partition(samples.begin(), samples.end(), [&](const auto& s) { return !is_serial(s); });
  const std::vector<WorkSample> runs(samples.begin(), serial);
  if (memory) law.counted_share_ = counted_share(runs, *memory);
  std::vector<double> workers;
  for (const WorkSample& run : runs) workers.push_back(run.p);
  law.reach_ = worker_reach(std::move(workers));
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
    question.columns.resize(rows, law.columns_of(1, law.reach_).size());
    question.values.resize(rows);
    question.least = Eigen::VectorXd::Zero(rows);
    question.keep_first = true;
    question.least_noise = kNoNoise;
    for (Eigen::Index row = 0; row < rows; ++row) {
      const WorkSample& run = runs[static_cast<std::size_t>(row)];
      question.columns.row(row) = law.columns_of(run.p, law.reach_);
      const double inflation = run.work / std::exp(levels.log_levels()[levels.size_of(run.n)]);
      // Beside what was counted; at least what the rest takes on one worker without any.
      question.values(row) = std::max(inflation - law.counted_burden(run.p), kLeastRest);
      question.sizes.push_back(run.n);
    }
    law.inflation_ = CoreShape::find(question);
    law.one_worker_ = law.inflation_ ? law.inflation_->at(law.columns_of(1, law.reach_)).value : 1;
  }
  const double noise = levels_of(runs).noise(2).value_or(kUsualNoise);
  const double least = noise < kNoNoise ? kNoNoise : kLeastNoise;
  // A serial run is one more measurement of the same.
  const SizeLevels levels = levels_of(samples);
  std::vector<SizeLevel> at_sizes;
  for (std::size_t i = 0; i < levels.sizes().size(); ++i) {
    SizeLevel level{.n = levels.sizes()[i], .value = std::exp(levels.log_levels()[i])};
    double repeated = 0;  // what repeated runs of this size differ by
    for (const WorkSample& sample : samples)
      if (sample.n == level.n) {
        repeated = std::hypot(repeated, sample.sd);
        level.tasks = sample.tasks;
      }
    level.sd = std::hypot(std::max(noise / std::sqrt(levels.samples(i)), repeated / levels.samples(i)), least);
    at_sizes.push_back(level);
  }
  law.growth_ = GrowthLaw::find(std::move(at_sizes), GrowthKind::kCost);
  return law;
}

LogEstimate WorkLaw::serial(double n) const { return growth_->at(n); }

LogEstimate WorkLaw::inflation(double p) const {
  const double burden = counted_burden(p);
  if (!inflation_) return {1 + burden, 0};
  const auto rest = inflation_->at(columns_of(p, reach_));
  const double value = rest.value / one_worker_ + burden;
  const double sd = rest.log_sd * rest.value / one_worker_ / value;
  if (p <= reach_) return {value, sd};
  // It may as well go on growing: two standard deviations are as far as that.
  const double grown = inflation_->at(columns_of(p, p)).value / one_worker_ + burden;
  return {value, std::hypot(sd, std::log(grown / value) / 2)};
}

LogEstimate WorkLaw::at(double n, double p) const {
  const LogEstimate one = serial(n), more = inflation(p);
  return {one.value * more.value, std::hypot(one.log_sd, more.log_sd)};
}

std::string WorkLaw::inflation_text() const {
  std::string text;
  const auto add = [&text](double share, const char* column) {
    if (share == 0) return;
    text += " + ";
    text += base::number_text(share, 3);
    text += column;
  };
  constexpr const char* kSlowdown = " (memory's slowdown - 1)";
  add(counted_share_.value_or(0), kSlowdown);
  if (inflation_) {
    const Eigen::VectorXd a = inflation_->coefficients();
    add(a(1) / a(0), " (p-1)/p");
    add(a(2) / a(0), " (p-1)");
    if (a.size() > 3) add(a(3) / a(0), kSlowdown);
  }
  return text.empty() ? text : " (1" + text + ")";
}

}  // namespace foretask::predict
