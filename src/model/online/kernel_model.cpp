// SPDX-License-Identifier: Apache-2.0
#include "model/online/kernel_model.hpp"

namespace foretask::model {
namespace {

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
struct GeneralModel {
  KernelModel::General which;
  ModelKind kind;
  // It must be better by this share than those before it: their means are of more samples, and the errors of the latest
  // fifty do not tell models apart that differ by less.
  double handicap;
};
// By General.
constexpr auto kGeneralModels = std::to_array<GeneralModel>({
    {KernelModel::kRelative, ModelKind::kLinear, 1},
    {KernelModel::kBalanced, ModelKind::kLinear, 1.05},
    {KernelModel::kLocal, ModelKind::kSupportPoints, 1.1},
    {KernelModel::kTwoClusters, ModelKind::kClusters, 1.12},
    {KernelModel::kPowerLine, ModelKind::kPower, 1.12},
    {KernelModel::kOneLevel, ModelKind::kLevel, 1.1},
});
static_assert(kGeneralModels.size() == KernelModel::kGenerals &&
              KernelModel::kAllGenerals.back() == KernelModel::kOneLevel);
static_assert([] {
  for (std::size_t i = 0; i < kGeneralModels.size(); ++i)
    if (kGeneralModels[i].which != i || KernelModel::kAllGenerals[i] != i) return false;
  return true;
}());
constexpr double kHistoryAdvantage = 1.03;
// The general models are never surer of a time than to this factor.
constexpr double kLeastReach = 1.05;
// The errors of all regions count beside those of one, as those of so many samples.
constexpr double kBorrowed = 25;

}  // namespace

KernelModel::KernelModel(KernelShape shape)
    : shape_(std::move(shape)),
      octaves_(shape_.parameters.size()),
      stored_octaves_(shape_.parameters.size()),
      tuple_means_(shape_.parameters.size()),
      power_(kPowerMemory) {
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
  if (!is_by_axis(which)) {
    if (linear_[which]) time = linear_[which]->predict(parameters);
  } else if (!parameters.empty() || which == kOneLevel) {
    time = by_axis(which).predict(axis_of(parameters));
  }
  if (time && !(*time > 0 && std::isfinite(*time))) time.reset();
  return time;
}

KernelModel::Predictions KernelModel::general_predictions(Parameters parameters) const {
  Predictions predictions;
  for (const General which : kAllGenerals) predictions[which] = general_prediction(which, parameters);
  return predictions;
}

double KernelModel::price(General which) const noexcept {
  return scores_[which].value() * kGeneralModels[which].handicap;
}

std::array<KernelModel::General, KernelModel::kGenerals> KernelModel::ranking() const noexcept {
  std::array<General, kGenerals> order = kAllGenerals;
  std::stable_sort(order.begin(), order.end(), [this](General a, General b) { return price(a) < price(b); });
  return order;
}

bool KernelModel::prefers_history() const noexcept {
  // No tuple has come back yet: after many samples none will.
  if (history_score_.weight() == 0) return samples_ < kYoung;
  return history_score_.value() <= kHistoryAdvantage * general_where_known_.value();
}

ModelKind KernelModel::kind_of(General which) noexcept { return kGeneralModels[which].kind; }

std::optional<KernelModel::Answer> KernelModel::best_of(const Predictions& predictions) const noexcept {
  std::optional<Answer> best;
  double least = 0;
  for (const General which : kAllGenerals) {
    if (!predictions[which] || (best && price(which) >= least)) continue;
    best = {*predictions[which], kind_of(which)};
    least = price(which);
  }
  return best;
}

std::optional<KernelModel::Answer> KernelModel::choose(const std::optional<Answer>& general,
                                                       const TupleMeans::Tuple* tuple) const noexcept {
  if (tuple == nullptr || (general && !prefers_history())) return general;
  return Answer{tuple->mean, ModelKind::kHistory};
}

double KernelModel::longest(const std::optional<double>& general, Parameters parameters,
                            std::uint32_t region) const noexcept {
  if (!general || !is_familiar(parameters)) return kLongest;
  const Score& score = scores_[leader_];
  const Score::Part own = region < score.parts().size() ? score.parts()[region] : Score::Part{};
  const double error = (own.sum + kBorrowed * score.value()) / (own.weight + kBorrowed);
  // Four times the mean error, of logarithms: three standard deviations of a normal distribution.
  const double share = 1 - std::min(error, 1.0);
  return kLeastReach * *general / (share * share * share * share);
}

const TupleMeans::Tuple* KernelModel::find_believed(Parameters parameters, double longest) const noexcept {
  const TupleMeans::Tuple* const tuple = tuple_means_.find(parameters);
  return tuple != nullptr && tuple->is_believed(longest) ? tuple : nullptr;
}

bool KernelModel::believes_tuple(std::size_t index) const {
  const TupleMeans::Tuple& tuple = tuple_means_.tuple(index);
  if (tuple.is_settled) return true;
  const Parameters key = tuple_means_.key(index);
  return tuple.is_believed(longest(general_prediction(leader_, key), key, regions_.find(key)));
}

std::optional<KernelModel::Answer> KernelModel::predict(Parameters parameters) const {
  const auto general = best_of(general_predictions(parameters));
  return choose(general, find_believed(parameters, longest(time_of(general), parameters, regions_.find(parameters))));
}

std::optional<double> KernelModel::answer_time(Parameters parameters) const { return time_of(predict(parameters)); }

void KernelModel::learn(Parameters parameters, double time) {
  time = std::clamp(time, kShortest, kLongest);
  Observation observation{.time = time};
  std::copy(parameters.begin(), parameters.end(), observation.parameters.begin());
  const std::uint32_t region = regions_.of(parameters);
  rows_.add(observation, region);
  octaves_.add(parameters);
  // At random: tuples that come in turn must not be those of every so many samples.
  if (samples_ < kYoung || samples_ < changed_at_ + kYoung || random_.below(kCompareEvery) == 0) {
    learn_by_all(parameters, region, time);
  } else {
    learn_by_leader(parameters, region, time);
  }
  widen(parameters);
  ++samples_;
  if (stale_samples_ > 0) --stale_samples_;
  if (changes_ > 0 && (samples_ == changed_at_ + kRefineFirst || samples_ == changed_at_ + kRefineLast))
    refine_change();
  if (samples_ >= growth_due_) look_at_growth();
}

const RatioWindow& KernelModel::ratios(bool known) const noexcept {
  const RatioWindow& own = known ? known_ratios_ : general_ratios_;
  const RatioWindow& other = known ? general_ratios_ : known_ratios_;
  return own.count() >= std::min(other.count(), RatioWindow::kMany) ? own : other;
}

double KernelModel::examine(const Answer& answer, double time, bool familiar, bool sure) {
  const bool known = answer.kind == ModelKind::kHistory;
  const double ratio = std::log(time / answer.time);
  const double noise = ratios(known).noise();
  const double spike = ratios(known).spike();
  const bool settled = samples_ >= kSettled;
  (known ? known_ratios_ : general_ratios_).add(ratio, settled && sure);
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
  if (!is_by_axis(which)) {
    if (linear_[which]) linear_[which]->learn(parameters, time, expected);
  } else if (!parameters.empty() || which == kOneLevel) {
    by_axis(which).learn(axis_of(parameters), time);
  }
}

void KernelModel::rescale_general(General which, double factor, double samples) {
  if (is_by_axis(which)) {
    by_axis(which).rescale(factor, samples);
  } else if (linear_[which]) {
    linear_[which]->rescale(factor, samples);
  }
}

void KernelModel::rescale_all(double factor, double samples) {
  tuple_means_.rescale(factor, samples);
  for (const General which : kAllGenerals) rescale_general(which, factor, samples);
}

void KernelModel::learn_by_all(Parameters parameters, std::uint32_t region, double time) {
  const Predictions predictions = general_predictions(parameters);
  const auto general = best_of(predictions);
  const double longest = this->longest(time_of(general), parameters, region);
  const TupleMeans::Tuple* const tuple = find_believed(parameters, longest);
  const std::optional<Answer> answer = choose(general, tuple);
  // Before the first sample none of them could have known.
  if (samples_ > 0)
    for (const General which : kAllGenerals) scores_[which].add(region, predictions[which], time);
  if (tuple != nullptr) {
    history_score_.add(region, tuple->mean, time);
    general_where_known_.add(region, time_of(general), time);
  }
  // How far history is off is to be known when it answers again.
  const bool known = answer && answer->kind == ModelKind::kHistory;
  if (tuple != nullptr && !known) known_ratios_.add(std::log(time / tuple->mean), tuple->is_settled);
  const bool familiar = is_familiar(parameters);
  const double as_learned =
      answer ? examine(*answer, time, known || familiar, known ? tuple->is_settled : familiar) : time;
  tuple_means_.learn(parameters, time, ratios(true).noise(), ratios(true).spike(), longest);
  for (const General which : kAllGenerals) learn_general(which, parameters, as_learned, answer ? answer->time : time);
  choose_leader();
}

void KernelModel::choose_leader() noexcept {
  leader_ = *std::min_element(kAllGenerals.begin(), kAllGenerals.end(),
                              [this](General a, General b) { return price(a) < price(b); });
}

void KernelModel::learn_by_leader(Parameters parameters, std::uint32_t region, double time) {
  const bool history = prefers_history();
  const TupleMeans::Tuple* const tuple = history ? tuple_means_.find(parameters) : nullptr;
  const bool is_settled = tuple != nullptr && tuple->is_settled;
  const auto predicted = is_settled ? std::nullopt : general_prediction(leader_, parameters);
  const double longest = this->longest(predicted, parameters, region);
  if (tuple != nullptr && tuple->is_believed(longest)) {
    static_cast<void>(examine({tuple->mean, ModelKind::kHistory}, time, true, is_settled));
    tuple_means_.learn(parameters, time, ratios(true).noise(), ratios(true).spike(), longest);
    return;
  }
  const bool familiar = is_familiar(parameters);
  const double as_learned = predicted ? examine({*predicted, kind_of(leader_)}, time, familiar, familiar) : time;
  if (history) tuple_means_.learn(parameters, time, ratios(true).noise(), ratios(true).spike(), longest);
  learn_general(leader_, parameters, as_learned, predicted.value_or(time));
}

bool KernelModel::search_is_due() const noexcept {
  if (shape_.parameters.empty()) return false;
  return samples_ >= next_search_ || (fits_badly_ && samples_ >= searched_at_ + searched_at_ / 4 + kFirstSearch);
}

void KernelModel::make_stale() noexcept {
  stale_samples_ = kConfirming;
  rescale_all(1, kStaleWeight);
}

void KernelModel::mark_stored() noexcept {
  stored_samples_ = samples_;
  stored_octaves_ = octaves_;
  tuple_means_.mark_stored();
  rows_.mark_stored();
}

void KernelModel::join_scores(const KernelModel& other) {
  std::vector<std::uint32_t> regions;
  for (const std::uint64_t name : other.regions_.names()) regions.push_back(regions_.named(name));
  const auto fresh = static_cast<double>(other.samples_ - other.stored_samples_);
  const double part = fresh / std::max(1.0, static_cast<double>(other.samples_));
  for (const General which : kAllGenerals) scores_[which].join(other.scores_[which], regions, part);
  history_score_.join(other.history_score_, regions, part);
  general_where_known_.join(other.general_where_known_, regions, part);
  const double share = fresh / std::max(1.0, fresh + static_cast<double>(samples_));
  // The latest are those that are not stored.
  const auto most = static_cast<std::size_t>(std::min<double>(fresh, RatioWindow::kSize));
  known_ratios_.join(other.known_ratios_, share, most);
  general_ratios_.join(other.general_ratios_, share, most);
}

// Its tuples one by one; for the other models the samples that it has kept.
void KernelModel::join(const KernelModel& other) {
  for (std::size_t i = 0; i < other.tuple_means_.tuples(); ++i) {
    const TupleMeans::Tuple& tuple = other.tuple_means_.tuple(i);
    const std::uint64_t fresh = tuple.samples - tuple.stored;
    if (fresh > 0) tuple_means_.join(other.tuple_means_.key(i), tuple, fresh, other.ratios(true).spike());
  }
  const std::uint64_t together = samples_ + (other.samples_ - other.stored_samples_);
  join_scores(other);
  const double spike = other.ratios(false).spike();
  for (const RetainedRow& row : other.rows_.all()) {
    if (row.stored) continue;
    const Parameters parameters = row.observation.of(this->parameters());
    const double time = row.observation.time;
    const double expected = other.answer_time(parameters).value_or(time);
    const double bounded = drawn_in(time, expected, spike);
    for (const General which : kAllGenerals) learn_general(which, parameters, bounded, expected);
    rows_.add(row.observation, regions_.of(parameters));
  }
  for (std::size_t i = 0; i < parameters(); ++i) {
    for (std::uint32_t at = 0; at < OctaveCounts::kOctaves; ++at)
      octaves_.of(i)[at] += other.octaves_.of(i)[at] - other.stored_octaves_.of(i)[at];
    smallest_[i] = samples_ == 0 ? other.smallest_[i] : std::min(smallest_[i], other.smallest_[i]);
    largest_[i] = samples_ == 0 ? other.largest_[i] : std::max(largest_[i], other.largest_[i]);
  }
  samples_ = together;
  next_search_ = together;  // the terms may be others where the other's samples lie
  for (auto& linear : linear_)
    if (linear) linear->solve();
  look_at_growth();
}

}  // namespace foretask::model
