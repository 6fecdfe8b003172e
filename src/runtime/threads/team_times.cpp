// SPDX-License-Identifier: Apache-2.0
#include "runtime/threads/team_times.hpp"

#include <algorithm>
#include <new>

namespace foretask::runtime {
namespace {

using base::Ticks;

// number * part / whole for part from 0 to whole, which is above 0: to 2^-16 of `number`, below 2^47.
std::int64_t share(std::int64_t number, std::int64_t part, std::int64_t whole) noexcept {
  while (part >= std::int64_t{1} << 46) {
    part >>= 1;
    whole >>= 1;
  }
  return number * ((part << 16) / whole) >> 16;
}

// In some unit, at the beginning of the cell: its sixteenths of a power of two from 2^16 on.
constexpr std::size_t kFraction = SizeCells::kAPower;
// `time` at one cell, in proportion at another one that is `cells` further; at most 2^46.
std::int64_t grown(std::int64_t time, std::size_t from, std::size_t to) noexcept {
  constexpr std::int64_t kMost = std::int64_t{1} << 46;
  const auto powers = static_cast<int>(to / kFraction) - static_cast<int>(from / kFraction);
  const auto its_size = static_cast<std::int64_t>(kFraction + from % kFraction);
  const auto size = static_cast<std::int64_t>(kFraction + to % kFraction);
  std::int64_t at_to = std::min(time, kMost) * size / its_size;
  if (powers < 0) at_to >>= std::min(-powers, 62);
  for (int i = 0; i < powers && at_to < kMost; ++i) at_to *= 2;
  return std::clamp<std::int64_t>(at_to, 1, kMost);
}

}  // namespace

TeamTimes::~TeamTimes() {
  for (std::atomic<Means*>& slot : slots_) delete slot.load(std::memory_order_acquire);
}

void TeamTimes::put(int slot, std::size_t cell, RunMean mean) noexcept {
  std::atomic<Means*>& place = slots_[static_cast<std::size_t>(slot)];
  Means* means = place.load(std::memory_order_acquire);
  if (!means) {
    auto* const fresh = new (std::nothrow) Means;
    if (!fresh) return;
    if (place.compare_exchange_strong(means, fresh, std::memory_order_acq_rel)) {
      means = fresh;
    } else {
      delete fresh;
    }
  }
  means->cells[cell].store(mean.bits(), std::memory_order_relaxed);
  if (cell >= SizeCells::kInOrder) return;
  const std::uint64_t bit = std::uint64_t{1} << (cell % 64);
  std::atomic<std::uint64_t>& word = means->known[cell / 64];
  const bool is_set = (word.load(std::memory_order_relaxed) & bit) != 0;
  if (is_set == mean.is_known()) return;
  if (is_set) {
    word.fetch_and(~bit, std::memory_order_relaxed);
  } else {
    word.fetch_or(bit, std::memory_order_relaxed);
  }
}

Ticks TeamTimes::serial(std::size_t cell, int most) const noexcept {
  if (const RunMean one = at(0, cell); one.runs() > 0) return one.ticks();
  int best = 0;
  Ticks least = 0;
  for (int slot = 1; slot <= slot_of(most); ++slot) {
    const RunMean mean = at(slot, cell);
    if (mean.runs() == 0 || (least != 0 && mean.ticks() >= least)) continue;
    best = slot;
    least = mean.ticks();
  }
  if (least == 0) return 0;
  return static_cast<Ticks>(line_of(best, most, cell).serial_of(static_cast<std::int64_t>(least)));
}

Ticks TeamTimes::guessed_serial(std::size_t cell, int most) const noexcept {
  if (cell >= SizeCells::kInOrder) return 0;
  KnownBits known{};
  for (int slot = 0; slot <= slot_of(most); ++slot) {
    const KnownBits its = known_of(slot);
    for (std::size_t i = 0; i < kWords; ++i) known[i] |= its[i];
  }
  const auto [below, above] = neighbours_of(known, cell);
  const auto time_at = [&](std::size_t where) { return static_cast<std::int64_t>(serial(where, most)); };
  if (below == kNone && above == kNone) return 0;
  if (above == kNone) return static_cast<Ticks>(grown(time_at(below), below, cell));
  if (below == kNone) return static_cast<Ticks>(grown(time_at(above), above, cell));
  const std::int64_t least = time_at(below);
  const std::int64_t most_time = time_at(above);
  return static_cast<Ticks>(std::clamp(grown(least, below, cell), std::min(least, most_time), most_time));
}

Ticks TeamTimes::expected(int slot, int most, std::size_t cell, Ticks serial) const noexcept {
  if (slot == 0) return serial;
  return static_cast<Ticks>(line_of(slot, most, cell).team_of(static_cast<std::int64_t>(serial)));
}

bool TeamTimes::is_known_near(int slot, std::size_t cell) const noexcept {
  const auto [below, above] = neighbours_of(known_of(slot), cell);
  return (below != kNone && cell - below <= SizeCells::kAPower) ||
         (above != kNone && above - cell <= SizeCells::kAPower);
}

TeamTimes::KnownBits TeamTimes::known_of(int slot) const noexcept {
  KnownBits known{};
  if (const Means* const means = slots_[static_cast<std::size_t>(slot)].load(std::memory_order_acquire))
    for (std::size_t i = 0; i < kWords; ++i) known[i] = means->known[i].load(std::memory_order_relaxed);
  return known;
}

TeamTimes::Neighbours TeamTimes::neighbours_of(const KnownBits& known, std::size_t cell) noexcept {
  Neighbours found;
  if (cell >= SizeCells::kInOrder) return found;
  const std::size_t word = cell / 64;
  const int bit = static_cast<int>(cell % 64);
  std::uint64_t down = known[word] << (63 - bit) >> (63 - bit);
  for (std::size_t i = word;; down = known[--i]) {
    if (down != 0) found.below = i * 64 + static_cast<std::size_t>(63 - std::countl_zero(down));
    if (down != 0 || i == 0) break;
  }
  std::uint64_t up = known[word] >> bit << bit;
  for (std::size_t i = word;; up = known[++i]) {
    if (up != 0) found.above = i * 64 + static_cast<std::size_t>(std::countr_zero(up));
    if (up != 0 || i + 1 == kWords) break;
  }
  return found;
}

TeamTimes::Line TeamTimes::line_of(int slot, int most, std::size_t cell) const noexcept {
  KnownBits known = known_of(0);
  const KnownBits several = known_of(slot);
  for (std::size_t i = 0; i < kWords; ++i) known[i] &= several[i];
  const auto [below, above] = neighbours_of(known, cell);
  Line line{.team = kLeastOfTeam, .threads = threads_of(slot, most)};
  const auto ticks = [this](int of, std::size_t where) { return static_cast<std::int64_t>(at(of, where).ticks()); };
  if (below != kNone) {
    line.serial = ticks(0, below);
    line.team = ticks(slot, below);
  }
  if (above != kNone) {
    line.next_serial = ticks(0, above);
    line.next_team = ticks(slot, above);
  }
  return line;
}

std::int64_t TeamTimes::Line::team_of(std::int64_t one) const noexcept {
  if (one <= serial) return team;
  if (next_serial <= serial) return team + (one - serial) / threads;
  if (one >= next_serial) return next_team + (one - next_serial) / threads;
  return std::max<std::int64_t>(team + share(next_team - team, one - serial, next_serial - serial), 1);
}

std::int64_t TeamTimes::Line::serial_of(std::int64_t several) const noexcept {
  if (several <= team) return std::max<std::int64_t>(share(serial, several, std::max<std::int64_t>(team, 1)), 1);
  if (next_serial <= serial || next_team <= team) return serial + threads * (several - team);
  if (several >= next_team) return next_serial + threads * (several - next_team);
  return serial + share(next_serial - serial, several - team, next_team - team);
}

}  // namespace foretask::runtime
