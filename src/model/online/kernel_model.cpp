// SPDX-License-Identifier: Apache-2.0
#include "model/online/kernel_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace foretask::model {
namespace {

constexpr double kKeepScore = 0.98;
// Below a clock's resolution, in ns: ratios need times above 0.
constexpr double kShortest = 0.5;
// Before so many samples the models still change too much for a deviation to mean anything.
constexpr std::uint64_t kSettled = 24;
constexpr std::uint64_t kLookAgain = 8;
// Long: one that had forgotten other parameters would look best where the latest samples are, and answer for all.
constexpr double kPowerMemory = 0.9995;
// More spikes in a row, all too long or all too short, are no spikes.
constexpr int kSpikesInARow = 3;
// What was first seen so many samples ago has been learned.
constexpr std::uint64_t kFamiliarAfter = 64;
// So many samples are compared by all models, and so many after a change; then one in kCompareEvery, the others going
// to the model that answers alone.
constexpr std::uint64_t kYoung = 512;
constexpr std::uint64_t kCompareEvery = 4;
// Samples after a change at which its new level is made more certain.
constexpr std::uint64_t kRefineFirst = 16;
constexpr std::uint64_t kRefineLast = 48;
// What counts of samples by another version of the code, and how many of this one's replace them.
constexpr double kStaleWeight = 8;
constexpr std::uint64_t kConfirming = 8;
// A model must be better by this share than those before it: their means are of more samples, and the errors of the
// latest fifty do not tell models apart that differ by less.
constexpr std::array<double, KernelModel::kGenerals> kHandicap{1, 1.05, 1.1, 1.12, 1.12, 1.1};
constexpr double kHistoryAdvantage = 1.03;

}  // namespace

void Score::add(std::optional<double> predicted, double time) noexcept {
  // |p - t| / max(p, t): half as long and twice as long are equally wrong, and nothing is more than 1.
  const double error = predicted ? std::abs(*predicted - time) / std::max(*predicted, time) : 1;
  sum_ = kKeepScore * sum_ + error;
  weight_ = kKeepScore * weight_ + 1;
}

KernelModel::KernelModel(KernelShape shape)
    : shape_(std::move(shape)), history_(shape_.parameters.size()), power_(kPowerMemory) {
  if (!shape_.terms.empty()) {
    set_terms(shape_.terms);
  } else if (!shape_.parameters.empty()) {
    // Until there is enough for a search: a straight line in every parameter.
    std::vector<Term> terms(1);
    for (const std::string& name : shape_.parameters) terms.push_back({{{.parameter = name}}});
    set_terms(std::move(terms));
  }
}

double KernelModel::axis_of(Parameters parameters) const noexcept {
  return parameters.empty() ? 0 : std::max(parameters[axis_], 0.0);
}

bool KernelModel::is_familiar(Parameters parameters) const noexcept {
  if (samples_ == 0) return false;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (!(parameters[i] >= earlier_[0].smallest[i] && parameters[i] <= earlier_[0].largest[i])) return false;
  return true;
}

void KernelModel::widen(Parameters parameters) noexcept {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    smallest_[i] = samples_ == 0 ? parameters[i] : std::min(smallest_[i], parameters[i]);
    largest_[i] = samples_ == 0 ? parameters[i] : std::max(largest_[i], parameters[i]);
  }
  if (samples_ + 1 < next_range_) return;
  next_range_ = samples_ + 1 + std::min(samples_ + 1, kFamiliarAfter);
  earlier_[0] = samples_ == 0 ? Range{smallest_, largest_} : earlier_[1];
  earlier_[1] = {smallest_, largest_};
}

std::optional<double> KernelModel::general_prediction(General which, Parameters parameters) const {
  std::optional<double> time;
  switch (which) {
    case kRelative:
      if (relative_) time = relative_->predict(parameters);
      break;
    case kBalanced:
      if (balanced_) time = balanced_->predict(parameters);
      break;
    case kLocal:
      if (!parameters.empty()) time = local_.predict(axis_of(parameters));
      break;
    case kTwoClusters:
      if (!parameters.empty()) time = clusters_.predict(axis_of(parameters));
      break;
    case kPowerLine:
      if (!parameters.empty()) time = power_.predict(axis_of(parameters));
      break;
    default:
      time = level_.predict(0);
  }
  if (time && !(*time > 0 && std::isfinite(*time))) time.reset();
  return time;
}

