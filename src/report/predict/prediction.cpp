// SPDX-License-Identifier: Apache-2.0
#include "report/predict/prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/csv_field.hpp"
#include "report/json_output.hpp"
#include "report/plain_text.hpp"
#include "report/units.hpp"

namespace foretask::analysis {

FORETASK_JSON_FIELDS(ProgramModelScore, name, holdout_error, weight, why)
FORETASK_JSON_FIELDS(SpeculationPoint, workers, mean, sd, p90, low, high, gain, beyond_sample, at_least)
FORETASK_JSON_FIELDS(Speculation, section, rows, searches, found, at_once, winner_ns, notes)

}  // namespace foretask::analysis

namespace foretask::report {
namespace {

using analysis::ProgramPrediction;

// No more than what a person reads.
constexpr double kWorthIt = 1.1;   // of a speedup from twice the workers
constexpr double kMuch = 0.1;      // of the workers' time
constexpr double kMostError = 10;  // beyond, how far off a model is says no more
constexpr double kFar = 8;         // times the runs' largest size, or their most workers

std::string number(double value) { return fmt::format("{:.10g}", value); }

class PredictionText {
 public:
  explicit PredictionText(const Prediction& prediction) : prediction_(prediction) {}

  [[nodiscard]] std::string make() {
    if (!prediction_.rows.empty()) {
      answer();
      table();
      models();
    }
    const std::string searches = speculation_text(prediction_.speculative);
    if (!searches.empty()) add(text_, "{}{}", prediction_.rows.empty() ? "" : "\n", searches);
    if (prediction_.rows.empty() && !prediction_.warnings.empty()) add(text_, "\n");
    if (prediction_.rows.empty()) warnings();
    return fmt::to_string(text_);
  }

 private:
  [[nodiscard]] std::string time(double value) const {
    return prediction_.is_in_ns ? format_ns(value) : fmt::format("{:.4g}", value);
  }

  void answer() {
    const std::vector<ProgramPrediction>& rows = prediction_.rows;
    const ProgramPrediction& fastest =
        *std::min_element(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
    const bool is_one_size = std::all_of(rows.begin(), rows.end(), [&](const auto& row) { return row.n == rows[0].n; });
    const ProgramPrediction& shown = is_one_size ? fastest : rows.back();
    add(text_, "{}{} = {} takes {} on {} worker{} (90 % interval: {} to {}).{}\n",
        prediction_.program.empty() ? "" : one_line(prediction_.program) + " with ", prediction_.size_name,
        number(shown.n), time(shown.time), number(shown.p), shown.p == 1 ? "" : "s", time(shown.low), time(shown.high),
        far_words(shown));
    warnings();
    if (!is_one_size || rows.size() < 2) return;
    if (const std::string why = what_holds_it_back(shown); !why.empty()) add(text_, "{}\n", why);
  }

  void warnings() {
    for (const std::string& warning : prediction_.warnings) add(text_, "Warning: {}\n", warning);
  }

  // Where the answer is far beyond what was measured.
  [[nodiscard]] std::string far_words(const ProgramPrediction& row) const {
    double n = 0, p = 0;
    for (const analysis::ProgramRun& run : prediction_.runs) {
      n = std::max(n, run.n);
      p = std::max(p, run.p);
    }
    std::string text;
    if (n > 0 && row.n > kFar * n)
      text = fmt::format("{:.3g} times their largest {}", row.n / n, prediction_.size_name);
    if (p > 0 && row.p > kFar * p)
      text += fmt::format("{}{:.3g} times their most workers", text.empty() ? "" : ", ", row.p / p);
    return text.empty() ? text : " Far beyond the runs: " + text + ".";
  }

  // Of the rows of one size. Empty where they say nothing of more workers.
  [[nodiscard]] std::string what_holds_it_back(const ProgramPrediction& fastest) const {
    std::vector<const ProgramPrediction*> rows;
    for (const ProgramPrediction& row : prediction_.rows) rows.push_back(&row);
    std::stable_sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) { return a->p < b->p; });
    const ProgramPrediction& most = *rows.back();
    if (fastest.p < most.p)
      return fmt::format("More than {} worker{} slower. On {}, {}.", number(fastest.p),
                         fastest.p == 1 ? " is" : "s are", number(most.p),
                         cause_of(most).empty() ? work_of(most) : cause_of(most));
    if (fastest.p == 1) return {};
    const auto fewer = std::find_if(rows.rbegin(), rows.rend(), [&](const auto* row) { return row->p < most.p; });
    // Asked of each doubling: 32 and 36 workers are no more apart than they are.
    const bool brings_little =
        fewer != rows.rend() && (*fewer)->time < fastest.time * std::pow(kWorthIt, std::log2(most.p / (*fewer)->p));
    const std::string cause = cause_of(fastest);
    if (brings_little)
      return fmt::format("On {} workers, {}. More workers bring little.", number(fastest.p),
                         cause.empty() ? work_of(fastest) : cause);
    return fmt::format("On {} workers, {}.", number(fastest.p),
                       cause.empty() ? work_of(fastest) + ": it scales" : cause);
  }

