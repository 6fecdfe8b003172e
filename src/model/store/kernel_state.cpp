// SPDX-License-Identifier: Apache-2.0
#include "model/store/kernel_state.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace foretask::model {
namespace {

using nlohmann::json;

// Of the largest of the models by one parameter.
constexpr std::size_t kMostNumbers = 100'000;
constexpr double kLargestExponent = 9;
constexpr double kMostWeight = 1e6;
constexpr std::uint64_t kMostSamples = 1'000'000'000'000'000;
// Larger ratios than this are no times of tasks.
constexpr double kLargestRatio = 100;
// In the order of KernelModel::General.
constexpr std::array kLinearKeys{"relative", "balanced"};
constexpr std::array kAxisKeys{"local", "clusters", "power", "level"};

json values_of(Parameters values) { return json(std::vector<double>(values.begin(), values.end())); }

json triangle_of(const LinearModel& linear) {
  const RunningQr::Triangle triangle = linear.qr().triangle();
  json rows = json::array();
  for (std::size_t i = 0; i < linear.form().terms(); ++i)
    rows.push_back(std::vector<double>(triangle[i].begin() + static_cast<std::ptrdiff_t>(i),
                                       triangle[i].begin() + static_cast<std::ptrdiff_t>(linear.form().terms()) + 1));
  return {{"rows", linear.qr().rows()}, {"triangle", rows}};
}

json ratios_of(const RatioWindow& window) {
  json ratios = json::array();
  for (std::size_t age = window.count(); age-- > 0;) ratios.push_back(window.latest(age));
  return ratios;
}

double finite(const json& value) {
  const double number = value.get<double>();
  if (!std::isfinite(number)) throw std::runtime_error("a number is not finite");
  return number;
}

double positive(const json& value, double largest) {
  const double number = finite(value);
  if (!(number > 0 && number <= largest)) throw std::runtime_error("a time or a weight is out of range");
  return number;
}

std::uint64_t whole(const json& value) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kMostSamples)
    throw std::runtime_error("a count is out of range");
  return value.get<std::uint64_t>();
}

std::vector<double> finite_list(const json& list, std::size_t size) {
  if (!list.is_array() || list.size() != size) throw std::runtime_error("a list has the wrong length");
  std::vector<double> values;
  for (const json& value : list) values.push_back(finite(value));
  return values;
}

const json& list_at(const json& state, const char* key) {
  const json& list = state.at(key);
  if (!list.is_array()) throw std::runtime_error(std::string("its '") + key + "' are no list");
  return list;
}

// A tuple's or a row's: the parameters, then more.
Observation observation_of(const json& list, std::size_t parameters) {
  const std::vector<double> values = finite_list(list, parameters + 1);
  Observation observation;
  std::copy_n(values.begin(), parameters, observation.parameters.begin());
  observation.time = positive(list.back(), KernelModel::kLongest);
  return observation;
}

void restore_triangle(const json& state, LinearModel& linear) {
  const std::size_t terms = linear.form().terms();
  const json& rows = state.at("triangle");
  if (!rows.is_array() || rows.size() != terms) throw std::runtime_error("a triangle has the wrong size");
  RunningQr::Triangle triangle{};
  for (std::size_t i = 0; i < terms; ++i) {
    const std::vector<double> row = finite_list(rows[i], terms + 1 - i);
    std::copy(row.begin(), row.end(), triangle[i].begin() + static_cast<std::ptrdiff_t>(i));
  }
  const double count = finite(state.at("rows"));
  if (count < 0 || count > kMostWeight) throw std::runtime_error("a count is out of range");
  linear.qr().restore(triangle, count);
  linear.solve();
}

void restore_ratios(const json& list, RatioWindow& window) {
  if (!list.is_array() || list.size() > RatioWindow::kSize) throw std::runtime_error("too many ratios");
  for (const json& ratio : list) {
    const double value = finite(ratio);
    if (std::abs(value) > kLargestRatio) throw std::runtime_error("a ratio is out of range");
    window.add(value);
  }
}

constexpr double kRounding = 1e-6;

