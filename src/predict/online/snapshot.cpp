// SPDX-License-Identifier: Apache-2.0
#include "predict/online/snapshot.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace foretask::predict {
namespace {

using model::KernelModel;
using model::ModelKind;

// A parameter outside of those seen by more than this share is out of range (Grass et al. 2014: 10 %).
constexpr double kMargin = 0.1;
// A leverage below this makes an interval wider by less than 2.5 %.
constexpr double kCertain = 0.05;
// No row that a model was fitted to has a larger leverage: beyond it is a hidden extrapolation.
constexpr double kHidden = 0.5;
constexpr double kMostLeverage = 1e4;
// What a model that stepped in for a better one may be off by more, in logarithms.
constexpr double kFallBack = 0.5;
// How much more a prediction may be off for each e-fold that a parameter is out of range.
constexpr double kOffPerFold = 0.25;
// So many times the reach of the others is long.
constexpr double kLong = 3;
// Beyond it there are no numbers.
constexpr double kMostGrowth = 600;

std::uint32_t in_32_bits(std::uint64_t count) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(count, std::numeric_limits<std::uint32_t>::max()));
}

// How many times as wide as usual the prediction's interval is, and the middles of both.
struct Stretch {
  double usual_middle = 0;
  double middle = 0;
  double factor = 1;
};

Stretch stretch_of(const Prediction& prediction, const model::LogInterval& usual) {
  const double width = usual.high - usual.low;
  const double factor = width > 0 ? std::log(prediction.high / prediction.low) / width : 1;
  return {.usual_middle = 0.5 * (usual.low + usual.high),
          .middle = 0.5 * (std::log(prediction.high / prediction.value) + std::log(prediction.low / prediction.value)),
          .factor = std::max(factor, 1.0)};
}

}  // namespace

Snapshot::Interval Snapshot::interval_of(const model::RatioWindow& window) {
  Interval interval{.logs = window.interval(), .spread = model::RatioSpread(window)};
  interval.shortest = interval.spread.shortest();
  interval.reach = interval.spread.reach();
  interval.low = std::exp(interval.logs.low);
  interval.high = std::exp(interval.logs.high);
  return interval;
}

std::unique_ptr<const Snapshot> Snapshot::of(const KernelModel& model) {
  auto snapshot = std::make_unique<Snapshot>();
  snapshot->parameters_ = model.parameters();
  snapshot->samples_ = model.samples();
  snapshot->status_ = model.is_stale() ? Status::kStale : Status::kReady;
  snapshot->general_ = interval_of(model.ratios(false));
  snapshot->known_ = interval_of(model.ratios(true));
  for (std::size_t i = 0; i < model.parameters(); ++i) {
    const double low = model.smallest(i);
    const double high = model.largest(i);
    snapshot->low_[i] = low - kMargin * std::abs(low);
    snapshot->high_[i] = high + kMargin * std::abs(high);
    snapshot->largest_[i] = high;
    snapshot->growths_[i] = model.growth(i);
    if (const auto& growth = model.growth(i))
      snapshot->high_[i] = std::min(snapshot->high_[i], high + kMargin / growth->course.fastest.rate);
    for (const std::uint64_t count : model.octaves().nearby(i)) snapshot->nearby_.push_back(in_32_bits(count));
  }
  snapshot->all_ = in_32_bits(model.samples());
  snapshot->take_general(model);
  // Long samples are in the interval that extrapolations begin with.
  if (snapshot->general_.shortest.high > kLong * snapshot->general_.reach) snapshot->take_delays(model.rows().all());
  snapshot->prefers_history_ = model.prefers_history();
  if (snapshot->prefers_history_) snapshot->take_tuples(model);
  return snapshot;
}

void Snapshot::take_tuples(const KernelModel& model) {
  const model::TupleMeans& means = model.tuple_means();
  std::size_t size = 2;
  while (size < 2 * means.tuples() + 1) size *= 2;
  tuples_.slots.assign(size, kFree);
  tuples_.keys.reserve(means.tuples() * parameters_);
  for (std::size_t i = 0; i < means.tuples(); ++i) {
    if (!model.believes_tuple(i)) continue;
    const model::Parameters key = means.key(i);
    const std::uint64_t hash = model::hash_tuple(key);
    std::size_t slot = hash & (size - 1);
    while (tuples_.slots[slot] != kFree) slot = (slot + 1) & (size - 1);
    tuples_.slots[slot] = static_cast<std::uint32_t>(tuples_.means.size());
    tuples_.hashes.push_back(hash);
    tuples_.means.push_back(means.tuple(i).mean);
    tuples_.samples.push_back(in_32_bits(means.tuple(i).samples));
    tuples_.keys.insert(tuples_.keys.end(), key.begin(), key.end());
  }
}

