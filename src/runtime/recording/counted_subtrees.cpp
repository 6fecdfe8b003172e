// SPDX-License-Identifier: Apache-2.0
#include "runtime/recording/counted_subtrees.hpp"

#include <algorithm>
#include <bit>

#include "base/wide.hpp"
#include "trace/event_table.hpp"

namespace foretask::runtime {
namespace {

constexpr std::uint32_t kLeastStamped = 16;
constexpr std::uint32_t kOneLongIn = 10;
constexpr std::uint32_t kOfMistake = 4;  // as many long ones: one in which tasks were counted took more than a grain
constexpr std::uint32_t kPartsALevel = 32;
// Of logarithms to base 2, in 16ths. Of fib's two the larger has 0.62 of it, the smaller 0.38.
constexpr std::int32_t kALevel = 11;
constexpr std::int32_t kMostLevels = 8;
constexpr std::uint32_t kNewShare = 16;  // one in so many

// In 16ths; less than a half of one too low.
std::int32_t logarithm(std::uint64_t value) noexcept {
  const auto log = static_cast<unsigned>(std::bit_width(value | 1)) - 1;
  const std::uint64_t rest = log >= 4 ? value >> (log - 4) : value << (4 - log);
  return static_cast<std::int32_t>(log * 16 + (rest & 15));
}

std::uint32_t word_of(std::uint64_t ticks) noexcept {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(ticks, 0xffffffff));
}

}  // namespace

std::uint64_t TaskKinds::number_of(const void* code) noexcept {
  if (code == nullptr) return 0;
  for (std::uint64_t number = 1; number < codes_.size(); ++number) {
    const void* known = codes_[number].load(std::memory_order_relaxed);
    if (known == nullptr && codes_[number].compare_exchange_strong(known, code)) return number;
    if (known == code) return number;
  }
  return 0;
}

void TaskKinds::note(std::uint32_t kind, std::int64_t ticks, std::uint32_t path, std::uint32_t took,
                     std::uint32_t weight) noexcept {
  if (is_long(ticks)) return note_long(kind, weight);
  Kind& of = kinds_[kind];
  const auto share = static_cast<std::int64_t>((std::uint64_t{std::min(path, took)} << 16) / std::max(took, 1U));
  const std::int64_t before = of.span_share.load(std::memory_order_relaxed);
  const bool is_first = of.stamped.load(std::memory_order_relaxed) == 0;
  of.span_share.store(static_cast<std::uint32_t>(is_first ? share : before + (share - before) / kNewShare),
                      std::memory_order_relaxed);
  of.stamped.fetch_add(weight, std::memory_order_relaxed);
  decide(kind);
}

void TaskKinds::note_long(std::uint32_t kind, std::uint32_t weight) noexcept {
  kinds_[kind].stamped.fetch_add(weight, std::memory_order_relaxed);
  kinds_[kind].long_ones.fetch_add(weight, std::memory_order_relaxed);
  decide(kind);
}

void TaskKinds::decide(std::uint32_t kind) noexcept {
  Kind& of = kinds_[kind];
  const std::uint32_t stamped = of.stamped.load(std::memory_order_relaxed);
  const std::uint32_t long_ones = of.long_ones.load(std::memory_order_relaxed);
  const bool is_short = stamped >= kLeastStamped && long_ones * kOneLongIn <= stamped && kind >= FORETASK_ID_LEVELS &&
                        !is_stopped_.load(std::memory_order_relaxed);
  set_short(kind, is_short);
  if (stamped < kMostStamped) return;
  of.stamped.store(stamped / 2, std::memory_order_relaxed);
  of.long_ones.store(long_ones / 2, std::memory_order_relaxed);
}

