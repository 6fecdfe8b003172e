// SPDX-License-Identifier: Apache-2.0
// Tasks that were not recorded as members of a group of their creator's, by the context that a wait for them names. Few
// programs have any. Any thread; one lock where there are some.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "abi.hpp"

namespace foretask::tbb {

class LooseTasks {
 public:
  // Of no context: nobody waits for it.
  void add(const Context* context, std::uint64_t name);
  // Takes out those of the context: a wait for them is over, or the context is a new one at an old one's place.
  [[nodiscard]] std::vector<std::uint64_t> take(const Context* context);

  // Whether there is anything to take.
  [[nodiscard]] static bool has_any() noexcept { return count_.load(std::memory_order_relaxed) != 0; }

 private:
  static constinit inline std::atomic<std::size_t> count_{0};  // of contexts that have some
  std::mutex mutex_;
  std::unordered_map<const Context*, std::vector<std::uint64_t>> names_;
};

[[nodiscard]] LooseTasks& loose_tasks();

}  // namespace foretask::tbb
