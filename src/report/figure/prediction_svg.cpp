// SPDX-License-Identifier: Apache-2.0
// The picture of a prediction: time and speedup against the workers.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/figure/chart.hpp"
#include "report/predict/prediction.hpp"
#include "report/units.hpp"

namespace foretask::report {
namespace {

using analysis::ProgramPrediction;
using analysis::ProgramRun;

constexpr double kChartWidth = (Picture::kWidth - Picture::kMargin) / 2;
constexpr double kChartHeight = 390;
constexpr double kGap = 8;
constexpr double kMargin = 1.15;  // above and below what is drawn, on a logarithmic axis

// The rows of one size, p ascending, and the runs measured of it.
struct Curve {
  double n = 0;
  std::vector<ProgramPrediction> rows;
  std::vector<ProgramRun> runs;
};

// The sizes in the order asked.
std::vector<Curve> curves_of(const Prediction& prediction) {
  std::vector<Curve> curves;
  for (const ProgramPrediction& row : prediction.rows) {
    auto found = std::find_if(curves.begin(), curves.end(), [&](const Curve& curve) { return curve.n == row.n; });
    if (found == curves.end()) {
      found = curves.insert(curves.end(), Curve{row.n, {}, {}});
    }
    found->rows.push_back(row);
  }
  for (Curve& curve : curves) {
    std::sort(curve.rows.begin(), curve.rows.end(), [](const auto& a, const auto& b) { return a.p < b.p; });
    for (const ProgramRun& run : prediction.runs)
      if (run.n == curve.n) curve.runs.push_back(run);
  }
  return curves;
}

// Powers of two; the least and the most where there are not two.
Axis worker_axis(const Extent& workers) {
  constexpr double kMany = 2048;  // times the least: then the powers of four
  Axis axis{"workers", workers.low, workers.high, {}, true};
  const auto add_tick = [&axis](double p) { axis.ticks.push_back({p, fmt::format("{:.6g}", p)}); };
  for (double p = 1; p <= workers.high; p *= workers.high < kMany * workers.low ? 2 : 4)
    if (p >= workers.low) add_tick(p);
  if (axis.ticks.size() > 1) return axis;
  axis.ticks.clear();
  add_tick(workers.low);
  if (workers.high > workers.low) add_tick(workers.high);
  return axis;
}

Axis value_axis(const std::string& title, const Extent& values, bool is_ns) {
  const double first = values.low / kMargin, last = values.high * kMargin;
  if (is_ns) return log_time_axis(title, first, last);
  Axis axis{title, first, last, {}, true};
  for (const double at : log_places(first, last)) axis.ticks.push_back({at, fmt::format("{:.4g}", at)});
  return axis;
}

// `value`: what is shown of a row or a run, by its time. The bounds are those of the first size.
template <typename Value>
void add_chart(Picture& picture, double left, const std::string& title, bool is_ns, const std::vector<Curve>& curves,
               const Value& value) {
  using Time = double ProgramPrediction::*;
  constexpr Time kBounds[]{&ProgramPrediction::lower_bound, &ProgramPrediction::upper_bound};
  constexpr Time kTimes[]{&ProgramPrediction::low, &ProgramPrediction::high, &ProgramPrediction::time};
  Extent workers, values;
  const auto take = [&](const auto& one, double time) {
    workers.take(one.p);
    values.take(value(one, time));
  };
  for (const Curve& curve : curves) {
    for (const ProgramPrediction& row : curve.rows)
      for (const Time time : kTimes) take(row, row.*time);
    for (const ProgramRun& run : curve.runs) take(run, run.time);
  }
  for (const ProgramPrediction& row : curves.front().rows)
    for (const Time bound : kBounds) take(row, row.*bound);
  Chart chart(picture, {left, Picture::kTitleHeight, kChartWidth, kChartHeight}, worker_axis(workers),
              value_axis(title, values, is_ns));
  const auto points = [&value](const Curve& curve, Time time) {
    std::vector<ChartPoint> all;
    for (const ProgramPrediction& row : curve.rows) all.push_back({row.p, value(row, row.*time)});
    return all;
  };
  for (const Time bound : kBounds) chart.line("bound", points(curves.front(), bound));
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const std::string kind = fmt::format("size{}", i);
    chart.band(kind, points(curves[i], kTimes[0]), points(curves[i], kTimes[1]));
    chart.line(kind, points(curves[i], kTimes[2]));
    chart.dots(kind, points(curves[i], kTimes[2]));
    for (const ProgramRun& run : curves[i].runs)
      if (const double at = value(run, run.time); at > 0)
        chart.point(kind, {run.p, at}, "measured: " + (is_ns ? format_ns(at) : fmt::format("{:.4g}", at)));
  }
}

}  // namespace

void write_prediction_svg(const Prediction& prediction, Output& output) {
  Picture picture(fmt::format("{}: predicted by {}", prediction.program.empty() ? prediction.input : prediction.program,
                              prediction.chosen));
  std::vector<Curve> curves = curves_of(prediction);
  const std::size_t sizes = curves.size();
  curves.resize(std::min(sizes, Picture::kColours));
  const auto size_words = [&](const Curve& curve) {
    return fmt::format("{} = {:.10g}", prediction.size_name, curve.n);
  };
  for (std::size_t i = 0; i < curves.size(); ++i) picture.legend(fmt::format("size{}", i), size_words(curves[i]));
  if (curves.size() < sizes) picture.legend("", fmt::format("{} of {} sizes drawn", curves.size(), sizes));
  if (std::any_of(curves.begin(), curves.end(), [](const Curve& curve) { return !curve.runs.empty(); }))
    picture.legend("measured", "measured");
  picture.legend("interval", "90 % interval");
  picture.legend("bound", curves.size() > 1 ? fmt::format("bounds ({})", size_words(curves.front())) : "bounds");
  if (!curves.empty()) {
    add_chart(picture, Picture::kMargin, prediction.is_in_ns ? "time" : "time (the table's unit)", prediction.is_in_ns,
              curves, [](const auto&, double time) { return time; });
    add_chart(picture, Picture::kMargin + kChartWidth, "speedup: work on one worker / time", false, curves,
              [](const auto& one, double time) { return ratio(one.serial_work, time); });
  }
  picture.write(Picture::kTitleHeight + kChartHeight + kGap, output);
}

}  // namespace foretask::report
