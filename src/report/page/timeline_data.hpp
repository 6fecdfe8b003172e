// SPDX-License-Identifier: Apache-2.0
// What the page's timeline draws: every strand of a run or of a stretch, or, where these are too many, what each worker
// did in equal parts of the time (bins), with the longest strands and waits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/json_output.hpp"
#include "report/timeline/timeline.hpp"

namespace foretask::report {

// A strand on its worker, or a wait: the worker ran no strand.
struct TimelineStrand {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t worker = 0;
  std::uint32_t kernel = 0;      // index into TimelineData::kernels; of a wait 0
  std::int64_t duration_ns = 0;  // without what recording took; of a wait 0
  [[nodiscard]] std::int64_t length_ns() const noexcept { return end_ns - begin_ns; }
};

// The longest of many, in constant memory. Of equal ones any may stay.
class Longest {
 public:
  explicit Longest(std::size_t most) : most_(most) {}

  void add(const TimelineStrand& one) {
    ++added_;
    const bool is_full = kept_.size() == most_;
    if (one.length_ns() <= (is_full ? kept_.front().one.length_ns() : 0)) return;
    if (is_full) {
      std::pop_heap(kept_.begin(), kept_.end(), is_longer);
      kept_.pop_back();
    }
    kept_.push_back({one, added_});
    std::push_heap(kept_.begin(), kept_.end(), is_longer);
  }

  // In the order in which they were added, at most as many as there may be.
  [[nodiscard]] std::vector<TimelineStrand> take() {
    std::sort(kept_.begin(), kept_.end(), [](const Kept& a, const Kept& b) { return a.number < b.number; });
    std::vector<TimelineStrand> all;
    for (const Kept& kept : kept_) all.push_back(kept.one);
    return all;
  }

 private:
  struct Kept {
    TimelineStrand one;
    std::uint64_t number;
  };
  static bool is_longer(const Kept& a, const Kept& b) { return a.one.length_ns() > b.one.length_ns(); }

  std::size_t most_;
  std::uint64_t added_ = 0;
  std::vector<Kept> kept_;  // a heap: the shortest is in front
};

struct TimelineBins {
  static constexpr std::uint8_t kNothing = 255;
  std::int64_t width_ns = 1;
  std::size_t count = 0;              // of each worker
  std::vector<std::int64_t> busy_ns;  // by worker and bin; the sum is that of the strands' durations
  std::vector<std::uint8_t> kernel;   // with the most time; kNamed: one of the others; kNothing: no strand
};

struct TimelineData {
  static constexpr std::size_t kMostStrands = 50'000;
  static constexpr std::size_t kLongest = 2'000;
  static constexpr std::size_t kCells = 65'536;    // bins of all workers, about
  static constexpr std::size_t kMostBins = 8'192;  // of a worker
  static constexpr std::size_t kNamed = 24;        // kernels told apart in bins

  std::int64_t from_ns = 0;
  std::int64_t to_ns = 0;
  std::uint32_t workers = 0;
  std::vector<std::uint32_t> kernels;   // the graph's, most time first
  std::uint64_t strand_count = 0;       // in the stretch
  std::vector<TimelineStrand> strands;  // in order of their begins; with bins the longest
  std::optional<TimelineBins> bins;
  std::vector<TimelineStrand> waits;  // with bins only: the longest
};

// A stretch in ns from the recording's start; empty: all of it. The strands are in order of their begins, as a
// recording's are. Two passes over the strands; some 20 MB at most.
[[nodiscard]] TimelineData timeline_data(const Timeline& timeline,
                                         const std::optional<std::pair<std::int64_t, std::int64_t>>& stretch,
                                         std::size_t most_strands = TimelineData::kMostStrands);

// As the page's script reads it (script/timeline_data.ts). `names`: of the data's kernels.
[[nodiscard]] Json timeline_json(const TimelineData& data, const std::vector<std::string>& names);

}  // namespace foretask::report
