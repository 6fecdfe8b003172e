// SPDX-License-Identifier: Apache-2.0
#include "report/whatif/cut_offs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/json_output.hpp"
#include "report/plain_text.hpp"
#include "report/sentences.hpp"
#include "report/units.hpp"

namespace foretask::report {
namespace {

using analysis::CutOffTrial;

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

// Less is chance.
constexpr double kWorthIt = 1.01;
constexpr double kNear = 1.05;
constexpr std::size_t kColumnsOfCores = 7;  // that fit beside each other

// What one sentence says, of numbers of cores that follow each other.
struct Answer {
  const CutOffTrial* best = nullptr;  // nullptr: no cut-off is worth it
  std::vector<std::size_t> places;    // of the numbers of cores, ascending
};

std::vector<Answer> answers_of(const CutOffs& found) {
  std::vector<Answer> answers;
  for (const std::size_t place : found.places_by_cores()) {
    const CutOffTrial* best = found.best(place);
    if (best && found.speedup(*best, place) < kWorthIt) best = nullptr;
    if (answers.empty() || answers.back().best != best) answers.push_back({best, {}});
    answers.back().places.push_back(place);
  }
  return answers;
}

std::string time_words(const CutOffTrial& trial, std::size_t place) {
  return format_ns(trial.replays[place].makespan_ns);
}

// Those next to the best that take hardly longer, on all of the answer's numbers of cores; empty where there are none.
std::string words_on_others(const CutOffs& found, const Answer& answer) {
  const auto is_near = [&](const CutOffTrial& trial) {
    return std::all_of(answer.places.begin(), answer.places.end(), [&](std::size_t place) {
      return found.speedup(trial, place) >= std::max(kWorthIt, found.speedup(*answer.best, place) / kNear);
    });
  };
  const CutOffTrial* first = answer.best;
  const CutOffTrial* last = answer.best;
  while (first != found.trials.data() && is_near(first[-1])) --first;
  while (last != &found.trials.back() && is_near(last[1])) ++last;
  if (first == last) return {};
  return fmt::format(" Cut-offs from {} to {} do nearly as well.", cut_off_words(first->cut_off),
                     cut_off_words(last->cut_off));
}

std::string sentence(const CutOffs& found, const Answer& answer) {
  std::vector<std::uint32_t> cores;
  for (const std::size_t place : answer.places) cores.push_back(found.cores[place]);
  if (!answer.best) return fmt::format("On {} no cut-off gains 1 %.\n", core_words(cores));
  std::string text = fmt::format("On {} create no task below {}: the program ", core_words(cores),
                                 cut_off_words(answer.best->cut_off));
  double lowest = found.speedup(*answer.best, answer.places.front());
  double highest = lowest;
  for (const std::size_t place : answer.places) {
    lowest = std::min(lowest, found.speedup(*answer.best, place));
    highest = std::max(highest, found.speedup(*answer.best, place));
  }
  if (cores.size() == 1) {
    const std::size_t place = answer.places.front();
    text += fmt::format("takes {} instead of {} ({:.2f} times as fast).", time_words(*answer.best, place),
                        time_words(found.as_it_is, place), highest);
  } else if (highest - lowest < 0.005) {
    text += fmt::format("is {:.2f} times as fast.", highest);
  } else {
    text += fmt::format("is {:.2f} to {:.2f} times as fast.", lowest, highest);
  }
  return text + words_on_others(found, answer) + "\n";
}

void add_row(Text& text, const CutOffs& found, const CutOffTrial& trial, std::size_t first, std::size_t end) {
  const bool is_as_it_is = &trial == &found.as_it_is;
  add(text, "  {:>10}  {:>13}", is_as_it_is ? "as it is" : cut_off_words(trial.cut_off), format_count(trial.tasks));
  for (std::size_t place = first; place < end; ++place) {
    const CutOffTrial* const best = found.best(place);
    const bool is_best = best ? best == &trial : is_as_it_is;
    add(text, "  {:>11}", (is_best ? "*" : "") + time_words(trial, place));
  }
  add(text, "\n");
}

// As many numbers of cores beside each other as there is room for.
std::string table(const CutOffs& found) {
  Text text;
  for (std::size_t first = 0; first < found.cores.size(); first += kColumnsOfCores) {
    const std::size_t end = std::min(first + kColumnsOfCores, found.cores.size());
    add(text, "\n  {:>10}  {:>13}", "cut-off", "tasks");
    for (std::size_t place = first; place < end; ++place) add(text, "  {:>11}", core_words({found.cores[place]}));
    add(text, "\n");
    add_row(text, found, found.as_it_is, first, end);
    for (const CutOffTrial& trial : found.trials) add_row(text, found, trial, first, end);
  }
  return fmt::to_string(text);
}

// The most of any cut-off.
std::string words_on_tasks_that_stay(const CutOffs& found) {
  std::uint64_t waiting = 0;
  std::uint64_t whole = 0;
  for (const CutOffTrial& trial : found.trials) {
    waiting = std::max(waiting, trial.waiting);
    whole = std::max(whole, trial.whole);
  }
  std::string text;
  if (waiting != 0)
    text += fmt::format(
        "Of those below a cut-off up to {}: they depend on tasks that are left, and a call does not wait; or the "
        "runtime creates them.\n",
        format_count(waiting, "stays a task", "stay tasks"));
  if (whole != 0)
    text += fmt::format(
        "Of those below a cut-off up to {}: they detach a task, or open a parallel region of several threads.\n",
        format_count(whole, "stays a task", "stay tasks"));
  return text;
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

std::string cut_offs_json(const CutOffs& one) {
  Json json = {{"policy", analysis::policy_name(one.policy)}};
  Json& rows = json["rows"] = Json::array();
  for (const CutOffTrial& trial : one.trials) {
    for (std::size_t place = 0; place < one.cores.size(); ++place) {
      Json& row = rows.emplace_back(Json{{key_of(one), value_of(one, trial)}});
      row.update(time_json(one, trial, place));
      row["waiting"] = trial.waiting;
      row["whole"] = trial.whole;
    }
  }
  json["best"] = Json::array();
  json["as_it_is"] = Json::array();
  for (std::size_t place = 0; place < one.cores.size(); ++place) {
    const CutOffTrial* const trial = one.best(place);
    Json row = {{key_of(one), trial ? value_of(one, *trial) : Json(nullptr)}};
    row.update(time_json(one, trial ? *trial : one.as_it_is, place));
    json["best"].push_back(std::move(row));
    json["as_it_is"].push_back({{"cores", one.cores[place]},
                                {"tasks", one.as_it_is.tasks},
                                {"makespan_ns", one.as_it_is.replays[place].makespan_ns}});
  }
  FORETASK_ADD_JSON_FIELDS(input)
  json["tasks"] = one.as_it_is.tasks;
  FORETASK_ADD_JSON_FIELDS(work_ns, span_ns, replays)
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

std::string cut_offs_text(const CutOffs& found) {
  std::string text;
  if (found.trials.empty()) text = "No cut-off is worth a try: the program has no task that is small enough.\n";
  for (const Answer& answer : found.trials.empty() ? std::vector<Answer>{} : answers_of(found))
    text += sentence(found, answer);
  text += fmt::format("\n{}: {}; work {}, critical path {}, policy {}\n", found.input, found.contents,
                      format_ns(found.work_ns), format_ns(found.span_ns), analysis::policy_name(found.policy));
  if (found.trials.empty()) return text;
  text += table(found);
  text += found.is_depth
              ? "cut-off: deeper tasks become plain calls. Depth 1 are the tasks that no other task creates.\n"
              : "cut-off: a task becomes a plain call if it and all its descendants together take less.\n";
  text +=
      "tasks: those that are left. *: the shortest time on so many cores.\n"
      "A plain call runs where the task was created. It takes as long as the task did, and nothing is paid for "
      "creating, starting and waiting. Serial code of its own, as many programs have below their cut-off, may be "
      "faster "
      "still.\n";
  if (found.replays > 1) text += fmt::format("Times are medians of up to {} replays.\n", found.replays);
  return text + words_on_tasks_that_stay(found) + assumed_even_words(found.assumed_even);
}

}  // namespace foretask::report