// A value and a weight, of older stores; and by region the sums and the weights.
Score restored_score(const json& list) {
  if (!list.is_array() || list.size() < 2 || list.size() > 3) throw std::runtime_error("a score has the wrong size");
  const double value = finite(list[0]);
  const double weight = finite(list[1]);
  constexpr double kMost = 51;  // of a region
  if (value < 0 || value > 1 || weight < 0 || weight > kMost * Regions::kMost)
    throw std::runtime_error("a score is out of range");
  const json parts =
      list.size() == 3 ? list[2] : json::array({value * std::min(weight, kMost), std::min(weight, kMost)});
  if (!parts.is_array() || parts.size() > std::size_t{2} * Regions::kMost || parts.size() % 2 != 0)
    throw std::runtime_error("a score is of too many regions");
  const std::vector<double> values = finite_list(parts, parts.size());
  std::vector<Score::Part> restored;
  for (std::size_t i = 0; i + 1 < values.size(); i += 2) {
    if (values[i] < 0 || values[i + 1] < 0 || values[i + 1] > kMost || values[i] > (1 + kRounding) * values[i + 1])
      throw std::runtime_error("a score is out of range");
    restored.push_back({values[i], values[i + 1]});
  }
  Score score;
  score.restore(std::move(restored));
  return score;
}

void restore_model(const json& list, AxisModel& model) {
  if (!list.is_array() || list.size() > kMostNumbers) throw std::runtime_error("a model has the wrong size");
  if (!model.restore(finite_list(list, list.size()))) throw std::runtime_error("a model makes no sense");
}

// By the parameters' numbers: a name may hold anything, an operator as well.
json terms_of(const std::vector<Term>& terms, const std::vector<std::string>& names) {
  json list = json::array();
  for (const Term& term : terms) {
    json factors = json::array();
    for (const Factor& factor : term.factors) {
      const auto number = std::find(names.begin(), names.end(), factor.parameter) - names.begin();
      factors.push_back(
          {{"parameter", static_cast<std::size_t>(number)}, {"exponent", factor.exponent}, {"log", factor.is_log}});
    }
    list.push_back(std::move(factors));
  }
  return list;
}

std::vector<Term> restored_terms(const json& list, const std::vector<std::string>& names) {
  if (!list.is_array() || list.size() > kMaxLinearTerms) throw std::runtime_error("it has too many terms");
  std::vector<Term> terms;
  for (const json& factors : list) {
    if (!factors.is_array() || factors.size() > 2 * kMaxParameters) throw std::runtime_error("a term is too long");
    Term& term = terms.emplace_back();
    for (const json& factor : factors) {
      const double exponent = finite(factor.at("exponent"));
      if (exponent == 0 || std::abs(exponent) > kLargestExponent) throw std::runtime_error("an exponent is too large");
      const std::uint64_t parameter = whole(factor.at("parameter"));
      if (parameter >= names.size()) throw std::runtime_error("there is no such parameter");
      term.factors.push_back({names[parameter], exponent, factor.at("log").get<bool>()});
    }
  }
  return terms;
}

json score_of(const Score& score) {
  json parts = json::array();
  for (const Score::Part& part : score.parts()) {
    parts.push_back(part.sum);
    parts.push_back(part.weight);
  }
  return json{score.weight() > 0 ? score.value() : 1, score.weight(), std::move(parts)};
}

}  // namespace

