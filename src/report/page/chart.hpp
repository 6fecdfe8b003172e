// SPDX-License-Identifier: Apache-2.0
// Figures within the page: SVG whose colours are the page's, by classes, so that they follow the reader's theme.
// Lengths are pixels of a figure 720 wide, which the page scales.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/figure/axis.hpp"
#include "report/text.hpp"

namespace foretask::report {

struct ChartPoint {
  double x = 0;
  double y = 0;
};

// Straight axes from 0, or a logarithmic one along the bottom.
class Chart {
 public:
  struct Axis {
    std::string title;
    double first = 0;
    double last = 1;
    std::vector<Tick> ticks;
    bool is_logarithmic = false;  // then `first` is above 0
  };

  // `id` is the figure's, `label` says in a sentence what it shows to those who do not see it.
  Chart(Text& text, std::string_view id, std::string_view label, Axis x, Axis y);
  ~Chart();
  Chart(const Chart&) = delete;
  Chart& operator=(const Chart&) = delete;

  // `kind`: a class of the style sheet.
  void line(std::string_view kind, const std::vector<ChartPoint>& points);
  // Between two lines over the same x.
  void band(std::string_view kind, const std::vector<ChartPoint>& low, const std::vector<ChartPoint>& high);
  // From the axis up.
  void bar(std::string_view kind, double from, double to, double height);
  // Small ones, to the pixel: those at one place are one.
  void dots(std::string_view kind, const std::vector<ChartPoint>& points);
  void point(std::string_view kind, ChartPoint at, std::string_view title);
  // A line of the legend, below.
  void legend(std::string_view kind, std::string_view words);

 private:
  [[nodiscard]] double place_x(double x) const;
  [[nodiscard]] double place_y(double y) const;
  [[nodiscard]] std::string path(const std::vector<ChartPoint>& points, bool is_backwards) const;

  Text& text_;
  Axis x_;
  Axis y_;
  std::string legend_;
};

}  // namespace foretask::report
