// SPDX-License-Identifier: Apache-2.0
#include "runtime/threads/team_times.hpp"

#include <algorithm>

#include "runtime/kernels/kernel_registry.hpp"

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

constexpr std::int64_t kMostTicks = std::int64_t{1} << 46;
// A slope of one, and the steepest one.
constexpr std::int64_t kOne = 1 << 16;
constexpr std::int64_t kSteepest = 64 * kOne;
// Times are known to this part of them.
constexpr std::int64_t kUncertain = 20;

// ticks * slope, and ticks / slope, at most kMostTicks.
std::int64_t product(std::int64_t ticks, std::int64_t slope) noexcept {
  const bool is_long = ticks >= std::int64_t{1} << 40;
  return std::min(is_long ? (ticks >> 16) * slope : ticks * slope >> 16, kMostTicks);
}
std::int64_t quotient(std::int64_t ticks, std::int64_t slope) noexcept {
  return std::min((std::min(ticks, kMostTicks) << 16) / slope, kMostTicks);
}

// In some unit, at the beginning of the cell: its sixteenths of a power of two from 2^16 on.
constexpr std::size_t kFraction = SizeCells::kAPower;
// `time` at one cell, in proportion at another one that is `cells` further; at most 2^46.
std::int64_t grown(std::int64_t time, std::size_t from, std::size_t to) noexcept {
  const auto powers = static_cast<int>(to / kFraction) - static_cast<int>(from / kFraction);
  const auto its_size = static_cast<std::int64_t>(kFraction + from % kFraction);
  const auto size = static_cast<std::int64_t>(kFraction + to % kFraction);
  std::int64_t at_to = std::min(time, kMostTicks) * size / its_size;
  if (powers < 0) at_to >>= std::min(-powers, 62);
  for (int i = 0; i < powers && at_to < kMostTicks; ++i) at_to *= 2;
  return std::clamp<std::int64_t>(at_to, 1, kMostTicks);
}

}  // namespace

TeamTimes::~TeamTimes() {
  for (std::atomic<Means*>& slot : slots_) delete slot.load(std::memory_order_acquire);
}

void TeamTimes::put(int slot, std::size_t cell, base::RunMean mean) noexcept {
  Means* const means = made_table(slots_[static_cast<std::size_t>(slot)]);
  if (!means) return;
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
  if (const base::RunMean one = at(0, cell); one.runs() > 0) return one.ticks();
  int best = 0;
  Ticks least = 0;
  for (int slot = 1; slot <= slot_of(most); ++slot) {
    const base::RunMean mean = at(slot, cell);
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

bool TeamTimes::is_known_within(std::size_t powers, int slot, std::size_t cell) const noexcept {
  const auto [below, above] = neighbours_of(known_of(slot), cell);
  const std::size_t cells = powers * SizeCells::kAPower;
  return (below != kNone && cell - below <= cells) || (above != kNone && above - cell <= cells);
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

TeamTimes::Point TeamTimes::point_at(int slot, std::size_t cell) const noexcept {
  return {.serial = static_cast<std::int64_t>(at(0, cell).ticks()),
          .team = static_cast<std::int64_t>(at(slot, cell).ticks())};
}

std::int64_t TeamTimes::slope_of(int slot, int most, const KnownBits& known, std::size_t place) const noexcept {
  const std::int64_t least = kOne / threads_of(slot, most);
  if (place == kNone) return least;
  const Point last = point_at(slot, place);
  // One that is far enough from it for the times' differences to tell.
  for (std::size_t below = place; below != 0;) {
    below = neighbours_of(known, below - 1).below;
    if (below == kNone) return least;
    const Point before = point_at(slot, below);
    if (2 * before.serial > last.serial) continue;
    const std::int64_t rise = last.team - last.team / kUncertain - before.team - before.team / kUncertain;
    const std::int64_t run = std::max<std::int64_t>(last.serial - before.serial, 1);
    return std::clamp(std::max<std::int64_t>(rise, 0) * kOne / run, least, kSteepest);
  }
  return least;
}

TeamTimes::Line TeamTimes::line_of(int slot, int most, std::size_t cell) const noexcept {
  KnownBits known = known_of(0);
  const KnownBits several = known_of(slot);
  for (std::size_t i = 0; i < kWords; ++i) known[i] &= several[i];
  const auto [below, above] = neighbours_of(known, cell);
  Line line;
  line.first.team = kLeastOfTeam;
  if (below != kNone) line.first = point_at(slot, below);
  line.next = above == kNone ? line.first : point_at(slot, above);
  line.slope = slope_of(slot, most, known, above == kNone ? below : above);
  return line;
}

std::int64_t TeamTimes::Line::team_of(std::int64_t one) const noexcept {
  if (one <= first.serial) return first.team;
  const Point& last = next.serial > first.serial ? next : first;
  if (one >= last.serial) return last.team + product(one - last.serial, slope);
  return std::max<std::int64_t>(
      first.team + share(next.team - first.team, one - first.serial, next.serial - first.serial), 1);
}

std::int64_t TeamTimes::Line::serial_of(std::int64_t several) const noexcept {
  if (several <= first.team)
    return std::max<std::int64_t>(share(first.serial, several, std::max<std::int64_t>(first.team, 1)), 1);
  const Point& last = next.serial > first.serial && next.team > first.team ? next : first;
  if (several >= last.team) return last.serial + quotient(several - last.team, slope);
  return first.serial + share(next.serial - first.serial, several - first.team, next.team - first.team);
}

}  // namespace foretask::runtime
