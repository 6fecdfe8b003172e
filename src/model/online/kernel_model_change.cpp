// SPDX-License-Identifier: Apache-2.0
// How a kernel's models take over a new level of speed, and new terms.
#include <algorithm>
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

// Mean of the ratios themselves, those beyond `spike` from the middle one drawn in.
double mean_factor(const std::vector<double>& log_ratios, double spike) {
  const double middle = statistics::median(log_ratios);
  double sum = 0;
  for (const double ratio : log_ratios) sum += std::exp(std::clamp(ratio, middle - spike, middle + spike));
  return sum / static_cast<double>(log_ratios.size());
}

// The change is of one kind: three quarters of the samples moved at least half as far as the middle one.
bool is_consistent(std::vector<double> ratios) {
  const double middle = statistics::median(ratios);
  const double weaker = middle > 0 ? statistics::quantile(ratios, 0.25) : -statistics::quantile(ratios, 0.75);
  return weaker >= 0.5 * std::abs(middle);
}

// ln(time / prediction) of the rows for which there is one.
template <typename Predict>
std::vector<double> ratios_of(const std::vector<RetainedRow>& rows, std::size_t parameters, const Predict& predict) {
  std::vector<double> ratios;
  for (const RetainedRow& row : rows)
    if (const std::optional<double> time = predict(row.observation.of(parameters)); time && *time > 0)
      ratios.push_back(std::log(row.observation.time / *time));
  return ratios;
}

bool same_terms(const std::vector<Term>& a, const std::vector<Term>& b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](const Term& x, const Term& y) { return x.same_as(y); });
}

std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    for (std::size_t j = i; j < end; ++j) ranks[order[j]] = 0.5 * static_cast<double>(i + end - 1);
    i = end;
  }
  return ranks;
}

// Spearman's correlation of ranks; 0 where one does not vary.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> x = ranks_of(a);
  const std::vector<double> y = ranks_of(b);
  const double middle = 0.5 * static_cast<double>(a.size() - 1);
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - middle) * (x[i] - middle);
    yy += (y[i] - middle) * (y[i] - middle);
    xy += (x[i] - middle) * (y[i] - middle);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

std::vector<double> column_of(const std::vector<RetainedRow>& rows, std::size_t parameter) {
  std::vector<double> column;
  column.reserve(rows.size());
  for (const RetainedRow& row : rows) column.push_back(row.observation.parameters[parameter]);
  return column;
}

std::vector<double> times_of(const std::vector<RetainedRow>& rows) {
  std::vector<double> times;
  times.reserve(rows.size());
  for (const RetainedRow& row : rows) times.push_back(row.observation.time);
  return times;
}

// A column for the analysis of covariance below: logarithms where there are any, mean 0, variance 1. Empty where it
// does not vary.
std::vector<double> covariate(std::vector<double> values) {
  if (*std::min_element(values.begin(), values.end()) > 0)
    for (double& value : values) value = std::log(value);
  const double n = static_cast<double>(values.size());
  const double middle = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (double& value : values) {
    value -= middle;
    squares += value * value;
  }
  const double deviation = std::sqrt(squares / n);
  if (!(deviation > 1e-9 * std::max(std::abs(middle), 1.0))) return {};
  for (double& value : values) value /= deviation;
  return values;
}

// Whether the latest `count` rows are off where earlier rows with the like parameters were not: of parameters that were
// not seen together before, a model that does not fit there looks as if the kernel had changed. Analysis of covariance
// (Fisher 1932): a step at the latest rows, beside what the parameters and their squares explain. `ratios`: of all
// rows, the latest last.
bool is_beside_parameters(const std::vector<RetainedRow>& rows, std::size_t parameters,
                          const std::vector<double>& ratios, std::size_t count) {
  constexpr std::size_t kRowsPerColumn = 2;
  constexpr double kTold = 3;  // standard errors
  const std::size_t before = rows.size() - count;
  std::vector<std::vector<double>> columns;
  for (std::size_t i = 0; i < parameters; ++i)
    if (auto column = covariate(column_of(rows, i)); !column.empty()) columns.push_back(std::move(column));
  const std::size_t lines = columns.size();
  for (std::size_t i = 0; i < lines && columns.size() + 2 < RunningQr::kMaxColumns; ++i) {
    std::vector<double> squares = columns[i];
    for (double& value : squares) value *= value;
    columns.push_back(std::move(squares));
  }
  while (!columns.empty() && before < kRowsPerColumn * (columns.size() + 2)) columns.pop_back();
  const std::size_t step = columns.size() + 1;
  const auto row_of = [&](std::size_t i) {
    std::array<double, RunningQr::kMaxColumns> row{1};
    for (std::size_t j = 0; j < columns.size(); ++j) row[j + 1] = columns[j][i];
    row[step] = i >= before ? 1 : 0;
    return row;
  };
  RunningQr qr(step + 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = row_of(i);
    qr.add(std::span(row).first(step + 1), ratios[i], 1);
  }
  const RunningQr::Solution solution = qr.solve();
  double squares = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = row_of(i);
    double left = ratios[i];
    for (std::size_t j = 0; j <= step; ++j) left -= solution.coefficients[j] * row[j];
    squares += left * left;
  }
  const double freedom = std::max(1.0, static_cast<double>(rows.size()) - static_cast<double>(solution.rank));
  const double error = std::sqrt(squares / freedom) * qr.whitening()[step][step];
  const double height = solution.coefficients[step];
  const double middle = statistics::median({ratios.end() - static_cast<std::ptrdiff_t>(count), ratios.end()});
  return height * middle > 0 && std::abs(height) >= 0.5 * std::abs(middle) && std::abs(height) > kTold * error;
}

