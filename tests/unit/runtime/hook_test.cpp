// SPDX-License-Identifier: Apache-2.0
// The C interface in a process that records nothing. A whole recording is in tests/stress/hook_abi_test.cpp.
#include "foretask/hook.h"

#include <array>
#include <string>

#include "catch.hpp"

TEST_CASE("a hook of another version records nothing") {
  CHECK(foretask_hook_start(nullptr) == 0);
  foretask_hook_options options{};
  options.size = sizeof options;
  options.version = FORETASK_HOOK_VERSION + 1;
  CHECK(foretask_hook_start(&options) == 0);
  options.version = FORETASK_HOOK_VERSION;
  options.size = sizeof options - 1;
  CHECK(foretask_hook_start(&options) == 0);
  CHECK(foretask_is_recording() == 0);
}

TEST_CASE("where nothing is recorded there are no streams and no folder, and ending it does nothing") {
  CHECK(foretask_stream_open() == nullptr);
  CHECK(foretask_recording_folder() == nullptr);
  foretask_stream_close(nullptr);
  foretask_hook_stop();
  foretask_hook_stop();
  CHECK(foretask_is_recording() == 0);
}

TEST_CASE("the library's version is the header's") {
  CHECK(std::string(foretask_version()) == std::to_string(FORETASK_VERSION_MAJOR) + "." +
                                               std::to_string(FORETASK_VERSION_MINOR) + "." +
                                               std::to_string(FORETASK_VERSION_PATCH));
}

TEST_CASE("a stream of nobody's takes an event after a long pause as dropped") {
  // As when a thread loses its processor while the probes' costs are measured.
  std::array<std::uint32_t, 16> packet{};
  std::uint64_t content_bits = 0;
  foretask_stream stream{};
  stream.packet = packet.data();
  stream.cursor = packet.data();
  stream.limit = packet.data() + 8;
  stream.content_bits = &content_bits;
  stream.last_ticks = foretask_stream_ticks(&stream) - 2 * FORETASK_COMPACT_TICKS;
  foretask_record_0_(&stream, FORETASK_EVENT_TASK_END);
  CHECK(stream.cursor == packet.data());
  stream.last_ticks = foretask_stream_ticks(&stream);
  foretask_record_0_(&stream, FORETASK_EVENT_TASK_END);
  CHECK(stream.cursor == packet.data() + 1);
}
