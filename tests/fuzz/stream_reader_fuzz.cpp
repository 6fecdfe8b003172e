// SPDX-License-Identifier: Apache-2.0
// Any bytes as one stream of a trace: events that lie within the bytes come out, what does not make sense is counted,
// and the reader ends.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "trace/stream_reader.hpp"

namespace {

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", what);
  std::abort();
}

// Reads a payload's every word: the sanitizers see one that is not there.
std::uint32_t touch(const foretask::trace::Event& event) {
  const foretask::trace::PayloadShape shape = foretask::trace::kPayloadShapes[event.kind];
  check(shape.is_event, "every event has a kind");
  const std::uint32_t count = shape.size(event.payload);
  const std::uint32_t most = shape.head_words + shape.item_words * std::uint32_t{shape.most_items};
  check(count <= most, "an event has an end");
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < count; ++i) sum += event.payload[i];
  return sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using foretask::trace::StreamReader;
  StreamReader reader = StreamReader::from_memory(data, size);
  std::uint64_t events = 0;
  std::uint64_t packets = 0;
  std::uint32_t sum = 0;
  for (foretask::trace::Event event; reader.next(event);) {
    ++events;
    sum += touch(event);
    check(reader.packets_read() >= packets, "packets come one after another");
    packets = reader.packets_read();
    check(reader.head().content_bits <= reader.head().packet_bits, "a packet's content lies in it");
  }
  check(events <= size / 4, "an event takes a word at least");
  check(packets <= size / foretask::trace::kHeadBytesWithoutChecksum, "a packet takes a head at least");
  check(reader.position_bytes() == size, "all bytes are read or skipped");
  check(reader.damage().skipped_bytes <= size, "no more is skipped than there is");
  const bool all_zero = std::all_of(data, data + size, [](std::uint8_t byte) { return byte == 0; });
  check(events != 0 || all_zero || packets != 0 || reader.damage().any(), "bytes that are no stream are damage");
  // A second reading sees the same.
  StreamReader again = StreamReader::from_memory(data, size);
  for (foretask::trace::Event event; again.next(event); --events) sum -= touch(event);
  check(events == 0 && sum == 0, "reading is repeatable");
  return 0;
}
