// SPDX-License-Identifier: Apache-2.0
#include "predict/online/read_section.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

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

long membarrier(int command) { return syscall(SYS_membarrier, command, 0, 0); }

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

// Where a process has several threads, the system takes 4 to 30 ms for it: not in the program's thread that makes the
// learner, which may have nothing to reclaim ever.
void Reclaimer::ask_for_membarrier() noexcept {
  has_asked_ = true;
  has_membarrier_ = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
  // A reader that still pays the fence does no harm, one that no longer does must be seen by membarrier: it is.
  detail::readers_fence.store(!has_membarrier_, std::memory_order_seq_cst);
}

bool Reclaimer::all_left() const noexcept {
  if (crowd_inside_ && detail::crowd.load(std::memory_order_acquire) != 0) return false;
  const auto slots = reader_slots();
  for (const auto& [slot, sections] : inside_)
    if (slots[slot].sections.load(std::memory_order_acquire) == sections) return false;
  return true;
}

void Reclaimer::collect() {
  if (!waiting_.empty()) {
    if (!all_left()) return;
    waiting_.clear();
  }
  if (fresh_.empty()) return;
  if (!has_asked_) ask_for_membarrier();
  waiting_.swap(fresh_);
  // Pairs with the readers' signal fence: a reader that we do not see inside below finds the new pointers.
  if (has_membarrier_ && membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0) {
    // Registered once, and refused now: the readers that have not yet seen that they need a fence cannot be told.
    has_membarrier_ = false;
    detail::readers_fence.store(true, std::memory_order_seq_cst);
    fresh_.swap(waiting_);
    return;
  }
  if (!has_membarrier_) std::atomic_thread_fence(std::memory_order_seq_cst);
  inside_.clear();
  const auto slots = reader_slots();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::uint64_t sections = slots[i].sections.load(std::memory_order_acquire);
    if (sections % 2 == 1) inside_.emplace_back(i, sections);
  }
  crowd_inside_ = detail::crowd.load(std::memory_order_acquire) != 0;
  if (inside_.empty() && !crowd_inside_) waiting_.clear();
}

}  // namespace foretask::predict
