// SPDX-License-Identifier: Apache-2.0
// Profiles, their figure and their CSV. Lengths are pixels.
#include "report/figure/profile_export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include "report/figure/axis.hpp"
#include "report/plain_text.hpp"
#include "report/units.hpp"

namespace foretask::report {
namespace {

constexpr double kWidth = 960;
constexpr double kLeft = 70;
constexpr double kRight = 24;
constexpr double kPlotWidth = kWidth - kLeft - kRight;
constexpr double kTitleHeight = 44;
constexpr double kLabelHeight = 30;  // above each panel
constexpr double kPlotHeight = 220;
constexpr double kAxisHeight = 58;  // below the last panel
constexpr double kGap = 18;
constexpr std::size_t kColumns = 2 * static_cast<std::size_t>(kPlotWidth);
constexpr int kTimeTicks = 12;
constexpr int kBusyTicks = 6;
constexpr double kMuchRoom = 3;  // where the peak is below a third of the cores, the axis ends near the peak
constexpr double kHeadRoom = 1.06;
constexpr double kTickApart = 0.1;  // of the axis: labels nearer than that would touch

// A column's share of busy time, and the most that was busy in it.
struct Column {
  double mean = 0;
  std::uint32_t most = 0;
};

std::vector<Column> columns_of(const BusyProfile& profile, double last_ns) {
  std::vector<Column> columns(kColumns);
  const double width_ns = last_ns / kColumns;
  const auto add = [&](double begin_ns, double end_ns, std::uint32_t busy) {
    auto column = std::min(static_cast<std::size_t>(begin_ns / width_ns), kColumns - 1);
    for (; column < kColumns && static_cast<double>(column) * width_ns < end_ns; ++column) {
      const double from = std::max(begin_ns, static_cast<double>(column) * width_ns);
      const double to = std::min(end_ns, static_cast<double>(column + 1) * width_ns);
      if (to <= from) continue;
      columns[column].mean += busy * (to - from) / width_ns;
      columns[column].most = std::max(columns[column].most, busy);
    }
  };
  BusyCursor cursor(profile);
  BusyStep now;
  bool has_next = cursor.next(now);
  for (BusyStep next; has_next; now = next) {
    has_next = cursor.next(next);
    if (has_next) add(static_cast<double>(now.time_ns), static_cast<double>(next.time_ns), now.busy);
  }
  return columns;
}

class Figure {
 public:
  Figure(const std::vector<ProfilePanel>& panels, Output& output) : panels_(panels), output_(output) {
    for (const ProfilePanel& panel : panels) {
      last_ns_ = std::max(last_ns_, static_cast<double>(panel.profile.end_ns()));
      cores_ = std::max(cores_, panel.cores);
      BusyCursor cursor(panel.profile);
      for (BusyStep step; cursor.next(step);) peak_ = std::max(peak_, step.busy);
    }
    last_ns_ = std::max(last_ns_, 1.0);
    top_ = std::max({cores_, peak_, 1U});
    if (kMuchRoom * peak_ < cores_) top_ = std::max(1U, peak_ + peak_ / 8);
  }

  void write(const std::string& title) {
    const double height = kTitleHeight + static_cast<double>(panels_.size()) * (kLabelHeight + kPlotHeight) +
                          static_cast<double>(panels_.size() - 1) * kGap + kAxisHeight;
    line(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" )", kWidth, height);
    line("font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\">\n<title>{}</title>\n", markup_text(title));
    line("<rect width=\"{}\" height=\"{}\" fill=\"white\"/>\n", kWidth, height);
    line("<text x=\"{}\" y=\"28\" font-size=\"17\" font-weight=\"bold\">{}</text>\n", kLeft, markup_text(title));
    const TimeAxis axis = time_axis(last_ns_, kTimeTicks);
    double y = kTitleHeight;
    for (const ProfilePanel& panel : panels_) {
      write_panel(panel, y + kLabelHeight, axis, &panel == &panels_.back());
      y += kLabelHeight + kPlotHeight + kGap;
    }
    line("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">time ({})</text>\n", kLeft + kPlotWidth / 2, height - 12,
         axis.unit);
    if (is_thinned_) {
      line("<text x=\"{}\" y=\"{}\" text-anchor=\"end\" font-size=\"11\" fill=\"#666666\">", kWidth - kRight,
           height - 12);
      line("dark: mean, light: most, of each {}</text>\n", format_ns(last_ns_ / kColumns));
    }
    output_.write("</svg>\n");
  }

