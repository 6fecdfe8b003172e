// SPDX-License-Identifier: Apache-2.0
#include "report/whatif/cut_offs.hpp"

#include <fmt/format.h>

#include "report/json_output.hpp"
#include "report/text.hpp"
#include "report/units.hpp"

namespace foretask::report {

using analysis::CutOffTrial;

namespace {

const char* key_of(const CutOffs& found) { return found.is_depth ? "depth" : "grain_ns"; }

Json value_of(const CutOffs& found, const CutOffTrial& trial) {
  if (found.is_depth) return trial.cut_off.depth;
  return trial.cut_off.grain_ns;
}

Json time_json(const CutOffs& found, const CutOffTrial& trial, std::size_t place) {
  return {{"cores", found.cores[place]},
          {"tasks", trial.tasks},
          {"makespan_ns", trial.replays[place].makespan_ns},
          {"base_ns", found.as_it_is.replays[place].makespan_ns},
          {"speedup", found.speedup(trial, place)}};
}

}  // namespace

const CutOffTrial* CutOffs::best(std::size_t place) const noexcept {
  const CutOffTrial* best = &as_it_is;
  for (const CutOffTrial& trial : trials) {
    const std::int64_t ns = trial.replays[place].makespan_ns;
    const std::int64_t best_ns = best->replays[place].makespan_ns;
    if (ns < best_ns || (ns == best_ns && best != &as_it_is && trial.tasks > best->tasks)) best = &trial;
  }
  return best == &as_it_is ? nullptr : best;
}

double CutOffs::speedup(const CutOffTrial& trial, std::size_t place) const noexcept {
  const auto before = static_cast<double>(as_it_is.replays[place].makespan_ns);
  const auto then = static_cast<double>(trial.replays[place].makespan_ns);
  return before == then ? 1 : ratio(before, then);
}

std::string cut_offs_json(const CutOffs& found) {
  Json json = {{"policy", analysis::policy_name(found.policy)}};
  Json rows = Json::array();
  for (const CutOffTrial& trial : found.trials) {
    for (std::size_t place = 0; place < found.cores.size(); ++place) {
      Json row = {{key_of(found), value_of(found, trial)}};
      row.update(time_json(found, trial, place));
      row["waiting"] = trial.waiting;
      row["whole"] = trial.whole;
      rows.push_back(std::move(row));
    }
  }
  json["rows"] = std::move(rows);
  Json best = Json::array();
  Json as_it_is = Json::array();
  for (std::size_t place = 0; place < found.cores.size(); ++place) {
    const CutOffTrial* const trial = found.best(place);
    Json row = {{key_of(found), trial ? value_of(found, *trial) : Json(nullptr)}};
    row.update(time_json(found, trial ? *trial : found.as_it_is, place));
    best.push_back(std::move(row));
    as_it_is.push_back({{"cores", found.cores[place]},
                        {"tasks", found.as_it_is.tasks},
                        {"makespan_ns", found.as_it_is.replays[place].makespan_ns}});
  }
  json["best"] = std::move(best);
  json["as_it_is"] = std::move(as_it_is);
  json["input"] = found.input;
  json["tasks"] = found.as_it_is.tasks;
  json["work_ns"] = found.work_ns;
  json["span_ns"] = found.span_ns;
  json["replays"] = found.replays;
  return json_text(json);
}

std::string cut_offs_csv(const CutOffs& found) {
  Text text;
  add(text, "{},cores,tasks,makespan_ns,base_ns,speedup\n", key_of(found));
  const auto add_rows = [&](const CutOffTrial& trial, const std::string& value) {
    for (std::size_t place = 0; place < found.cores.size(); ++place)
      add(text, "{},{},{},{},{},{:.9g}\n", value, found.cores[place], trial.tasks, trial.replays[place].makespan_ns,
          found.as_it_is.replays[place].makespan_ns, found.speedup(trial, place));
  };
  add_rows(found.as_it_is, "");
  for (const CutOffTrial& trial : found.trials) add_rows(trial, value_of(found, trial).dump());
  return fmt::to_string(text);
}

}  // namespace foretask::report
