// SPDX-License-Identifier: Apache-2.0
// Everything that is learned of one kernel on one class of workers, a sample at a time, in bounded memory: several
// models side by side, each sample first predicted by every one of them and then learned (prequential error, Dawid
// 1984), the one with the least error of late to answer. A sample of a kernel that is well known goes to the answering
// model alone, but for one in four. Spikes are drawn in before they are learned, a lasting change
// of the kernel's speed is told from them and taken over. One thread; some 200 ns a sample, and now and then a search
// for the linear model's terms (search_is_due).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/online/axis_models.hpp"
#include "model/online/change_detector.hpp"
#include "model/online/exponential_growth.hpp"
#include "model/online/linear_model.hpp"
#include "model/online/observation.hpp"
#include "model/online/ratio_window.hpp"
#include "model/online/retained_rows.hpp"
#include "model/online/tuple_means.hpp"
#include "statistics/random.hpp"

namespace foretask::model {

// By how much predictions were off: in each region of the parameters the latest fifty or so samples count most, and all
// regions count. A model that answers for all parameters is not chosen by those alone that came last.
class Score {
 public:
  struct Part {
    double sum = 0;
    double weight = 0;
  };

  // At most 1 a sample, so that a spike does not change the choice of a model. May throw std::bad_alloc.
  void add(std::uint32_t region, std::optional<double> predicted, double time) {
    if (region >= parts_.size()) parts_.resize(region + std::size_t{1});
    // |p - t| / max(p, t): half as long and twice as long are equally wrong, and nothing is more than 1.
    const double error = predicted ? std::abs(*predicted - time) / std::max(*predicted, time) : 1;
    Part& part = parts_[region];
    const Part before = part;
    part = {kKeep * part.sum + error, kKeep * part.weight + 1};
    all_ = {all_.sum + part.sum - before.sum, all_.weight + part.weight - before.weight};
  }
  // In [0, 1]; 1 of none.
  [[nodiscard]] double value() const noexcept { return all_.weight > 0 ? all_.sum / all_.weight : 1; }
  [[nodiscard]] double weight() const noexcept { return all_.weight; }
  // Another model's, of whose samples a `part` is not counted here yet. `regions`: the number here of each of its
  // regions.
  void join(const Score& other, std::span<const std::uint32_t> regions, double part) {
    for (std::size_t i = 0; i < other.parts_.size(); ++i) {
      const std::uint32_t region = i < regions.size() ? regions[i] : 0;
      if (region >= parts_.size()) parts_.resize(region + std::size_t{1});
      const Part sum{parts_[region].sum + part * other.parts_[i].sum,
                     parts_[region].weight + part * other.parts_[i].weight};
      const double kept = std::min(1.0, kMostWeight / std::max(sum.weight, 1.0));
      parts_[region] = {kept * sum.sum, kept * sum.weight};
    }
    sum_up();
  }
  // All errors so many times as large, up to 1 each.
  void scale(double factor) noexcept {
    for (Part& part : parts_) part.sum = std::min(factor * part.sum, part.weight);
    sum_up();
  }

  [[nodiscard]] std::span<const Part> parts() const noexcept { return parts_; }
  void restore(std::vector<Part> parts) {
    parts_ = std::move(parts);
    sum_up();
  }

 private:
  static constexpr double kKeep = 0.98;
  static constexpr double kMostWeight = 1 / (1 - kKeep);

  void sum_up() noexcept {
    all_ = {};
    for (const Part& part : parts_) {
      all_.sum += part.sum;
      all_.weight += part.weight;
    }
  }

  std::vector<Part> parts_;  // by region
  Part all_;
};

// How many samples lay in each octave of each parameter: whether there are any nearby.
class OctaveCounts {
 public:
  // By the last six bits of the exponent: octaves that are 64 apart share a count.
  static constexpr std::uint32_t kOctaves = 64;
  using Counts = std::array<std::uint64_t, kOctaves>;

  explicit OctaveCounts(std::size_t parameters) : counts_(parameters) {}

  // Without the sign: -0 and 0 are in the same place.
  [[nodiscard]] static std::uint32_t place_of(double value) noexcept {
    return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(value) >> 52) % kOctaves;
  }

