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
// Packets of this version have no checksum.
inline constexpr std::uint32_t kVersionWithoutChecksum = 1;
// Each version but the newest lacks something, and is still read.
[[nodiscard]] constexpr bool is_readable_version(std::uint32_t version) noexcept {
  return version >= kVersionWithoutChecksum && version <= kFormatVersion;
}
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

// The checksum that packets and run.json carry, for the side that writes and the side that reads. It finds damage, not
// forgery: a change within any one aligned word of 8 bytes is always found, other damage is missed once in 2^64 times.
// Never 0, which stands for "none". Some 20 us for 256 KiB; no special instructions. docs/trace_format.md defines it.
[[nodiscard]] std::uint64_t checksum_of(const void* bytes, std::size_t size) noexcept;

}  // namespace foretask::trace
