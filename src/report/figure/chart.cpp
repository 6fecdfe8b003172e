// SPDX-License-Identifier: Apache-2.0
#include "report/figure/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "report/plain_text.hpp"

namespace foretask::report {
namespace {

constexpr double kTitleLeft = Picture::kMargin + 2;  // as the titles of charts' vertical axes
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

constexpr double kLeft = 90;
constexpr double kRight = 30;
constexpr double kTop = 30;
constexpr double kBottom = 52;
constexpr std::size_t kTicksInNarrow = 6;

double share_of(const Axis& axis, double value) {
  if (!(axis.last > axis.first)) return 0.5;
  const double share = axis.is_logarithmic ? std::log(value / axis.first) / std::log(axis.last / axis.first)
                                           : (value - axis.first) / (axis.last - axis.first);
  return std::clamp(share, 0.0, 1.0);
}

}  // namespace

Picture::Picture(std::string_view title) : title_(markup_text(title)), legend_left_(kTitleLeft) {}

void Picture::words(double top, std::string_view words) {
  add(text_, "<text x=\"{}\" y=\"{}\">{}</text>\n", kTitleLeft, top, markup_text(words));
}

void Picture::legend(std::string_view kind, std::string_view words) {
  constexpr double kLetterWidth = 7.2;  // about as wide as that
  constexpr double kGap = 22;
  const double words_left = kind.empty() ? 0 : 30;
  const double width = words_left + kLetterWidth * static_cast<double>(width_of(words));
  if (legend_lines_ == 0 || legend_left_ + width > kWidth) {
    legend_left_ = kTitleLeft;
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
  add(head, "<text class=\"title\" x=\"{}\" y=\"28\">{}</text>\n", kTitleLeft, title_);
  output.write({head.data(), head.size()});
  output.write({text_.data(), text_.size()});
  output.write(fmt::format("<g transform=\"translate(0 {})\">\n{}</g>\n</svg>\n", height, legend_));
}

Chart::Chart(Text& text, std::string_view id, std::string_view label, Axis x, Axis y)
    : text_(text), is_figure_(true), x_(std::move(x)), y_(std::move(y)) {
  // The script draws into it by these: the frame's left, top, right and bottom, and the axes' ends.
  add(text_,
      "<figure id=\"{}\"><svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\" data-frame=\"{} {} {} {}\" "
      "data-x=\"{} {}\" data-y=\"{} {}\">\n",
      id, panel_.width, panel_.height, markup_text(label), kLeft, kTop, right(), bottom(), x_.first, x_.last, y_.first,
      y_.last);
  add_axes();
}

Chart::Chart(Picture& picture, const Panel& panel, Axis x, Axis y)
    : text_(picture.text()), panel_(panel), is_figure_(false), x_(std::move(x)), y_(std::move(y)) {
  add(text_, "<g transform=\"translate({} {})\">\n", panel.left, panel.top);
  add_axes();
}

Chart::~Chart() {
  if (!is_figure_) {
    add(text_, "</g>\n");
    return;
  }
  add(text_, "</svg>\n");
  if (!legend_.empty()) add(text_, "<figcaption>{}</figcaption>\n", legend_);
  add(text_, "</figure>\n");
}

void Chart::add_axes() {
  for (const Tick& tick : y_.ticks) {
    const double y_place = place_y(tick.at);
    add(text_, "<path class=\"grid\" d=\"M{} {:.1f}H{}\"/><text class=\"end\" x=\"{}\" y=\"{:.1f}\">{}</text>\n", kLeft,
        y_place, right(), kLeft - 6, y_place + 4, markup_text(tick.label));
  }
  for (std::size_t i = 0; i < x_.ticks.size(); ++i) {
    const double x_place = place_x(x_.ticks[i].at);
    // The style sheet leaves spare labels out where the figure is narrow.
    const bool is_spare = i % 2 != 0 && x_.ticks.size() > kTicksInNarrow;
    add(text_, "<path class=\"axis\" d=\"M{:.1f} {}v5\"/><text class=\"middle{}\" x=\"{:.1f}\" y=\"{}\">{}</text>\n",
        x_place, bottom(), is_spare ? " spare" : "", x_place, bottom() + 20, markup_text(x_.ticks[i].label));
  }
  add(text_, "<path class=\"axis\" d=\"M{} {}V{}H{}\"/>\n", kLeft, kTop, bottom(), right());
  add(text_, "<text class=\"middle\" x=\"{}\" y=\"{}\">{}</text>\n", (kLeft + right()) / 2, panel_.height - 8,
      markup_text(x_.title));
  add(text_, "<text x=\"2\" y=\"17\">{}</text>\n", markup_text(y_.title));
}

double Chart::right() const { return panel_.width - kRight; }

double Chart::bottom() const { return panel_.height - kBottom; }

double Chart::place_x(double x) const { return kLeft + share_of(x_, x) * (right() - kLeft); }

double Chart::place_y(double y) const { return bottom() - share_of(y_, y) * (bottom() - kTop); }

std::string Chart::path(const std::vector<ChartPoint>& points, bool is_backwards) const {
  std::string all;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const ChartPoint& one = points[is_backwards ? points.size() - 1 - i : i];
    all += fmt::format("{}{:.1f} {:.1f}", i == 0 && !is_backwards ? "M" : "L", place_x(one.x), place_y(one.y));
  }
  return all;
}

void Chart::line(std::string_view kind, const std::vector<ChartPoint>& points) {
  if (points.empty()) return;
  add(text_, "<path class=\"line {}\" d=\"{}{}\"/>\n", kind, path(points, false),
      points.size() == 1 ? "m-20 0h40" : "");
}

void Chart::band(std::string_view kind, const std::vector<ChartPoint>& low, const std::vector<ChartPoint>& high) {
  if (low.empty() || high.empty()) return;
  if (low.size() == 1) {
    const std::string from = path(low, false);
    add(text_, "<path class=\"line {}\" d=\"{}V{:.1f}m-6 0h12{}m-6 0h12\"/>\n", kind, from, place_y(high.front().y),
        from);
    return;
  }
  add(text_, "<path class=\"band {}\" d=\"{}{}Z\"/>\n", kind, path(high, false), path(low, true));
}

void Chart::steps(std::string_view kind, const std::vector<ChartPoint>& points) {
  if (points.empty()) return;
  add(text_, "<path class=\"band {}\" d=\"M{:.1f} {:.1f}", kind, place_x(points.front().x), bottom());
  for (const ChartPoint& one : points) add(text_, "H{:.1f}V{:.1f}", place_x(one.x), place_y(one.y));
  add(text_, "H{:.1f}V{:.1f}Z\"/>\n", right(), bottom());
}

void Chart::bar(std::string_view kind, double from, double to, double height) {
  const double left = place_x(from);
  const double top = place_y(height);
  add(text_, "<rect class=\"bar {}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n", kind, left, top,
      std::max(place_x(to) - left, 0.5), bottom() - top);
}

void Chart::dots(std::string_view kind, const std::vector<ChartPoint>& points) {
  std::vector<std::pair<int, int>> places;
  for (const ChartPoint& one : points)
    places.emplace_back(static_cast<int>(std::lround(place_x(one.x))), static_cast<int>(std::lround(place_y(one.y))));
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  if (places.empty()) return;
  add(text_, "<path class=\"dots {}\" d=\"", kind);
  for (const auto& [x, y] : places) add(text_, "M{} {}h0", x, y);
  add(text_, "\"/>\n");
}

void Chart::point(std::string_view kind, ChartPoint at, std::string_view title) {
  add(text_, "<circle class=\"point {}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\"><title>{}</title></circle>\n", kind,
      place_x(at.x), place_y(at.y), markup_text(title));
}

void Chart::legend(std::string_view kind, std::string_view words) {
  legend_ += fmt::format(
      "<span class=\"key\"><svg viewBox=\"0 0 24 12\" aria-hidden=\"true\"><path class=\"line {0}\" d=\"M0 "
      "6H24\"/></svg>"
      "{1}</span> ",
      kind, markup_text(words));
}

}  // namespace foretask::report