KernelModel::Predictions KernelModel::general_predictions(Parameters parameters) const {
  Predictions predictions;
  for (std::uint8_t i = 0; i < kGenerals; ++i) predictions[i] = general_prediction(static_cast<General>(i), parameters);
  return predictions;
}

std::array<KernelModel::General, KernelModel::kGenerals> KernelModel::ranking() const noexcept {
  std::array<General, kGenerals> order{kRelative, kBalanced, kLocal, kTwoClusters, kPowerLine, kOneLevel};
  std::stable_sort(order.begin(), order.end(), [this](General a, General b) {
    return scores_[a].value() * kHandicap[a] < scores_[b].value() * kHandicap[b];
  });
  return order;
}

bool KernelModel::prefers_history() const noexcept {
  // No tuple has come back yet: after many samples none will.
  if (history_score_.weight() == 0) return samples_ < kYoung;
  return history_score_.value() <= kHistoryAdvantage * general_where_known_.value();
}

ModelKind KernelModel::kind_of(General which) noexcept {
  switch (which) {
    case kRelative:
    case kBalanced:
      return ModelKind::kLinear;
    case kLocal:
      return ModelKind::kSupportPoints;
    case kTwoClusters:
      return ModelKind::kClusters;
    case kPowerLine:
      return ModelKind::kPower;
    default:
      return ModelKind::kLevel;
  }
}

namespace {

template <typename Predictions, typename Scores>
std::optional<KernelModel::Answer> best_of(const Predictions& predictions, const Scores& scores) {
  std::optional<KernelModel::Answer> best;
  double least = 0;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    if (!predictions[i]) continue;
    const double price = scores[i].value() * kHandicap[i];
    if (best && price >= least) continue;
    best = {*predictions[i], KernelModel::kind_of(static_cast<KernelModel::General>(i))};
    least = price;
  }
  return best;
}

}  // namespace

std::optional<KernelModel::Answer> KernelModel::choose(const std::optional<Answer>& general,
                                                       const History::Tuple* tuple) const noexcept {
  if (tuple == nullptr || (general && !prefers_history())) return general;
  return Answer{tuple->mean, ModelKind::kHistory};
}

std::optional<KernelModel::Answer> KernelModel::predict(Parameters parameters) const {
  return choose(best_of(general_predictions(parameters), scores_), history_.find(parameters));
}

// At random: tuples that come in turn must not be those of every so many samples.
bool KernelModel::one_in_so_many(std::uint64_t many) noexcept { return random_.below(many) == 0; }

void KernelModel::learn(Parameters parameters, double time) {
  time = std::clamp(time, kShortest, kLongest);
  Observation observation{.time = time};
  std::copy(parameters.begin(), parameters.end(), observation.parameters.begin());
  rows_.add(observation);
  if (samples_ < kYoung || samples_ < changed_at_ + kYoung || one_in_so_many(kCompareEvery)) {
    learn_by_all(parameters, time);
  } else {
    learn_by_leader(parameters, time);
  }
  widen(parameters);
  ++samples_;
  if (stale_samples_ > 0) --stale_samples_;
  if (changes_ > 0 && (samples_ == changed_at_ + kRefineFirst || samples_ == changed_at_ + kRefineLast))
    refine_change();
}

const RatioWindow& KernelModel::ratios(bool known) const noexcept {
  const RatioWindow& own = known ? known_ratios_ : general_ratios_;
  const RatioWindow& other = known ? general_ratios_ : known_ratios_;
  return own.count() >= std::min(other.count(), RatioWindow::kMany) ? own : other;
}

double KernelModel::examine(const Answer& answer, double time, bool familiar) {
  const bool known = answer.kind == ModelKind::kHistory;
  const double ratio = std::log(time / answer.time);
  const double noise = ratios(known).noise();
  const double spike = ratios(known).spike();
  const bool settled = samples_ >= kSettled;
  (known ? known_ratios_ : general_ratios_).add(ratio);
  // Beyond the parameters that are known a deviation is no change but something new.
  if (settled && familiar) {
    const bool fast = change_.step(ratio / noise, ChangeDetector::kFast);
    const bool slow = slow_change_.step(ratio / noise, ChangeDetector::kSlow);
    if (fast || slow) {
      look_into_change(fast ? change_.since() : slow_change_.since());
      return time;
    }
  }
  if (std::abs(ratio) <= spike) {
    spikes_in_a_row_ = 0;
    return time;
  }
  spikes_in_a_row_ = ratio > 0 ? std::max(spikes_in_a_row_, 0) + 1 : std::min(spikes_in_a_row_, 0) - 1;
  if (std::abs(spikes_in_a_row_) > kSpikesInARow) return time;
  return answer.time * std::exp(std::clamp(ratio, -spike, spike));
}

