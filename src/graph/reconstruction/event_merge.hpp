// SPDX-License-Identifier: Apache-2.0
// HOT: the streams' events in the order of their time stamps; equal stamps in the order of the streams' numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "trace/stream_reader.hpp"

namespace foretask::graph {

class EventMerge {
 public:
  explicit EventMerge(std::vector<trace::StreamReader>& streams) : streams_(streams), heads_(streams.size()) {
    for (std::uint32_t index = 0; index < streams.size(); ++index)
      if (streams_[index].next(heads_[index])) heap_.push_back({heads_[index].ticks, index});
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
      const Entry bound = heap_.empty() ? Entry{~std::uint64_t{0}, ~std::uint32_t{0}} : heap_.front();
      trace::Event& head = heads_[index];
      bool more = true;
      do {
        visit(index, head);
        more = streams_[index].next(head);
      } while (more && !later({head.ticks, index}, bound));
      if (!more) continue;
      heap_.push_back({head.ticks, index});
      std::push_heap(heap_.begin(), heap_.end(), later);
    }
  }

 private:
  struct Entry {
    std::uint64_t ticks;
    std::uint32_t stream;
  };
  static bool later(const Entry& a, const Entry& b) noexcept {
    return a.ticks != b.ticks ? a.ticks > b.ticks : a.stream > b.stream;
  }

  std::vector<trace::StreamReader>& streams_;
  std::vector<trace::Event> heads_;
  std::vector<Entry> heap_;
};

}  // namespace foretask::graph
