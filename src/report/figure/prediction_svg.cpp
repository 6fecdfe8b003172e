// SPDX-License-Identifier: Apache-2.0
// The figure of a prediction: time and speedup against the workers. Lengths are pixels.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "report/figure/axis.hpp"
#include "report/plain_text.hpp"
#include "report/predict/prediction.hpp"
#include "report/units.hpp"

namespace foretask::report {
namespace {

using analysis::ProgramPrediction;
using analysis::ProgramRun;

constexpr double kWidth = 960;
constexpr double kHeight = 470;  // with one line of legend
constexpr double kLegendLine = 22;
constexpr double kPanelWidth = 370;
constexpr double kPanelHeight = 310;
constexpr double kTop = 62;
constexpr double kFirstLeft = 84;
constexpr double kSecondLeft = 552;
constexpr std::size_t kMostCurves = 6;
constexpr std::array kColours{"#2060a0", "#c05020", "#308050", "#804090", "#907020", "#505050"};
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

// A logarithmic axis with a place for each value.
struct LogAxis {
  double low = 1;
  double high = 1;
  double from = 0;  // pixels of `low`
  double to = 0;    // pixels of `high`

  void take(double value) {
    if (!(value > 0) || std::isinf(value)) return;
    low = is_empty ? value : std::min(low, value);
    high = is_empty ? value : std::max(high, value);
    is_empty = false;
  }
  void widen(double factor) { low /= factor, high *= factor; }
  [[nodiscard]] double place(double value) const {
    if (!(high > low)) return (from + to) / 2;
    const double share = (std::log(value) - std::log(low)) / (std::log(high) - std::log(low));
    return from + std::clamp(share, 0.0, 1.0) * (to - from);
  }

  [[nodiscard]] std::vector<double> ticks() const { return log_places(low, high); }

  bool is_empty = true;
};

class Figure {
 public:
  Figure(const Prediction& prediction, Output& output)
      : prediction_(prediction), output_(output), curves_(curves_of(prediction)), sizes_(curves_.size()) {
    if (curves_.size() > kMostCurves) curves_.resize(kMostCurves);
    arrange_legend();
  }

  void write() {
    line(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" )", kWidth,
         height());
    line("font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\">\n<title>{0}</title>\n", title());
    line("<rect width=\"{}\" height=\"{}\" fill=\"white\"/>\n", kWidth, height());
    line("<text x=\"{}\" y=\"26\" font-size=\"17\" font-weight=\"bold\">{}</text>\n", kFirstLeft, title());
    panel(kFirstLeft, prediction_.is_in_ns ? "time" : "time (the table's unit)", false);
    panel(kSecondLeft, "speedup: work on one worker / time", true);
    legend();
    output_.write("</svg>\n");
  }

 private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    output_.write(fmt::format(format, std::forward<Args>(args)...));
  }

  [[nodiscard]] std::string title() const {
    return markup_text(fmt::format("{}: predicted by {}",
                                   prediction_.program.empty() ? prediction_.input : prediction_.program,
                                   prediction_.chosen));
  }

  // A time as the panel shows it.
  static double shown(double time, double serial_work, bool is_speedup) {
    return is_speedup ? (time > 0 ? serial_work / time : 0) : time;
  }

  [[nodiscard]] std::string label(double value, bool is_speedup) const {
    return is_speedup || !prediction_.is_in_ns ? fmt::format("{:.4g}", value) : format_ns(value);
  }

  void panel(double left, const char* name, bool is_speedup) {
    LogAxis x, y;
    x.from = left, x.to = left + kPanelWidth;
    y.from = kTop + kPanelHeight, y.to = kTop;
    for (const Curve& curve : curves_) {
      for (const ProgramPrediction& row : curve.rows) {
        x.take(row.p);
        for (const double time : {row.time, row.low, row.high}) y.take(shown(time, row.serial_work, is_speedup));
        if (&curve != &curves_.front()) continue;
        for (const double bound : {row.lower_bound, row.upper_bound}) y.take(shown(bound, row.serial_work, is_speedup));
      }
      for (const ProgramRun& run : curve.runs) {
        x.take(run.p);
        y.take(shown(run.time, run.serial_work, is_speedup));
      }
    }
    y.widen(kMargin);
    const std::vector<double> workers = worker_ticks(x);
    if (x.low == x.high) x.widen(2);
    axes(x, y, workers, left, name, is_speedup);
    if (!curves_.empty()) bounds(curves_.front(), x, y, is_speedup);
    for (std::size_t i = 0; i < curves_.size(); ++i) curve(curves_[i], kColours[i], x, y, is_speedup);
  }