 private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    output_.write(fmt::format(format, std::forward<Args>(args)...));
  }

  [[nodiscard]] double x_of(double time_ns) const { return kLeft + kPlotWidth * time_ns / last_ns_; }
  [[nodiscard]] double y_of(double bottom, double busy) const {
    return bottom - kPlotHeight * busy / (kHeadRoom * top_);
  }

  // The number of cores is one of them, where the axis goes that far.
  [[nodiscard]] std::vector<Tick> busy_ticks() const {
    std::vector<Tick> ticks = count_ticks(top_, kBusyTicks);
    if (top_ != cores_) return ticks;
    while (ticks.size() > 1 && ticks.back().at > top_ * (1 - kTickApart)) ticks.pop_back();
    ticks.push_back({static_cast<double>(top_), format_count(top_)});
    return ticks;
  }

  void write_panel(const ProfilePanel& panel, double top, const TimeAxis& axis, bool is_last) {
    const double bottom = top + kPlotHeight;
    const double end_ns = static_cast<double>(panel.profile.end_ns());
    const double busy = ratio(static_cast<double>(panel.profile.busy_ns()), end_ns);
    line("<text x=\"{}\" y=\"{}\">{}: {}, {:.4g} of {} cores busy on average</text>\n", kLeft, top - 10,
         markup_text(panel.label), format_ns(end_ns), busy, format_count(panel.cores));
    for (const Tick& tick : busy_ticks()) {
      const double y = y_of(bottom, tick.at);
      line("<path d=\"M{0} {1:.2f}h{2}\" stroke=\"#dddddd\"/>", kLeft, y, kPlotWidth);
      line("<text x=\"{}\" y=\"{:.2f}\" text-anchor=\"end\">{}</text>\n", kLeft - 8, y + 4.5, tick.label);
    }
    write_area(panel.profile, bottom);
    line("<path d=\"M{} {}v{}h{}\" fill=\"none\" stroke=\"black\"/>\n", kLeft, top, kPlotHeight, kPlotWidth);
    // Where the program ended: what is right of it is time that the other panel took.
    if (end_ns > 0 && end_ns < last_ns_) {
      line("<path d=\"M{:.2f} {}v{}\" stroke=\"#b03030\" stroke-dasharray=\"4 3\"/>\n", x_of(end_ns), top, kPlotHeight);
    }
    for (const Tick& tick : axis.ticks) {
      const double x = x_of(tick.at);
      line("<path d=\"M{:.2f} {}v5\" stroke=\"black\"/>", x, bottom);
      if (is_last) line("<text x=\"{:.2f}\" y=\"{}\" text-anchor=\"middle\">{}</text>", x, bottom + 20, tick.label);
    }
    line("\n<text transform=\"translate(22 {}) rotate(-90)\" text-anchor=\"middle\">busy cores</text>\n",
         (top + bottom) / 2);
  }

  void write_area(const BusyProfile& profile, double bottom) {
    std::size_t steps = 0;
    BusyCursor count(profile);
    for (BusyStep step; steps <= kColumns && count.next(step);) ++steps;
    if (steps <= kColumns) {
      std::string path = fmt::format("M{:.2f} {:.2f}", kLeft, bottom);
      BusyCursor cursor(profile);
      for (BusyStep step; cursor.next(step);)
        corner(path, x_of(static_cast<double>(step.time_ns)), y_of(bottom, step.busy));
      fill(path, bottom, "#4878a8");
      return;
    }
    is_thinned_ = true;
    const std::vector<Column> columns = columns_of(profile, last_ns_);
    std::string most = fmt::format("M{:.2f} {:.2f}", kLeft, bottom);
    std::string mean = most;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const double x = kLeft + kPlotWidth * static_cast<double>(i) / kColumns;
      corner(most, x, y_of(bottom, columns[i].most));
      corner(mean, x, y_of(bottom, columns[i].mean));
    }
    fill(most, bottom, "#bcd0e4");
    fill(mean, bottom, "#4878a8");
  }

  static void corner(std::string& path, double x, double y) {
    fmt::format_to(std::back_inserter(path), "H{:.2f}V{:.2f}", x, y);
  }

