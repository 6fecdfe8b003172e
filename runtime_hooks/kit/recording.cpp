// SPDX-License-Identifier: Apache-2.0
#include "kit/recording.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

namespace foretask::kit {

int start(const char* runtime, const char* version, std::uint32_t flags, std::uint64_t entered_ticks) noexcept {
  foretask_hook_options options{};
  options.size = sizeof options;
  options.version = FORETASK_HOOK_VERSION;
  options.runtime = runtime;
  options.runtime_version = version;
  options.entered_ticks = entered_ticks;
  options.flags = flags;
  return foretask_hook_start(&options);
}

std::uint64_t ticks_before_start() noexcept {
  foretask_stream clock{};
  clock.clock_is_tsc = static_cast<std::uint32_t>(foretask_clock_is_tsc());
  return foretask_stream_ticks(&clock);
}

foretask_stream* open_worker_stream() noexcept {
  foretask_stream* const stream = foretask_stream_open();
  foretask_record_2_(stream, FORETASK_EVENT_THREAD_BEGIN, static_cast<std::uint32_t>(::syscall(SYS_gettid)),
                     static_cast<std::uint32_t>(::sched_getcpu()));
  return stream;
}

void close_worker_stream(foretask_stream*& stream) noexcept {
  foretask_record_0_(stream, FORETASK_EVENT_THREAD_END);
  foretask_stream_close(std::exchange(stream, nullptr));
}

}  // namespace foretask::kit
