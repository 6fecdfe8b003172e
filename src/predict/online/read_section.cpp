// SPDX-License-Identifier: Apache-2.0
#include "predict/online/read_section.hpp"

#include <array>

#include "base/thread_end.hpp"

namespace foretask::predict {
namespace {

constinit std::array<ReaderSlot, kReaderSlots> slots;

constinit base::ThreadEnd thread_end;

void release_slot(void* slot) {
  detail::own_slot = nullptr;
  static_cast<ReaderSlot*>(slot)->taken.store(false, std::memory_order_release);
}

// When this library is loaded, so that no reader has to.
__attribute__((constructor)) void open_thread_end() { thread_end.open(release_slot); }

}  // namespace

namespace detail {

constinit thread_local ReaderSlot* own_slot __attribute__((tls_model("initial-exec"))) = nullptr;
constinit std::atomic<bool> readers_fence{true};  // until the writer knows that it has membarrier
constinit std::atomic<std::uint64_t> crowd{0};

ReaderSlot* take_slot_slow() noexcept {
  if (!thread_end.is_open()) return nullptr;
  for (ReaderSlot& slot : slots) {
    if (slot.taken.load(std::memory_order_relaxed) || slot.taken.exchange(true, std::memory_order_acquire)) continue;
    if (!thread_end.set(&slot)) {
      slot.taken.store(false, std::memory_order_release);
      return nullptr;
    }
    own_slot = &slot;
    return &slot;
  }
  return nullptr;
}

}  // namespace detail

std::span<ReaderSlot> reader_slots() noexcept { return slots; }

void forget_other_readers() noexcept {
  for (ReaderSlot& slot : slots) {
    if (&slot == detail::own_slot) continue;
    const std::uint64_t sections = slot.sections.load(std::memory_order_relaxed);
    slot.sections.store(sections + sections % 2, std::memory_order_relaxed);
    slot.taken.store(false, std::memory_order_relaxed);
  }
  detail::crowd.store(0, std::memory_order_relaxed);
}

void close_reader_slots() noexcept { thread_end.close(); }

}  // namespace foretask::predict