  // A path that does not come down by itself goes on to the right edge.
  void fill(std::string& path, double bottom, std::string_view colour) {
    fmt::format_to(std::back_inserter(path), "H{:.2f}V{:.2f}Z", kLeft + kPlotWidth, bottom);
    line("<path d=\"{}\" fill=\"{}\"/>\n", path, colour);
  }

  const std::vector<ProfilePanel>& panels_;
  Output& output_;
  double last_ns_ = 0;
  std::uint32_t cores_ = 1;
  std::uint32_t peak_ = 0;
  std::uint32_t top_ = 1;
  bool is_thinned_ = false;
};

}  // namespace

void write_profile_svg(const std::string& title, const std::vector<ProfilePanel>& panels, Output& output) {
  std::string headline = title;
  if (panels.size() == 2) {
    const double before = static_cast<double>(panels[0].profile.end_ns());
    const double after = static_cast<double>(panels[1].profile.end_ns());
    if (after > 0) headline += fmt::format(": {:.2f} times as fast", before / after);
  }
  Figure(panels, output).write(headline);
}

void write_profile_csv(const BusyProfile& profile, Output& output) {
  output.write("time_ns,busy\n");
  BusyCursor cursor(profile);
  fmt::memory_buffer row;
  for (BusyStep step; !output.failed() && cursor.next(step);) {
    row.clear();
    fmt::format_to(std::back_inserter(row), "{},{}\n", step.time_ns, step.busy);
    output.write({row.data(), row.size()});
  }
}

void write_profile_csv(const BusyProfile& before, const BusyProfile& after, Output& output) {
  output.write("time_ns,busy_before,busy_after\n");
  BusyCursor left(before);
  BusyCursor right(after);
  BusyStep left_step;
  BusyStep right_step;
  bool has_left = left.next(left_step);
  bool has_right = right.next(right_step);
  std::uint32_t busy_before = 0;
  std::uint32_t busy_after = 0;
  fmt::memory_buffer row;
  while (!output.failed() && (has_left || has_right)) {
    std::int64_t now_ns = has_left ? left_step.time_ns : right_step.time_ns;
    if (has_right) now_ns = std::min(now_ns, right_step.time_ns);
    if (has_left && left_step.time_ns == now_ns) {
      busy_before = left_step.busy;
      has_left = left.next(left_step);
    }
    if (has_right && right_step.time_ns == now_ns) {
      busy_after = right_step.busy;
      has_right = right.next(right_step);
    }
    row.clear();
    fmt::format_to(std::back_inserter(row), "{},{},{}\n", now_ns, busy_before, busy_after);
    output.write({row.data(), row.size()});
  }
}

BusyProfile::BusyProfile(const Timeline& timeline) {
  for (analysis::NodeIndex node = 0; node < timeline.graph.size(); ++node) {
    if (!timeline.graph.occupies_worker(node)) continue;
    const analysis::StrandPlace place = timeline.places(node);
    const std::int64_t begin_ns = std::max<std::int64_t>(place.begin_ns, 0);
    if (place.end_ns <= begin_ns) continue;
    begins_.push_back(begin_ns);
    ends_.push_back(place.end_ns);
    busy_ns_ += place.end_ns - begin_ns;
  }
  std::sort(begins_.begin(), begins_.end());
  std::sort(ends_.begin(), ends_.end());
}

bool BusyCursor::next(BusyStep& step) {
  const auto& begins = profile_.begins_;
  const auto& ends = profile_.ends_;
  const std::size_t busy_before = begun_ - ended_;
  while (!is_started_ || ended_ < ends.size()) {
    // Every begin has an end behind it: the next instant is the earlier of the two.
    std::int64_t now_ns = 0;
    if (is_started_) now_ns = begun_ < begins.size() ? std::min(begins[begun_], ends[ended_]) : ends[ended_];
    while (begun_ < begins.size() && begins[begun_] == now_ns) ++begun_;
    while (ended_ < ends.size() && ends[ended_] == now_ns) ++ended_;
    const bool is_first = !is_started_;
    is_started_ = true;
    if (!is_first && begun_ - ended_ == busy_before) continue;
    step = {now_ns, static_cast<std::uint32_t>(begun_ - ended_)};
    return true;
  }
  return false;
}

}  // namespace foretask::report
