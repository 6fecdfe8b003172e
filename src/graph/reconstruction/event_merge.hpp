// SPDX-License-Identifier: Apache-2.0
// HOT: the streams' events in the order of their time stamps. Of equal stamps one that may come after another thread's
// event comes last (processors whose clock advances in steps of 40 ns have many), and then the streams' numbers decide.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "foretask/hook.h"
#include "trace/stream_reader.hpp"

namespace foretask::graph {

class EventMerge {
 public:
  explicit EventMerge(std::vector<trace::StreamReader>& streams) : streams_(streams), heads_(streams.size()) {
    for (std::uint32_t index = 0; index < streams.size(); ++index)
      if (streams_[index].next(heads_[index])) heap_.push_back(entry_of(index));
    std::make_heap(heap_.begin(), heap_.end(), later);
  }

  // Calls visit(stream number, event) for each event. While one stream's events come before all others' no heap is
  // touched, which is most of the time.
  template <typename Visit>
  void run(Visit&& visit) {
    while (!heap_.empty()) {
      std::pop_heap(heap_.begin(), heap_.end(), later);
      const std::uint32_t index = heap_.back().stream;
      heap_.pop_back();
      const Entry bound = heap_.empty() ? Entry{~std::uint64_t{0}, true, ~std::uint32_t{0}} : heap_.front();
      trace::Event& head = heads_[index];
      bool more = true;
      do {
        visit(index, head);
        more = streams_[index].next(head);
      } while (more && !later(entry_of(index), bound));
      if (!more) continue;
      heap_.push_back(entry_of(index));
      std::push_heap(heap_.begin(), heap_.end(), later);
    }
  }

 private:
  struct Entry {
    std::uint64_t ticks;
    bool is_after_others;
    std::uint32_t stream;
  };
  static bool later(const Entry& a, const Entry& b) noexcept {
    if (a.ticks != b.ticks) [[likely]]
      return a.ticks > b.ticks;
    return a.is_after_others != b.is_after_others ? a.is_after_others : a.stream > b.stream;
  }

  // A task begins after its creation, a wait ends after what it waited for, a lock is had after it was released.
  static constexpr std::uint64_t kAfterOthers = [] {
    std::uint64_t kinds = 0;
    for (const int kind : {FORETASK_EVENT_TASK_SWITCH_OWN, FORETASK_EVENT_TASK_SWITCH, FORETASK_EVENT_WAIT_END,
                           FORETASK_EVENT_DEPEND_WAIT_END, FORETASK_EVENT_GROUP_END, FORETASK_EVENT_BARRIER_END,
                           FORETASK_EVENT_REGION_END, FORETASK_EVENT_IMPLICIT_BEGIN, FORETASK_EVENT_LOCK_ACQUIRED})
      kinds |= std::uint64_t{1} << kind;
    return kinds;
  }();
  static_assert(FORETASK_EVENT_KINDS <= 64);

  [[nodiscard]] Entry entry_of(std::uint32_t stream) const noexcept {
    const trace::Event& head = heads_[stream];
    return {head.ticks, (kAfterOthers >> head.kind & 1) != 0, stream};
  }

  std::vector<trace::StreamReader>& streams_;
  std::vector<trace::Event> heads_;
  std::vector<Entry> heap_;
};

}  // namespace foretask::graph
