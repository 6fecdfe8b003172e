// SPDX-License-Identifier: Apache-2.0
#include "report/figure/profile_export.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/figure/chart.hpp"
#include "report/units.hpp"

namespace foretask::report {

// From time_ns on, so many cores are busy.
struct BusyStep {
  std::int64_t time_ns = 0;
  std::uint32_t busy = 0;
};

// Walks through a profile's steps: the first is at 0, each has another number than the one before, and the last says
// that no core is busy any more.
class BusyCursor {
 public:
  // The profile must stay as long as the cursor.
  explicit BusyCursor(const BusyProfile& profile) : profile_(profile) {}

  // False, and `step` as it was, after the last step.
  bool next(BusyStep& step) {
    const auto& changes = profile_.changes_;
    while (!is_started_ || at_ < changes.size()) {
      const std::int64_t now_ns = is_started_ ? changes[at_].time_ns : 0;
      std::uint32_t busy = step_.busy;
      for (; at_ < changes.size() && changes[at_].time_ns == now_ns; ++at_) busy += changes[at_].is_begin ? 1U : -1U;
      if (is_started_ && busy == step_.busy) continue;
      is_started_ = true;
      step = step_ = {now_ns, busy};
      return true;
    }
    return false;
  }

 private:
  const BusyProfile& profile_;
  std::size_t at_ = 0;
  BusyStep step_;  // the last one
  bool is_started_ = false;
};

namespace {

constexpr double kLabelHeight = 18;  // above each panel
constexpr double kPanelHeight = 302;
constexpr double kGap = 12;
constexpr std::size_t kColumns = 1732;  // about two for each pixel
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

// Of all panels together. Ends at the number of cores, which is a tick then, or near the peak.
Axis busy_axis(const std::vector<ProfilePanel>& panels) {
  std::uint32_t cores = 1;
  std::uint32_t peak = 0;
  for (const ProfilePanel& panel : panels) {
    cores = std::max(cores, panel.cores);
    BusyCursor cursor(panel.profile);
    for (BusyStep step; cursor.next(step);) peak = std::max(peak, step.busy);
  }
  const std::uint32_t top = kMuchRoom * peak < cores ? std::max(1U, peak + peak / 8) : std::max(cores, peak);
  Axis axis{"busy cores", 0, kHeadRoom * top, count_ticks(top, kBusyTicks), false};
  if (top != cores) return axis;
  while (axis.ticks.size() > 1 && axis.ticks.back().at > top * (1 - kTickApart)) axis.ticks.pop_back();
  axis.ticks.push_back({static_cast<double>(top), format_count(top)});
  return axis;
}

// Whether it was thinned to columns.
bool add_steps(Chart& chart, const BusyProfile& profile, double last_ns) {
  std::vector<ChartPoint> exact;
  BusyCursor cursor(profile);
  for (BusyStep step; exact.size() <= kColumns && cursor.next(step);)
    exact.push_back({static_cast<double>(step.time_ns), static_cast<double>(step.busy)});
  if (exact.size() <= kColumns) {
    chart.steps("mean", exact);
    return false;
  }
  std::vector<ChartPoint> mean, most;
  for (const Column& column : columns_of(profile, last_ns)) {
    const double at_ns = last_ns * static_cast<double>(mean.size()) / kColumns;
    mean.push_back({at_ns, column.mean});
    most.push_back({at_ns, static_cast<double>(column.most)});
  }
  chart.steps("most", most);
  chart.steps("mean", mean);
  return true;
}

}  // namespace

void write_profile_svg(const std::string& title, const std::vector<ProfilePanel>& panels, Output& output) {
  std::string headline = title;
  if (panels.size() == 2) {
    const double before = static_cast<double>(panels[0].profile.end_ns());
    const double after = static_cast<double>(panels[1].profile.end_ns());
    if (after > 0) headline += fmt::format(": {:.2f} times as fast", before / after);
  }
  Picture picture(headline);
  double last_ns = 1;
  for (const ProfilePanel& panel : panels) last_ns = std::max(last_ns, static_cast<double>(panel.profile.end_ns()));
  const Axis time = time_axis("time", last_ns, kTimeTicks);
  const Axis busy = busy_axis(panels);
  bool is_thinned = false;
  double top = Picture::kTitleHeight;
  for (const ProfilePanel& panel : panels) {
    const double end_ns = static_cast<double>(panel.profile.end_ns());
    picture.words(top + kLabelHeight / 2,
                  fmt::format("{}: {}, {:.4g} of {} cores busy on average", panel.label, format_ns(end_ns),
                              ratio(panel.profile.busy_ns(), end_ns), format_count(panel.cores)));
    Chart chart(picture, {Picture::kMargin, top + kLabelHeight, Picture::kWidth - Picture::kMargin, kPanelHeight}, time,
                busy);
    is_thinned = add_steps(chart, panel.profile, last_ns) || is_thinned;
    // Where the program ended: what is right of it is time that the other panel took.
    if (end_ns > 0 && end_ns < last_ns) chart.line("ended", {{end_ns, 0}, {end_ns, busy.last}});
    top += kLabelHeight + kPanelHeight + kGap;
  }
  if (is_thinned) picture.legend("", "dark: mean, light: most, of each " + format_ns(last_ns / kColumns));
  picture.write(top, output);
}

void write_profile_csv(const std::vector<ProfilePanel>& panels, Output& output) {
  struct Walk {
    BusyCursor cursor;
    BusyStep next;
    std::uint32_t busy = 0;
    bool has_next = false;
  };
  output.write(panels.size() == 1 ? "time_ns,busy\n" : "time_ns,busy_before,busy_after\n");
  std::vector<Walk> walks;
  for (const ProfilePanel& panel : panels) {
    Walk& walk = walks.emplace_back(Walk{BusyCursor(panel.profile), {}});
    walk.has_next = walk.cursor.next(walk.next);
  }
  const auto is_earlier = [](const Walk& a, const Walk& b) {
    return a.has_next && (!b.has_next || a.next.time_ns < b.next.time_ns);
  };
  while (!output.failed()) {
    const Walk& first = *std::min_element(walks.begin(), walks.end(), is_earlier);
    if (!first.has_next) return;
    const std::int64_t now_ns = first.next.time_ns;
    add(output, "{}", now_ns);
    for (Walk& walk : walks) {
      if (walk.has_next && walk.next.time_ns == now_ns) {
        walk.busy = walk.next.busy;
        walk.has_next = walk.cursor.next(walk.next);
      }
      add(output, ",{}", walk.busy);
    }
    output.write("\n");
  }
}

BusyProfile::BusyProfile(const Timeline& timeline) {
  for (analysis::NodeIndex node = 0; node < timeline.graph.size(); ++node) {
    if (!timeline.graph.occupies_worker(node)) continue;
    const analysis::StrandPlace place = timeline.places(node);
    const std::int64_t begin_ns = std::max<std::int64_t>(place.begin_ns, 0);
    if (place.end_ns <= begin_ns) continue;
    changes_.push_back({begin_ns, true});
    changes_.push_back({place.end_ns, false});
    busy_ns_ += place.end_ns - begin_ns;
  }
  std::sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) { return a.time_ns < b.time_ns; });
}

}  // namespace foretask::report