void Snapshot::take_general(const KernelModel& model) {
  const auto has = [&model](KernelModel::General which) {
    switch (which) {
      case KernelModel::kRelative:
      case KernelModel::kBalanced:
        return model.linear(which) != nullptr && model.linear(which)->can_predict();
      case KernelModel::kLocal:
        return !model.local().points().empty();
      case KernelModel::kTwoClusters:
        return !model.clusters().points().empty();
      case KernelModel::kPowerLine:
        return model.power().coefficients().has_value();
      case KernelModel::kOneLevel:
        break;  // the last in any case
    }
    return false;
  };
  std::size_t taken = 0;
  for (const KernelModel::General which : model.ranking()) {
    if (which == KernelModel::kOneLevel || taken == kForms - 1) break;
    const bool is_linear = KernelModel::kind_of(which) == ModelKind::kLinear;
    if (!has(which) || (linear_.is_there && is_linear)) continue;
    forms_[taken++] = KernelModel::kind_of(which);
    if (is_linear) take_linear(*model.linear(which), model.has_tied_parameters());
  }
  forms_[taken] = ModelKind::kLevel;
  axis_ = model.axis();
  level_ = model.level().predict(0).value_or(0);
  const auto curve = model.local().points();
  curve_.assign(curve.begin(), curve.end());
  ends_ = model.local().ends();
  const auto groups = model.clusters().points();
  groups_.assign(groups.begin(), groups.end());
  power_ = model.power().coefficients().value_or(model::PowerLine::Coefficients{});
}

void Snapshot::take_linear(const model::LinearModel& linear, bool tied) {
  linear_.form = linear.form();
  linear_.coefficients = linear.coefficients();
  linear_.power = linear.power();
  linear_.is_there = true;
  const std::size_t terms = linear.form().terms();
  linear_.height = (terms + kBlock - 1) / kBlock * kBlock;
  linear_.whitening.assign(linear_.height * terms, 0);
  const model::RunningQr::Whitening whitening = linear.qr().whitening();
  for (std::size_t j = 0; j < terms; ++j)
    for (std::size_t i = j; i < terms; ++i) linear_.whitening[j * linear_.height + i] = whitening[i][j];
  if (linear.is_deficient() || tied) linear_status_ = Status::kRankDeficient;
}

void Snapshot::take_delays(const std::vector<model::RetainedRow>& rows) {
  const auto predicted = [this](model::Parameters parameters) {
    const double time = forms_[0] == ModelKind::kLinear ? linear_at(parameters.data()).time
                                                        : evaluate_slow(forms_[0], parameters.data());
    return time > 0 ? std::optional<double>(time) : std::nullopt;
  };
  const std::vector<double> ratios = model::ratios_of(rows, parameters_, predicted);
  if (ratios.size() == rows.size()) delays_ = model::delays_of(model::times_of(rows), ratios);
}

std::uint32_t Snapshot::find(const double* parameters) const noexcept {
  const model::Parameters key(parameters, parameters_);
  const std::uint64_t hash = model::hash_tuple(key);
  const std::size_t mask = tuples_.slots.size() - 1;
  for (std::size_t slot = hash & mask;; slot = (slot + 1) & mask) {
    const std::uint32_t index = tuples_.slots[slot];
    if (index == kFree) return kFree;
    if (tuples_.hashes[index] == hash && std::equal(key.begin(), key.end(), tuples_.keys.data() + index * parameters_))
      return index;
  }
}

double Snapshot::evaluate_slow(ModelKind kind, const double* parameters) const noexcept {
  const double x = parameters_ > 0 ? std::max(parameters[axis_], 0.0) : 0;
  switch (kind) {
    case ModelKind::kSupportPoints:
      return model::along_curve(curve_, ends_, x);
    case ModelKind::kClusters:
      return groups_[model::nearest_of(groups_, x)].time;
    case ModelKind::kPower:
      return x > 0 ? power_.at(x) : 0;
    case ModelKind::kNone:
    case ModelKind::kHistory:
    case ModelKind::kLinear:
    case ModelKind::kLevel:
      break;
  }
  return level_;
}