  // What takes most of the workers' time besides the work on one worker; empty where none is much.
  [[nodiscard]] std::string cause_of(const ProgramPrediction& row) const {
    const double total = row.p * row.time;
    const double inflation = row.serial_work > 0 ? row.work / row.serial_work - 1 : 0;
    if (row.no_work > std::max(row.delay, kMuch * total))
      return fmt::format("the workers have no task to run for {} of their time: {}", format_share(row.no_work / total),
                         row.span > 0 ? fmt::format("the critical path ({}) is the limit", time(row.span))
                                      : "too few tasks are ready at a time");
    if (row.delay > kMuch * total)
      return fmt::format(
          "{} of the workers' time is scheduler delay, the runtime's own work or waits for it: larger tasks or regions "
          "would help, unless other programs held the processors in the recorded runs",
          format_share(row.delay / total));
    if (inflation > kMuch)
      return fmt::format("the tasks take {} longer than on one worker: they may share caches or memory",
                         format_share(inflation));
    return {};
  }

  [[nodiscard]] static std::string work_of(const ProgramPrediction& row) {
    return fmt::format("{} of the workers' time is work", format_share(row.work / (row.p * row.time)));
  }

  void table() {
    const auto& rows = prediction_.rows;
    std::size_t width = prediction_.size_name.size();
    std::size_t wide = 10;  // times
    for (const ProgramPrediction& row : rows) {
      width = std::max(width, number(row.n).size());
      for (const double one : {row.time, row.low, row.high, row.lower_bound, row.upper_bound})
        wide = std::max(wide, time(one).size());
    }
    add(text_, "\n{:>{}}  {:>6}  {:>{}}  {:>{}}  {:>8}  {:>7}  {:>7}  {:>8}  {:>{}}\n", prediction_.size_name, width,
        "p", "time", wide, "90 % interval", 2 * wide + 3, "speedup", "work", "delay", "no work", "bounds",
        2 * wide + 3);
    for (const ProgramPrediction& row : rows) {
      const double total = row.p * row.time;
      add(text_, "{:>{}}  {:>6}  {:>{}}  {:>{}} - {:>{}}  {:>8}  {:>7}  {:>7}  {:>8}  {:>{}} - {:>{}}\n", number(row.n),
          width, number(row.p), time(row.time), wide, time(row.low), wide, time(row.high), wide,
          row.serial_work > 0 ? fmt::format("{:.2f}", row.serial_work / row.time) : "-", format_share(row.work / total),
          format_share(row.delay / total), format_share(row.no_work / total), time(row.lower_bound), wide,
          time(row.upper_bound), wide);
    }
    add(text_,
        "\nSpeedup: predicted work on one worker / time. Shares are of the workers' time, p x time.\n"
        "Bounds: the lower one is the larger of work / p and span (work law, span law). The upper one is\n"
        "Cilkview's, for a work-stealing scheduler. Scheduler delay is in neither.\n");
  }

