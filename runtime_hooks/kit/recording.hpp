// SPDX-License-Identifier: Apache-2.0
// What hooks do alike with foretask/hook.h: they start, open a stream for each worker of their runtime, and say what a
// task comes after. On the calling thread; without a stream, which is NULL where nothing is recorded, nothing is said.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "foretask/hook.h"

namespace foretask::kit {

// foretask_hook_start(), with options of these members. `entered_ticks`: ticks_before_start(), or 0.
int start(const char* runtime, const char* version, std::uint32_t flags, std::uint64_t entered_ticks = 0) noexcept;

// The recording's clock before there is a recording.
[[nodiscard]] std::uint64_t ticks_before_start() noexcept;

// The calling thread is one of the runtime's, and its stream begins with that. NULL as in foretask_stream_open(). Other
// threads take foretask_stream_of_thread(), which is closed at the thread's end.
[[nodiscard]] foretask_stream* open_worker_stream() noexcept;
// At the thread's end, before libforetask's own. Leaves NULL behind.
void close_worker_stream(foretask_stream*& stream) noexcept;

// What the task or the wait that the stream created last comes after: as many events as it takes.
class Dependences {
 public:
  explicit Dependences(foretask_stream* stream) noexcept : stream_(stream) {}
  ~Dependences() { flush(); }
  Dependences(const Dependences&) = delete;
  Dependences& operator=(const Dependences&) = delete;

  // `kind`: a foretask_dependence_kind.
  void add(std::uint64_t address, std::uint32_t kind) noexcept {
    addresses_[used_] = address;
    kinds_[used_++] = kind;
    if (used_ == FORETASK_DEPENDENCES_PER_EVENT) flush();
  }
  void add(std::span<const std::uint64_t> addresses, std::uint32_t kind) noexcept {
    for (const std::uint64_t address : addresses) add(address, kind);
  }
  // There are no more. If there was none at all that has to be said of a task that waits for these words.
  void close() noexcept {
    if (!any_ && used_ == 0) foretask_record_dependences(stream_, addresses_.data(), kinds_.data(), 0);
  }

 private:
  void flush() noexcept {
    if (used_ != 0) foretask_record_dependences(stream_, addresses_.data(), kinds_.data(), used_);
    any_ = true;
    used_ = 0;
  }

  foretask_stream* stream_;
  std::array<std::uint64_t, FORETASK_DEPENDENCES_PER_EVENT> addresses_;
  std::array<std::uint32_t, FORETASK_DEPENDENCES_PER_EVENT> kinds_;
  std::uint32_t used_ = 0;
  bool any_ = false;
};

}  // namespace foretask::kit