// To the nearest octave with samples or beside such a one.
std::uint32_t Snapshot::octaves_off(std::size_t parameter, double value) const noexcept {
  const std::uint32_t* const counts = nearby_.data() + parameter * model::OctaveCounts::kOctaves;
  const std::uint32_t place = model::OctaveCounts::place_of(value);
  std::uint32_t off = 0;
  while (off < model::OctaveCounts::kOctaves / 2 && counts[(place + off) % model::OctaveCounts::kOctaves] == 0 &&
         counts[(place - off) % model::OctaveCounts::kOctaves] == 0)
    ++off;
  return off;
}

// In e-folds, the parameter that is furthest out, or furthest from all samples.
double Snapshot::distance(const double* parameters) const noexcept {
  double furthest = 0;
  for (std::size_t i = 0; i < parameters_; ++i) {
    const double x = parameters[i];
    if (x >= low_[i] && x <= high_[i]) {
      furthest = std::max(furthest, octaves_off(i, x) * std::numbers::ln2);
      continue;
    }
    const double near = x < low_[i] ? low_[i] : high_[i];
    const double folds = near > 0 && x > 0
                             ? std::abs(std::log(x / near))
                             : std::abs(x - near) / std::max({std::abs(near), high_[i] - low_[i], 1e-300});
    furthest = std::max(furthest, folds);
  }
  return furthest;
}

void Snapshot::widen_slow(Prediction& prediction, const double* parameters, double leverage, bool within,
                          bool fell_back) const noexcept {
  const double reach = general_.reach;
  const bool has_delays = !within && delays_.longest > 0;
  const model::LogInterval& logs = within ? general_.logs : has_delays ? delays_.others : general_.shortest;
  double extra = fell_back ? kFallBack : 0;
  extra += reach * (std::sqrt(1 + (leverage <= kMostLeverage ? leverage : kMostLeverage)) - 1);  // or no number
  if (!within) extra += distance(parameters) * (reach + kOffPerFold);
  if ((!within || leverage > kHidden) && prediction.status == Status::kReady)
    prediction.status = Status::kExtrapolating;
  prediction.low = prediction.value * std::exp(logs.low - extra);
  prediction.high = prediction.value * std::exp(logs.high + extra) + (has_delays ? delays_.longest : 0);
  if (!within) grow_slow(prediction, parameters);
}

// Beyond the largest values that were seen: what exponential growth may make of it.
void Snapshot::grow_slow(Prediction& prediction, const double* parameters) const noexcept {
  std::array<double, model::kMaxParameters> nearest{};
  double slowest = 0;
  double likeliest = 0;
  double fastest = 0;
  bool is_decided = true;
  for (std::size_t i = 0; i < parameters_; ++i) {
    nearest[i] = parameters[i];
    if (!growths_[i] || parameters[i] <= high_[i]) continue;
    nearest[i] = largest_[i];
    const double further = parameters[i] - largest_[i];
    slowest += growths_[i]->course.slowest.log_factor(further);
    likeliest += growths_[i]->course.likeliest.log_factor(further);
    fastest += growths_[i]->course.fastest.log_factor(further);
    is_decided &= growths_[i]->is_decided;
  }
  if (fastest == 0) return;
  const Prediction end = predict(nearest.data());
  const double low = end.low * std::exp(std::min(slowest, kMostGrowth));
  const double high = end.high * std::exp(std::min(fastest, kMostGrowth));
  if (is_decided) {
    prediction.value = end.value * std::exp(std::min(likeliest, kMostGrowth));
    prediction.low = low;
    prediction.high = high;
  } else {
    prediction.low = std::min(prediction.low, low);
    prediction.high = std::max(prediction.high, high);
  }
}

