// SPDX-License-Identifier: Apache-2.0
// The work of a program, or of one of its kernels, by size and workers: a growth law of n (growth_law.hpp) times a
// shape of p (core_shape.hpp), Namsraijav and Taura's eq. 10 and 11 with laws that are found. Const and thread safe.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "predict/growth/growth_law.hpp"
#include "predict/program/core_shape.hpp"

namespace foretask::predict {

// How much longer what waits for memory takes when p workers do so at once: Parallel Prophet's memory model (Kim,
// Kumar, Kim and Brett, IPDPS 2012), with the machine's bandwidth measured in the place of its assumed latencies.
struct MemorySlowdown {
  std::vector<double> bandwidth;  // bytes per second of 1, 2, ... threads together; at least one, above 0

  // Time of a memory-bound task among p over that alone, at least 1. The bandwidth of the most threads is that of any
  // more.
  [[nodiscard]] double at(double p) const {
    const auto known = std::clamp<std::size_t>(static_cast<std::size_t>(std::lround(p)), 1, bandwidth.size());
    return std::max(1.0, p * bandwidth.front() / bandwidth[known - 1]);
  }

  // Of `work` ns in which so many bytes come from memory, how much they take at least, at one thread's bandwidth.
  [[nodiscard]] double share(double bytes, double work) const {
    return std::clamp(1e9 * bytes / bandwidth.front() / work, 0.0, 1.0);
  }
};

// The work of runs with one n and p; or, with p = 0, a serial run of its own.
struct WorkSample {
  double n = 0;
  double p = 0;
  double work = 0;   // above 0
  double tasks = 0;  // that made it up, the same at each p; 0: not known
  double sd = 0;     // relative standard deviation of `work`, from repeated runs; 0: not known
  // Of the work on one worker, what waits for memory (MemorySlowdown::share()); NaN: not known.
  double memory_share = std::numeric_limits<double>::quiet_NaN();
};

class WorkLaw {
 public:
  // At least one sample with p from 1. Where the machine's `memory` is known, a share of the work may be slowed down by
  // it: Parallel Prophet's burden factor, 1 + share (slowdown(p) - 1), beside eq. 10's terms. The share is what was
  // counted, or less where the work on more workers says so; where nothing was counted it is fitted as those terms are.
  [[nodiscard]] static WorkLaw find(std::vector<WorkSample> samples, const MemorySlowdown* memory = nullptr);

  [[nodiscard]] LogEstimate serial(double n) const;     // T1'
  [[nodiscard]] LogEstimate inflation(double p) const;  // work over T1'
  [[nodiscard]] LogEstimate at(double n, double p) const;
  [[nodiscard]] bool has_counted_memory() const noexcept { return counted_share_.has_value(); }

  // "3.1e+04 + 2.4 n log n", and what it is multiplied by, " (1 + 0.03 (p-1)/p + 0.002 (p-1))", empty where nothing is
  // known of p.
  [[nodiscard]] std::string growth_text() const { return growth_->formula(); }
  [[nodiscard]] std::string inflation_text() const;

 private:
  // Of what is fitted: beyond `reach` workers it is as it is there.
  [[nodiscard]] Eigen::VectorXd columns_of(double p, double reach) const;

  [[nodiscard]] double counted_burden(double p) const;

  double reach_ = 1;  // worker_reach()
  std::optional<MemorySlowdown> memory_;
  std::optional<double> counted_share_;  // of the work
  std::optional<GrowthLaw> growth_;
  std::optional<CoreShape> inflation_;
  double one_worker_ = 1;  // the shape's value there
};

}  // namespace foretask::predict
