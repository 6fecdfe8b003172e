// SPDX-License-Identifier: Apache-2.0
#include "runtime/threads/team_table.hpp"

#include <algorithm>

namespace foretask::runtime {
namespace {

using base::Ticks;

constexpr auto slot_of = TeamTimes::slot_of;
constexpr auto threads_of = TeamTimes::threads_of;

// Fewer threads are better if they take 3 % longer at most.
Ticks close_to(Ticks least) noexcept { return least + least * 3 / 100; }
Ticks clearly_less_than(Ticks ticks) noexcept { return ticks - ticks * 3 / 100; }

// The first slot whose time, 0 where there is none, is close to the least one; -1.
template <typename TimeOf>
int first_close(int most, const TimeOf& time_of) noexcept {
  Ticks least = 0;
  for (int slot = 0; slot <= slot_of(most); ++slot)
    if (const Ticks time = time_of(slot); time != 0 && (least == 0 || time < least)) least = time;
  for (int slot = 0; least != 0 && slot <= slot_of(most); ++slot)
    if (const Ticks time = time_of(slot); time != 0 && time <= close_to(least)) return slot;
  return -1;
}

}  // namespace

bool TeamTable::is_new(double size, int most) const noexcept {
  for (int slot = 0; slot <= slot_of(most); ++slot)
    if (times_.at(slot, SizeCells::place_of(size)).ticks() != 0) return false;
  return true;
}

int TeamTable::choose(double size, int most) noexcept {
  const std::size_t cell = SizeCells::place_of(size);
  if (const Decision now = decision_of(cell); now.most == most) {
    int slot = to_find_out(cell, now);
    // Other sizes may have told more meanwhile.
    if (slot == kNoSlot && now.ticks >= kLong) slot = promising(cell, most, slot_of(now.threads));
    if (slot == kNoSlot) return now.threads;
    put_on_trial(cell, slot, most);
    return threads_of(slot, most);
  }
  if (const int slot = slot_on_trial(cell, most); slot != kNoSlot) return threads_of(slot, most);
  const int known = best_known(cell, most);
  if (known == kNoSlot) {
    const int guess = best_guess(cell, most);
    return guess == kNoSlot ? most : threads_of(guess, most);
  }
  int other = promising(cell, most, known);
  if (other == kNoSlot) other = unheard_of(cell, most, known);
  if (other != kNoSlot) {
    put_on_trial(cell, other, most);
    return threads_of(other, most);
  }
  decide(cell, known, most);
  return threads_of(known, most);
}

void TeamTable::add(double size, int most, int threads, Ticks ticks) noexcept {
  const std::size_t place = SizeCells::place_of(size);
  const int slot = slot_of(threads);
  const base::RunMean before = times_.at(slot, place);
  base::RunMean now = before.with(ticks);
  const int best = best_known(place, most);
  const Ticks least = best == kNoSlot || best == slot ? 0 : times_.at(best, place).ticks();
  // An outlier is not what was expected.
  const bool is_expected =
      before.ticks() == 0 || (before.ticks() >= least && ticks >= least && ticks <= 2 * before.ticks());
  if (before.runs() == 0 && ticks >= kLong && is_expected) now = base::RunMean(ticks, base::RunMean::kEnough);
  times_.put(slot, place, now);
  Cell& cell = cells_[place];
  const bool is_settled = decision_of(place).most == most;
  if (!is_settled && least != 0 && ticks > least) {
    cell.earned.fetch_sub(cost_of_trial(place, slot, best, ticks) * kTrialShare, std::memory_order_relaxed);
  } else {
    cell.earned.fetch_add(static_cast<std::int64_t>(std::max(ticks, kTimedEach)), std::memory_order_relaxed);
  }
  if (is_settled) decide(place, best_known(place, most), most);
}

void TeamTable::promise(double size, int threads, Ticks ticks) noexcept {
  times_.put(slot_of(threads), SizeCells::place_of(size), base::RunMean(ticks, base::RunMean::kEnough));
}

int TeamTable::best(double size, int most) const noexcept {
  const std::size_t cell = SizeCells::place_of(size);
  if (const Decision now = decision_of(cell); now.most == most) return now.threads;
  int slot = best_known(cell, most);
  if (slot == kNoSlot) slot = best_guess(cell, most);
  return slot == kNoSlot ? 0 : threads_of(slot, most);
}

void TeamTable::decide(std::size_t cell, int slot, int most) noexcept {
  if (slot == kNoSlot) return;
  constexpr Ticks kMostTicks = (Ticks{1} << (64 - 2 * kThreadBits)) - 1;
  const Ticks ticks = std::min(times_.at(slot, cell).ticks(), kMostTicks);
  const auto threads = static_cast<std::uint64_t>(threads_of(slot, most));
  cells_[cell].decision.store(
      (ticks << (2 * kThreadBits)) | (threads << kThreadBits) | static_cast<std::uint64_t>(most),
      std::memory_order_relaxed);
}

void TeamTable::put_on_trial(std::size_t cell, int slot, int most) noexcept {
  times_.put(slot, cell, base::RunMean(expected(cell, slot, most), 0));
  cells_[cell].decision.store(0, std::memory_order_relaxed);
}

Ticks TeamTable::expected(std::size_t cell, int slot, int most) const noexcept {
  if (const base::RunMean mean = times_.at(slot, cell); mean.ticks() != 0) return mean.ticks();
  return times_.expected(slot, most, cell, times_.serial(cell, most));
}

int TeamTable::best_known(std::size_t cell, int most) const noexcept {
  return first_close(most, [&](int slot) {
    const base::RunMean mean = times_.at(slot, cell);
    return mean.is_known() ? mean.ticks() : 0;
  });
}

int TeamTable::slot_on_trial(std::size_t cell, int most) const noexcept {
  for (int slot = 0; slot <= slot_of(most); ++slot)
    if (times_.at(slot, cell).is_on_trial()) return slot;
  return kNoSlot;
}

int TeamTable::best_guess(std::size_t cell, int most) const noexcept {
  const Ticks serial = times_.guessed_serial(cell, most);
  if (serial == 0) return kNoSlot;
  return first_close(most, [&](int slot) { return times_.expected(slot, most, cell, serial); });
}

int TeamTable::promising(std::size_t cell, int most, int best) const noexcept {
  const Ticks serial = times_.serial(cell, most);
  Ticks least = clearly_less_than(times_.at(best, cell).ticks());
  int found = kNoSlot;
  for (int slot = 0; slot <= slot_of(most); ++slot) {
    if (times_.at(slot, cell).ticks() != 0) continue;
    const Ticks ticks = times_.expected(slot, most, cell, serial);
    if (ticks >= least) continue;
    least = ticks;
    found = slot;
  }
  return found;
}

int TeamTable::unheard_of(std::size_t cell, int most, int best) const noexcept {
  for (const int slot : {best - 1, best + 1}) {
    if (slot < 0 || slot > slot_of(most) || times_.at(slot, cell).ticks() != 0) continue;
    const Ticks slow = times_.at(best, cell).ticks() * 5 / 4;
    const std::size_t near = expected(cell, slot, most) > slow ? kNearIfSlow : kNear;
    if (!times_.is_known_within(near, slot, cell)) return slot;
  }
  return kNoSlot;
}

int TeamTable::to_find_out(std::size_t cell, const Decision& now) noexcept {
  const int last = slot_of(now.most);
  const int usual = slot_of(now.threads);
  if (last == 0) return kNoSlot;
  const std::int64_t earned = cells_[cell].earned.load(std::memory_order_relaxed) / kTrialShare;
  const int slot = neighbour_of(cell, usual, last);
  // What a trial takes is paid for when it is known. Half as many threads take twice as long at most.
  if (earned < cost_of_trial(cell, slot, usual, 2 * now.ticks)) return kNoSlot;
  cells_[cell].trials.fetch_add(1, std::memory_order_relaxed);
  return slot;
}

std::int64_t TeamTable::cost_of_trial(std::size_t cell, int slot, int usual, Ticks ticks) const noexcept {
  constexpr std::uint32_t kMostDoublings = 16;
  const std::uint32_t trials = std::min(cells_[cell].trials.load(std::memory_order_relaxed), kMostDoublings);
  if (slot > usual) ticks = std::max(ticks, std::min(ticks << trials, kTrialInTheEnd));
  return static_cast<std::int64_t>(ticks);
}

int TeamTable::neighbour_of(std::size_t cell, int slot, int last) const noexcept {
  if (slot == 0) return 1;
  if (slot == last) return last - 1;
  for (const int one : {slot - 1, slot + 1})
    if (times_.at(one, cell).ticks() == 0) return one;
  return cells_[cell].trials.load(std::memory_order_relaxed) % 2 == 0 ? slot - 1 : slot + 1;
}

}  // namespace foretask::runtime
