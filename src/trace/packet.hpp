// SPDX-License-Identifier: Apache-2.0
// A packet of a stream, as it lies in the file and in memory (docs/trace_format.md). Little endian, as the host is;
// CTF's metadata says so.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "foretask/hook.h"

namespace foretask::trace {

inline constexpr std::uint32_t kPacketMagic = 0xC1FC1FC1U;  // CTF 1.8, section 5.1
inline constexpr std::uint32_t kFormatVersion = 2;
// Packets of this version have no checksum. They are still read.
inline constexpr std::uint32_t kVersionWithoutChecksum = 1;
inline constexpr std::size_t kHeadBytesWithoutChecksum = 80;

// Streams of a trace are numbered below this.
inline constexpr std::uint32_t kMaxStreams = 65535;

using TraceId = std::array<std::uint8_t, 16>;

// CTF's packet header (its first word, which is also the stream class's number) and packet context. Sizes are in bits.
struct PacketHead {
  std::uint32_t magic;
  TraceId uuid;
  std::uint32_t format_version;
  std::uint64_t timestamp_begin;  // ticks; the first event's stamp completes from it
  std::uint64_t content_bits;     // valid part, this head included
  std::uint64_t packet_bits;
  std::uint64_t events_discarded;  // of this stream, so far
  std::uint64_t sequence;
  std::uint32_t stream;        // number of the stream: its worker
  std::uint32_t first_task;    // tasks this stream created before this packet
  std::uint32_t first_region;  // parallel regions, likewise
  std::uint32_t code_high;     // upper half of the code addresses at its start
  // checksum_of() the valid part while this field is 0. Written when the packet is finished; 0 until then.
  std::uint64_t checksum;
};
static_assert(sizeof(PacketHead) == 88 && offsetof(PacketHead, timestamp_begin) == 24);
static_assert(offsetof(PacketHead, checksum) == kHeadBytesWithoutChecksum);

// Words of a kind's payload; kSequence where one of them says how long it is: sequence_of().
inline constexpr std::int8_t kSequence = -1;
inline constexpr std::int8_t kNoEvent = -2;
[[nodiscard]] constexpr std::int8_t payload_words(std::uint32_t kind) {
  switch (kind) {
    case FORETASK_EVENT_TASK_CREATE:
    case FORETASK_EVENT_TASK_SWITCH_OWN:
    case FORETASK_EVENT_CODE_HIGH:
    case FORETASK_EVENT_BLOCK_BEGIN:
    case FORETASK_EVENT_CANCEL:
      return 1;
    case FORETASK_EVENT_TASK_CREATE_FLAGGED:
    case FORETASK_EVENT_TASK_SWITCH:
    case FORETASK_EVENT_TASK_FULFILL:
    case FORETASK_EVENT_DEPEND_WAIT_END:
    case FORETASK_EVENT_REGION_BEGIN:
    case FORETASK_EVENT_REGION_END:
    case FORETASK_EVENT_IMPLICIT_END:
    case FORETASK_EVENT_LOCK_ACQUIRED:
    case FORETASK_EVENT_LOCK_RELEASED:
    case FORETASK_EVENT_TOOL_TIME:
    case FORETASK_EVENT_THREAD_BEGIN:
    case FORETASK_EVENT_TASK_CANCEL:
    case FORETASK_EVENT_TASK_CREATE_FAR:
      return 2;
    case FORETASK_EVENT_LOCK_WAIT:
    case FORETASK_EVENT_TASK_PARAMETER:
    case FORETASK_EVENT_COLLECTIVE_LEAVE:
      return 3;
    case FORETASK_EVENT_IMPLICIT_BEGIN:
      return 4;
    case FORETASK_EVENT_MESSAGE_SENT:
      return 6;
    case FORETASK_EVENT_MESSAGE_RECEIVED:
      return 7;
    case FORETASK_EVENT_COLLECTIVE_ENTER:
      return 9;
    case FORETASK_EVENT_DEPENDENCES:
    case FORETASK_EVENT_TASK_COUNTERS:
    case FORETASK_EVENT_TASK_KERNEL:
    case FORETASK_EVENT_KERNEL_SAMPLE:
    case FORETASK_EVENT_ACCESSES:
      return kSequence;
    case FORETASK_EVENT_TASK_END:
    case FORETASK_EVENT_TASK_DETACH:
    case FORETASK_EVENT_WAIT_BEGIN:
    case FORETASK_EVENT_WAIT_END:
    case FORETASK_EVENT_GROUP_BEGIN:
    case FORETASK_EVENT_GROUP_WAIT:
    case FORETASK_EVENT_GROUP_END:
    case FORETASK_EVENT_BARRIER_BEGIN:
    case FORETASK_EVENT_BARRIER_END:
    case FORETASK_EVENT_THREAD_END:
    case FORETASK_EVENT_BLOCK_END:
      return 0;
    default:
      return kNoEvent;
  }
}

// A payload of `head_words` words, the last of which counts the items of `item_words` that follow, `most` at most.
struct SequencePayload {
  std::uint32_t head_words = 1;
  std::uint32_t item_words = 0;
  std::uint32_t most = 0;
};
[[nodiscard]] constexpr SequencePayload sequence_of(std::uint32_t kind) {
  switch (kind) {
    case FORETASK_EVENT_DEPENDENCES:
      return {1, 3, FORETASK_DEPENDENCES_PER_EVENT};
    case FORETASK_EVENT_TASK_COUNTERS:
      return {1, 2, FORETASK_MAX_COUNTERS};
    case FORETASK_EVENT_TASK_KERNEL:
      return {2, 2, FORETASK_MAX_PARAMETERS};
    case FORETASK_EVENT_KERNEL_SAMPLE:
      return {4, 2, FORETASK_MAX_PARAMETERS};
    case FORETASK_EVENT_ACCESSES:
      return {1, 5, FORETASK_ACCESSES_PER_EVENT};
    default:
      return {};
  }
}
// An event's words without its header, as its own count has it. The payload is a whole one.
[[nodiscard]] constexpr std::uint32_t payload_size(std::uint32_t kind, const std::uint32_t* payload) {
  const std::int8_t words = payload_words(kind);
  if (words >= 0) return static_cast<std::uint32_t>(words);
  const SequencePayload shape = sequence_of(kind);
  return shape.head_words + shape.item_words * payload[shape.head_words - 1];
}
// Kinds that only the extended header can say.
[[nodiscard]] constexpr bool needs_extended_header(std::uint32_t kind) { return kind > FORETASK_EVENT_EXTENDED; }

inline constexpr std::uint32_t kExtendedHeaderBytes = 16;
static_assert(kExtendedHeaderBytes + 4 * (1 + 3 * FORETASK_DEPENDENCES_PER_EVENT) <= FORETASK_MAX_EVENT_BYTES);
static_assert(kExtendedHeaderBytes + 4 * (1 + 2 * FORETASK_MAX_COUNTERS) <= FORETASK_MAX_EVENT_BYTES);
static_assert(kExtendedHeaderBytes + 4 * (4 + 2 * FORETASK_MAX_PARAMETERS) <= FORETASK_MAX_EVENT_BYTES);
static_assert(kExtendedHeaderBytes + 4 * (1 + 5 * FORETASK_ACCESSES_PER_EVENT) <= FORETASK_MAX_EVENT_BYTES);

}  // namespace foretask::trace
