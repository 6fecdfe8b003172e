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

// From time_ns on, so many cores are busy.
struct BusyStep {
  std::int64_t time_ns = 0;
  std::uint32_t busy = 0;
};

// How many cores are busy at each instant of a timeline, exactly. 16 bytes a node.
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

// time_ns,busy: a row for each change, the first at 0, the last with 0 at the end.
void write_profile_csv(const BusyProfile& profile, Output& output);

// time_ns,busy_before,busy_after: a row where either changes.
void write_profile_csv(const BusyProfile& before, const BusyProfile& after, Output& output);

struct ProfilePanel {
  std::string label;  // what is shown, without figures: those are added
  const BusyProfile& profile;
  std::uint32_t cores = 1;
};

// A figure by itself, without a script or a font of its own: the panels stand one above the other over the same axis of
// time. Of two the title says how much faster the second is. Thinned to the mean and the most of each half pixel where
// there are more steps than that.
void write_profile_svg(const std::string& title, const std::vector<ProfilePanel>& panels, Output& output);

}  // namespace foretask::report