void KernelModel::look_into_change(std::size_t samples) {
  if (samples_ < look_again_at_) return;
  if (has_changed(samples)) {
    take_over_change(samples);
  } else {
    // The parameters explain it, or will when there are more samples; a change is told by more of them as well.
    fits_badly_ = true;
    look_again_at_ = samples_ + std::max<std::uint64_t>(samples, kLookAgain);
    if (samples < RetainedRows::kLatest) return;
    look_again_at_ = samples_ + kLongestPause;
  }
  change_.reset();
  slow_change_.reset();
}

void KernelModel::learn_general(General which, Parameters parameters, double time, double expected) {
  switch (which) {
    case kRelative:
      if (relative_) relative_->learn(parameters, time, expected);
      return;
    case kBalanced:
      if (balanced_) balanced_->learn(parameters, time, expected);
      return;
    case kLocal:
      if (!parameters.empty()) local_.learn(axis_of(parameters), time);
      return;
    case kTwoClusters:
      if (!parameters.empty()) clusters_.learn(axis_of(parameters), time);
      return;
    case kPowerLine:
      if (!parameters.empty()) power_.learn(axis_of(parameters), time);
      return;
    default:
      level_.learn(0, time);
  }
}

void KernelModel::learn_by_all(Parameters parameters, double time) {
  const Predictions predictions = general_predictions(parameters);
  const auto general = best_of(predictions, scores_);
  const History::Tuple* const tuple = history_.find(parameters);
  const std::optional<Answer> answer = choose(general, tuple);
  // Before the first sample none of them could have known.
  if (samples_ > 0)
    for (std::size_t i = 0; i < kGenerals; ++i) scores_[i].add(predictions[i], time);
  if (tuple != nullptr) {
    history_score_.add(tuple->mean, time);
    general_where_known_.add(general ? std::optional(general->time) : std::nullopt, time);
  }
  // How far history is off is to be known when it answers again.
  const bool known = answer && answer->kind == ModelKind::kHistory;
  if (tuple != nullptr && !known) known_ratios_.add(std::log(time / tuple->mean));
  const double as_learned = answer ? examine(*answer, time, known || is_familiar(parameters)) : time;
  history_.learn(parameters, time, ratios(true).noise(), ratios(true).spike());
  for (std::uint8_t i = 0; i < kGenerals; ++i)
    learn_general(static_cast<General>(i), parameters, as_learned, answer ? answer->time : time);
  choose_leader();
}

void KernelModel::choose_leader() noexcept {
  leader_ = kRelative;
  for (std::uint8_t i = 1; i < kGenerals; ++i)
    if (scores_[i].value() * kHandicap[i] < scores_[leader_].value() * kHandicap[leader_])
      leader_ = static_cast<General>(i);
}

void KernelModel::learn_by_leader(Parameters parameters, double time) {
  const bool history = prefers_history();
  const History::Tuple* const tuple = history ? history_.find(parameters) : nullptr;
  if (tuple != nullptr) {
    static_cast<void>(examine({tuple->mean, ModelKind::kHistory}, time, true));
    history_.learn(parameters, time, ratios(true).noise(), ratios(true).spike());
    return;
  }
  const auto predicted = general_prediction(leader_, parameters);
  const double as_learned = predicted ? examine({*predicted, kind_of(leader_)}, time, is_familiar(parameters)) : time;
  if (history) history_.learn(parameters, time, ratios(true).noise(), ratios(true).spike());
  learn_general(leader_, parameters, as_learned, predicted.value_or(time));
}

bool KernelModel::search_is_due() const noexcept {
  if (shape_.parameters.empty()) return false;
  return samples_ >= next_search_ || (fits_badly_ && samples_ >= searched_at_ + searched_at_ / 4 + kFirstSearch);
}

void KernelModel::make_stale() noexcept {
  stale_samples_ = kConfirming;
  const auto weaken = [](auto& model) { model.rescale(1, kStaleWeight); };
  weaken(history_);
  if (relative_) weaken(*relative_);
  if (balanced_) weaken(*balanced_);
  weaken(local_);
  weaken(clusters_);
  weaken(power_);
  weaken(level_);
}

}  // namespace foretask::model