json KernelState::save(const KernelModel& model) {
  json state;
  state["samples"] = model.samples_;
  state["changes"] = model.changes_;
  state["next_search"] = model.next_search_;
  state["searched_at"] = model.searched_at_;
  state["changed_at"] = model.changed_at_;
  state["look_again_at"] = model.look_again_at_;
  state["fits_badly"] = model.fits_badly_;
  state["random"] = model.random_.state();
  state["regions"] = model.regions_.names();
  state["smallest"] = values_of(Parameters(model.smallest_).first(model.parameters()));
  state["largest"] = values_of(Parameters(model.largest_).first(model.parameters()));
  json octaves = json::array();
  for (std::size_t i = 0; i < model.parameters(); ++i) octaves.push_back(model.octaves_.of(i));
  state["octaves"] = std::move(octaves);
  state["axis"] = model.axis_;
  state["tied"] = model.tied_;
  state["stale"] = model.stale_samples_;
  state["terms"] = terms_of(model.terms_, model.shape_.parameters);
  for (std::size_t i = 0; i < kLinearKeys.size(); ++i)
    if (model.linear_[i]) state[kLinearKeys[i]] = triangle_of(*model.linear_[i]);
  for (std::size_t i = 0; i < kAxisKeys.size(); ++i) state[kAxisKeys[i]] = model.axis_models_[i]->state();
  json scores = json::array();
  for (const Score& score : model.scores_) scores.push_back(score_of(score));
  state["scores"] = scores;
  state["history_score"] = score_of(model.history_score_);
  state["general_where_known"] = score_of(model.general_where_known_);
  state["known_ratios"] = ratios_of(model.known_ratios_);
  state["general_ratios"] = ratios_of(model.general_ratios_);
  json tuples = json::array();
  for (std::size_t i = 0; i < model.tuple_means_.tuples(); ++i) {
    const TupleMeans::Tuple& tuple = model.tuple_means_.tuple(i);
    json values = values_of(model.tuple_means_.key(i));
    values.push_back(tuple.mean);
    tuples.push_back({{"tuple", values}, {"weight", tuple.weight}, {"samples", tuple.samples}});
    if (!tuple.is_settled) tuples.back()["latest"] = std::vector<float>(tuple.times().begin(), tuple.times().end());
  }
  state["tuples"] = tuples;
  json rows = json::array();
  for (const RetainedRow& row : model.rows_.all()) {
    json values = values_of(row.observation.of(model.parameters()));
    values.push_back(row.observation.time);
    rows.push_back(values);
  }
  state["rows"] = rows;
  return state;
}