void TaskKinds::note_part(std::uint32_t number, std::uint64_t part, std::uint64_t whole) noexcept {
  CodeTimes& of = times_[number];
  if (of.parts.load(std::memory_order_relaxed) > kPartsALevel) return;
  const std::uint32_t parts = of.parts.fetch_add(1, std::memory_order_relaxed) + 1;
  if (parts > kPartsALevel) return;
  const std::int32_t less = logarithm(whole) - logarithm(part);
  const std::int32_t sum = of.part_logarithms.fetch_add(less, std::memory_order_relaxed) + less;
  if (parts != kPartsALevel) return;
  constexpr auto kOfLevel = static_cast<std::int32_t>(kPartsALevel) * kALevel;
  const auto level = static_cast<std::uint8_t>(std::clamp((sum + kOfLevel / 2) / kOfLevel, 1, kMostLevels));
  if (level == levels_[number]) return;
  __atomic_store_n(&levels_[number], level, __ATOMIC_RELAXED);
  // What is known of kinds was of other levels.
  for (std::uint32_t kind = 0; kind < short_.size(); ++kind) {
    set_short(kind, false);
    kinds_[kind].stamped.store(0, std::memory_order_relaxed);
    kinds_[kind].long_ones.store(0, std::memory_order_relaxed);
  }
}

void TaskKinds::note_tasks(const void* code, std::int64_t ticks, std::uint64_t tasks) noexcept {
  const std::uint64_t number = number_of(code);
  if (code != nullptr && number == 0) return;
  times_[number].ticks.fetch_add(static_cast<std::uint64_t>(std::max<std::int64_t>(ticks, 0)),
                                 std::memory_order_relaxed);
  times_[number].tasks.fetch_add(tasks, std::memory_order_relaxed);
}

std::uint64_t TaskKinds::span_share(std::uint32_t kind) const noexcept {
  return kinds_[kind].span_share.load(std::memory_order_relaxed);
}

std::uint64_t TaskKinds::mean_ticks(std::uint64_t number) const noexcept {
  const std::uint64_t tasks = times_[number].tasks.load(std::memory_order_relaxed);
  return tasks == 0 ? 0 : (times_[number].ticks.load(std::memory_order_relaxed) << kFraction) / tasks;
}

void TaskKinds::note_bytes(std::uint64_t bytes) noexcept {
  const auto times = static_cast<std::int64_t>(std::max<std::uint64_t>(bytes / kBytesOfGrain, 1));
  grain_ticks_.store(first_grain_ticks_ * times, std::memory_order_relaxed);
}

void TaskKinds::stop() noexcept {
  if (is_stopped() || is_stopped_.exchange(true)) return;
  for (std::uint32_t kind = 0; kind < short_.size(); ++kind) set_short(kind, false);
}

// Also where the stack of tasks that have started has lost what it said of that one.
bool CountedSubtrees::is_in_stamped(const foretask_stream& stream) const noexcept {
  if (stamped_level_ == 0 || stream.started_count <= stamped_level_) return false;
  return stream.started[(stamped_level_ - 1) % FORETASK_STARTED_TASKS].event == stamped_event_;
}

void CountedSubtrees::begin(foretask_stream& stream, std::uint64_t task) noexcept {
  if (is_in_stamped(stream)) return;
  stamped_level_ = 0;
  std::uint32_t* const event = stream.started[(stream.started_count - 1) % FORETASK_STARTED_TASKS].event;
  if (event != nullptr && --until_stamped_ == 0) {
    until_stamped_ = kOneInStamped;
    stamped_level_ = stream.started_count;
    stamped_event_ = event;
    return;
  }
  // Where ends of tasks were not told.
  while (open_count_ > 0 && open_[open_count_ - 1].level >= stream.started_count) --open_count_;
  if (open_count_ == kMostOpen) return;
  foretask_counting& counting = open_[open_count_++];
  counting = {.name = FORETASK_ID_COUNTED | (task & (FORETASK_ID_COUNTED - 1)),
              .level = stream.started_count,
              .until_look = kTasksALook,
              .kind = static_cast<std::uint32_t>(task >> FORETASK_ID_LEVEL_SHIFT),
              .began_ticks = stream.last_ticks};
  stream.counting = stream.counted_around = &counting;
}

