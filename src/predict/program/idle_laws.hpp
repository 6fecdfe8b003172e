// SPDX-License-Identifier: Apache-2.0
// What workers do not spend at work: delay, and time without a task. Const and thread safe.
#pragma once

#include <map>
#include <optional>
#include <span>

#include "predict/program/core_shape.hpp"
#include "predict/program/program_cells.hpp"
#include "predict/program/replayed_graph.hpp"

namespace foretask::predict {

// Worker time.
struct IdlePart {
  double value = 0;
  double variance = 0;
  double imbalance = 0;  // of `value`: what no greedy schedule has
};

// A program's delay by what it grows with: Namsraijav and Taura's eq. 12, with steals beside it.
class DelayLaw {
 public:
  // What the delay grows with; 0 where it is not known.
  struct Causes {
    double create_task = 0;
    double wait_tasks = 0;
    double span = 0;
    double log_sd = 0;  // of the tasks' logarithm
  };
  struct Known {
    bool create_task = false;
    bool wait_tasks = false;
    bool span = false;
  };

  DelayLaw() = default;
  // `cells` by n. What is fitted is believed up to `reach` workers (worker_reach()).
  DelayLaw(std::span<const ProgramCell> cells, Known known, double reach);

  [[nodiscard]] IdlePart at(const Causes& causes, double work, double p) const;

 private:
  [[nodiscard]] double towards_share(double delay, double work, double p) const;

  std::optional<CoreShape> shape_;
  double reach_ = 1;
  double most_workers_ = 1;
  double share_ = 0;  // delay over work, on the most workers
};

// What static loops of uneven iterations wait beyond a greedy schedule, as a share of the work.
class StaticImbalance {
 public:
  struct Share {
    double share = 0;
    double sd = 0;
  };

  StaticImbalance() = default;
  // From cells of sizes from `from` on, whose span is known. For programs without tasks.
  StaticImbalance(std::span<const ProgramCell> cells, double from);

  // On other numbers of workers than the recorded ones it goes with (p - 1) / p, as where the cost of iterations rises
  // or falls evenly.
  [[nodiscard]] Share at(double p) const;

  [[nodiscard]] double most_workers() const { return by_workers_.empty() ? 1 : by_workers_.rbegin()->first; }

 private:
  std::map<double, Share> by_workers_;  // the recorded numbers of them
};

// The time in which workers have no task: between the bounds of a greedy schedule, at a place that is learned, and what
// static loops wait beyond. Where the span is not known: Namsraijav and Taura's eq. 15 with (p - 1) beside (p - 1)^2.
class NoWorkLaw {
 public:
  NoWorkLaw() = default;
  // `cells` by n. What is fitted without a span is believed up to `reach` workers (worker_reach()).
  NoWorkLaw(std::span<const ProgramCell> cells, bool has_span, bool has_tasks, double reach);

  // `graph` says the place, unless it is null.
  [[nodiscard]] IdlePart with_span(double work, double span, double span_sd, double p,
                                   const ReplayedGraph* graph) const;
  [[nodiscard]] IdlePart without_span(double n, double p) const;

  [[nodiscard]] double place() const noexcept { return place_; }
  [[nodiscard]] const StaticImbalance& imbalance() const noexcept { return imbalance_; }

 private:
  void find_place(std::span<const ProgramCell> cells, bool has_tasks);

  double reach_ = 1;
  StaticImbalance imbalance_;
  double place_ = 0.5;
  double place_sd_ = 0.3;
  std::optional<CoreShape> shape_;
};

}  // namespace foretask::predict
