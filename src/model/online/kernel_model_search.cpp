// SPDX-License-Identifier: Apache-2.0
// How a kernel's models take over new terms and another parameter to go by, and which parameters a kernel's time may
// grow exponentially with.
#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "model/fit/fit_search.hpp"
#include "model/online/kernel_model.hpp"
#include "statistics/quantile.hpp"

namespace foretask::model {
namespace {

constexpr std::uint64_t kSearchGrowth = 2;
constexpr std::size_t kLeastRows = 16;
constexpr int kReweightings = 3;
constexpr double kClearlyBetter = 0.9;

bool same_terms(const std::vector<Term>& a, const std::vector<Term>& b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](const Term& x, const Term& y) { return x.same_as(y); });
}

Eigen::ArrayXd ranks_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  Eigen::ArrayXd ranks(static_cast<Eigen::Index>(values.size()));
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    for (std::size_t j = i; j < end; ++j)
      ranks[static_cast<Eigen::Index>(order[j])] = 0.5 * static_cast<double>(i + end - 1);
    i = end;
  }
  return ranks - ranks.mean();
}

// Spearman's correlation of ranks; 0 where one does not vary.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const Eigen::ArrayXd x = ranks_of(a);
  const Eigen::ArrayXd y = ranks_of(b);
  const double squares = x.square().sum() * y.square().sum();
  return squares > 0 ? (x * y).sum() / std::sqrt(squares) : 0;
}

// Iteratively reweighted: the expected times, and the limit of spikes around them, are those of the round before.
void fit_to(LinearModel& linear, const std::vector<RetainedRow>& rows, std::size_t parameters) {
  const double middle = statistics::median(times_of(rows));
  std::optional<LinearModel> before;
  double spike = 0;
  for (int round = 0; round < kReweightings; ++round) {
    linear.qr() = RunningQr(linear.form().terms());
    for (const RetainedRow& row : rows) {
      const Parameters values = row.observation.of(parameters);
      const double time = row.observation.time;
      const auto expected = before ? before->predict(values) : std::nullopt;
      const double bounded = expected ? drawn_in(time, *expected, spike) : time;
      linear.learn(values, bounded, expected.value_or(std::max(bounded, middle)));
    }
    linear.solve();
    const std::vector<double> ratios = ratios_of(rows, parameters, [&](Parameters p) { return linear.predict(p); });
    if (ratios.empty()) break;
    spike = spike_of(ratios);
    before.emplace(linear);
  }
}

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

Score KernelModel::score_of(const LinearModel& linear, const std::vector<RetainedRow>& rows) const {
  Score score;
  for (const RetainedRow& row : rows)
    score.add(row.region, linear.predict(row.observation.of(parameters())), row.observation.time);
  return score;
}

bool KernelModel::set_terms(std::vector<Term> terms) {
  auto form = LinearForm::compile(terms, shape_.parameters);
  if (!form) return false;
  terms_ = std::move(terms);
  linear_[kRelative].emplace(*form, 2);
  linear_[kBalanced].emplace(std::move(*form), 1);
  return true;
}

// What was learned a sample at a time, its expectations and limits those of models that were still poor, is replaced
// where a fit to the samples at hand does clearly better on them; else the many samples that it is of are worth more.
// Whether it was.
bool KernelModel::relearn_linear(General which, const std::vector<RetainedRow>& rows, bool new_terms) {
  std::optional<LinearModel>& current = linear_[which];
  if (!current) return false;
  LinearModel fresh(current->form(), current->power());
  fit_to(fresh, rows, parameters());
  // In hindsight it looks better than it was: by the rows that its terms took up.
  const double n = static_cast<double>(rows.size());
  const double taken = static_cast<double>(fresh.form().terms());
  Score score = score_of(fresh, rows);
  score.scale(n / std::max(n - taken, 1.0));
  if (!new_terms && score.value() > kClearlyBetter * score_of(*current, rows).value()) return false;
  *current = std::move(fresh);
  scores_[which] = std::move(score);
  return true;
}

