// SPDX-License-Identifier: Apache-2.0
// Which parameters a kernel's time may grow exponentially with.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "model/online/kernel_model.hpp"

namespace foretask::model {
namespace {

// Evidence of 20 : 1 decides (Jeffreys 1961: strong from 10, very strong from 30).
constexpr double kDecides = 3;
// Exponential growth that is decided for fits about as well as the noise allows.
constexpr double kMisfit = 2;
constexpr double kLeastNoise = 0.02;
constexpr std::size_t kMostRows = 64;

// Evenly of all.
std::vector<RetainedRow> some_of(const std::vector<RetainedRow>& rows) {
  const std::size_t step = rows.size() / kMostRows + 1;
  std::vector<RetainedRow> some;
  for (std::size_t i = 0; i < rows.size(); i += step) some.push_back(rows[i]);
  return some;
}

}  // namespace

void KernelModel::look_at_growth() {
  growth_due_ = std::max(2 * samples_, kFirstGrowth);
  growths_ = {};
  if (parameters() == 0) return;
  const std::vector<RetainedRow> rows = some_of(rows_.all());
  const auto count = static_cast<double>(rows.size());
  const double noise = std::max(ratios(true).noise(), kLeastNoise);
  // Not history's answers: a row may be the only one of its tuple.
  const auto general_time = [this](Parameters p) { return time_of(best_of(general_predictions(p))); };
  const double spike = std::min(ratios(false).spike(), spike_of(ratios_of(rows, parameters(), general_time)));
  std::vector<double> times;
  for (const RetainedRow& row : rows) {
    const double time = row.observation.time;
    const double expected = general_time(row.observation.of(parameters())).value_or(time);
    times.push_back(drawn_in(time, expected, spike));
  }
  // Those with coefficients; the others only follow the samples.
  double parametric = std::numeric_limits<double>::infinity();
  for (const General which : {kRelative, kBalanced, kPowerLine}) {
    double squares = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto time = general_prediction(which, rows[i].observation.of(parameters()));
      const double off = time && *time > 0 ? std::log(*time / times[i]) : std::numeric_limits<double>::infinity();
      squares += off * off;
    }
    const std::size_t coefficients = which == kPowerLine ? 2 : terms_.size();
    parametric = std::min(parametric, half_akaike(squares, count, static_cast<double>(coefficients), kLeastNoise));
  }
  for (std::size_t i = 0; i < parameters(); ++i) {
    // Each other parameter was taken out by at least one coefficient.
    const double best = parametric - static_cast<double>(parameters() - 1);
    const auto course =
        exponential_growth(column_of(rows, i), without_others(rows, i, times), kLeastNoise, best + kDecides);
    if (!course) continue;
    const bool fits = std::sqrt(course->error_squares / count) <= kMisfit * noise;
    growths_[i] =
        Growth{.course = *course, .is_decided = fits && searched_at_ > 0 && course->half_akaike < best - kDecides};
  }
}

// `times`, as if all other parameters were what they are in the latest row.
std::vector<double> KernelModel::without_others(const std::vector<RetainedRow>& rows, std::size_t parameter,
                                                std::vector<double> times) const {
  if (parameters() == 1) return times;
  const General general = ranking().front();
  Observation observation = rows.back().observation;
  const auto reference = general_prediction(general, observation.of(parameters()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Observation other = rows[i].observation;
    other.parameters[parameter] = observation.parameters[parameter];
    const auto time = general_prediction(general, other.of(parameters()));
    if (reference && time && *reference > 0 && *time > 0) times[i] *= *reference / *time;
  }
  return times;
}

}  // namespace foretask::model
