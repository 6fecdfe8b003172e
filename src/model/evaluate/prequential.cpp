// SPDX-License-Identifier: Apache-2.0
#include "model/evaluate/prequential.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace foretask::model {
namespace {

constexpr double kBelow = 0.9;
constexpr double kAbove = 1.1;

constexpr double kKeepError = 0.98;  // the choice rests on the latest 50 samples or so
constexpr double kWorstError = 1;    // of one sample, relative: a spike is no reason to change the model
constexpr double kKeepSample = 0.95;

double relative_error(std::optional<double> predicted, double time) {
  if (!predicted) return kWorstError;
  const double off = std::abs(*predicted - time);
  return off < kWorstError * time ? off / time : off == 0 ? 0 : kWorstError;
}

// Both limits are strict: at exactly 90 % or 110 % a range stays as it is.
bool widens(double smallest, double largest, double x) noexcept {
  return x < kBelow * smallest || x > kAbove * largest;
}

}  // namespace

bool SupportPoints::wants(double x) const noexcept {
  return points_.empty() || widens(points_.front().x, points_.back().x, x);
}

std::optional<double> SupportPoints::predict(double x) const {
  if (points_.empty()) return std::nullopt;
  return interpolate(points_, x);
}

void SupportPoints::learn(double x, double time) {
  if (!wants(x)) return;
  const bool smallest = !points_.empty() && x < points_.front().x;
  points_.insert(smallest ? points_.begin() : points_.end(), {x, time});
}

Prequential::Prequential(std::vector<std::unique_ptr<OneParameterModel>> models) {
  for (auto& model : models) candidates_.push_back({std::move(model)});
}

std::optional<double> Prequential::predict(double x) const {
  if (!seen_ || widens(smallest_, largest_, x)) return std::nullopt;
  double least = 0;
  std::optional<double> answer;
  for (const Candidate& candidate : candidates_) {
    if (answer && candidate.error >= least) continue;
    const auto predicted = candidate.model->predict(x);
    if (!predicted) continue;
    answer = predicted;
    least = candidate.error;
  }
  return answer;
}

void Prequential::learn(double x, double time) {
  for (Candidate& candidate : candidates_) {
    // Before the first sample none of them could have known.
    if (seen_) candidate.error = kKeepError * candidate.error + relative_error(candidate.model->predict(x), time);
    candidate.model->learn(x, time);
  }
  smallest_ = seen_ ? std::min(smallest_, x) : x;
  largest_ = seen_ ? std::max(largest_, x) : x;
  seen_ = true;
}

Prequential one_parameter_models() {
  std::vector<std::unique_ptr<OneParameterModel>> models;
  models.push_back(std::make_unique<LocalMeans>());
  models.push_back(std::make_unique<SupportPoints>());
  models.push_back(std::make_unique<PowerLine>(1.0));
  models.push_back(std::make_unique<PowerLine>(kKeepSample));
  models.push_back(std::make_unique<NearestMeans>(2));
  models.push_back(std::make_unique<NearestMeans>(1));
  return Prequential(std::move(models));
}

}  // namespace foretask::model
