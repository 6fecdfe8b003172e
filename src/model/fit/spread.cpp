// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "base/number_text.hpp"
#include "foretask/analysis/variability.hpp"
#include "model/fit/groups.hpp"
#include "statistics/least_squares.hpp"
#include "statistics/running_variance.hpp"

namespace foretask::analysis {
namespace {

using base::text_of;
using model::Groups;
using Values = std::vector<double>;

constexpr std::size_t kFewestTasks = 100;
constexpr double kRegularSpread = 0.05;
// Two groups that account for so much of what the whole column does are what the column says.
constexpr double kGroupsAreAll = 0.9;
constexpr double kSameParts = 0.02;
constexpr double kStretches = 3;  // standard deviations
// A source explains the spread in part from this share of it on, and all that matters of it from kExplains on.
constexpr double kExplainsPartly = 0.1;
constexpr double kExplains = 0.5;
constexpr double kSignificance = 0.01;
// Of the spread. What explains less is left out.
constexpr double kWorthSaying = 0.01;

bool varies(const Values& values) {
  return std::any_of(values.begin(), values.end(), [&](double value) { return value != values.front(); });
}

bool complete(const Values& values, std::size_t rows) {
  return values.size() == rows &&
         std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

// Logarithms of what is above 0; 0 keeps a place below all of them.
Values logs(const Values& values) {
  double least = 1;
  for (const double value : values)
    if (value > 0) least = std::min(least, value);
  Values result(values.size());
  std::transform(values.begin(), values.end(), result.begin(),
                 [least](double value) { return std::log(value > 0 ? value : least / 2); });
  return result;
}

struct Candidate {
  std::string by;
  Groups groups;
  double share = -1;
  double p = 1;
};

// Its share of the spread where that is significant, else 0.
double credible_share(const SpreadFactor& factor) { return factor.p <= kSignificance ? factor.share : 0; }

// The verdict and the text, of factors in order of their credible shares.
void judge_and_say(Variability& result) {
  const SpreadFactor& first = result.factors.front();
  const double share = first.judged ? credible_share(first) : 0;
  result.verdict = share >= kExplains         ? SpreadVerdict::kExplained
                   : share >= kExplainsPartly ? SpreadVerdict::kPartly
                                              : SpreadVerdict::kUnexplained;
  if (result.verdict == SpreadVerdict::kUnexplained) {
    result.text = "not explained by what is recorded";
  } else {
    result.text = std::string(result.verdict == SpreadVerdict::kPartly ? "in part " : "") +
                  spread_source_name(first.source) + ": " + text_of("%.0f %%", 100 * share) + " of the spread by " +
                  first.by + text_of(" (p %s %.2g)", first.p < 1e-15 ? "<" : "=", std::max(first.p, 1e-15));
    if (!first.detail.empty()) result.text += ", " + first.detail;
  }
  for (const SpreadFactor& factor : result.factors) {
    if (&factor == &first && result.verdict != SpreadVerdict::kUnexplained) continue;
    const std::string source = spread_source_name(factor.source);
    if (!factor.judged)
      result.text += "; " + source + " not judged (" + factor.by + ")";
    else if (credible_share(factor) >= kWorthSaying)
      result.text += "; " + source + " " + text_of("%.0f %%", 100 * factor.share) + " by " + factor.by;
  }
}

class Study {
 public:
  explicit Study(const SpreadData& data) : data_(data), y_(logs(data.time_ns)) {}

  Variability run() {
    Variability result;
    result.tasks = y_.size();
    result.spread = statistics::RunningVariance(data_.time_ns).relative_sd();
    if (y_.size() < kFewestTasks) {
      result.text =
          text_of("%zu tasks are too few to tell what their times depend on (%zu are needed)", y_.size(), kFewestTasks);
      return result;
    }
    if (result.spread < kRegularSpread) {
      result.verdict = SpreadVerdict::kRegular;
      result.text = text_of("regular: the standard deviation is %.1f %% of the mean", 100 * result.spread);
      return result;
    }
    rest_ = y_;
    SpreadFactor input = judge_input();
    SpreadFactor behaviours = judge_known_behaviours(input);
    const SpreadFactor shared = judge_shared();
    if (!behaviours.judged) behaviours = judge_unknown_behaviours();
    result.factors = {std::move(input), std::move(behaviours), shared};
    std::stable_sort(result.factors.begin(), result.factors.end(), [](const SpreadFactor& a, const SpreadFactor& b) {
      return a.judged != b.judged ? a.judged : credible_share(a) > credible_share(b);
    });
    judge_and_say(result);
    return result;
  }

 private:
  // Of what is left of the spread, the part of the whole.
  [[nodiscard]] double of_whole(const Groups& groups) const {
    return std::max(0.0, model::adjusted_share(rest_, groups)) * statistics::RunningVariance(rest_).squares() /
           statistics::RunningVariance(y_).squares();
  }

  // Of all of the spread, or of what is left of it.
  void consider(Candidate& best, std::string by, const Values& x, bool of_rest = false) const {
    if (!complete(x, y_.size()) || !varies(x)) return;
    Groups groups = model::groups_by_value(x);
    const double share = of_rest ? of_whole(groups) : model::adjusted_share(y_, groups);
    if (share <= best.share) return;
    const double p = of_rest ? model::share_p_by_blocks(rest_, groups) : model::share_p(y_, groups);
    best = {std::move(by), std::move(groups), share, p};
  }

  // A power of several parameters: the fitted values of log(time) by their logarithms.
  [[nodiscard]] std::optional<Values> product_of(const std::vector<const SpreadColumn*>& columns) const {
    const auto rows = static_cast<Eigen::Index>(y_.size());
    Eigen::MatrixXd design(rows, static_cast<Eigen::Index>(columns.size()) + 1);
    design.col(0).setOnes();
    for (std::size_t column = 0; column < columns.size(); ++column) {
      const Values& values = columns[column]->values;
      if (*std::min_element(values.begin(), values.end()) <= 0) return std::nullopt;
      for (Eigen::Index row = 0; row < rows; ++row)
        design(row, static_cast<Eigen::Index>(column) + 1) = std::log(values[static_cast<std::size_t>(row)]);
    }
    const auto fit = statistics::least_squares(design, Eigen::Map<const Eigen::VectorXd>(y_.data(), rows), {}, true);
    if (!fit) return std::nullopt;
    return Values(fit->fitted.data(), fit->fitted.data() + rows);
  }

  SpreadFactor judge_input() {
    SpreadFactor factor{.source = SpreadSource::kInputDependence};
    Candidate best;
    std::vector<const SpreadColumn*> usable;
    std::string names;
    for (const SpreadColumn& parameter : data_.parameters) {
      if (!complete(parameter.values, y_.size())) continue;
      known_input_ = true;
      consider(best, parameter.name, parameter.values);
      if (!varies(parameter.values)) continue;
      usable.push_back(&parameter);
      names += (names.empty() ? "" : ", ") + parameter.name;
    }
    if (usable.size() > 1)
      if (const auto product = product_of(usable)) consider(best, names + " together", *product);
    if (complete(data_.instructions, y_.size())) {
      known_input_ = true;
      // A parameter that says nearly as much names the cause, which a count does not.
      Candidate counted = {.share = best.share + kSameParts};
      consider(counted, "instructions", logs(data_.instructions));
      if (!counted.by.empty()) best = std::move(counted);
    }
    if (!known_input_) {
      factor.by = "neither instructions nor parameters of the tasks are recorded";
      return factor;
    }
    factor.judged = true;
    factor.by = best.by.empty() ? "what is recorded of the input does not vary" : best.by;
    if (best.by.empty()) return factor;
    factor.share = std::max(0.0, best.share);
    factor.p = best.p;
    if (factor.p <= kSignificance && factor.share > 0) rest_ = model::residuals_of(y_, best.groups);
    return factor;
  }

  [[nodiscard]] std::string groups_in_words(const Groups& groups) const {
    std::array<double, 2> rows{};
    std::array<double, 2> total{};
    for (std::size_t i = 0; i < y_.size(); ++i) {
      ++rows[groups.of_row[i]];
      total[groups.of_row[i]] += data_.time_ns[i];
    }
    return text_of("%.0f tasks of %s and %.0f of %s on average", rows[0], base::format_ns(total[0] / rows[0]).c_str(),
                   rows[1], base::format_ns(total[1] / rows[1]).c_str());
  }

  // Groups that a count shows, not the times alone. Where the instructions say that there are two, and this is all that
  // they say of the time, the input's part is the groups'.
  SpreadFactor judge_known_behaviours(SpreadFactor& input) {
    SpreadFactor factor{.source = SpreadSource::kSeveralBehaviours};
    if (input.by == "instructions") {
      const auto modes = model::find_two_modes(logs(data_.instructions));
      const double share = modes.found ? std::max(0.0, model::adjusted_share(y_, modes.groups)) : 0;
      if (modes.found && share >= kGroupsAreAll * input.share) {
        factor = {SpreadSource::kSeveralBehaviours,
                  true,
                  "two groups by instructions",
                  share,
                  std::max(modes.p, model::share_p(y_, modes.groups)),
                  groups_in_words(modes.groups)};
        input.detail = "all of it by the two groups";
        input.share = 0;
        input.p = 1;
        rest_ = model::residuals_of(y_, modes.groups);
      }
      return factor;
    }
    if (!complete(data_.page_faults, y_.size()) || !varies(data_.page_faults)) return factor;
    Groups groups{std::vector<std::uint32_t>(y_.size()), 2};
    std::size_t faulting = 0;
    for (std::size_t i = 0; i < y_.size(); ++i)
      if (data_.page_faults[i] > 0) {
        groups.of_row[i] = 1;
        ++faulting;
      }
    if (faulting == 0 || faulting == y_.size()) return factor;
    const double share = of_whole(groups);
    const double p = model::share_p(rest_, groups);
    if (share < kExplainsPartly || p > kSignificance) return factor;
    factor = {SpreadSource::kSeveralBehaviours, true, "tasks without and with page faults", share, p,
              groups_in_words(groups)};
    rest_ = model::residuals_of(rest_, groups);
    return factor;
  }

  // Groups that only the times show, of what nothing else explains.
  [[nodiscard]] SpreadFactor judge_unknown_behaviours() const {
    SpreadFactor factor{.source = SpreadSource::kSeveralBehaviours, .judged = true, .by = "groups of the times"};
    const auto modes = model::find_two_modes(rest_);
    if (!modes.found) {
      factor.detail = "the times show no two groups";
      return factor;
    }
    if (in_stretches(modes.groups)) {
      factor.judged = false;
      factor.by = "the times fall into two groups, " + groups_in_words(modes.groups) +
                  ", that come in stretches: phases of the program, or other programs on this machine; instructions or "
                  "parameters of the tasks would tell";
      return factor;
    }
    factor.by = "two groups of the times themselves";
    factor.share = of_whole(modes.groups);
    factor.p = modes.p;
    factor.detail = groups_in_words(modes.groups);
    return factor;
  }

  // Whether on each worker a task's group is mostly that of the one before: the runs of equal ones are far fewer than
  // chance makes them (Wald and Wolfowitz 1940).
  [[nodiscard]] bool in_stretches(const Groups& groups) const {
    std::map<double, std::vector<std::uint32_t>> of_worker;
    for (std::size_t i = 0; i < y_.size(); ++i)
      of_worker[data_.worker.size() == y_.size() ? data_.worker[i] : 0].push_back(groups.of_row[i]);
    double fewer = 0;
    double variance = 0;
    for (const auto& [worker, sequence] : of_worker) {
      const double n = static_cast<double>(sequence.size());
      const double upper = static_cast<double>(std::count(sequence.begin(), sequence.end(), 1U));
      const double lower = n - upper;
      if (n < 2 || upper == 0 || lower == 0) continue;
      double runs = 1;
      for (std::size_t i = 1; i < sequence.size(); ++i) runs += sequence[i] != sequence[i - 1] ? 1 : 0;
      fewer += 2 * upper * lower / n + 1 - runs;
      variance += 2 * upper * lower * (2 * upper * lower - n) / (n * n * (n - 1));
    }
    return fewer > kStretches * std::sqrt(variance);
  }

  SpreadFactor judge_shared() {
    SpreadFactor factor{.source = SpreadSource::kSharedResources};
    Candidate best;
    Values workers = data_.active_workers;
    for (double& count : workers) count = std::round(count);
    consider(best, "active workers", workers, true);
    consider(best, "the worker that ran it", data_.worker, true);
    // Misses at equal instructions: what the instructions say is taken out already.
    if (complete(data_.instructions, y_.size()))
      for (const SpreadColumn& misses : data_.misses) {
        Values rate(y_.size(), std::nan(""));
        for (std::size_t i = 0; i < y_.size() && misses.values.size() == y_.size(); ++i)
          rate[i] = misses.values[i] / std::max(1.0, data_.instructions[i]);
        consider(best, misses.name + " per instruction", rate, true);
      }
    if (complete(data_.task_clock_ns, y_.size())) {
      // The part of the time that the task had a core: what it lacks, other programs or threads had.
      Values part(y_.size());
      for (std::size_t i = 0; i < y_.size(); ++i)
        part[i] = std::min(1.0, std::round(20 * data_.task_clock_ns[i] / std::max(1.0, data_.time_ns[i])) / 20);
      consider(best, "time without a core (time - task-clock)", part, true);
    }
    if (best.by.empty()) {
      factor.by = "the number of active workers does not vary, and no counter of misses is recorded";
      return factor;
    }
    factor.judged = true;
    factor.by = best.by;
    factor.share = std::max(0.0, best.share);
    factor.p = best.p;
    if (factor.p <= kSignificance && factor.share >= kExplainsPartly) rest_ = model::residuals_of(rest_, best.groups);
    return factor;
  }

  const SpreadData& data_;
  Values y_;     // log(time)
  Values rest_;  // what is not explained of it so far
  bool known_input_ = false;
};

}  // namespace

const char* spread_source_name(SpreadSource source) noexcept {
  switch (source) {
    case SpreadSource::kInputDependence:
      return "input dependence";
    case SpreadSource::kSeveralBehaviours:
      return "several behaviours";
    default:
      return "shared resources";
  }
}

Variability explain_spread(const SpreadData& data) { return Study(data).run(); }

}  // namespace foretask::analysis