  void models() {
    add(text_, "\n{:<22} {:>14}\n", "model", "error");
    for (const analysis::ProgramModelScore& model : prediction_.models) {
      if (std::isnan(model.holdout_error) && model.name != prediction_.chosen) continue;
      add(text_, "{:<22} {:>14}{}\n", model.name,
          std::isnan(model.holdout_error)    ? "not judged"
          : model.holdout_error > kMostError ? "> 1000 %"
                                             : format_share(model.holdout_error),
          model.name == prediction_.chosen ? "  answers" : "");
    }
    add(text_, "Error: typical for held-out runs, which have the largest inputs or the most workers.\n");
    for (const analysis::ProgramModelScore& model : prediction_.models)
      if (model.name == prediction_.chosen && !model.why.empty())
        add(text_,
            "{}: {}\nTimes in it are in ns (of a table in the table's unit), log is natural, tasks is the number of "
            "tasks.\n",
            model.name, model.why);
  }

  const Prediction& prediction_;
  Text text_;
};

std::string interval(const analysis::SpeculationPoint& row) {
  return std::isnan(row.low) || std::isnan(row.high) ? "unknown"
                                                     : fmt::format("{} - {}", format_ns(row.low), format_ns(row.high));
}

std::string marks(const analysis::SpeculationPoint& row) {
  if (!row.beyond_sample && !row.at_least) return {};
  return fmt::format("  {}{}", row.at_least ? "+" : "", row.beyond_sample ? "*" : "");
}

}  // namespace

std::string prediction_text(const Prediction& prediction) { return PredictionText(prediction).make(); }

std::string prediction_csv(const Prediction& prediction) {
  Text text;
  add(text, "{}", base::csv_field(prediction.size_name));
  for (const auto& [name, value] : kPredictionColumns) add(text, ",{}", name);
  for (const ProgramPrediction& row : prediction.rows) {
    add(text, "\n{}", row.n);
    for (const auto& [name, value] : kPredictionColumns) add(text, ",{}", row.*value);
  }
  add(text, "\n");
  return fmt::to_string(text);
}

std::string prediction_json(const Prediction& one) {
  Json json;
  FORETASK_ADD_JSON_FIELDS(chosen, models)
  Json& rows = json["rows"] = Json::array();
  for (const analysis::ProgramPrediction& row : one.rows) {
    rows.push_back({{"n", row.n}});
    for (const auto& [name, value] : kPredictionColumns) rows.back()[name] = row.*value;
  }
  FORETASK_ADD_JSON_FIELDS(input, program)
  json["size"] = one.size_name;
  json["runs"] = one.runs.size();
  json["time_unit"] = one.is_in_ns ? Json("ns") : Json(nullptr);
  FORETASK_ADD_JSON_FIELDS(warnings, speculative)
  return json_text(json);
}

std::string speculation_text(const std::vector<analysis::Speculation>& sections) {
  Text text;
  const char* blank = "";
  for (const analysis::Speculation& section : sections) {
    add(text, "{}Or-parallel section {}: {}, {} found a solution, {} at once.\n", blank, section.section,
        format_count(section.searches, "search", "searches"), format_count(section.found), section.at_once);
    blank = "\n";
    add(text, "{:>8}  {:>10}  {:>10}  {:>10}  {:>24}  {:>6}\n", "searches", "first", "sd", "90 %",
        "mean, 2 standard errors", "gain");
    for (const analysis::SpeculationPoint& row : section.rows)
      add(text, "{:>8}  {:>10}  {:>10}  {:>10}  {:>24}  {:>6}{}\n", row.workers, format_ns(row.mean), format_ns(row.sd),
          format_ns(row.p90), interval(row), std::isnan(row.gain) ? "-" : fmt::format("{:.2f}", row.gain), marks(row));
    add(text,
        "First: mean time until the first of N searches finds a solution. Gain: how many times sooner than with "
        "{} at once.\n",
        section.at_once);
    const auto any = [&section](bool analysis::SpeculationPoint::*mark) {
      return std::any_of(section.rows.begin(), section.rows.end(), [mark](const auto& row) { return row.*mark; });
    };
    if (any(&analysis::SpeculationPoint::at_least))
      add(text, "+: the times are lower bounds, the gain is an upper bound.\n");
    if (any(&analysis::SpeculationPoint::beyond_sample))
      add(text, "*: rests on a fitted tail beyond the recorded times.\n");
    for (const std::string& one : section.notes) add(text, "Note: {}.\n", one);
  }
  return fmt::to_string(text);
}

}  // namespace foretask::report
