// SPDX-License-Identifier: Apache-2.0
#include "graph/reconstruction/core_times.hpp"

#include <algorithm>
#include <utility>

#include "trace/event_table.hpp"

namespace foretask::graph {

void CoreTimesReader::add(const trace::Event& event) {
  switch (event.kind) {
    case FORETASK_EVENT_TOOL_TIME:
      tool_ticks_ += std::min(trace::u64_at(event.payload), event.ticks - tool_ticks_);
      return;
    case FORETASK_EVENT_THREAD_TIMES:
      read(event);
      tool_ticks_ = 0;
      return;
    case FORETASK_EVENT_THREAD_BEGIN:
      end_thread();
      last_ = event.ticks;
      return;
    default:
      before_ = last_;
      last_ = event.ticks;
  }
}

// Nothing more is learned of the last thread's pieces: those of the next thread say nothing of them.
void CoreTimesReader::end_thread() {
  untold_ = pieces_.size();
  told_ticks_ += ready_ticks_;
  unknown_ticks_ = waited_ticks_ = ready_ticks_ = 0;
  before_ = last_ = 0;
}

void CoreTimesReader::read(const trace::Event& event) {
  const std::uint64_t to = event.ticks;
  const std::uint64_t elapsed = std::min(trace::u64_at(event.payload), to);
  const std::uint64_t on_core = std::min(trace::u64_at(event.payload + 2), elapsed);
  const std::uint32_t flags = event.payload[6];
  const std::uint64_t off = elapsed - on_core - std::min(elapsed - on_core, tool_ticks_);
  if (off != 0) {
    const bool has_blocked = (flags & FORETASK_TIMES_BLOCKED) != 0;
    if (!has_blocked) ready_ticks_ += static_cast<double>(off);
    const std::uint64_t from = to - elapsed;
    // The event that had the times read ends the gap, unless the reading came without one. An interval begins just
    // after an event: a gap that it begins with is taken from there.
    const bool is_since_last = last_ == 0 || to - last_ > last_ - before_;
    const std::uint64_t event_before = is_since_last ? last_ : before_;
    const std::uint64_t gap_from = std::max(event_before, from);
    const std::uint64_t gap_to = is_since_last ? to : last_;
    const std::uint64_t gap = gap_to > gap_from ? gap_to - gap_from : 0;
    const std::uint64_t before = gap_from - from;
    // More than fits before the gap is one wait, in the gap. Less may be anywhere: a thread that looks for work gives
    // its core away again and again, so a wait for a core is then no strand's.
    const double share = static_cast<double>(off) * (static_cast<double>(gap) / static_cast<double>(gap + before));
    const std::uint64_t in_gap = std::min(gap, off > before ? off : static_cast<std::uint64_t>(share));
    const bool is_told = off > before || has_blocked;
    if (is_told && before != 0) add_piece({from, gap_from}, std::min(off - in_gap, before), before, has_blocked);
    // A strand's time is looked at from event to event, so a piece begins at one. Where a reading came without an
    // event, that may be long before the interval, which has no more of the piece for that.
    const std::uint64_t since = pieces_.empty() ? event_before : std::max(event_before, pieces_.back().to_ticks);
    const std::uint64_t length = since == 0 ? gap : gap_to - std::min(gap_to, since);
    if (is_told && in_gap != 0) add_piece({event_before, gap_to}, in_gap, std::max(length, in_gap), has_blocked);
  }
  if ((flags & FORETASK_TIMES_HAS_WAITED) != 0) tell_apart(static_cast<double>(trace::u64_at(event.payload + 4)));
}

void CoreTimesReader::add_piece(CoreTimes piece, std::uint64_t off, std::uint64_t length, bool has_blocked) {
  if (!pieces_.empty()) piece.from_ticks = std::max(piece.from_ticks, pieces_.back().to_ticks);
  if (off == 0 || piece.from_ticks >= piece.to_ticks) return;
  (has_blocked ? piece.blocked : piece.waited) = static_cast<double>(off) / static_cast<double>(length);
  (has_blocked ? unknown_ticks_ : waited_ticks_) += static_cast<double>(off);
  pieces_.push_back(piece);
}

void CoreTimesReader::tell_apart(double waited) {
  const double part = unknown_ticks_ > 0 ? std::clamp((waited - waited_ticks_) / unknown_ticks_, 0.0, 1.0) : 0;
  for (; untold_ < pieces_.size(); ++untold_) {
    CoreTimes& piece = pieces_[untold_];
    const double moved = piece.blocked * part;
    piece.waited += moved;
    piece.blocked -= moved;
  }
  unknown_ticks_ = 0;
  waited_ticks_ = 0;
  told_ticks_ += std::max(waited, ready_ticks_);
  ready_ticks_ = 0;
}

std::vector<CoreTimes> CoreTimesReader::finish() { return std::move(pieces_); }

}  // namespace foretask::graph
