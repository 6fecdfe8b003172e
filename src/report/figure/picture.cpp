// SPDX-License-Identifier: Apache-2.0
#include "report/figure/picture.hpp"

#include <fmt/format.h>

#include <array>

#include "report/plain_text.hpp"

namespace foretask::report {
namespace {

constexpr double kLeft = Picture::kMargin + 2;  // as the titles of charts' vertical axes
constexpr double kLegendLine = 22;
constexpr std::array<const char*, Picture::kColours> kLineColours{"#2060a0", "#c05020", "#308050",
                                                                  "#804090", "#907020", "#505050"};
constexpr std::string_view kStyle = R"(<style>
text { font: 13px Helvetica, Arial, sans-serif; } .title { font-size: 17px; font-weight: bold; }
.end { text-anchor: end; } .middle { text-anchor: middle; }
.grid { stroke: #ddd; fill: none; } .axis { stroke: #000; fill: none; }
.line { fill: none; stroke: #333; stroke-width: 1.8; }
.line.bound { stroke: #888; stroke-width: 1; stroke-dasharray: 5 4; }
.line.ended { stroke: #b03030; stroke-width: 1; stroke-dasharray: 4 3; }
.line.interval { stroke-opacity: .18; stroke-width: 10; }
.line.measured { stroke-width: 10; stroke-linecap: round; stroke-dasharray: 0 24; stroke-dashoffset: -12; }
.dots { fill: none; stroke-width: 4; stroke-linecap: round; } .point { stroke: #fff; }
.band { fill-opacity: .18; } .band.mean { fill: #4878a8; fill-opacity: 1; } .band.most { fill: #bcd0e4; fill-opacity: 1; }
)";

}  // namespace

Picture::Picture(std::string_view title) : title_(markup_text(title)), legend_left_(kLeft) {}

void Picture::words(double top, std::string_view words) {
  add(text_, "<text x=\"{}\" y=\"{}\">{}</text>\n", kLeft, top, markup_text(words));
}

void Picture::legend(std::string_view kind, std::string_view words) {
  constexpr double kLetterWidth = 7.2;  // about as wide as that
  constexpr double kGap = 22;
  const double words_left = kind.empty() ? 0 : 30;
  const double width = words_left + kLetterWidth * static_cast<double>(width_of(words));
  if (legend_lines_ == 0 || legend_left_ + width > kWidth) {
    legend_left_ = kLeft;
    ++legend_lines_;
  }
  legend_ += fmt::format("<g transform=\"translate({:.1f} {})\">", legend_left_,
                         kLegendLine * (static_cast<double>(legend_lines_) - 0.5));
  if (!kind.empty()) legend_ += fmt::format("<path class=\"line {}\" d=\"M0 0H24\"/>", kind);
  legend_ += fmt::format("<text x=\"{}\" y=\"4.5\">{}</text></g>\n", words_left, markup_text(words));
  legend_left_ += width + kGap;
}

void Picture::write(double height, Output& output) const {
  Text head;
  const double whole = height + kLegendLine * static_cast<double>(legend_lines_);
  add(head, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n", kWidth,
      whole);
  add(head, "<title>{}</title>\n{}", title_, kStyle);
  for (std::size_t i = 0; i < kColours; ++i)
    add(head, ".line.size{0}, .dots.size{0} {{ stroke: {1}; }} .band.size{0}, .point.size{0} {{ fill: {1}; }}\n", i,
        kLineColours[i]);
  add(head, "</style>\n<rect width=\"{}\" height=\"{}\" fill=\"white\"/>\n", kWidth, whole);
  add(head, "<text class=\"title\" x=\"{}\" y=\"28\">{}</text>\n", kLeft, title_);
  output.write({head.data(), head.size()});
  output.write({text_.data(), text_.size()});
  output.write(fmt::format("<g transform=\"translate(0 {})\">\n{}</g>\n</svg>\n", height, legend_));
}

}  // namespace foretask::report