// The linear model that answers now was not there when the samples came: how far it is off them is what counts, not how
// far off the answers were. In hindsight it is less, by what its terms took up.
void KernelModel::look_back(const std::vector<RetainedRow>& rows) {
  choose_leader();
  if (is_by_axis(leader_)) return;
  const std::vector<double> ratios =
      ratios_of(rows, parameters(), [this](Parameters p) { return general_prediction(leader_, p); });
  const auto n = static_cast<double>(ratios.size());
  const double freedom = n - static_cast<double>(terms_.size());
  if (freedom < 1) return;
  general_ratios_ = {};
  for (const double ratio : ratios) general_ratios_.add(std::sqrt(n / freedom) * ratio);
}

void KernelModel::relearn_axis_models(const std::vector<RetainedRow>& rows) {
  std::vector<double> times;
  for (const RetainedRow& row : rows) {
    const Parameters p = row.observation.of(parameters());
    const auto answer = predict(p);
    const double time = row.observation.time;
    times.push_back(answer ? drawn_in(time, answer->time, general_ratios_.spike()) : time);
  }
  for (AxisModel* const model : axis_models_) {
    model->reset();
    for (std::size_t i = 0; i < rows.size(); ++i) model->learn(axis_of(rows[i].observation.of(parameters())), times[i]);
  }
}

std::size_t KernelModel::best_axis(const std::vector<RetainedRow>& rows) const {
  const std::vector<double> times = times_of(rows);
  std::size_t best = axis_;
  double most = -1;
  for (std::size_t i = 0; i < parameters(); ++i) {
    const double correlation = std::abs(rank_correlation(column_of(rows, i), times));
    if (correlation <= most) continue;
    most = correlation;
    best = i;
  }
  return best;
}

// A constant parameter ties nothing: what differs from it is out of range, and said to be so.
bool KernelModel::find_ties(const std::vector<RetainedRow>& rows) const {
  std::vector<std::size_t> varying;
  for (std::size_t i = 0; i < parameters(); ++i)
    if (smallest_[i] < largest_[i]) varying.push_back(i);
  RunningQr qr(varying.size() + 1);
  for (const RetainedRow& row : rows) {
    std::array<double, RunningQr::kMaxColumns> values{1};
    for (std::size_t j = 0; j < varying.size(); ++j) values[j + 1] = row.observation.parameters[varying[j]];
    qr.add(std::span(values).first(varying.size() + 1), 0, 1);
  }
  return qr.solve().deficient;
}

void KernelModel::search() {
  searched_at_ = samples_;
  next_search_ = std::max(samples_, kFirstSearch) * kSearchGrowth;
  fits_badly_ = false;
  const std::vector<RetainedRow> rows = rows_.all();
  if (rows.size() < kLeastRows) return;
  bool new_terms = false;
  if (shape_.terms.empty()) {
    analysis::DataTable table{.names = shape_.parameters, .columns = {}};
    for (std::size_t i = 0; i < parameters(); ++i) table.columns.push_back(column_of(rows, i));
    auto found = search_model(table, shape_.parameters, times_of(rows), RowOrder::kTime);
    if (found && !same_terms(found->terms, terms_)) new_terms = set_terms(std::move(found->terms));
  }
  const bool relative_is_new = relearn_linear(kRelative, rows, new_terms);
  const bool balanced_is_new = relearn_linear(kBalanced, rows, new_terms);
  tied_ = find_ties(rows);
  const std::size_t axis = best_axis(rows);
  // With every sample at hand they are learned anew, the spikes among the first ones drawn in.
  if (axis != axis_ || samples_ <= rows.size()) {
    axis_ = axis;
    relearn_axis_models(rows);
  }
  if (relative_is_new || balanced_is_new) look_back(rows);
}

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