void CountedSubtrees::end(foretask_stream& stream) noexcept {
  const foretask_counting& counting = *stream.counting;
  stream.counting = nullptr;
  const std::int64_t ticks = write(stream, counting);
  if (kinds_.is_long(ticks)) kinds_.note_long(counting.kind, ticks < kinds_.grain_ticks() ? 1 : kOfMistake);
  open_count_ = open_count_ == 0 ? 0 : open_count_ - 1;
  stream.counted_around = open_count_ == 0 ? nullptr : &open_[open_count_ - 1];
}

// Returns how long it took. That is split as the time of stamped ones was.
std::int64_t CountedSubtrees::write(foretask_stream& stream, const foretask_counting& counting) const noexcept {
  static_assert(FORETASK_ID_CODES - 1 <= FORETASK_KERNELS_PER_SUBTREE);
  std::uint32_t tasks = 0;
  std::uint32_t kernels = 0;
  std::uint64_t expected = kinds_.mean_ticks(counting.kind / FORETASK_ID_LEVELS);
  for (std::uint64_t number = 1; number < FORETASK_ID_CODES; ++number) {
    if (counting.tasks[number] == 0) continue;
    ++kernels;
    tasks += counting.tasks[number];
    expected += counting.tasks[number] * kinds_.mean_ticks(number);
  }
  if (tasks == 0) return 0;
  std::uint32_t* word = foretask_event_begin_extended_(&stream, FORETASK_EVENT_SUBTREE);
  if (word == nullptr) return 0;
  const std::uint64_t ticks = stream.last_ticks - counting.began_ticks;
  const std::uint64_t between = tasks * kinds_.mean_ticks(0);
  expected = std::max<std::uint64_t>(expected + between, 1);
  const auto part = [&](std::uint64_t of) {
    return word_of(static_cast<std::uint64_t>(static_cast<base::Wide>(ticks) * of / expected));
  };
  for (const std::uint32_t head : {word_of(ticks * kinds_.span_share(counting.kind) >> 16), part(between), 0U,
                                   counting.waits, counting.groups, tasks, kernels})
    *word++ = head;
  for (std::uint64_t number = 1; number < FORETASK_ID_CODES; ++number) {
    const std::uint32_t count = counting.tasks[number];
    if (count == 0) continue;
    trace::put_u64(word, reinterpret_cast<std::uintptr_t>(kinds_.code_of(number)));
    *word++ = count;
    *word++ = part(count * kinds_.mean_ticks(number));
  }
  foretask_event_end_(&stream, word);
  return static_cast<std::int64_t>(ticks);
}

std::uint64_t CountedSubtrees::take(foretask_stream& stream, std::uint64_t task) noexcept {
  foretask_counting* const counting = stream.counting;
  if (counting != nullptr && counting->name << 12 == task << 12) {
    // What takes longer than its kind does is recorded from here on.
    const std::uint64_t now = foretask_stream_ticks(&stream);
    if (static_cast<std::int64_t>(now - counting->began_ticks) < kinds_.grain_ticks()) {
      counting->until_look = kTasksALook + 1;  // with this one
      static_cast<void>(foretask_count_start_(&stream, task));
      return 0;
    }
    counting->name = 0;
  }
  const std::uint64_t name = foretask_name_(&stream, stream.next_task++);
  if (std::uint32_t* word = foretask_event_begin_extended_(&stream, FORETASK_EVENT_TASK_TAKEN)) {
    trace::put_u64(word, reinterpret_cast<std::uintptr_t>(kinds_.code_of(task >> FORETASK_ID_CODE_SHIFT)));
    *word++ = static_cast<std::uint32_t>(task);
    *word++ = foretask_stream_of_(task);
    foretask_event_end_(&stream, word);
  }
  return name | (task >> FORETASK_ID_LEVEL_SHIFT << FORETASK_ID_LEVEL_SHIFT);
}

}  // namespace foretask::runtime
