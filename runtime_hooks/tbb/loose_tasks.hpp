// SPDX-License-Identifier: Apache-2.0
// Tasks that were not recorded as members of a group of their creator's, by the context that a wait for them names. A
// program that opens a group, calls itself and then waits has one a call. Any thread; a lock for the contexts of a
// shard.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
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

  // Whether there may be anything to take of the context.
  [[nodiscard]] bool has_any(const Context* context) noexcept {
    return shard_of(context).contexts.load(std::memory_order_relaxed) != 0;
  }

 private:
  static constexpr unsigned kShardBits = 8;
  struct alignas(64) Shard {
    std::atomic<std::size_t> contexts{0};  // that have some
    std::mutex mutex;
    std::unordered_map<const Context*, std::vector<std::uint64_t>> names;
  };

  // Contexts lie on stacks, at any multiple of 64 bytes: Fibonacci hashing.
  [[nodiscard]] Shard& shard_of(const Context* context) noexcept {
    const std::uint64_t hash = reinterpret_cast<std::uintptr_t>(context) / 64 * 11400714819323198485U;
    return shards_[hash >> (64 - kShardBits)];
  }

  std::array<Shard, 1U << kShardBits> shards_;
};

[[nodiscard]] LooseTasks& loose_tasks();

}  // namespace foretask::tbb
