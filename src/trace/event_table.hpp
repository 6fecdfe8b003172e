// SPDX-License-Identifier: Apache-2.0
// The table of events: all that the recorder, the reader, the metadata and run.json know of a kind. A new event is a
// row.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <string_view>

#include "foretask/hook.h"

namespace foretask::trace {

// The next of its stream: hooks number them without saying so.
enum class Creates : std::uint8_t { kNothing, kTask, kRegion };

struct EventDescription {
  std::uint32_t kind;  // foretask_event_kind
  std::string_view name;
  // In CTF's TSDL: `type name;` each, where the type's name ends in its bits. A list comes last, with `[count]` and,
  // where an item has several fields, in braces. The field before it is its count.
  std::string_view fields;
  std::uint8_t most_items = 0;  // in the list
  Creates creates = Creates::kNothing;
};

// By kind.
inline constexpr auto kEvents = std::to_array<EventDescription>({
    {FORETASK_EVENT_TASK_CREATE, "task_create", "hex32 code;", 0, Creates::kTask},
    {FORETASK_EVENT_TASK_CREATE_FLAGGED, "task_create_flagged", "hex32 code; hex32 flags;", 0, Creates::kTask},
    {FORETASK_EVENT_TASK_SWITCH_OWN, "task_switch_own", "uint32 task;"},
    {FORETASK_EVENT_TASK_SWITCH, "task_switch", "uint32 task; uint32 creator;"},
    {FORETASK_EVENT_TASK_END, "task_end", ""},
    {FORETASK_EVENT_TASK_DETACH, "task_detach", ""},
    {FORETASK_EVENT_TASK_FULFILL, "task_fulfill", "uint32 task; uint32 creator;"},
    {FORETASK_EVENT_WAIT_BEGIN, "taskwait_begin", ""},
    {FORETASK_EVENT_WAIT_END, "taskwait_end", ""},
    {FORETASK_EVENT_DEPEND_WAIT_END, "depend_wait_end", "uint32 task; uint32 creator;"},
    {FORETASK_EVENT_GROUP_BEGIN, "taskgroup_begin", ""},
    {FORETASK_EVENT_GROUP_WAIT, "taskgroup_wait", ""},
    {FORETASK_EVENT_GROUP_END, "taskgroup_end", ""},
    {FORETASK_EVENT_BARRIER_BEGIN, "barrier_begin", ""},
    {FORETASK_EVENT_BARRIER_END, "barrier_end", ""},
    {FORETASK_EVENT_REGION_BEGIN, "region_begin", "hex32 code; uint32 requested;", 0, Creates::kRegion},
    {FORETASK_EVENT_REGION_END, "region_end", "uint32 region; uint32 creator;"},
    {FORETASK_EVENT_IMPLICIT_BEGIN, "implicit_begin", "uint32 region; uint32 creator; uint32 team_size; uint32 index;",
     0, Creates::kTask},
    {FORETASK_EVENT_IMPLICIT_END, "implicit_end", "uint32 task; uint32 creator;"},
    {FORETASK_EVENT_DEPENDENCES, "dependences", "uint32 count; struct { hex64 address; uint32 kind; } list[count];",
     FORETASK_DEPENDENCES_PER_EVENT},
    {FORETASK_EVENT_LOCK_WAIT, "lock_wait", "hex64 lock; uint32 kind;"},
    {FORETASK_EVENT_LOCK_ACQUIRED, "lock_acquired", "hex64 lock;"},
    {FORETASK_EVENT_LOCK_RELEASED, "lock_released", "hex64 lock;"},
    {FORETASK_EVENT_CODE_HIGH, "code_high", "hex32 high;"},
    {FORETASK_EVENT_TOOL_TIME, "tool_time", "uint64 ticks;"},
    {FORETASK_EVENT_THREAD_BEGIN, "thread_begin", "uint32 thread; uint32 processor;"},
    {FORETASK_EVENT_THREAD_END, "thread_end", ""},
    {FORETASK_EVENT_TASK_CANCEL, "task_cancel", "uint32 task; uint32 creator;"},
    {FORETASK_EVENT_TASK_CREATE_FAR, "task_create_far", "hex32 code; hex32 high;", 0, Creates::kTask},
    {FORETASK_EVENT_TASK_COUNTERS, "task_counters", "uint32 count; uint64 values[count];", FORETASK_MAX_COUNTERS},
    {FORETASK_EVENT_TASK_KERNEL, "task_kernel", "uint32 kernel; uint32 count; float64 parameters[count];",
     FORETASK_MAX_PARAMETERS},
    {FORETASK_EVENT_TASK_PARAMETER, "task_parameter", "uint32 index; float64 value;"},
    {FORETASK_EVENT_KERNEL_SAMPLE, "kernel_sample",
     "uint32 kernel; float64 duration_ns; uint32 count; float64 parameters[count];", FORETASK_MAX_PARAMETERS},
    {FORETASK_EVENT_ACCESSES, "accesses",
     "uint32 count; struct { hex64 address; uint64 bytes; uint32 kind; } list[count];", FORETASK_ACCESSES_PER_EVENT},
    {FORETASK_EVENT_BLOCK_BEGIN, "block_begin", "uint32 why;"},
    {FORETASK_EVENT_BLOCK_END, "block_end", ""},
    {FORETASK_EVENT_MESSAGE_SENT, "message_sent", "uint32 rank; uint32 tag; hex64 communicator; uint64 bytes;"},
    {FORETASK_EVENT_MESSAGE_RECEIVED, "message_received",
     "uint32 rank; uint32 tag; hex64 communicator; uint64 bytes; uint32 posted;"},
    {FORETASK_EVENT_COLLECTIVE_ENTER, "collective_enter",
     "hex64 communicator; uint32 number; uint32 kind; uint32 own_rank; uint32 root; uint32 size; "
     "uint64 bytes;"},
    {FORETASK_EVENT_COLLECTIVE_LEAVE, "collective_leave", "hex64 communicator; uint32 number;"},
    {FORETASK_EVENT_CANCEL, "cancel", "uint32 what;"},
    {FORETASK_EVENT_LOOP_BEGIN, "loop_begin",
     "hex64 code; uint32 construct; uint32 schedule; uint64 iterations; uint64 chunk;"},
    {FORETASK_EVENT_LOOP_CHUNKS, "loop_chunks", "uint32 chunks; uint64 iterations; int64 first; int64 last;"},
    {FORETASK_EVENT_LOOP_END, "loop_end", ""},
    {FORETASK_EVENT_THREAD_TIMES, "thread_times", "uint64 elapsed; uint64 on_core; uint64 waited; uint32 flags;"},
    {FORETASK_EVENT_CODE_SAMPLE, "code_sample", "uint64 ticks; uint32 thread; uint32 ns; hex64 address;"},
    {FORETASK_EVENT_GRANULARITY, "granularity",
     "uint32 kernel; uint32 tasks; uint32 calls; uint32 decisions; uint32 decisions_ns; uint32 threshold_ns;"},
    {FORETASK_EVENT_SUBTREE, "subtree",
     "uint32 span; uint32 in_no_task; uint32 tool; uint32 waits; uint32 groups; uint32 counted; uint32 count; "
     "struct { hex64 code; uint32 tasks; uint32 ticks; } list[count];",
     FORETASK_KERNELS_PER_SUBTREE},
    {FORETASK_EVENT_TASK_TAKEN, "task_taken", "hex64 code; uint32 task; uint32 creator;", 0, Creates::kTask},
    {FORETASK_EVENT_INTEREST, "interest", "uint32 begins;"},
});

// How long a kind's payload is: `head_words`, the last of which counts the items that follow where there may be some.
struct PayloadShape {
  std::uint8_t head_words = 0;
  std::uint8_t item_words = 0;
  std::uint8_t most_items = 0;
  bool is_event = false;

