// SPDX-License-Identifier: Apache-2.0
#include "report/whatif/loop_schedules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/csv_field.hpp"
#include "base/region_name.hpp"
#include "report/json_output.hpp"
#include "report/plain_text.hpp"
#include "report/simulate/json_parts.hpp"
#include "report/units.hpp"

namespace foretask::analysis {

static void to_json(report::Json& json, const TriedSchedule& one) {
  json["schedule"] = schedule_name(one.schedule, one.chunk);
  FORETASK_ADD_JSON_FIELDS(loop_ns)
}

}  // namespace foretask::analysis

namespace foretask::report {

FORETASK_JSON_FIELDS(ScheduledLoop, name, schedule, work_ns, share)

static void to_json(Json& json, const ReplayGain& one) {
  FORETASK_ADD_JSON_FIELDS(cores, base_ns, makespan_ns)
  json["speedup"] = one.speedup();
}

namespace {

constexpr double kWorthIt = 1.01;

Json row_json(const LoopSchedules& found, const ScheduleRow& row) {
  Json json = {{"loop", found.loops[row.loop].name}, {"schedule", found.loops[row.loop].schedule}};
  json["best"] = row.best();
  json.update(Json(row.program));
  const analysis::ScheduleTrial& one = row.trial;
  FORETASK_ADD_JSON_FIELDS(loop_ns, unseen, tried)
  return json;
}

constexpr std::size_t kMostRows = 25;
constexpr std::size_t kMostNamed = 3;
// A share of a loop's time that is worth a word.
constexpr double kMuchUnseen = 0.05;

std::string percent(double gain) { return fmt::format("{:.1f} %", in_percent(gain)); }

// What one sentence says, of numbers of cores that follow each other.
struct Answer {
  std::vector<std::uint32_t> cores;      // ascending
  std::vector<const ScheduleRow*> best;  // on the first of them, most gain first
  double lowest = 0;                     // gain of all of `best` together
  double highest = 0;
  bool is_seen = true;  // the recording shows how iterations of the loops concerned differ
};

bool is_same(const Answer& a, const Answer& b) {
  return std::equal(a.best.begin(), a.best.end(), b.best.begin(), b.best.end(),
                    [](const auto* x, const auto* y) { return x->loop == y->loop && x->best() == y->best(); });
}

Answer answer_on(const LoopSchedules& found, std::size_t place) {
  Answer answer{.cores = {found.cores[place]}};
  for (std::size_t loop = 0; loop < found.loops.size(); ++loop)
    if (found.row(loop, place).is_worth_it()) answer.best.push_back(&found.row(loop, place));
  std::stable_sort(answer.best.begin(), answer.best.end(),
                   [](const auto* a, const auto* b) { return a->program.gain() > b->program.gain(); });
  if (answer.best.size() == 1) answer.lowest = answer.best.front()->program.gain();
  if (answer.best.size() > 1) answer.lowest = found.together[place].gain();
  answer.highest = answer.lowest;
  for (std::size_t loop = 0; loop < found.loops.size(); ++loop) {
    const ScheduleRow& row = found.row(loop, place);
    const bool counts = answer.best.empty() || row.is_worth_it();
    answer.is_seen = answer.is_seen && !(counts && row.trial.unseen >= kMuchUnseen);
  }
  return answer;
}

std::vector<Answer> answers_of(const LoopSchedules& found) {
  std::vector<Answer> answers;
  for (const std::size_t place : found.places_by_cores()) {
    Answer next = answer_on(found, place);
    if (answers.empty() || !is_same(answers.back(), next)) {
      answers.push_back(std::move(next));
      continue;
    }
    Answer& group = answers.back();
    group.cores.push_back(next.cores.front());
    group.lowest = std::min(group.lowest, next.lowest);
    group.highest = std::max(group.highest, next.highest);
    group.is_seen = group.is_seen && next.is_seen;
  }
  return answers;
}

std::string sentence(const LoopSchedules& found, const Answer& answer) {
  const char* const end = answer.is_seen ? ".\n" : ", as far as the recording shows.\n";
  if (answer.best.empty()) return fmt::format("On {} no other schedule gains 1 %{}", core_words(answer.cores), end);
  std::string text = fmt::format("On {} use", core_words(answer.cores));
  for (std::size_t i = 0; i < std::min(kMostNamed, answer.best.size()); ++i)
    text += fmt::format("{} schedule({}) for {}", i == 0 ? "" : ",", answer.best[i]->best(),
                        one_line(found.loops[answer.best[i]->loop].name));
  if (answer.best.size() > kMostNamed) text += fmt::format(" and others for {} more", answer.best.size() - kMostNamed);
  const std::string gain = answer.highest - answer.lowest < 0.001
                               ? percent(answer.highest)
                               : fmt::format("{:.1f} to {}", in_percent(answer.lowest), percent(answer.highest));
  return text + fmt::format(": the program gains {}{}", gain, end);
}

std::string table(const LoopSchedules& found) {
  std::vector<const ScheduleRow*> rows;
  for (const ScheduleRow& row : found.rows) rows.push_back(&row);
  if (rows.size() > kMostRows) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto* a, const auto* b) { return a->program.gain() > b->program.gain(); });
    rows.resize(kMostRows);
  }
  Text text;
  add(text, "{:>7}  {:<12}  {:<12}  {:>10}  {:>10}  {:>8}  {}\n", "cores", "now", "best", "time now", "then", "gain",
      "loop");
  for (const ScheduleRow* row : rows)
    add(text, "{:>7}  {:<12}  {:<12}  {:>10}  {:>10}  {:>8}  {}\n", row->program.cores, found.loops[row->loop].schedule,
        row->best(), format_ns(row->program.base_ns), format_ns(row->program.makespan_ns), percent(row->program.gain()),
        one_line(found.loops[row->loop].name));
  for (const ReplayGain& all : found.together)
    add(text, "{:>7}  {:<12}  {:<12}  {:>10}  {:>10}  {:>8}  {}\n", all.cores, "", "", format_ns(all.base_ns),
        format_ns(all.makespan_ns), percent(all.gain()), "all of them");
  if (rows.size() < found.rows.size())
    add(text, "({} more rows gain less. --json and --csv list them.)\n", found.rows.size() - rows.size());
  return fmt::to_string(text);
}

