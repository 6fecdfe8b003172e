// SPDX-License-Identifier: Apache-2.0
// An SVG file of its own, without a script or a font of its own: a title, charts, and their legend below.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "report/output.hpp"
#include "report/text.hpp"

namespace foretask::report {

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

}  // namespace foretask::report
