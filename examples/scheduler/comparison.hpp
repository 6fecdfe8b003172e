// SPDX-License-Identifier: Apache-2.0
// The same jobs in three orders: how long each takes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>

#include "common.hpp"
#include "foretask/foretask.h"

namespace examples {

enum Order { kFirstCome, kPredicted, kTrue };  // kTrue: by the times that the jobs are known to take

constexpr unsigned kRounds = 6;

class Comparison {
 public:
  // run(order) runs a round's jobs and returns a checksum. The first round only learns. The others run each order,
  // three times in turn; the least time counts.
  template <typename Run>
  void add_round(Run run) {
    const double checksum = run(kFirstCome);
    if (learns_) {
      foretask_flush(1000);
      learns_ = false;
      return;
    }
    std::array<double, kOrders> least_ms;
    least_ms.fill(std::numeric_limits<double>::infinity());
    for (int i = 0; i < 3 * kOrders; ++i) {
      const int order = i % kOrders;
      const std::int64_t begin_ns = now_ns();
      same_ = run(static_cast<Order>(order)) == checksum && same_;
      least_ms[order] = std::min(least_ms[order], static_cast<double>(now_ns() - begin_ns) / 1e6);
    }
    for (int order = 0; order < kOrders; ++order) ms_[order] += least_ms[order];
  }

  // The result is main()'s.
  [[nodiscard]] int print() const {
    const std::array<const char*, kOrders> names{"first come", "by predicted times", "by true times"};
    for (int order = 0; order < kOrders; ++order)
      std::printf("%-18s %8.1f ms, ratio %.3f\n", names[order], ms_[order], ms_[order] / ms_[kTrue]);
    std::puts(same_ ? "ok" : "WRONG");
    return same_ ? 0 : 1;
  }

 private:
  static constexpr int kOrders = 3;

  bool learns_ = true;
  bool same_ = true;
  std::array<double, kOrders> ms_{};
};

}  // namespace examples
