// SPDX-License-Identifier: Apache-2.0
// What a kernel keeps of its samples themselves: the latest ones, and of those before them an even random choice of
// each region of the parameters. Regions have even shares, as far as they have samples. One thread. Bounded: some 30
// KB.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/online/observation.hpp"
#include "model/online/ratio_window.hpp"
#include "statistics/random.hpp"

namespace foretask::model {

struct RetainedRow {
  Observation observation;
  bool stored = false;  // it came from the store
  std::uint32_t region = 0;
  std::uint64_t number = 0;  // of the rows ever added
};

[[nodiscard]] std::vector<double> column_of(const std::vector<RetainedRow>& rows, std::size_t parameter);
[[nodiscard]] std::vector<double> times_of(const std::vector<RetainedRow>& rows);

// ln(time / prediction) of the rows for which there is one.
template <typename Predict>
[[nodiscard]] std::vector<double> ratios_of(const std::vector<RetainedRow>& rows, std::size_t parameters,
                                            const Predict& predict) {
  std::vector<double> ratios;
  for (const RetainedRow& row : rows)
    if (const std::optional<double> time = predict(row.observation.of(parameters)); time && *time > 0)
      ratios.push_back(std::log(row.observation.time / *time));
  return ratios;
}

// Of samples that were held up by times that do not follow their own: by how long, and the interval of the others.
struct Delays {
  double longest = 0;  // 97.5 of 100 samples were held up less; 0: no such samples
  LogInterval others;
};

// A time slice that another program had is added to a task's time, while a second behaviour of a kernel's multiplies
// it: the long samples tell by which of both varies less among them. `log_ratios`: ln(time / prediction).
[[nodiscard]] Delays delays_of(const std::vector<double>& times, const std::vector<double>& log_ratios);

// The limit of spikes among ln(time / prediction) of some rows: four standard deviations, but a clock's noise at least.
// One row in four may be a spike.
[[nodiscard]] double spike_of(std::vector<double> log_ratios);

// A spike has no more weight than the longest or shortest time that is none: within a factor of exp(spike).
[[nodiscard]] inline double drawn_in(double time, double expected, double spike) noexcept {
  return std::clamp(time, expected * std::exp(-spike), expected * std::exp(spike));
}

class RetainedRows {
 public:
  static constexpr std::size_t kLatest = 64;
  static constexpr std::size_t kChosen = 320;

  void add(const Observation& observation, std::uint32_t region, bool stored = false);

  [[nodiscard]] std::size_t size() const noexcept { return chosen_.size() + latest_.size(); }

  // All of them, in the order in which they came.
  [[nodiscard]] std::vector<RetainedRow> all() const;

  // The latest `count` of at most kLatest, in their order.
  [[nodiscard]] std::vector<RetainedRow> latest(std::size_t count) const;

  // The times of all but the latest `except`, as if the kernel had always taken `factor` times as long.
  void rescale(double factor, std::size_t except) noexcept;

  void mark_stored() noexcept;

 private:
  struct Region {
    std::uint64_t passed = 0;  // rows that left the ring
    std::size_t chosen = 0;
  };

  void choose(const RetainedRow& row);
  // Number `place` of the chosen rows of a region.
  [[nodiscard]] RetainedRow& chosen_of(std::uint32_t region, std::size_t place) noexcept;

  std::vector<RetainedRow> chosen_;  // of each region by Vitter's algorithm R (ACM TOMS 11, 1985)
  std::vector<Region> regions_;
  std::vector<RetainedRow> latest_;  // a ring once it is full
  std::size_t next_ = 0;
  std::uint64_t added_ = 0;
  statistics::Random random_{1};
};

}  // namespace foretask::model
