// SPDX-License-Identifier: Apache-2.0
// Parallelism profiles for spreadsheets and for readers: one, or two for before and after.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "report/output.hpp"
#include "report/timeline/timeline.hpp"

namespace foretask::report {

// How many cores are busy at each instant of a timeline, exactly. 16 bytes a node.
class BusyProfile {
 public:
  explicit BusyProfile(const Timeline& timeline);

  [[nodiscard]] std::int64_t end_ns() const noexcept { return changes_.empty() ? 0 : changes_.back().time_ns; }
  [[nodiscard]] std::int64_t busy_ns() const noexcept { return busy_ns_; }  // of all cores together

 private:
  friend class BusyCursor;
  // Something that takes time begins or ends on a core.
  struct Change {
    std::int64_t time_ns : 63 = 0;
    bool is_begin : 1 = false;
  };
  std::vector<Change> changes_;  // ascending
  std::int64_t busy_ns_ = 0;
};

struct ProfilePanel {
  std::string label;  // what is shown, without figures: those are added
  const BusyProfile& profile;
  std::uint32_t cores = 1;
};

// time_ns,busy: a row for each change, the first at 0, the last with 0 at the end. Of two profiles
// time_ns,busy_before,busy_after: a row where either changes.
void write_profile_csv(const std::vector<ProfilePanel>& panels, Output& output);

// A figure by itself, without a script or a font of its own: the panels stand one above the other over the same axis of
// time. Of two the title says how much faster the second is. Thinned to the mean and the most of each half pixel where
// there are more steps than that.
void write_profile_svg(const std::string& title, const std::vector<ProfilePanel>& panels, Output& output);

}  // namespace foretask::report