void KernelState::restore_parts(const json& state, KernelModel& model) {
  const std::size_t parameters = model.parameters();
  std::vector<Term> terms = restored_terms(state.at("terms"), model.shape_.parameters);
  // The program's own terms win over stored ones: the samples that were kept are fitted to them.
  bool same = terms.size() == model.terms_.size();
  for (std::size_t i = 0; same && i < terms.size(); ++i) same = terms[i].same_as(model.terms_[i]);
  if (!same && model.shape_.terms.empty()) {
    if (!model.set_terms(std::move(terms))) throw std::runtime_error("its terms do not fit its parameters");
    same = true;
  }

  const auto smallest = finite_list(state.at("smallest"), parameters);
  const auto largest = finite_list(state.at("largest"), parameters);
  std::copy(smallest.begin(), smallest.end(), model.smallest_.begin());
  std::copy(largest.begin(), largest.end(), model.largest_.begin());
  model.axis_ = whole(state.at("axis"));
  if (model.axis_ >= std::max<std::size_t>(parameters, 1)) throw std::runtime_error("there is no such parameter");
  model.tied_ = state.at("tied").get<bool>();

  if (state.contains("regions")) {
    const json& regions = list_at(state, "regions");
    if (regions.size() > Regions::kMost) throw std::runtime_error("too many regions");
    std::vector<std::uint64_t> names;
    for (const json& name : regions) {
      if (!name.is_number_unsigned()) throw std::runtime_error("a region is none");
      names.push_back(name.get<std::uint64_t>());
    }
    model.regions_.restore(std::move(names));
  }
  for (const json& tuple : list_at(state, "tuples")) {
    const Observation observation = observation_of(tuple.at("tuple"), parameters);
    TupleMeans::Tuple restored{.mean = observation.time,
                               .weight = positive(tuple.at("weight"), kMostWeight),
                               .samples = whole(tuple.at("samples"))};
    // An older store has no times: a mean of few samples counts as one.
    restored.is_settled = !tuple.contains("latest") && restored.samples >= TupleMeans::kFirst;
    if (!restored.is_settled)
      for (const json& time : tuple.value("latest", json::array({restored.mean})))
        restored.keep(static_cast<float>(positive(time, KernelModel::kLongest)));
    if (!restored.is_settled && (restored.kept == 0 || restored.samples == 0))
      throw std::runtime_error("a tuple is of no samples");
    model.tuple_means_.join(observation.of(parameters), restored, restored.samples, 0);
  }
  std::vector<RetainedRow> rows;
  for (const json& row : list_at(state, "rows")) rows.push_back({observation_of(row, parameters), true});
  if (rows.size() > RetainedRows::kLatest + RetainedRows::kChosen) throw std::runtime_error("too many rows");
  for (RetainedRow& row : rows) {
    row.region = model.regions_.of(row.observation.of(parameters));
    model.rows_.add(row.observation, row.region, true);
  }
  if (state.contains("octaves")) {
    const json& octaves = list_at(state, "octaves");
    if (octaves.size() != parameters) throw std::runtime_error("the octaves are not those of its parameters");
    for (std::size_t i = 0; i < parameters; ++i) {
      if (octaves[i].size() != OctaveCounts::kOctaves) throw std::runtime_error("there are not so many octaves");
      for (std::uint32_t at = 0; at < OctaveCounts::kOctaves; ++at) model.octaves_.of(i)[at] = whole(octaves[i][at]);
    }
  } else {
    // An older store: what it has kept shows where samples were.
    if (model.tuple_means_.tuples() == 0)
      for (const RetainedRow& row : rows) model.octaves_.add(row.observation.of(parameters));
    for (std::size_t i = 0; i < model.tuple_means_.tuples(); ++i)
      model.octaves_.add(model.tuple_means_.key(i), model.tuple_means_.tuple(i).samples);
  }
  // Without a parameter the level, the last of them, is all there is.
  for (std::size_t i = parameters > 0 ? 0 : kAxisKeys.size() - 1; i < kAxisKeys.size(); ++i)
    restore_model(state.at(kAxisKeys[i]), *model.axis_models_[i]);

  const json& scores = state.at("scores");
  if (!scores.is_array() || scores.size() != model.scores_.size()) throw std::runtime_error("scores are missing");
  for (std::size_t i = 0; i < model.scores_.size(); ++i) model.scores_[i] = restored_score(scores[i]);
  model.history_score_ = restored_score(state.at("history_score"));
  model.general_where_known_ = restored_score(state.at("general_where_known"));
  restore_ratios(state.at("known_ratios"), model.known_ratios_);
  restore_ratios(state.at("general_ratios"), model.general_ratios_);

  if (same) {
    for (std::size_t i = 0; i < kLinearKeys.size(); ++i)
      if (model.linear_[i]) restore_triangle(state.at(kLinearKeys[i]), *model.linear_[i]);
  } else if (!rows.empty()) {
    model.relearn_linear(KernelModel::kRelative, rows, true);
    model.relearn_linear(KernelModel::kBalanced, rows, true);
  }
  model.samples_ = whole(state.at("samples"));
  if (model.samples_ == 0) throw std::runtime_error("it is of no samples");
  model.earlier_.fill({model.smallest_, model.largest_});
  model.next_range_ = model.samples_ + 1;
  model.stale_samples_ = whole(state.at("stale"));
  model.changes_ = whole(state.at("changes"));
  model.next_search_ = std::max(whole(state.at("next_search")), model.next_search_);
  model.searched_at_ = std::min(whole(state.at("searched_at")), model.samples_);
  model.changed_at_ = std::min(whole(state.at("changed_at")), model.samples_);
  model.look_again_at_ = std::min(whole(state.at("look_again_at")), model.samples_ + KernelModel::kLongestPause);
  model.fits_badly_ = state.at("fits_badly").get<bool>();
  if (!state.at("random").is_number_unsigned()) throw std::runtime_error("the state of its random numbers is none");
  model.random_ = statistics::Random(state.at("random").get<std::uint64_t>());
  model.choose_leader();
  model.look_at_growth();
  model.mark_stored();
}

Result<std::unique_ptr<KernelModel>> KernelState::restore(const json& state, const KernelShape& shape) {
  auto model = std::make_unique<KernelModel>(shape);
  try {
    restore_parts(state, *model);
  } catch (const std::exception& problem) {
    return Error{.what = problem.what()};
  }
  return model;
}

}  // namespace foretask::model