  // In words, of a whole payload.
  [[nodiscard]] constexpr std::uint32_t size(const std::uint32_t* payload) const noexcept {
    return most_items == 0 ? head_words : head_words + item_words * payload[head_words - 1];
  }
};

// By kind. 0 and FORETASK_EVENT_EXTENDED are no events.
inline constexpr auto kPayloadShapes = [] {
  std::array<PayloadShape, FORETASK_EVENT_KINDS> shapes{};
  for (const EventDescription& event : kEvents) {
    PayloadShape& shape = shapes[event.kind];
    shape = {.most_items = event.most_items, .is_event = true};
    bool is_item = false;
    for (std::string_view rest = event.fields; !rest.empty();) {
      const std::string_view field = rest.substr(0, rest.find(';'));
      rest.remove_prefix(field.size() + 1);
      is_item = is_item || field.find_first_of("{[") != std::string_view::npos;
      const std::size_t bits = field.find_first_of("36");
      const int words = bits == std::string_view::npos ? 0 : field.substr(bits, 2) == "64" ? 2 : 1;
      std::uint8_t& sum = is_item ? shape.item_words : shape.head_words;
      sum = static_cast<std::uint8_t>(sum + words);
    }
  }
  return shapes;
}();

// By kind.
[[nodiscard]] constexpr Creates creates(std::uint32_t kind) noexcept {
  constexpr auto kCreates = [] {
    std::array<Creates, FORETASK_EVENT_KINDS> by_kind{};
    for (const EventDescription& event : kEvents) by_kind[event.kind] = event.creates;
    return by_kind;
  }();
  return kind < kCreates.size() ? kCreates[kind] : Creates::kNothing;
}

// Fields of two words.
[[nodiscard]] constexpr std::uint64_t u64_at(const std::uint32_t* words) noexcept {
  return words[0] | static_cast<std::uint64_t>(words[1]) << 32;
}
[[nodiscard]] constexpr double f64_at(const std::uint32_t* words) noexcept {
  return std::bit_cast<double>(u64_at(words));
}
// Writes one, and goes on behind it.
constexpr void put_u64(std::uint32_t*& word, std::uint64_t value) noexcept {
  *word++ = static_cast<std::uint32_t>(value);
  *word++ = static_cast<std::uint32_t>(value >> 32);
}

// Kinds that only the extended header can say.
[[nodiscard]] constexpr bool needs_extended_header(std::uint32_t kind) { return kind > FORETASK_EVENT_EXTENDED; }

inline constexpr std::uint32_t kExtendedHeaderBytes = 16;

static_assert(kEvents.size() == FORETASK_EVENT_KINDS - 2, "each kind of hook.h has a row");
static_assert(std::ranges::is_sorted(kEvents, std::ranges::less_equal{}, &EventDescription::kind));
static_assert(std::ranges::all_of(kPayloadShapes, [](const PayloadShape& shape) {
  return (shape.item_words == 0) == (shape.most_items == 0) &&
         kExtendedHeaderBytes + 4 * (shape.head_words + shape.item_words * shape.most_items) <=
             FORETASK_MAX_EVENT_BYTES;
}));

}  // namespace foretask::trace
