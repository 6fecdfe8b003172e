// SPDX-License-Identifier: Apache-2.0
#include "predict/online/reclaimer.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "predict/online/read_section.hpp"

namespace foretask::predict {
namespace {

long membarrier(int command) { return syscall(SYS_membarrier, command, 0, 0); }

}  // namespace

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