  void add(Parameters parameters, std::uint64_t samples = 1) noexcept {
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i][place_of(parameters[i])] += samples;
  }

  [[nodiscard]] const Counts& of(std::size_t parameter) const noexcept { return counts_[parameter]; }
  [[nodiscard]] Counts& of(std::size_t parameter) noexcept { return counts_[parameter]; }

  // Of each octave with its two neighbours: all that is within a factor of two, and nothing beyond four.
  [[nodiscard]] Counts nearby(std::size_t parameter) const noexcept {
    const Counts& own = counts_[parameter];
    Counts sums{};
    for (std::uint32_t i = 0; i < kOctaves; ++i)
      sums[i] = own[(i + kOctaves - 1) % kOctaves] + own[i] + own[(i + 1) % kOctaves];
    return sums;
  }

 private:
  std::vector<Counts> counts_;
};

// Which part of the parameters' range a sample lies in: the octaves of all its parameters together, numbered as they
// come. Many samples of one region are kept from pushing out what is known of the others.
class Regions {
 public:
  // What comes when there are so many belongs to the last one.
  static constexpr std::uint32_t kMost = 64;

  // The number of the region; a new one where nothing was there before. O(regions), a few ns for the one asked for
  // last.
  [[nodiscard]] std::uint32_t of(Parameters parameters) { return named(name_of(parameters)); }
  // Where nothing was there before, the number that a new one would have.
  [[nodiscard]] std::uint32_t find(Parameters parameters) const noexcept { return find(name_of(parameters)); }
  // The same by the name that another model has it under.
  [[nodiscard]] std::uint32_t named(std::uint64_t name) {
    if (latest_ < names_.size() && names_[latest_] == name) return latest_;
    latest_ = std::min(find(name), kMost - 1);
    if (latest_ == names_.size()) names_.push_back(name);
    return latest_;
  }

  [[nodiscard]] std::span<const std::uint64_t> names() const noexcept { return names_; }
  void restore(std::vector<std::uint64_t> names) { names_ = std::move(names); }

 private:
  [[nodiscard]] static std::uint64_t name_of(Parameters parameters) noexcept {
    std::uint64_t name = 0;
    // By sign and exponent: all numbers from one power of two to the next have the same. -0 and 0 are equal.
    for (const double value : parameters)
      name = (name ^ std::bit_cast<std::uint64_t>(value + 0.0) >> 52) * 0x9e3779b97f4a7c15ULL;
    return name;
  }
  [[nodiscard]] std::uint32_t find(std::uint64_t name) const noexcept {
    return static_cast<std::uint32_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
  }

  std::vector<std::uint64_t> names_;
  std::uint32_t latest_ = 0;
};

// As foretask.h numbers them.
enum class ModelKind : std::uint8_t { kNone, kHistory, kLinear, kSupportPoints, kClusters, kPower, kLevel };

struct KernelShape {
  std::vector<std::string> parameters;  // at most kMaxParameters
  std::vector<Term> terms;              // of the linear model; none: they are searched for
};

class KernelModel {
 public:
  // The general models: those that can answer for parameters that were never seen. Of equally good ones the earlier
  // answers.
  enum General : std::uint8_t { kRelative, kBalanced, kLocal, kTwoClusters, kPowerLine, kOneLevel };
  static constexpr std::size_t kGenerals = kOneLevel + 1;
  static constexpr std::array<General, kGenerals> kAllGenerals{kRelative,    kBalanced,  kLocal,
                                                               kTwoClusters, kPowerLine, kOneLevel};

  // Thirty years, in ns: what lies beyond is no time of a task's, and learned as this long.
  static constexpr double kLongest = 1e18;

  explicit KernelModel(KernelShape shape);
  KernelModel(const KernelModel&) = delete;
  KernelModel& operator=(const KernelModel&) = delete;

  // As many parameters as the shape has, finite; `time` finite and not negative. May throw std::bad_alloc.
  void learn(Parameters parameters, double time);

  struct Answer {
    double time = 0;
    ModelKind kind = ModelKind::kNone;
  };
  // Nothing before the first sample.
  [[nodiscard]] std::optional<Answer> predict(Parameters parameters) const;

  // The terms are to be looked for anew, and the linear models fitted to the samples kept: after 24, 48, 96, ...
  // samples, and sooner where the models do not fit. Takes milliseconds.
  [[nodiscard]] bool search_is_due() const noexcept;
  void search();

  // What `other` has learned since it was stored is learned by this one as well.
  void join(const KernelModel& other);

  // Learned by another version of the code: counts for little, and is_stale() until some samples have been learned.
  void make_stale() noexcept;
  [[nodiscard]] bool is_stale() const noexcept { return stale_samples_ > 0; }

