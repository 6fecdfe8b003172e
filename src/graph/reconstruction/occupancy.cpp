// SPDX-License-Identifier: Apache-2.0
#include "graph/reconstruction/occupancy.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

namespace foretask::graph {

namespace {

// A damaged trace may hold more time, of all workers together, than 63 bits of ns.
std::int64_t rounded(double ns) noexcept {
  constexpr double kMost = 9.2e18;
  return ns < kMost ? std::llround(ns) : std::numeric_limits<std::int64_t>::max();
}

}  // namespace

void Occupancy::fill_buckets(std::int64_t now_ns) noexcept {
  std::int64_t from = std::max<std::int64_t>(last_ns_, 0);
  while (from < now_ns) {
    const std::int64_t index = std::min(from / bucket_ns_, kBuckets - 1);
    const std::int64_t to = index == kBuckets - 1 ? now_ns : std::min(now_ns, (index + 1) * bucket_ns_);
    Bucket& bucket = buckets_[static_cast<std::size_t>(index)];
    bucket.running += static_cast<double>(running_) * static_cast<double>(to - from);
    bucket.ready += static_cast<double>(std::max<std::int64_t>(ready_, 0)) * static_cast<double>(to - from);
    from = to;
  }
}

Occupancy::WholeTotals Occupancy::whole_totals(std::int64_t work_ns) const noexcept {
  WholeTotals whole{rounded(elapsed_), rounded(delay_), rounded(no_work_)};
  const double workers = static_cast<double>(workers_);
  // A damaged trace may last for centuries, which a double cannot tell to the ns.
  if (!(workers * elapsed_ < 1e15))
    return {std::max<std::int64_t>(whole.elapsed_ns, 0), std::max<std::int64_t>(whole.delay_ns, 0),
            std::max<std::int64_t>(whole.no_work_ns, 0)};
  const double open = workers * elapsed_ - running_integral_ - delay_ - no_work_;
  const std::int64_t left_over = std::llround(
      static_cast<double>(workers_ * whole.elapsed_ns - work_ns - whole.delay_ns - whole.no_work_ns) - open);
  // Half a ns each: elapsed once a worker, the work, delay and no_work.
  if (static_cast<double>(std::abs(left_over)) <= 0.5 * workers + 2) whole.no_work_ns += left_over;
  // A part may be below nothing, by rounding or by probes that cost less than their median.
  if (whole.no_work_ns < 0) whole.delay_ns += std::exchange(whole.no_work_ns, 0);
  if (whole.delay_ns < 0) whole.no_work_ns += std::exchange(whole.delay_ns, 0);
  if (whole.no_work_ns < 0) {
    // With no idle time to take it from, the run was longer than its rounded length.
    const std::int64_t longer = (workers_ - 1 - whole.no_work_ns) / workers_;
    whole.elapsed_ns += longer;
    whole.no_work_ns += longer * workers_;
  }
  return whole;
}

std::vector<analysis::ProfilePoint> Occupancy::profile(std::int64_t elapsed_ns) const {
  std::vector<analysis::ProfilePoint> points;
  for (std::int64_t index = 0; index < kBuckets; ++index) {
    const std::int64_t begin = index * bucket_ns_;
    if (begin >= elapsed_ns) break;
    const double length = static_cast<double>(std::min(bucket_ns_, elapsed_ns - begin));
    const Bucket& bucket = buckets_[static_cast<std::size_t>(index)];
    points.push_back({begin, bucket.running / length, bucket.ready / length});
  }
  return points;
}

}  // namespace foretask::graph
