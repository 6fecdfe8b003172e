// SPDX-License-Identifier: Apache-2.0
// The trace's metadata file: CTF 1.8's description (TSDL) of the streams that runtime::WorkerStream writes, and of
// run.json.
//
// CTF readers take every file beside the metadata for a stream. So that one folder is both a valid trace and holds
// run.json, the description is declared to be a stream too: one packet, whose context is the file's text, and no
// events. For that the packet header is nothing but the stream class's number: the magic number for the workers'
// streams, the first four characters for run.json. Some readers (babeltrace2 2.1) want a beginning of each packet that
// belongs to a class with a clock: the file's last byte, a line's end, stands for 10 ticks.
//
// The context has neither CTF's `events_discarded` nor its `packet_seq_num`. They make babeltrace2 2.1 ask for each
// packet's `timestamp_end`, which nobody has written where the program was killed.
#pragma once

#include <cstdint>
#include <string>

#include "trace/packet.hpp"

namespace foretask::trace {

struct MetadataValues {
  trace::TraceId uuid{};
  std::uint64_t ticks_per_second = 1'000'000'000;
  // Tick 0 in seconds and ticks since 1970, so that readers show the time of day.
  std::int64_t offset_seconds = 0;
  std::uint64_t offset_ticks = 0;
  std::string program;
  std::string host;
  std::size_t run_file_bytes = 0;  // size of run.json
};

[[nodiscard]] std::string ctf_metadata(const MetadataValues& values);

}  // namespace foretask::trace