  [[nodiscard]] const KernelShape& shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t parameters() const noexcept { return shape_.parameters.size(); }
  [[nodiscard]] std::uint64_t samples() const noexcept { return samples_; }
  // Of them from the store, or saved there since.
  [[nodiscard]] std::uint64_t stored_samples() const noexcept { return stored_samples_; }
  void mark_stored() noexcept;
  [[nodiscard]] std::uint64_t changes() const noexcept { return changes_; }
  [[nodiscard]] const std::vector<Term>& terms() const noexcept { return terms_; }
  // Parameters whose effects the samples cannot tell apart.
  [[nodiscard]] bool has_tied_parameters() const noexcept { return tied_; }

  // ---- What a snapshot and the store are made of ----
  [[nodiscard]] const TupleMeans& tuple_means() const noexcept { return tuple_means_; }
  // kRelative or kBalanced; null where there are no terms.
  [[nodiscard]] const LinearModel* linear(General which) const noexcept {
    return linear_[which] ? &*linear_[which] : nullptr;
  }
  [[nodiscard]] const LocalMeans& local() const noexcept { return local_; }
  [[nodiscard]] const NearestMeans& clusters() const noexcept { return clusters_; }
  [[nodiscard]] const PowerLine& power() const noexcept { return power_; }
  [[nodiscard]] const NearestMeans& level() const noexcept { return level_; }
  // How far answers were off: those of history (`known`) or of the general models; the other's while there are too few.
  [[nodiscard]] const RatioWindow& ratios(bool known) const noexcept;
  [[nodiscard]] static ModelKind kind_of(General which) noexcept;
  [[nodiscard]] std::size_t axis() const noexcept { return axis_; }
  [[nodiscard]] double smallest(std::size_t parameter) const noexcept { return smallest_[parameter]; }
  [[nodiscard]] double largest(std::size_t parameter) const noexcept { return largest_[parameter]; }
  // Exponential growth with a parameter: as likely as what the linear models and the power law say of it, or decided
  // for.
  struct Growth {
    ExponentialGrowth course;
    bool is_decided = false;
  };
  [[nodiscard]] const std::optional<Growth>& growth(std::size_t parameter) const noexcept {
    return growths_[parameter];
  }
  [[nodiscard]] const OctaveCounts& octaves() const noexcept { return octaves_; }
  [[nodiscard]] const RetainedRows& rows() const noexcept { return rows_; }
  // The general models by their errors, best first.
  [[nodiscard]] std::array<General, kGenerals> ranking() const noexcept;
  [[nodiscard]] const Score& score(General which) const noexcept { return scores_[which]; }
  [[nodiscard]] const Score& history_score() const noexcept { return history_score_; }
  // History answers for tuples that it knows, rather than the best general model.
  [[nodiscard]] bool prefers_history() const noexcept;
  // But for those, of tuple_means(), whose few samples may be outliers.
  [[nodiscard]] bool believes_tuple(std::size_t index) const;
  static constexpr std::uint64_t kFirstSearch = 24;
  // In which no change is looked into, after one that the parameters explained.
  static constexpr std::uint64_t kLongestPause = 512;

 private:
  friend class KernelState;

