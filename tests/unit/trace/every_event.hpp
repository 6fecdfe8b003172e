// SPDX-License-Identifier: Apache-2.0
// A small stream with every kind of event, short and long headers, in three packets, and what is in it.
#pragma once

#include <cstdint>
#include <vector>

#include "foretask/hook.h"
#include "unit/trace/events_of.hpp"
#include "unit/trace/stream_bytes.hpp"

namespace foretask::test {

struct EveryEvent {
  explicit EveryEvent(std::uint32_t version = 1) : stream(0, 1'000'000, version) {
    stream.free_words = 0;
    add(1'000'010, FORETASK_EVENT_THREAD_BEGIN, {4711, 1});
    add(1'000'020, FORETASK_EVENT_IMPLICIT_BEGIN, {~0U, ~0U, 1, 0});
    add(1'000'030, FORETASK_EVENT_CODE_HIGH, {0x7fff});
    add(1'000'040, FORETASK_EVENT_REGION_BEGIN, {0x1000, 2});
    add(1'000'050, FORETASK_EVENT_IMPLICIT_BEGIN, {0, 0, 2, 1});
    add(1'000'060, FORETASK_EVENT_TASK_CREATE, {0x2000});
    add(1'000'070, FORETASK_EVENT_TASK_CREATE_FLAGGED, {0x3000, 16});
    add(1'000'080, FORETASK_EVENT_DEPENDENCES, {2, 1, 0, 1, 2, 0, 3});
    add(1'000'090, FORETASK_EVENT_DEPENDENCES, {0});
    next_packet(5);
    add(1'000'100, FORETASK_EVENT_TASK_SWITCH_OWN, {2});
    add(1'000'100, FORETASK_EVENT_TASK_DETACH);
    add(1'000'100 + (1U << 27) - 1, FORETASK_EVENT_TASK_SWITCH, {3, 0});  // the longest short gap
    add(1'000'100 + (2U << 27), FORETASK_EVENT_TASK_END);                 // a gap of 2^27 + 1
    add(1'000'099 + (3U << 27), FORETASK_EVENT_TASK_FULFILL, {2, 0});
    add(1'000'099 + (4ULL << 27), FORETASK_EVENT_WAIT_BEGIN);  // the shortest long one: 2^27
    add(5ULL << 32, FORETASK_EVENT_WAIT_END);
    add(5ULL << 32, FORETASK_EVENT_DEPEND_WAIT_END, {1, 0}, true);  // a long header that need not be
    add(5ULL << 32, FORETASK_EVENT_GROUP_BEGIN);
    add((5ULL << 32) + 1, FORETASK_EVENT_GROUP_WAIT);
    add((5ULL << 32) + 2, FORETASK_EVENT_GROUP_END);
    next_packet(0);
    add((5ULL << 32) + 3, FORETASK_EVENT_BARRIER_BEGIN);
    add((5ULL << 32) + 4, FORETASK_EVENT_BARRIER_END);
    add((5ULL << 32) + 5, FORETASK_EVENT_LOCK_WAIT, {1, 2, 3});
    add((5ULL << 32) + 6, FORETASK_EVENT_LOCK_ACQUIRED, {1, 2});
    add((5ULL << 32) + 7, FORETASK_EVENT_LOCK_RELEASED, {1, 2});
    add((5ULL << 32) + 8, FORETASK_EVENT_TOOL_TIME, {100, 0});
    add((5ULL << 32) + 9, FORETASK_EVENT_IMPLICIT_END, {1, 0});
    add((5ULL << 32) + 10, FORETASK_EVENT_REGION_END, {0, 0});
    add((5ULL << 32) + 11, FORETASK_EVENT_TASK_CREATE_FAR, {0x4000, 0x7ffe});
    add((5ULL << 32) + 12, FORETASK_EVENT_TASK_CANCEL, {3, 0});
    add((5ULL << 32) + 13, FORETASK_EVENT_TASK_COUNTERS, {0});
    add((5ULL << 32) + 14, FORETASK_EVENT_TASK_COUNTERS, {8, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8, 9});
    add((5ULL << 32) + 15, FORETASK_EVENT_TASK_COUNTERS, {1, 7, 8}, true);
    add((5ULL << 32) + 16, FORETASK_EVENT_TASK_KERNEL, {4, 2, 0, 0x3ff00000, 0, 0x40000000});
    add((5ULL << 32) + 17, FORETASK_EVENT_TASK_PARAMETER, {1, 0, 0x40080000});
    add((5ULL << 32) + 18, FORETASK_EVENT_KERNEL_SAMPLE, {4, 0, 0x40590000, 1, 0, 0x3ff00000});
    add((5ULL << 32) + 19, FORETASK_EVENT_KERNEL_SAMPLE, {5, 0, 0x40590000, 0});
    add((5ULL << 32) + 20, FORETASK_EVENT_ACCESSES, {0});
    add((5ULL << 32) + 21, FORETASK_EVENT_ACCESSES, {3, 1, 0, 8, 0, 1, 2, 0, 8, 0, 2, 3, 0, 8, 0, 3});
    add((5ULL << 32) + 22, FORETASK_EVENT_BLOCK_BEGIN, {1});
    add((5ULL << 32) + 23, FORETASK_EVENT_MESSAGE_SENT, {1, 7, 2, 0, 4096, 0});
    add((5ULL << 32) + 24, FORETASK_EVENT_MESSAGE_RECEIVED, {1, 7, 2, 0, 4096, 0, 5});
    add((5ULL << 32) + 25, FORETASK_EVENT_COLLECTIVE_ENTER, {2, 0, 1, 1, 0, 0, 4, 8, 0});
    add((5ULL << 32) + 26, FORETASK_EVENT_COLLECTIVE_LEAVE, {2, 0, 1});
    add((5ULL << 32) + 27, FORETASK_EVENT_BLOCK_END);
    add((5ULL << 32) + 28, FORETASK_EVENT_CANCEL, {24});
    add((5ULL << 32) + 29, FORETASK_EVENT_LOOP_BEGIN, {0x4000, 0x7ffe, 1, 3, 100, 0, 4, 0});
    add((5ULL << 32) + 30, FORETASK_EVENT_LOOP_CHUNKS, {2, 8, 0, 0xfffffff8, 0xffffffff, 3, 0});
    add((5ULL << 32) + 31, FORETASK_EVENT_LOOP_END);
    add((5ULL << 32) + 32, FORETASK_EVENT_THREAD_TIMES, {40, 0, 30, 0, 5, 0, 3});
    add((5ULL << 32) + 33, FORETASK_EVENT_CODE_SAMPLE, {7, 5, 4711, 1'000'000, 0x4000, 0x7ffe});
    add((5ULL << 32) + 34, FORETASK_EVENT_GRANULARITY, {4, 3, 1000, 5, 100, 12'000});
    add((5ULL << 32) + 35, FORETASK_EVENT_SUBTREE,
        {900, 50, 7, 4, 1, 3, 2, 0x4000, 0x7ffe, 3, 600, 0x5000, 0x7ffe, 1, 80});
    add((5ULL << 32) + 36, FORETASK_EVENT_TASK_TAKEN, {0x4000, 0x7ffe, 2, 1});
    add((5ULL << 32) + 37, FORETASK_EVENT_INTEREST, {1});
    add((5ULL << 32) + 38, FORETASK_EVENT_THREAD_END);
  }

  StreamBytes stream;
  std::vector<SeenEvent> events;
  std::vector<std::size_t> event_end;  // in bytes from the stream's beginning
  std::vector<std::size_t> packet_begin = {0};
  std::vector<std::size_t> packet_events = {0};  // events before each packet

 private:
  void add(std::uint64_t ticks, std::uint32_t kind, const std::vector<std::uint32_t>& payload = {},
           bool extended = false) {
    stream.event(ticks, kind, payload, extended);
    events.push_back({kind, ticks, payload});
    event_end.push_back(stream.size_bytes());
  }
  void next_packet(std::size_t free_words) {
    stream.free_words = free_words;
    stream.new_packet();
    packet_begin.push_back(stream.size_bytes() - stream.head_words() * 4);
    packet_events.push_back(events.size());
    stream.free_words = 0;
  }
};

}  // namespace foretask::test