Snapshot::Value Snapshot::linear_at(const double* parameters) const noexcept {
  Value value;
  const double* const coefficients = linear_.coefficients.data();
  const double* const whitening = linear_.whitening.data();
  // All in registers while there are no more than four terms: one that is stored and loaded again costs more than the
  // arithmetic.
  double z0 = 0;
  double z1 = 0;
  double z2 = 0;
  double z3 = 0;
  const std::size_t height = linear_.height;
  linear_.form.for_each(parameters, [&](std::size_t i, double term) {
    const double* const column = whitening + i * height;
    value.time += coefficients[i] * term;
    z0 += column[0] * term;
    z1 += column[1] * term;
    z2 += column[2] * term;
    z3 += column[3] * term;
  });
  value.leverage = z0 * z0 + z1 * z1 + z2 * z2 + z3 * z3;
  if (height > kBlock) value.leverage += leverage_of_more_slow(parameters);
  // The inverse of the weight of a row that takes this long.
  value.scale = linear_.power == 2 ? value.time * value.time : value.time;
  return value;
}

double Snapshot::leverage_of_more_slow(const double* parameters) const noexcept {
  std::array<double, model::kMaxLinearTerms> terms;
  linear_.form.values(parameters, terms.data());
  double leverage = 0;
  for (std::size_t i = kBlock; i < linear_.height; ++i) {
    double z = 0;
    for (std::size_t j = 0; j < linear_.form.terms(); ++j) z += linear_.whitening[j * linear_.height + i] * terms[j];
    leverage += z * z;
  }
  return leverage;
}

Prediction Snapshot::predict(const double* parameters) const noexcept {
  if (prefers_history_) {
    if (const std::uint32_t known = find(parameters); known != kFree) {
      const double mean = tuples_.means[known];
      return {mean, mean * known_.low, mean * known_.high, status_, ModelKind::kHistory, tuples_.samples[known]};
    }
  }
  const Place place = place_of(parameters);
  if (forms_[0] == ModelKind::kLinear) {
    const Value value = linear_at(parameters);
    // Not likely: no number above 0, uncertain coefficients, parameters out of range.
    if (value.time > 0 && value.leverage < kCertain * value.scale && place.is_within) [[likely]]
      return {value.time,
              value.time * general_.low,
              value.time * general_.high,
              status_ == Status::kReady ? linear_status_ : status_,
              ModelKind::kLinear,
              place.near};
  }
  return predict_slow(parameters, place);
}

double Snapshot::mean(const double* parameters) const noexcept {
  const Prediction prediction = predict(parameters);
  return prediction.value * interval_of(prediction).spread.mean();
}

double Snapshot::quantile(const double* parameters, double probability) const noexcept {
  const Prediction prediction = predict(parameters);
  const Interval& interval = interval_of(prediction);
  const Stretch stretch = stretch_of(prediction, interval.logs);
  const double usual = interval.spread.log_quantile(probability);
  return prediction.value * std::exp(stretch.middle + stretch.factor * (usual - stretch.usual_middle));
}

double Snapshot::exceeds(const double* parameters, double time) const noexcept {
  if (!(time > 0)) return 1;
  const Prediction prediction = predict(parameters);
  const Interval& interval = interval_of(prediction);
  const Stretch stretch = stretch_of(prediction, interval.logs);
  const double ratio = std::log(time / prediction.value);
  return interval.spread.share_above(stretch.usual_middle + (ratio - stretch.middle) / stretch.factor);
}

Prediction Snapshot::predict_slow(const double* parameters, const Place& place) const noexcept {
  Prediction prediction{.status = status_, .nearby = place.near};
  double leverage = 0;
  std::size_t at = 0;
  for (;; ++at) {
    prediction.kind = forms_[at];
    if (prediction.kind == ModelKind::kLinear) {
      const Value value = linear_at(parameters);
      prediction.value = value.time;
      leverage = value.leverage / value.scale;
    } else {
      prediction.value = evaluate_slow(prediction.kind, parameters);
      leverage = 0;
    }
    if (prediction.kind == ModelKind::kLevel || (prediction.value > 0 && prediction.value < HUGE_VAL)) break;
  }
  if (prediction.kind == ModelKind::kLinear && prediction.status == Status::kReady) prediction.status = linear_status_;
  if (place.is_within && at == 0 && leverage < kCertain) {
    prediction.low = prediction.value * general_.low;
    prediction.high = prediction.value * general_.high;
  } else {
    widen_slow(prediction, parameters, leverage, place.is_within, at > 0);
  }
  return prediction;
}

}  // namespace foretask::predict