std::string words_on_chunks(const LoopSchedules& found) {
  if (found.chunk_ns.empty()) return "Handing out chunks costs nothing here";
  const auto [least, most] = std::minmax_element(found.chunk_ns.begin(), found.chunk_ns.end());
  const std::string highest = format_ns(*most);
  return fmt::format("Handing out a chunk of a dynamic or guided loop takes a thread {}, as calibrated",
                     *least == *most ? highest : format_ns(*least) + " to " + highest);
}

// What the recording does not show of the loops, and which one would.
std::string doubts(const LoopSchedules& found) {
  std::string text;
  std::vector<std::string> unsure;
  double most = 0;
  for (std::size_t loop = 0; loop < found.loops.size(); ++loop) {
    double unseen = 0;
    for (std::size_t place = 0; place < found.cores.size(); ++place)
      unseen = std::max(unseen, found.row(loop, place).trial.unseen);
    if (unseen < kMuchUnseen) continue;
    unsure.push_back(one_line(found.loops[loop].name));
    most = std::max(most, unseen);
  }
  if (!unsure.empty())
    text += fmt::format(
        "Not certain: {}{} of the time of {} was recorded in long pieces. How iterations differ within one is a "
        "guess.\n",
        unsure.size() > 1 ? "up to " : "", format_share(most), fmt::join(unsure, ", "));
  for (const std::string& name : found.left_alone)
    text +=
        fmt::format("Left as it is: {}. Its iterations were not seen, or a replay cannot divide it.\n", one_line(name));
  if (!text.empty())
    text +=
        "To see iterations one by one, record the loop under schedule(dynamic,1). Where it has schedule(runtime), set "
        "OMP_SCHEDULE=dynamic,1. Give further recordings, of other numbers of threads too, by --with.\n";
  return text;
}

}  // namespace

std::string ScheduleRow::best() const {
  const analysis::TriedSchedule& one = trial.tried[trial.best];
  return analysis::schedule_name(one.schedule, one.chunk);
}

bool ScheduleRow::is_worth_it() const noexcept {
  return program.speedup() >= kWorthIt && trial.loop_ns >= kWorthIt * trial.tried[trial.best].loop_ns;
}

std::vector<std::string> loops_left_alone(const analysis::Report& report, double share,
                                          const std::vector<ScheduledLoop>& tried) {
  std::vector<std::string> names;
  for (const analysis::LoopSummary& loop : report.loops) {
    const bool is_little = loop.work_ns < share * report.work_ns;
    const bool is_tried =
        std::any_of(tried.begin(), tried.end(), [&](const ScheduledLoop& one) { return one.name == loop.name; });
    if (!is_little && !is_tried && !loop.name.ends_with(base::kSectionsSuffix)) names.push_back(loop.name);
  }
  return names;
}

std::string loop_schedules_json(const LoopSchedules& one) {
  Json json = {{"policy", analysis::policy_name(one.policy)}};
  Json& rows = json["schedules"] = Json::array();
  for (const ScheduleRow& row : one.rows) rows.push_back(row_json(one, row));
  FORETASK_ADD_JSON_FIELDS(together, loops, left_alone, input, tasks, work_ns, span_ns, replays, chunk_ns)
  if (!one.pooled.empty()) json["with"] = one.pooled;
  return json_text(json);
}

std::string loop_schedules_csv(const LoopSchedules& found) {
  Text text;
  add(text, "loop,schedule,cores,best,base_ns,makespan_ns,speedup,unseen\n");
  for (const ScheduleRow& row : found.rows)
    add(text, "{},{},{},{},{},{},{:.9g},{:.9g}\n", base::csv_field(found.loops[row.loop].name),
        base::csv_field(found.loops[row.loop].schedule), row.program.cores, base::csv_field(row.best()),
        row.program.base_ns, row.program.makespan_ns, row.program.speedup(), row.trial.unseen);
  return fmt::to_string(text);
}

std::string loop_schedules_text(const LoopSchedules& found) {
  std::string text;
  if (found.rows.empty())
    text = found.left_alone.empty() ? "There is no loop to change: none with 1 % of the work has a schedule.\n"
                                    : "No loop was seen whose schedule could be tried: GCC's static loops call no "
                                      "runtime. Try schedule(dynamic) "
                                      "or schedule(guided) in the program, and record that.\n";
  for (const Answer& answer : found.rows.empty() ? std::vector<Answer>{} : answers_of(found))
    text += sentence(found, answer);
  text += fmt::format("\n{}: work {}, critical path {}, policy {}\n", found.input, format_ns(found.work_ns),
                      format_ns(found.span_ns), analysis::policy_name(found.policy));
  if (!found.rows.empty())
    text += fmt::format(
        "\n{}\ntime: of the program. A gain of 25 % means: 1.25 times as fast as before, on the same cores.\n"
        "best: the simplest schedule within 1 % of the fastest, with as large chunks as possible.\n"
        "{}, and an iteration takes the same time on any thread.\n",
        table(found), words_on_chunks(found));
  if (found.replays > 1) text += fmt::format("Times are medians of {} replays.\n", found.replays);
  return text + doubts(found) + assumed_even_words(found.assumed_even) + pooled_words(found.pooled);
}

}  // namespace foretask::report
