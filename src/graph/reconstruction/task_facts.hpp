// SPDX-License-Identifier: Apache-2.0
// What a trace says of single tasks beyond their times: counters, the kernel that the program named, parameters,
// messages. Rows for those tasks alone of which it says something: a recording without them pays nothing.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "foretask/analysis/task_graph.hpp"
#include "foretask/foretask.h"
#include "statistics/random.hpp"

namespace foretask::graph {

struct Message {
  analysis::NodeIndex strand = analysis::kNoNode;
  std::uint32_t peer = 0;  // rank in MPI_COMM_WORLD
  std::uint32_t tag = 0;
  std::uint64_t communicator = 0;
  std::uint64_t bytes = 0;
  std::uint32_t posted = 0;  // of one received
};

// This rank's part in a collective call.
struct CollectivePart {
  analysis::NodeIndex enter = analysis::kNoNode;  // the strand before it
  analysis::NodeIndex leave = analysis::kNoNode;  // the strand that waited for its end; none where nothing did
  std::uint64_t communicator = 0;
  std::uint32_t number = 0;  // on the communicator
  std::uint32_t kind = 0;    // foretask_collective
  std::uint32_t own_rank = 0;
  std::uint32_t root = 0;
  std::uint32_t size = 1;
  std::uint64_t bytes = 0;
};

// What one rank's recording says of its messages: which strand a message left at the end of, and which one began when
// it had come. Messages are in the order in which they were sent; receives are matched in the order of their posting.
struct MessageFacts {
  std::vector<Message> sent;
  std::vector<Message> received;
  std::vector<CollectivePart> collectives;
};

inline constexpr std::uint32_t kNoRow = 0xffffffffU;

// Tasks to rows, numbered in order of their first mention.
class TaskRows {
 public:
  [[nodiscard]] std::uint32_t find(std::uint32_t task) const noexcept {
    return task < row_of_task_.size() ? row_of_task_[task] : kNoRow;
  }
  // Its row; `added` where it is a new one.
  std::uint32_t row(std::uint32_t task, bool& added) {
    if (task >= row_of_task_.size()) row_of_task_.resize(task + std::size_t{1} + row_of_task_.size() / 2, kNoRow);
    added = row_of_task_[task] == kNoRow;
    if (added) row_of_task_[task] = rows_++;
    return row_of_task_[task];
  }
  [[nodiscard]] std::uint32_t size() const noexcept { return rows_; }

 private:
  std::vector<std::uint32_t> row_of_task_;
  std::uint32_t rows_ = 0;
};

// What tasks have used of each counter, over all their strands.
class CounterTable {
 public:
  explicit CounterTable(std::uint32_t width = 0) : width_(width) {}

  void add(std::uint32_t task, std::uint32_t counter, double value) {
    bool added = false;
    const std::uint32_t row = rows_.row(task, added);
    if (added) values_.resize(values_.size() + width_);
    values_[std::size_t{row} * width_ + counter] += value;
  }
  // `width` values; null for a task that was not counted.
  [[nodiscard]] const double* find(std::uint32_t task) const noexcept {
    const std::uint32_t row = rows_.find(task);
    return row == kNoRow ? nullptr : &values_[std::size_t{row} * width_];
  }
  [[nodiscard]] std::uint32_t width() const noexcept { return width_; }
  [[nodiscard]] std::uint32_t size() const noexcept { return rows_.size(); }

 private:
  std::uint32_t width_;
  TaskRows rows_;
  std::vector<double> values_;
};

using Parameters = std::array<double, FORETASK_MAX_PARAMETERS>;
inline constexpr double kNotGiven = std::numeric_limits<double>::quiet_NaN();

// Parameters that the program gave its tasks; NaN for those that it did not give.
class ParameterTable {
 public:
  Parameters& row(std::uint32_t task) {
    bool added = false;
    const std::uint32_t row = rows_.row(task, added);
    if (added) values_.emplace_back().fill(kNotGiven);
    return values_[row];
  }
  [[nodiscard]] const Parameters* find(std::uint32_t task) const noexcept {
    const std::uint32_t row = rows_.find(task);
    return row == kNoRow ? nullptr : &values_[row];
  }

 private:
  TaskRows rows_;
  std::vector<Parameters> values_;
};

// Samples of a kernel that are no tasks: scopes, and what the program measured itself.
struct KernelSamples {
  std::vector<double> duration_ns;
  std::vector<Parameters> parameters;
};

// A completed task, for what is said of the spread of its kernel's times.
struct Observation {
  std::uint64_t order = 0;  // of completion
  std::int64_t time_ns = 0;
  std::uint32_t task = 0;
  float active_workers = 0;  // that ran tasks while it ran, itself included: the mean over its strands
  std::uint32_t worker = 0;  // that it ended on
};

// A kernel's tasks, or of more than kMost an even sample of them: each is as likely to be in it (Vitter 1985, algorithm
// R), and two readings of a trace choose the same ones.
class Observations {
 public:
  static constexpr std::uint64_t kMost = 1 << 14;

  void add(std::int64_t time_ns, std::uint32_t task, float active_workers, std::uint32_t worker) {
    const Observation one{seen_++, time_ns, task, active_workers, worker};
    if (seen_ <= kMost) {
      kept_.push_back(one);
      return;
    }
    if (const std::uint64_t place = random_.below(seen_); place < kMost) kept_[place] = one;
  }
  [[nodiscard]] std::uint64_t seen() const noexcept { return seen_; }
  [[nodiscard]] const std::vector<Observation>& kept() const noexcept { return kept_; }

 private:
  std::vector<Observation> kept_;
  std::uint64_t seen_ = 0;
  statistics::Random random_{1};
};

}  // namespace foretask::graph
