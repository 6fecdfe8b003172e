// SPDX-License-Identifier: Apache-2.0
#include "graph/occupancy.hpp"

namespace foretask::graph {

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
