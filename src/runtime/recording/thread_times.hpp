// SPDX-License-Identifier: Apache-2.0
// HOT every 0.25 ms: how long a thread was on a core, recorded where it was noticeably off. A thread that never
// blocked meanwhile waited for a core. Of one that did, the system's own count tells waiting and being blocked apart;
// that is a file, so it is read aside and seldom (base/run_aside.hpp). The owning thread alone.
#pragma once

#include <cstdint>

#include "base/wide.hpp"
#include "foretask/hook.h"

namespace foretask::runtime {

// Of a whole recording. ns to ticks in integers: the program may have asked for traps on rounding.
struct TimesClock {
  static constexpr int kBits = 32;
  std::uint64_t ticks_per_ns = std::uint64_t{1} << kBits;  // times 2^kBits
  std::uint64_t launch_ticks = 0;                          // when the program was started; 0: unknown
  [[nodiscard]] std::uint64_t to_ticks(std::int64_t ns) const noexcept {
    return ns <= 0 ? 0
                   : static_cast<std::uint64_t>((base::Wide{static_cast<std::uint64_t>(ns)} * ticks_per_ns) >> kBits);
  }
};

// How long thread `thread` of this process has waited for a core, in ns, by /proc's schedstat. False where the system
// does not say it. About 3 us, and a file descriptor meanwhile.
[[nodiscard]] bool read_core_wait(std::int64_t thread, std::uint64_t& wait_ns) noexcept;

class ThreadTimes {
 public:
  // Aside: whether the system tells these times of `thread`, the owner.
  void open(std::int64_t thread, const TimesClock& clock) noexcept;
  // The calling thread, `thread`, is the next owner. False: open() is needed. It is not where the system told the last
  // owner's times, and the thread has not left its core since it began. Its wait for that core then belongs to the
  // first time that the system is asked after.
  [[nodiscard]] bool pass_on(std::int64_t thread) noexcept;
  // From here on the stream's events have the times read, where the system tells them. Of the program's first thread
  // the first reading reaches back to the program's start.
  void start(foretask_stream& stream) noexcept;

  // ns that a reading takes, the median of many. About 0.2 ms.
  [[nodiscard]] static double measure_ns() noexcept;

  // Records the times since the last reading. errno stays as it was.
  void read(foretask_stream& stream) noexcept;

 private:
  struct Reading {
    std::uint64_t ticks = 0;
    std::int64_t on_core_ns = 0;
    std::int64_t blocked = 0;  // how often, so far
  };
  [[nodiscard]] static Reading take(const foretask_stream& stream) noexcept;
  void ask_system(foretask_stream& stream) noexcept;

  std::int64_t thread_ = 0;  // 0: the system does not tell
  TimesClock clock_;
  Reading last_;
  std::uint64_t wait_ns_ = 0;        // as last asked for
  std::uint64_t unknown_ticks_ = 0;  // off the cores since then, where the thread blocked
  std::uint64_t untold_ticks_ = 0;   // off the cores since then, too little to be recorded
  std::int64_t ask_after_ns_ = 0;    // so much of unknown time
};

}  // namespace foretask::runtime
