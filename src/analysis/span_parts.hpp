// SPDX-License-Identifier: Apache-2.0
// What each strand adds to a run's span: a bit a strand, and a number for those that count for less than they took.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "graph/reconstruction/path_analysis.hpp"

namespace foretask::wiring {

class SpanParts {
 public:
  SpanParts() = default;
  // `weight_ns`: what `path` was found by, one a strand.
  SpanParts(const graph::Path& path, const std::vector<std::int64_t>& duration_ns,
            const std::vector<std::int64_t>& weight_ns);

  // `duration_ns`: the strand's. 0 where it is not on the path.
  [[nodiscard]] std::int64_t of(graph::NodeIndex strand, std::int64_t duration_ns) const;

 private:
  std::vector<bool> is_on_path_;
  std::vector<std::pair<graph::NodeIndex, std::int64_t>> lighter_;  // by strand
};

}  // namespace foretask::wiring