// Draws the values in to `reach` around the middle one.
void draw_in(std::span<double> values, double reach) {
  if (values.empty()) return;
  const double middle = statistics::median({values.begin(), values.end()});
  for (double& value : values) value = std::clamp(value, middle - reach, middle + reach);
}

}  // namespace

bool KernelModel::has_changed(std::size_t samples) const {
  const std::size_t count = std::clamp<std::size_t>(samples, 1, RetainedRows::kLatest);
  const std::vector<RetainedRow> rows = rows_.all();
  std::vector<RetainedRow> answered;
  std::vector<double> ratios;
  std::size_t latest = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto time = answer_time(rows[i].observation.of(parameters()));
    if (!time) continue;
    answered.push_back(rows[i]);
    ratios.push_back(std::log(rows[i].observation.time / *time));
    if (i + count >= rows.size()) ++latest;
  }
  if (latest == 0) return false;
  const double spike = this->ratios(false).spike();
  draw_in(std::span(ratios).last(latest), spike);
  // Spikes, but not what earlier rows with the like parameters show as well.
  const double middle = statistics::median({ratios.end() - static_cast<std::ptrdiff_t>(latest), ratios.end()});
  draw_in(std::span(ratios).first(ratios.size() - latest), spike + std::abs(middle));
  return is_beside_parameters(answered, parameters(), ratios, latest);
}

// Each model by as much as it is itself off: one that has begun to follow needs less.
void KernelModel::take_over_change(std::size_t samples) {
  const std::size_t count = std::clamp<std::size_t>(samples, 1, RetainedRows::kLatest);
  const std::vector<RetainedRow> rows = rows_.latest(count);
  const auto answered = ratios_of(rows, parameters(), [this](Parameters p) { return answer_time(p); });
  const double spike = ratios(false).spike();
  known_ratios_.drop_latest(std::min(count, known_ratios_.count()));
  general_ratios_.drop_latest(std::min(count, general_ratios_.count()));
  const bool consistent = !answered.empty() && is_consistent(answered);
  const double factor = consistent ? mean_factor(answered, spike) : 1;
  const double weight = static_cast<double>(count);
  const auto adapt = [&](auto& model, const auto& predict_with) {
    const std::vector<double> ratios = ratios_of(rows, parameters(), predict_with);
    model.rescale(!consistent ? 1 : ratios.empty() ? factor : mean_factor(ratios, spike), weight);
  };
  const auto by_axis = [this](const OnlineModel& model) {
    return [this, &model](Parameters p) { return model.predict(axis_of(p)); };
  };
  adapt(history_, [this](Parameters p) { return history_.predict(p); });
  if (relative_) adapt(*relative_, [this](Parameters p) { return relative_->predict(p); });
  if (balanced_) adapt(*balanced_, [this](Parameters p) { return balanced_->predict(p); });
  adapt(local_, by_axis(local_));
  adapt(clusters_, by_axis(clusters_));
  adapt(power_, by_axis(power_));
  adapt(level_, by_axis(level_));
  if (!consistent) return;
  rows_.rescale(factor, count);
  ++changes_;
  changed_at_ = samples_;
}

std::optional<double> KernelModel::answer_time(Parameters parameters) const {
  const auto answer = predict(parameters);
  return answer ? std::optional(answer->time) : std::nullopt;
}

// A change is told by a handful of samples, and the new level is as uncertain as their mean. What all samples since say
// of it together makes it more certain for those tuples, too, that have not been met since.
void KernelModel::refine_change() {
  const std::vector<RetainedRow> rows = rows_.latest(samples_ - changed_at_);
  const auto answered = ratios_of(rows, parameters(), [this](Parameters p) { return answer_time(p); });
  if (answered.empty()) return;
  const double factor = mean_factor(answered, ratios(false).spike());
  constexpr double kAll = std::numeric_limits<double>::infinity();
  history_.rescale(factor, kAll);
  if (relative_) relative_->rescale(factor, kAll);
  if (balanced_) balanced_->rescale(factor, kAll);
  local_.rescale(factor, kAll);
  clusters_.rescale(factor, kAll);
  power_.rescale(factor, kAll);
  level_.rescale(factor, kAll);
}

