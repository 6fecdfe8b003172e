// SPDX-License-Identifier: Apache-2.0
// HOT: how readers use what a writer replaces and frees. A reader says that it is inside by a plain store into a slot
// of its own; the writer, before it frees what it has replaced, makes every running thread pass a memory barrier
// (membarrier(2)) and then waits for those that it saw inside to leave. So readers are wait-free and pay two stores.
//
//   reader: slot = odd | load pointer, use it | slot = even
//   writer: store new pointer | membarrier | the old one may go when every slot is even or has changed since
//
// Where the system has no membarrier readers pay a fence instead.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "predict/online/snapshot.hpp"

namespace foretask::predict {

struct alignas(64) ReaderSlot {
  std::atomic<std::uint64_t> sections{0};  // odd: inside
  std::atomic<bool> taken{false};
};

namespace detail {
// Initial-exec: one load instead of a call; takes a pointer of the space that glibc keeps for libraries that are loaded
// late.
extern constinit thread_local ReaderSlot* own_slot __attribute__((tls_model("initial-exec")));
extern std::atomic<bool> readers_fence;
// For threads beyond the last slot: they share a counter.
extern std::atomic<std::uint64_t> crowd;
// Finds a slot for this thread, once, by looking through them; null when all are taken. No allocation.
[[nodiscard]] ReaderSlot* take_slot_slow() noexcept;
}  // namespace detail

class ReadSection {
 public:
  ReadSection() noexcept : slot_(detail::own_slot) {
    if (!slot_) [[unlikely]]
      slot_ = detail::take_slot_slow();
    if (slot_) [[likely]] {
      // Only this thread writes its slot. Odd already where a signal handler has interrupted a section of the thread's.
      before_ = slot_->sections.load(std::memory_order_relaxed);
      slot_->sections.store(before_ | 1, std::memory_order_relaxed);
    } else {
      detail::crowd.fetch_add(1, std::memory_order_relaxed);
    }
    // Before the loads that follow, to the writer's eyes: by its membarrier, or by a fence here.
    if (detail::readers_fence.load(std::memory_order_relaxed)) [[unlikely]]
      std::atomic_thread_fence(std::memory_order_seq_cst);
    else
      std::atomic_signal_fence(std::memory_order_seq_cst);
  }

  ~ReadSection() {
    if (!slot_) [[unlikely]] {
      detail::crowd.fetch_sub(1, std::memory_order_release);
      return;
    }
    if (before_ % 2 == 1) [[unlikely]]
      return;
    // Release: what was read is read before the writer's acquire load sees the even number.
    slot_->sections.store(before_ + 2, std::memory_order_release);
  }

  ReadSection(const ReadSection&) = delete;
  ReadSection& operator=(const ReadSection&) = delete;

 private:
  ReaderSlot* slot_;
  std::uint64_t before_ = 0;
};

// In a forked child only the calling thread reads.
void forget_other_readers() noexcept;

// The library is being unloaded: threads' ends no longer call into it.
void close_reader_slots() noexcept;

// The writer's view of the readers.
inline constexpr std::size_t kReaderSlots = 1024;

[[nodiscard]] std::span<ReaderSlot> reader_slots() noexcept;

// The writer: frees snapshots once no reader can hold them any more. One thread at a time.
class Reclaimer {
 public:
  // Replaced already: no reader that begins now finds it.
  void retire(std::unique_ptr<const Snapshot> snapshot) { fresh_.push_back(std::move(snapshot)); }

  // Frees what can be freed; never waits. One system call where something was retired since the last time.
  void collect();

  [[nodiscard]] std::size_t pending() const noexcept { return fresh_.size() + waiting_.size(); }

 private:
  using Batch = std::vector<std::unique_ptr<const Snapshot>>;

  [[nodiscard]] bool all_left() const noexcept;
  void ask_for_membarrier() noexcept;

  Batch fresh_;
  Batch waiting_;
  std::vector<std::pair<std::size_t, std::uint64_t>> inside_;  // slots that were inside when the barrier was passed
  bool crowd_inside_ = false;
  bool has_asked_ = false;
  bool has_membarrier_ = false;
};

}  // namespace foretask::predict