  using Predictions = std::array<std::optional<double>, kGenerals>;
  [[nodiscard]] std::optional<double> general_prediction(General which, Parameters parameters) const;
  [[nodiscard]] Predictions general_predictions(Parameters parameters) const;
  [[nodiscard]] static constexpr bool is_by_axis(General which) noexcept { return which >= kLocal; }
  [[nodiscard]] AxisModel& by_axis(General which) const noexcept { return *axis_models_[which - kLocal]; }
  // Its errors of late, with its handicap.
  [[nodiscard]] double price(General which) const noexcept;
  [[nodiscard]] std::optional<Answer> best_of(const Predictions& predictions) const noexcept;
  // Of what the best general model says and what history knows, which of them answers.
  [[nodiscard]] std::optional<Answer> choose(const std::optional<Answer>& general,
                                             const TupleMeans::Tuple* tuple) const noexcept;
  // Beyond it a time is an outlier to the general model that gives `general`, by its errors of late.
  [[nodiscard]] double longest(const std::optional<double>& general, Parameters parameters,
                               std::uint32_t region) const noexcept;
  // The tuple, if its mean is to answer for it.
  [[nodiscard]] const TupleMeans::Tuple* find_believed(Parameters parameters, double longest) const noexcept;
  [[nodiscard]] double axis_of(Parameters parameters) const noexcept;
  // Within what has been seen for some time, long enough to be learned.
  [[nodiscard]] bool is_familiar(Parameters parameters) const noexcept;
  void widen(Parameters parameters) noexcept;
  // The time as the models are to learn it, after what it says of spikes and changes. `sure`: it counts for the mean.
  double examine(const Answer& answer, double time, bool familiar, bool sure);
  void learn_by_all(Parameters parameters, std::uint32_t region, double time);
  void learn_by_leader(Parameters parameters, std::uint32_t region, double time);
  void choose_leader() noexcept;
  void learn_general(General which, Parameters parameters, double time, double expected);
  void rescale_general(General which, double factor, double samples);
  void rescale_all(double factor, double samples);
  // What is to be done when the latest `samples` are off by what noise alone does not explain.
  void look_into_change(std::size_t samples);
  [[nodiscard]] bool has_changed(std::size_t samples) const;
  void take_over_change(std::size_t samples);
  void refine_change();
  [[nodiscard]] static std::optional<double> time_of(const std::optional<Answer>& answer) noexcept {
    return answer ? std::optional(answer->time) : std::nullopt;
  }
  [[nodiscard]] std::optional<double> answer_time(Parameters parameters) const;
  // False, and nothing is changed, where they cannot be had of the parameters.
  bool set_terms(std::vector<Term> terms);
  void join_scores(const KernelModel& other);
  bool relearn_linear(General which, const std::vector<RetainedRow>& rows, bool new_terms);
  void look_back(const std::vector<RetainedRow>& rows);
  [[nodiscard]] Score score_of(const LinearModel& linear, const std::vector<RetainedRow>& rows) const;
  void relearn_axis_models(const std::vector<RetainedRow>& rows);
  [[nodiscard]] std::size_t best_axis(const std::vector<RetainedRow>& rows) const;
  [[nodiscard]] bool find_ties(const std::vector<RetainedRow>& rows) const;
  void look_at_growth();
  [[nodiscard]] std::vector<double> without_others(const std::vector<RetainedRow>& rows, std::size_t parameter,
                                                   std::vector<double> times) const;

  KernelShape shape_;
  std::uint64_t samples_ = 0;
  std::uint64_t stored_samples_ = 0;
  std::uint64_t changes_ = 0;
  std::uint64_t changed_at_ = 0;  // samples at the latest change
  std::uint64_t next_search_ = kFirstSearch;
  std::uint64_t searched_at_ = 0;
  bool fits_badly_ = false;          // for some parameters, since the latest search
  std::uint64_t look_again_at_ = 0;  // samples before which no change is looked into
  std::uint64_t stale_samples_ = 0;  // still to be learned until it is stale no more
  std::array<double, kMaxParameters> smallest_{};
  std::array<double, kMaxParameters> largest_{};
  // The same as it was 64 to 128 samples ago, and up to 64 ago: sooner while there are fewer.
  struct Range {
    std::array<double, kMaxParameters> smallest{};
    std::array<double, kMaxParameters> largest{};
  };
  std::array<Range, 2> earlier_;
  std::uint64_t next_range_ = 1;
  std::array<std::optional<Growth>, kMaxParameters> growths_;
  static constexpr std::uint64_t kFirstGrowth = 8;
  std::uint64_t growth_due_ = kFirstGrowth;  // samples at which they are looked at
  OctaveCounts octaves_;
  OctaveCounts stored_octaves_;  // as they were when all was stored
  int spikes_in_a_row_ = 0;      // below 0: too short ones

  TupleMeans tuple_means_;
  std::vector<Term> terms_;
  std::array<std::optional<LinearModel>, 2> linear_;  // by kRelative and kBalanced
  LocalMeans local_;
  NearestMeans clusters_{2};
  PowerLine power_;
  NearestMeans level_{1};
  // From kLocal on, in the order of General.
  std::array<AxisModel*, 4> axis_models_{&local_, &clusters_, &power_, &level_};
  std::size_t axis_ = 0;  // the parameter that they go by
  bool tied_ = false;

  statistics::Random random_{2};
  Regions regions_;

  std::array<Score, kGenerals> scores_;
  General leader_ = kOneLevel;  // the best of them when they were last compared
  Score history_score_;
  Score general_where_known_;  // the best general model on tuples that history knew
  RatioWindow known_ratios_;   // of history's answers
  RatioWindow general_ratios_;
  ChangeDetector change_;
  ChangeDetector slow_change_;
  RetainedRows rows_;
};

}  // namespace foretask::model
