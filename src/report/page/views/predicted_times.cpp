// SPDX-License-Identifier: Apache-2.0
#include "report/page/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/figure/axis.hpp"
#include "report/figure/chart.hpp"
#include "report/page/parts.hpp"
#include "report/page/views.hpp"
#include "report/units.hpp"
#include "statistics/quantile.hpp"

namespace foretask::report {
namespace {

using analysis::MakespanSample;
using analysis::ProgramPrediction;
using analysis::ProgramRun;

constexpr std::size_t kMostCurves = 6;

std::string size_words(const PredictedTimes& predicted, double n) {
  return fmt::format("{} = {:.10g}", predicted.size_name, n);
}

void add_curves(Text& text, const PredictedTimes& predicted) {
  const std::vector<std::size_t> drawn = even_choice(predicted.sizes.size(), kMostCurves);
  Extent times;
  for (const std::size_t size : drawn)
    for (std::size_t core = 0; core < predicted.cores.size(); ++core) times.take(predicted.at(size, core).time);
  for (const ProgramRun& run : predicted.runs) times.take(run.time);
  Chart chart(text, "predicted-figure", "Predicted and measured times against the number of cores, a curve a size",
              core_axis(predicted.cores), log_time_axis("time", times.low / 1.15, times.high * 1.15));
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const double n = predicted.sizes[drawn[i]];
    std::vector<ChartPoint> known, beyond;
    for (std::size_t core = 0; core < predicted.cores.size(); ++core) {
      const ChartPoint point{predicted.cores[core], predicted.at(drawn[i], core).time};
      const bool is_beyond = is_extrapolated(predicted, n, point.x);
      if (is_beyond && beyond.empty() && !known.empty()) beyond.push_back(known.back());
      (is_beyond ? beyond : known).push_back(point);
    }
    const std::string kind = fmt::format("size{}", i);
    chart.line(kind, known);
    chart.line(kind + " beyond", beyond);
    for (const ProgramRun& run : predicted.runs)
      if (run.n == n)
        chart.point(
            "measured", {run.p, run.time},
            fmt::format("measured: {}, {:.6g} cores, {}", size_words(predicted, n), run.p, format_ns(run.time)));
    chart.legend(kind, size_words(predicted, n));
  }
  chart.legend("size0 beyond", "pale: extrapolated");
}

// n upwards, p to the right; darker: longer.
void add_heat_map(Text& text, const PredictedTimes& predicted) {
  constexpr double kWidth = 720, kLeft = 112, kRow = 32, kBottom = 44;
  constexpr double kFaintest = 0.04, kDarkest = 0.5;  // the text stays readable
  const std::size_t rows = predicted.sizes.size();
  const double width = (kWidth - kLeft) / static_cast<double>(predicted.cores.size());
  Extent times;
  for (const ProgramPrediction& cell : predicted.cells) times.take(cell.time);
  const double range = std::log(times.high / times.low);
  const double height = static_cast<double>(rows) * kRow;
  add(text, "<figure id=\"predicted-map\"><svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n", kWidth,
      height + kBottom, "Predicted time by size and number of cores; extrapolated cells are hatched");
  for (std::size_t row = 0; row < rows; ++row) {
    const double top = height - static_cast<double>(row + 1) * kRow;
    add(text, "<text class=\"end\" x=\"{}\" y=\"{}\">{}</text>\n", kLeft - 6, top + kRow / 2 + 4,
        fmt::format("{:.10g}", predicted.sizes[row]));
    for (std::size_t column = 0; column < predicted.cores.size(); ++column) {
      const ProgramPrediction& cell = predicted.at(row, column);
      const double left = kLeft + static_cast<double>(column) * width;
      const double share = range > 0 && cell.time > 0 ? std::log(cell.time / times.low) / range : 0;
      add(text, "<rect class=\"cell\" x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" fill-opacity=\"{:.2f}\"/>",
          left, top, width, kRow, kFaintest + (kDarkest - kFaintest) * share);
      if (is_extrapolated(predicted, predicted.sizes[row], predicted.cores[column])) {
        add(text, "<path class=\"hatch\" d=\"");
        for (double x = 0; x + 8 <= width; x += 8) add(text, "M{:.1f} {}l8 {}", left + x, top + kRow, -kRow);
        add(text, "\"/>");
      }
      add(text, "<text class=\"middle over\" x=\"{:.1f}\" y=\"{}\">{}</text>\n", left + width / 2, top + kRow / 2 + 4,
          format_ns(cell.time));
    }
  }
  add(text, "<text class=\"end\" x=\"{}\" y=\"{}\">{}</text>\n", kLeft - 6, height + 18,
      markup_text(predicted.size_name));
  for (std::size_t column = 0; column < predicted.cores.size(); ++column)
    add(text, "<text class=\"middle\" x=\"{:.1f}\" y=\"{}\">{:.6g}</text>\n",
        kLeft + (static_cast<double>(column) + 0.5) * width, height + 18, predicted.cores[column]);
  add(text, "<text class=\"middle\" x=\"{}\" y=\"{}\">cores</text>\n", (kLeft + kWidth) / 2, height + kBottom - 6);
  add(text, "</svg>\n<figcaption>Predicted time; darker is longer, hatched is extrapolated.</figcaption></figure>\n");
}

void add_predicted_table(Text& text, const PredictedTimes& predicted) {
  Table table(text, "Predicted times",
              {predicted.size_name, "cores", "time", "90 % from", "to", "measured (median)", "extrapolated"},
              Shown::kOnDemand);
  for (const ProgramPrediction& cell : predicted.cells) {
    std::vector<double> measured;
    for (const ProgramRun& run : predicted.runs)
      if (run.n == cell.n && run.p == cell.p) measured.push_back(run.time);
    const double median = statistics::median(measured);  // 0 of none
    table.row({{fmt::format("{:.10g}", cell.n), cell.n},
               {fmt::format("{:.6g}", cell.p), cell.p},
               ns_cell(cell.time),
               ns_cell(cell.low),
               ns_cell(cell.high),
               {measured.empty() ? "-" : format_ns(median), median},
               is_extrapolated(predicted, cell.n, cell.p) ? "yes" : "no"});
  }
}

void add_times(Text& text, const PredictedTimes& predicted) {
  add(text, "<h3>Other input sizes and numbers of cores</h3>\n");
  if (predicted.sizes.empty()) {
    add_paragraph(text, predicted.reason);
    return;
  }
  std::string words =
      fmt::format("From {}, by the model \"{}\" of foretask predict.", predicted.from, predicted.model.name);
  if (std::isfinite(predicted.model.holdout_error))
    words += fmt::format(" It predicted the largest runs from the others with an error of {}.",
                         format_share(predicted.model.holdout_error));
  add_paragraph(text, words);
  add_curves(text, predicted);
  add_heat_map(text, predicted);
  add_predicted_table(text, predicted);
  for (const std::string& warning : predicted.warnings) add_paragraph(text, "Note: " + warning + ".");
}

// Against the median: on few cores and on many they are told apart alike.
void add_spread(Text& text, const Makespans& spans) {
  std::vector<double> cores;
  std::vector<ChartPoint> q05, q25, q50, q75, q95;
  double low = 1, high = 1;
  for (std::size_t i = 0; i < spans.cores.size(); ++i) {
    const MakespanSample& sample = spans.samples[i];
    const double x = spans.cores[i];
    const auto relative = [&sample](std::size_t at) {
      return ratio(sample.quantiles_ns[at], sample.quantiles_ns[kQ50]);
    };
    cores.push_back(x);
    q05.push_back({x, relative(kQ05)});
    q25.push_back({x, relative(kQ25)});
    q50.push_back({x, 1});
    q75.push_back({x, relative(kQ75)});
    q95.push_back({x, relative(kQ95)});
    low = std::min(low, q05.back().y);
    high = std::max(high, q95.back().y);
  }
  const double margin = std::max(0.1 * (high - low), 1e-4);
  low -= margin, high += margin;
  std::vector<Tick> ticks{{1, "0"}};
  for (const double at : {low + margin, high - margin})
    if (std::abs(at - 1) > 0.1 * (high - low)) ticks.push_back({at, fmt::format("{:+.2g}", 100 * (at - 1))});
  Chart chart(text, "makespans-figure", "Quantiles of the replayed times against the number of cores", core_axis(cores),
              {"time / median - 1 (%)", low, high, ticks, false});
  chart.band("replay", q05, q95);
  chart.band("half", q25, q75);
  chart.line("replay", q50);
  chart.legend("replay", "median; the pale band has 90 % of the replays, the dark one half of them");
}

void add_makespans(Text& text, const Makespans& spans) {
  add(text, "<h3>How far runs may differ</h3>\n");
  if (spans.cores.empty()) {
    add_paragraph(text, spans.reason);
    return;
  }
  std::string words = fmt::format(
      "{} on each number of cores, each with task times drawn from similar tasks. That is what task times and stealing "
      "alone do: whole runs differ by more.",
      format_count(spans.replays, "replay", "replays"));
  if (spans.kept != 0)
    words += fmt::format(" {} of {} have no similar task and keep their own times.", format_count(spans.kept),
                         format_count(spans.tasks, "task", "tasks"));
  add_paragraph(text, words);
  if (spans.cores.size() > 1) add_spread(text, spans);
  Table table(text, "Replayed times by cores", {"cores", "5 %", "25 %", "median", "75 %", "95 %", "standard deviation"},
              spans.cores.size() > 1 ? Shown::kOnDemand : Shown::kAlways);
  for (std::size_t i = 0; i < spans.cores.size(); ++i) {
    const MakespanSample& sample = spans.samples[i];
    std::vector<Cell> cells{count_cell(spans.cores[i])};
    for (const std::size_t at : {kQ05, kQ25, kQ50, kQ75, kQ95})
      cells.emplace_back(format_ns(sample.quantiles_ns[at]), sample.quantiles_ns[at]);
    cells.emplace_back(format_ns(sample.sd_ns), sample.sd_ns);
    table.row(cells);
  }
}

}  // namespace

void add_predicted_times(Text& text, const PageContent& content) {
  const bool has_times = !content.predicted.sizes.empty() || !content.predicted.reason.empty();
  const bool has_spread = !content.makespans.cores.empty() || !content.makespans.reason.empty();
  if (!has_times && !has_spread) return;
  const View view(text, "predicted", "Other runs",
                  "What other runs of the program would take: other input sizes and numbers of cores, from several "
                  "recorded runs; and how far runs of this input may differ.");
  if (has_times) add_times(text, content.predicted);
  if (has_spread) add_makespans(text, content.makespans);
}

}  // namespace foretask::report