bool KernelModel::set_terms(std::vector<Term> terms) {
  auto form = LinearForm::compile(terms, shape_.parameters);
  if (!form) return false;
  terms_ = std::move(terms);
  relative_.emplace(*form, 2);
  balanced_.emplace(std::move(*form), 1);
  return true;
}

namespace {

Score score_of(const LinearModel& linear, const std::vector<RetainedRow>& rows, std::size_t parameters) {
  Score score;
  for (const RetainedRow& row : rows) score.add(linear.predict(row.observation.of(parameters)), row.observation.time);
  return score;
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
      const double bounded =
          expected ? std::clamp(time, *expected * std::exp(-spike), *expected * std::exp(spike)) : time;
      linear.learn(values, bounded, expected.value_or(std::max(bounded, middle)));
    }
    linear.solve();
    const std::vector<double> ratios = ratios_of(rows, parameters, [&](Parameters p) { return linear.predict(p); });
    if (ratios.empty()) break;
    std::vector<double> off;
    for (const double ratio : ratios) off.push_back(std::abs(ratio));
    spike = std::max(2 * statistics::quantile(off, 0.95), 0.05);
    before.emplace(linear);
  }
}

}  // namespace

// What was learned a sample at a time, its expectations and limits those of models that were still poor, is replaced
// where a fit to the samples at hand does clearly better on them; else the many samples that it is of are worth more.
void KernelModel::relearn_linear(General which, const std::vector<RetainedRow>& rows, bool new_terms) {
  std::optional<LinearModel>& current = which == kRelative ? relative_ : balanced_;
  if (!current) return;
  LinearModel fresh(current->form(), current->power());
  fit_to(fresh, rows, parameters());
  // In hindsight it looks better than it was: by the rows that its terms took up.
  const double n = static_cast<double>(rows.size());
  const double taken = static_cast<double>(fresh.form().terms());
  Score score = score_of(fresh, rows, parameters());
  score.set(std::min(1.0, score.value() * n / std::max(n - taken, 1.0)), score.weight());
  if (!new_terms && score.value() > kClearlyBetter * score_of(*current, rows, parameters()).value()) return;
  *current = std::move(fresh);
  scores_[which] = score;
}

void KernelModel::relearn_axis_models(const std::vector<RetainedRow>& rows) {
  std::vector<double> times;
  for (const RetainedRow& row : rows) {
    const Parameters p = row.observation.of(parameters());
    const auto answer = predict(p);
    const double spike = general_ratios_.spike();
    times.push_back(
        !answer ? row.observation.time
                : std::clamp(row.observation.time, answer->time * std::exp(-spike), answer->time * std::exp(spike)));
  }
  local_ = {};
  clusters_ = {};
  power_.reset();
  level_ = {};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double x = axis_of(rows[i].observation.of(parameters()));
    local_.learn(x, times[i]);
    clusters_.learn(x, times[i]);
    power_.learn(x, times[i]);
    level_.learn(0, times[i]);
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
  relearn_linear(kRelative, rows, new_terms);
  relearn_linear(kBalanced, rows, new_terms);
  tied_ = find_ties(rows);
  const std::size_t axis = best_axis(rows);
  // With every sample at hand they are learned anew, the spikes among the first ones drawn in.
  if (axis == axis_ && samples_ > rows.size()) return;
  axis_ = axis;
  relearn_axis_models(rows);
}

void KernelModel::mark_stored() noexcept {
  stored_samples_ = samples_;
  history_.mark_stored();
  rows_.mark_stored();
}

// Its tuples one by one; for the other models the samples that it has kept.
void KernelModel::join(const KernelModel& other) {
  for (std::size_t i = 0; i < other.history_.tuples(); ++i) {
    const History::Tuple& tuple = other.history_.tuple(i);
    const std::uint64_t fresh = tuple.samples - tuple.stored;
    if (fresh > 0)
      history_.join(other.history_.key(i), tuple.mean, std::min(tuple.weight, static_cast<double>(fresh)), fresh);
  }
  const std::uint64_t together = samples_ + (other.samples_ - other.stored_samples_);
  const double spike = other.ratios(false).spike();
  for (const RetainedRow& row : other.rows_.all()) {
    if (row.stored) continue;
    const Parameters parameters = row.observation.of(this->parameters());
    const double time = row.observation.time;
    const double expected = other.answer_time(parameters).value_or(time);
    const double bounded = std::clamp(time, expected * std::exp(-spike), expected * std::exp(spike));
    for (std::uint8_t which = 0; which < kGenerals; ++which)
      learn_general(static_cast<General>(which), parameters, bounded, expected);
    rows_.add(row.observation);
  }
  for (std::size_t i = 0; i < parameters(); ++i) {
    smallest_[i] = samples_ == 0 ? other.smallest_[i] : std::min(smallest_[i], other.smallest_[i]);
    largest_[i] = samples_ == 0 ? other.largest_[i] : std::max(largest_[i], other.largest_[i]);
  }
  samples_ = together;
  if (relative_) relative_->solve();
  if (balanced_) balanced_->solve();
}

}  // namespace foretask::model
