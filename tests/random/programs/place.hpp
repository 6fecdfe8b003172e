// SPDX-License-Identifier: Apache-2.0
// A node of the random nest, and what the program adds up in all of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "draw.hpp"

struct Place {
  Draw draw;
  int depth = 0;           // levels that may still follow
  bool is_certain = true;  // false: within what is cancelled, so that whether it runs is chance

  [[nodiscard]] Place inner(int i) const { return {draw.inner(i), depth - 1, is_certain}; }
  [[nodiscard]] Place uncertain(int i) const { return {draw.inner(i), depth - 1, false}; }
};

// Sums, and so the same in whatever order.
class Tally {
 public:
  void add(const Place& place, std::uint64_t value) {
    if (place.is_certain) sum_ += value;
  }
  // Tasks that the program makes, cancelled ones included.
  void create(long tasks) { created_ += tasks; }
  // How many tasks the runtime makes here is its own matter.
  void lose_count() { is_exact_ = false; }

  // What must not depend on the schedule. Then, into the file that RANDOM_COUNTS names, how many tasks were made, or
  // -1.
  void print() const {
    std::printf("%016llx\n", static_cast<unsigned long long>(sum_.load()));
    const char* const name = std::getenv("RANDOM_COUNTS");
    std::FILE* const file = name ? std::fopen(name, "w") : nullptr;
    if (!file) return;
    std::fprintf(file, "%ld\n", is_exact_ ? created_.load() : -1L);
    std::fclose(file);
  }

 private:
  std::atomic<std::uint64_t> sum_{0};
  std::atomic<long> created_{0};
  std::atomic<bool> is_exact_{true};
};

inline Tally tally;

// Some tens of microseconds at most, and a number that only this makes.
inline void work(Place place) {
  std::uint64_t value = 0;
  for (int rounds = place.draw.between(1, 40000); rounds > 0; --rounds) value += place.draw.bits();
  tally.add(place, value | 1);
}
