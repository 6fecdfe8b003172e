// SPDX-License-Identifier: Apache-2.0
#include "report/figure/busy_profile.hpp"

#include <algorithm>

namespace foretask::report {

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