  void axes(const LogAxis& x, const LogAxis& y, const std::vector<double>& workers, double left, const char* name,
            bool is_speedup) {
    for (const double tick : y.ticks()) {
      line("<path d=\"M{} {:.2f}h{}\" stroke=\"#dddddd\"/>", left, y.place(tick), kPanelWidth);
      line("<text x=\"{}\" y=\"{:.2f}\" text-anchor=\"end\">{}</text>\n", left - 7, y.place(tick) + 4.5,
           label(tick, is_speedup));
    }
    for (const double tick : workers) {
      line("<path d=\"M{:.2f} {}v5\" stroke=\"black\"/>", x.place(tick), y.from);
      line("<text x=\"{:.2f}\" y=\"{}\" text-anchor=\"middle\">{:.6g}</text>\n", x.place(tick), y.from + 20, tick);
    }
    line("<path d=\"M{} {}v{}h{}\" fill=\"none\" stroke=\"black\"/>\n", left, kTop, kPanelHeight, kPanelWidth);
    line("<text x=\"{}\" y=\"{}\">{}</text>\n", left, kTop - 10, name);
    line("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">workers</text>\n", left + kPanelWidth / 2, y.from + 40);
  }

  // Powers of two; the least and the most where there are not two.
  static std::vector<double> worker_ticks(const LogAxis& x) {
    std::vector<double> all;
    constexpr std::size_t kMost = 11;
    for (double p = 1; p <= x.high; p *= 2)
      if (p >= x.low) all.push_back(p);
    if (all.size() < 2) return x.low == x.high ? std::vector<double>{x.low} : std::vector<double>{x.low, x.high};
    while (all.size() > kMost) {
      std::vector<double> fewer;
      for (std::size_t i = 0; i < all.size(); i += 2) fewer.push_back(all[i]);
      all = std::move(fewer);
    }
    return all;
  }

  // Of the first size: dashed.
  void bounds(const Curve& curve, const LogAxis& x, const LogAxis& y, bool is_speedup) {
    for (const auto& bound : {&ProgramPrediction::lower_bound, &ProgramPrediction::upper_bound}) {
      std::string path;
      for (const ProgramPrediction& row : curve.rows)
        path += fmt::format("{}{:.2f} {:.2f}", path.empty() ? "M" : "L", x.place(row.p),
                            y.place(shown(row.*bound, row.serial_work, is_speedup)));
      if (curve.rows.size() == 1) path += "m-20 0h40";  // a line of one point is none
      line("<path d=\"{}\" fill=\"none\" stroke=\"#888888\" stroke-dasharray=\"5 4\"/>\n", path);
    }
  }

  void curve(const Curve& curve, const char* colour, const LogAxis& x, const LogAxis& y, bool is_speedup) {
    std::string band, middle, back;
    for (const ProgramPrediction& row : curve.rows) {
      const auto point = [&](double time) {
        return fmt::format("{:.2f} {:.2f}", x.place(row.p), y.place(shown(time, row.serial_work, is_speedup)));
      };
      band += (band.empty() ? "M" : "L") + point(row.high);
      back.insert(0, "L" + point(row.low));
      middle += (middle.empty() ? "M" : "L") + point(row.time);
    }
    if (curve.rows.size() == 1) error_bar(curve.rows.front(), colour, x, y, is_speedup);
    if (curve.rows.size() > 1) line("<path d=\"{}{}Z\" fill=\"{}\" fill-opacity=\"0.18\"/>\n", band, back, colour);
    line("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\"/>\n", middle, colour);
    for (const ProgramPrediction& row : curve.rows)
      line("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"2\" fill=\"{}\"/>\n", x.place(row.p),
           y.place(shown(row.time, row.serial_work, is_speedup)), colour);
    for (const ProgramRun& run : curve.runs) {
      const double value = shown(run.time, run.serial_work, is_speedup);
      if (value > 0)
        line("<path d=\"M{:.2f} {:.2f}m-4 -4l8 8m0 -8l-8 8\" stroke=\"{}\" stroke-width=\"1.5\"/>\n", x.place(run.p),
             y.place(value), colour);
    }
  }

  void error_bar(const ProgramPrediction& row, const char* colour, const LogAxis& x, const LogAxis& y,
                 bool is_speedup) {
    const double middle = x.place(row.p);
    const double one = y.place(shown(row.low, row.serial_work, is_speedup));
    const double other = y.place(shown(row.high, row.serial_work, is_speedup));
    line("<path d=\"M{0:.2f} {1:.2f}V{2:.2f}m-6 0h12M{0:.2f} {1:.2f}m-6 0h12\" fill=\"none\" stroke=\"{3}\"/>\n",
         middle, one, other, colour);
  }

  // One mark and its text; empty marks take no room.
  struct Entry {
    std::string mark;
    std::string text;
    double left = kFirstLeft;
    std::size_t line = 0;
  };

  void arrange_legend() {
    constexpr double kCharacter = 7.2;  // about as wide as that
    constexpr double kMarkWidth = 30;
    constexpr double kGap = 22;
    bool has_runs = false;
    for (std::size_t i = 0; i < curves_.size(); ++i) {
      legend_.push_back({fmt::format("<path d=\"M0 0h24\" stroke=\"{}\" stroke-width=\"1.8\"/>", kColours[i]),
                         size_text(curves_[i].n)});
      has_runs = has_runs || !curves_[i].runs.empty();
    }
    if (curves_.size() < sizes_) legend_.push_back({{}, fmt::format("{} of {} sizes drawn", curves_.size(), sizes_)});
    if (has_runs)
      legend_.push_back({"<path d=\"M8 -4l8 8m0 -8l-8 8\" stroke=\"#333333\" stroke-width=\"1.5\"/>", "measured"});
    legend_.push_back({"<path d=\"M0 -5h24v10h-24Z\" fill=\"#333333\" fill-opacity=\"0.18\"/>", "90 % interval"});
    legend_.push_back({"<path d=\"M0 0h24\" stroke=\"#888888\" stroke-dasharray=\"5 4\"/>",
                       curves_.size() > 1 ? fmt::format("bounds ({})", size_text(curves_.front().n)) : "bounds"});
    double left = kFirstLeft;
    std::size_t line = 0;
    for (Entry& entry : legend_) {
      const double width = (entry.mark.empty() ? 0 : kMarkWidth) + kCharacter * static_cast<double>(entry.text.size());
      if (left > kFirstLeft && left + width > kWidth) {
        left = kFirstLeft;
        ++line;
      }
      entry.left = left;
      entry.line = line;
      left += width + kGap;
    }
  }

  [[nodiscard]] std::string size_text(double n) const { return fmt::format("{} = {:.10g}", prediction_.size_name, n); }

  [[nodiscard]] double height() const { return kHeight + kLegendLine * static_cast<double>(legend_.back().line); }

  void legend() {
    for (const Entry& entry : legend_)
      line("<g transform=\"translate({:.2f} {})\">{}<text x=\"{}\" y=\"4.5\">{}</text></g>\n", entry.left,
           kHeight - 18 + kLegendLine * static_cast<double>(entry.line), entry.mark, entry.mark.empty() ? 0 : 30,
           markup_text(entry.text));
  }

  const Prediction& prediction_;
  Output& output_;
  std::vector<Curve> curves_;  // those drawn
  std::size_t sizes_ = 0;      // those asked
  std::vector<Entry> legend_;
};

}  // namespace

void write_prediction_svg(const Prediction& prediction, Output& output) { Figure(prediction, output).write(); }

}  // namespace foretask::report
