// SPDX-License-Identifier: Apache-2.0
// Charts in SVG: figures of the page, and panels of pictures, which are files of their own. Colours are those of a
// style sheet, by classes, so that in the page they follow the reader's theme. Lengths are pixels; the page scales its
// figures, which are 720 wide.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/figure/axis.hpp"
#include "report/output.hpp"
#include "report/plain_text.hpp"

namespace foretask::report {

// An SVG file of its own, without a script or a font of its own: a title, charts, and their legend below.
class Picture {
 public:
  static constexpr double kWidth = 960;       // pixels, as all lengths
  static constexpr double kMargin = 22;       // left of the charts
  static constexpr double kTitleHeight = 44;  // above the charts
  static constexpr std::size_t kColours = 6;  // of lines, dots, bands and points: size0, size1, ...

  explicit Picture(std::string_view title);

  // Charts add themselves.
  [[nodiscard]] Text& text() noexcept { return text_; }
  void words(double top, std::string_view words);
  // `kind`: as that of a line in a chart; empty: words without a mark.
  void legend(std::string_view kind, std::string_view words);

  // `height`: of the title and the charts.
  void write(double height, Output& output) const;

 private:
  std::string title_;
  Text text_;
  std::string legend_;
  double legend_left_;
  std::size_t legend_lines_ = 0;
};

struct ChartPoint {
  double x = 0;
  double y = 0;
};

// Where a chart is in a picture.
struct Panel {
  double left = 0;
  double top = 0;
  double width = 720;
  double height = 280;
};

class Chart {
 public:
  // In the page. `id` is the figure's, `label` says in a sentence what it shows to those who do not see it.
  Chart(Text& text, std::string_view id, std::string_view label, Axis x, Axis y);
  // In a picture, which has the legend of all its charts.
  Chart(Picture& picture, const Panel& panel, Axis x, Axis y);
  ~Chart();
  Chart(const Chart&) = delete;
  Chart& operator=(const Chart&) = delete;

  // `kind`: a class of the style sheet. A line through one point is a dash.
  void line(std::string_view kind, const std::vector<ChartPoint>& points);
  // Between two lines over the same x; over one x a bar with both its ends.
  void band(std::string_view kind, const std::vector<ChartPoint>& low, const std::vector<ChartPoint>& high);
  // From the axis up.
  void bar(std::string_view kind, double from, double to, double height);
  // From the axis up: the height of each point up to the next one, and that of the last one to the chart's end.
  void steps(std::string_view kind, const std::vector<ChartPoint>& points);
  // Small ones, to the pixel: those at one place are one.
  void dots(std::string_view kind, const std::vector<ChartPoint>& points);
  void point(std::string_view kind, ChartPoint at, std::string_view title);
  // A line of the page's legend, below.
  void legend(std::string_view kind, std::string_view words);

 private:
  void add_axes();
  [[nodiscard]] double right() const;
  [[nodiscard]] double bottom() const;
  [[nodiscard]] double place_x(double x) const;
  [[nodiscard]] double place_y(double y) const;
  [[nodiscard]] std::string path(const std::vector<ChartPoint>& points, bool is_backwards) const;

  Text& text_;
  Panel panel_;
  bool is_figure_;  // of the page
  Axis x_;
  Axis y_;
  std::string legend_;
};

}  // namespace foretask::report
