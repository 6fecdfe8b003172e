// SPDX-License-Identifier: Apache-2.0
// The parallelism profile: how many cores are busy at each instant of a timeline, exactly. 16 bytes a node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "report/timeline/timeline.hpp"

namespace foretask::report {

// From time_ns on, so many cores are busy.
struct BusyStep {
  std::int64_t time_ns = 0;
  std::uint32_t busy = 0;
};

class BusyProfile {
 public:
  explicit BusyProfile(const Timeline& timeline);

  [[nodiscard]] std::int64_t end_ns() const noexcept { return ends_.empty() ? 0 : ends_.back(); }
  [[nodiscard]] std::int64_t busy_ns() const noexcept { return busy_ns_; }  // of all cores together

 private:
  friend class BusyCursor;
  std::vector<std::int64_t> begins_;  // of what took time on a core, ascending
  std::vector<std::int64_t> ends_;    // ascending
  std::int64_t busy_ns_ = 0;
};

// Walks through a profile's steps: the first is at 0, each has another number than the one before, and the last says
// that no core is busy any more.
class BusyCursor {
 public:
  // The profile must stay as long as the cursor.
  explicit BusyCursor(const BusyProfile& profile) : profile_(profile) {}

  // False, and `step` as it was, after the last step.
  [[nodiscard]] bool next(BusyStep& step);

 private:
  const BusyProfile& profile_;
  std::size_t begun_ = 0;
  std::size_t ended_ = 0;
  bool is_started_ = false;
};

}  // namespace foretask::report
